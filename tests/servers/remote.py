# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be asked of a running lab: its log, its faults, changes by hand. Over the control interface."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Mapping
from typing import Any

from .requestlog import is_mint, is_write


class LabError(RuntimeError):
    """The lab refused what a test asked of it."""


class Remote:
    def __init__(self) -> None:
        self._control: http.client.HTTPConnection | None = None
        self._control_port = 0
        self._lock = threading.Lock()

    def disconnect(self) -> None:
        if self._control:
            self._control.close()
            self._control = None

    # ---- what arrived

    def requests(self) -> list[dict[str, Any]]:
        """Every request since the last reset, in order, but those of OpenBao's engine."""
        return [entry for entry in self._log() if not entry.get("engine")]

    def writes(self) -> list[dict[str, Any]]:
        """The requests that were not GET."""
        return [entry for entry in self.requests() if is_write(entry)]

    def mints(self) -> list[dict[str, Any]]:
        """The tokens made at the cluster, by whomever."""
        return [entry for entry in self._log() if is_mint(entry)]

    def minted_tokens(self, settle: float = 1.0) -> list[str]:
        """The minted tokens that exist, as the cluster's user list shows them.

        OpenBao ends the leases of a revoked login in the background: this gives it so many seconds to remove all.
        """
        deadline = time.monotonic() + settle
        while True:
            found = self._minted_now()
            if not found or time.monotonic() >= deadline:
                return found
            time.sleep(0.02)

    def _minted_now(self) -> list[str]:
        rows = self.edit("GET", "/access/users", {"full": 1})["data"]
        return [
            f"{row['userid']}!{token['tokenid']}"
            for row in rows
            if str(row["userid"]).startswith("hf-")
            for token in row["tokens"]
        ]

    def _log(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self._ask("GET", "/control/log")
        return entries

    def reset_log(self) -> None:
        self._ask("POST", "/control/log/reset")

    def reset(self) -> None:
        """The state of the start: objects, faults, members, log. Tokens that OpenBao minted stay."""
        self._ask("POST", "/control/reset")

    # ---- faults

    def fault(self, kind: str, **fields: Any) -> None:
        """Break something; faults.py lists the kinds and their fields."""
        self._ask("POST", "/control/fault", {"kind": kind, **fields})

    def fault_hits(self) -> list[int]:
        hits: list[int] = self._ask("GET", "/control/faults")
        return hits

    def clear_faults(self) -> None:
        self._ask("POST", "/control/faults/clear")

    def stop_member(self, index: int) -> None:
        """Refuse connections on that member, and drop those that are open."""
        self._ask("POST", "/control/member", {"member": index, "up": False})

    def start_member(self, index: int) -> None:
        self._ask("POST", "/control/member", {"member": index, "up": True})

    def node_online(self, node: str, online: bool) -> None:
        """Take a node of the cluster down (its requests answer 595), or up again."""
        self._ask("POST", "/control/node", {"node": node, "online": online})

    def configure(self, **settings: Any) -> None:
        """`latency` and `auth_delay` in seconds, `privileges` on or off; back to the start's at a reset."""
        self._ask("POST", "/control/config", settings)

    # ---- changes by hand

    def edit(self, method: str, path: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Ask as root@pam by ticket, as a person at the web interface would; not in the log. Raises when refused."""
        answer = self.try_edit(method, path, values)
        if answer["status"] != 200:
            raise LabError(f"{method} {path}: {answer['status']} {answer['message']} {answer['errors'] or ''}")
        return answer

    def try_edit(self, method: str, path: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Like `edit`, and gives refusals back: {status, data, message, errors}."""
        answer: dict[str, Any] = self._ask("POST", "/control/edit", {"method": method, "path": path, "values": values})
        return answer

    def get(self, path: str, values: Mapping[str, Any] | None = None) -> Any:
        """The data of a GET by hand."""
        return self.edit("GET", path, values)["data"]

    def put_object(self, state: str, key: Any, data: Mapping[str, Any] | None) -> None:
        """Put an object into the section store, past all checks; None removes it."""
        self._ask("POST", "/control/store", {"state": state, "key": key, "data": data})

    def finish_replication(self, job: str) -> None:
        """What the source node's timer does with a job that is marked for removal."""
        found = self.get(f"/cluster/replication/{job}")
        if not found.get("remove_job"):
            raise LabError(f"replication job {job} is not marked for removal")
        self.put_object("replication_job", found["id"], None)

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        with self._lock:
            for attempt in (1, 2):
                if self._control is None:
                    self._control = http.client.HTTPConnection("127.0.0.1", self._control_port, timeout=60)
                try:
                    self._control.request(method, path, json.dumps(body or {}))
                    response = self._control.getresponse()
                    data = json.loads(response.read())
                    break
                except (http.client.HTTPException, OSError):
                    self._control = None
                    if attempt == 2:
                        raise
        if response.status != 200:
            raise LabError(str(data))
        return data
