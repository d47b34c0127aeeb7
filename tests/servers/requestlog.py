# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every request that arrived, in memory and as JSON lines, with secret values masked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .wire import Request, Values

MASK = "***"
SECRET_NAMES = frozenset(
    """password new-password confirmation-password secret value token otp ticket vncticket cipassword env keyring
    encryption-key master-pubkey client-key bind-password header headers ssh-public-keys apikey""".split()
)
MINT = "/access/users/{userid}/token/{tokenid}"


def masked(values: Values) -> Values:
    return {name: MASK if name in SECRET_NAMES and value is not None else value for name, value in values.items()}


class RequestLog:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def add(self, request: Request, status: int | str, template: str, started: float, **more: Any) -> None:
        """Note a request. `status` is a number, or what happened to the connection instead of an answer."""
        entry = {
            "time": round(time.time(), 4),
            "member": request.member,
            "method": request.method,
            "path": request.path,
            "template": template,
            "query": masked(request.query),
            "form": masked(request.form),
            "status": status,
            "identity": request.identity,
            "seconds": round(time.monotonic() - started, 4),
            **more,
        }
        with self._lock:
            entry["seq"] = len(self._entries)
            self._entries.append(entry)
            self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def entries(self) -> list[dict[str, Any]]:
        with self._lock:
            return list(self._entries)

    def reset(self) -> None:
        """Forget what was logged in memory; the file keeps everything."""
        with self._lock:
            self._entries.clear()


def is_write(entry: Mapping[str, Any]) -> bool:
    """A request that may change something. What OpenBao's engine does to mint and revoke is counted as mints."""
    return bool(entry["method"] not in ("GET", "HEAD") and not entry.get("engine"))


def is_mint(entry: Mapping[str, Any]) -> bool:
    return bool(entry["method"] == "POST" and entry["template"] == MINT and entry["status"] == 200)
