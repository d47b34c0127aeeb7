# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start a program under the guard, wait until it says that it is ready, stop it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
GUARD = HERE / "guard.py"


class ServerDied(RuntimeError):
    """A server of ours did not come up; the message holds the end of its output."""


def import_root() -> Path:
    """The folder that must be on `sys.path` for this package to be importable under its present name."""
    return HERE.parents[len((__package__ or "").split(".")) - 1]


def child_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    environment = dict(os.environ)
    paths = [str(import_root()), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    environment.update(extra or {})
    return environment


@dataclass
class Guarded:
    """A running program. Its output goes to a file, where readiness is looked for."""

    process: subprocess.Popen[bytes]
    output: Path

    def wait_for(self, pattern: str, timeout: float = 15.0) -> re.Match[str]:
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            found = re.search(pattern, self.text(), re.MULTILINE)
            if found:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise ServerDied(f"{self.process.args!r} is not ready:\n{self.text()[-2000:]}")

    def text(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    def stop(self, timeout: float = 4.0) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(
    command: Sequence[str],
    output: Path,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Guarded:
    """Start a foreign program behind the guard."""
    return _spawn([sys.executable, "-I", "-S", str(GUARD), *command], output, environment, cwd)


def start_own(module: str, argument: str, output: Path) -> Guarded:
    """Start a module of this package, which watches its standard input itself."""
    return _spawn([sys.executable, "-m", f"{__package__}.{module}", argument], output, child_environment(), None)


def _spawn(command: Sequence[str], output: Path, environment: Mapping[str, str] | None, cwd: Path | None) -> Guarded:
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as sink:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=dict(environment) if environment is not None else None,
            cwd=cwd,
            start_new_session=True,
        )
    return Guarded(process, output)
