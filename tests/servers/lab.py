# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab: a simulated PVE cluster and a real OpenBao that mints tokens on it, all on loopback.

    with Lab.start(tmp_path, members=2) as lab:
        ...  # lab.hosts, lab.ca_path, lab.token_id, lab.token_secret, lab.bao_addr, ...
        lab.fault("status", method="PUT", path="/pools", status=596, message="broken pipe", times=1)
        assert lab.writes() == [] and len(lab.mints()) == 1

For people: `python -m tests.servers.lab` (or `--json`) starts one and keeps it until Ctrl-C.

The cluster is one process of ours (front.py): TLS listeners, one a member, over one state. It keeps access control,
datacenter options and more itself (sections/), and hands guests, storage, pools and tasks to fakepve, an independent
fake of the API in a process of its own, with corrections where that answers otherwise than PVE does (corrections.py).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import secrets
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import certs, procs
from .bao import Bao
from .remote import LabError, Remote
from .seed import Seed

__all__ = ["ENGINE_TOKEN_ID", "TOKEN_ID", "Lab", "LabError"]

TOKEN_ID = "root@pam!lab"
ENGINE_TOKEN_ID = "root@pam!openbao"


class Lab(Remote):
    """A running lab. Made by `Lab.start`; what can be asked of a running one is in remote.py."""

    def __init__(
        self,
        folder: Path,
        *,
        bao: bool = True,
        bao_tls: bool = False,
        members: int = 1,
        time_scale: float = 0.0,
        auth_delay: float = 0.0,
        latency: float = 0.0,
        privileges: bool = False,
        ttl: int = 300,
        seed: Seed | Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        made = certs.make(folder / "tls")
        self.ca_path, self.fingerprint = str(made.ca), made.fingerprint
        self.token_id, self.token_secret = TOKEN_ID, secrets.token_hex(16)
        engine_secret = secrets.token_hex(16)
        self.seed = seed if isinstance(seed, Seed) else Seed.from_data(seed or {})
        self.seed.tokens.setdefault(TOKEN_ID, self.token_secret)
        self.token_secret = self.seed.tokens[TOKEN_ID]
        self.seed.tokens[ENGINE_TOKEN_ID] = engine_secret
        config = {
            "folder": str(folder),
            "cert": str(made.cert),
            "key": str(made.key),
            "fingerprint": made.fingerprint,
            "members": members,
            "time_scale": time_scale,
            "auth_delay": auth_delay,
            "latency": latency,
            "privileges": privileges,
            "engine_token": ENGINE_TOKEN_ID,
            "seed": asdict(self.seed),
        }
        config_file = folder / "front.json"
        config_file.touch(mode=0o600)
        config_file.write_text(json.dumps(config), encoding="utf-8")
        self.bao = Bao(folder / "bao", tls=bao_tls) if bao else None
        self._front = procs.start_own("front", str(config_file), folder / "front.log")
        try:
            self._settle(ttl, engine_secret)
        except BaseException:
            self.stop()
            raise

    def _settle(self, ttl: int, engine_secret: str) -> None:
        """Wait for everything that was started at once, and introduce OpenBao to the cluster."""
        if self.bao:
            self.bao.prepare()
        facts = json.loads(self._front.wait_for(r'^\{"ports.*\}$')[0])
        self.ports: list[int] = facts["ports"]
        self.hosts = [f"127.0.0.1:{port}" for port in self.ports]
        self._control_port = facts["control"]
        if self.bao:
            self.bao.connect(self.hosts, self.ca_path, f"{ENGINE_TOKEN_ID}={engine_secret}", ttl)
            self.bao.put_static(self.token_id, self.token_secret, ttl)

    @classmethod
    @contextlib.contextmanager
    def start(cls, folder: Path, **options: Any) -> Iterator[Lab]:
        lab = cls(folder, **options)
        try:
            yield lab
        finally:
            lab.stop()

    def stop(self) -> None:
        """End everything that was started. Leases are not revoked: the cluster goes with them."""
        if self.bao:
            self.bao.stop()
        self._front.stop()
        self.disconnect()

    # ---- OpenBao

    @property
    def bao_addr(self) -> str:
        return self._bao.addr

    @property
    def bao_ca_cert(self) -> str | None:
        return self._bao.ca_cert

    @property
    def bao_token(self) -> str:
        return self._bao.token

    @property
    def role_id(self) -> str:
        return self._bao.role_id

    @property
    def secret_id(self) -> str:
        return self._bao.secret_id

    @property
    def mount(self) -> str:
        return self._bao.mount

    @property
    def kv_mount(self) -> str:
        return self._bao.kv_mount

    @property
    def _bao(self) -> Bao:
        if self.bao is None:
            raise LabError("this lab was started without OpenBao")
        return self.bao

    def stop_bao(self) -> None:
        """Kill OpenBao; what it minted lives on at the cluster."""
        self._bao.kill()

    def reset(self) -> None:
        """The state of the start: objects, faults, members, log. Tokens that OpenBao minted stay."""
        if self.bao and not self.bao.running:
            raise LabError("OpenBao was stopped, and a reset does not start it again: use a lab of its own")
        super().reset()

    def secrets(self) -> list[str]:
        """Every token secret that a request was let in with, and OpenBao's own."""
        found: list[str] = self._ask("GET", "/control/secrets")
        return [*found, *([self.bao_token, self.secret_id] if self.bao else [])]

    @property
    def log_files(self) -> list[Path]:
        """Everything that the servers wrote down, for a search for secrets."""
        return sorted(path for path in self.folder.rglob("*") if path.suffix in (".log", ".jsonl"))

    def facts(self) -> dict[str, Any]:
        """What a client needs to connect."""
        found: dict[str, Any] = {
            "hosts": self.hosts,
            "ca_path": self.ca_path,
            "fingerprint": self.fingerprint,
            "token_id": self.token_id,
            "token_secret": self.token_secret,
            "control": f"http://127.0.0.1:{self._control_port}/control/",
            "folder": str(self.folder),
        }
        if self.bao:
            names = ("bao_addr", "bao_ca_cert", "bao_token", "role_id", "secret_id", "mount", "kv_mount")
            found.update({name: getattr(self, name) for name in names})
        return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="lab", description="Start the lab and keep it until Ctrl-C.")
    parser.add_argument("--json", action="store_true", help="print the facts as one line of JSON")
    parser.add_argument("--members", type=int, default=2)
    parser.add_argument("--time-scale", type=float, default=0.0, help="real seconds per PVE second of a task")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds added to every answer")
    parser.add_argument("--no-bao", action="store_true", help="without OpenBao")
    parser.add_argument("--bao-tls", action="store_true", help="OpenBao with TLS")
    parser.add_argument("--privileges", action="store_true", help="check the privileges of tokens")
    parser.add_argument("--ttl", type=int, default=300, help="seconds that a minted token lives")
    parser.add_argument("--seed", type=Path, help="a JSON file with parts of a seed (seed.py)")
    parser.add_argument("--folder", type=Path, help="where certificates and logs go (default: a temporary folder)")
    given = parser.parse_args(argv)
    seed = json.loads(given.seed.read_text(encoding="utf-8")) if given.seed else None
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    with contextlib.ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lab-")))
        options = {"bao": not given.no_bao, "bao_tls": given.bao_tls, "members": given.members, "ttl": given.ttl}
        options |= {"time_scale": given.time_scale, "latency": given.latency, "privileges": given.privileges}
        lab = stack.enter_context(Lab.start(folder, seed=seed, **options))
        if given.json:
            print(json.dumps(lab.facts()), flush=True)
        else:
            for name, value in lab.facts().items():
                print(f"{name:14} {' '.join(value) if isinstance(value, list) else value}", flush=True)
        done.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
