# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a playbook against the test servers and counts what arrived there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.servers.lab import Lab

ROOT = Path(__file__).resolve().parent.parent
INVENTORY = ROOT / "examples/demo/inventory.yml"


@dataclass(frozen=True)
class Count:
    """One run of a playbook: what Ansible says of it, and what the servers saw."""

    code: int
    output: str
    changed: int
    requests: int
    writes: int
    minted: int
    seconds: float

    def line(self) -> str:
        return (
            f"changed={self.changed}  requests={self.requests}  writes={self.writes}  "
            f"tokens minted={self.minted}  ({self.seconds:.1f} s)"
        )


@contextmanager
def lab() -> Iterator[Lab]:
    """Two members and an OpenBao in a folder that goes with them."""
    with TemporaryDirectory(prefix="homeflare-lab-") as folder, Lab.start(Path(folder), members=2, bao=True) as started:
        yield started


def environment(started: Lab) -> dict[str, str]:
    """How a task finds the servers, told as a person would: by environment variables."""
    ours = {
        "PROXMOX_API_HOSTS": ",".join(started.hosts),
        "PROXMOX_CA_PATH": started.ca_path,
        "PROXMOX_BAO_MOUNT": started.mount,
        "BAO_ADDR": started.bao_addr,
        "BAO_ROLE_ID": started.role_id,
        "BAO_SECRET_ID": started.secret_id,
        "ANSIBLE_NOCOLOR": "1",
    }
    return {**os.environ, **ours}


def play(started: Lab, playbook: Path, *options: str, show: bool = True) -> Count:
    """Run ``playbook`` once, with the log of the servers starting empty."""
    started.reset_log()
    begin = time.monotonic()
    command = ["ansible-playbook", "-i", str(INVENTORY), str(playbook), *options]
    lines: list[str] = []
    with subprocess.Popen(
        command, env=environment(started), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if show:
                sys.stdout.write(f"    {line}" if line.strip() else "\n")
                sys.stdout.flush()
    seconds = time.monotonic() - begin
    output = "".join(lines)
    return Count(
        code=process.returncode,
        output=output,
        changed=sum(int(number) for number in re.findall(r"\bchanged=(\d+)", output)),
        requests=len(started.requests()),
        writes=len(started.writes()),
        minted=len(started.mints()),
        seconds=seconds,
    )


def wrong(count: Count, expected: Sequence[tuple[bool, str]]) -> list[str]:
    """What does not hold of ``count``: a failed playbook, or one of ``expected``."""
    if count.code:
        return [f"ansible-playbook ended with exit code {count.code}"]
    return [text for holds, text in expected if not holds]
