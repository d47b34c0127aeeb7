# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A place in a KV engine of OpenBao, of version 1 or 2, named as ``bao kv put`` names it."""

from __future__ import annotations

import typing as t

from ..errors import MintError
from .openbao import OpenBao

#: A write makes a path or replaces what is there; which of the two is not known before.
_NEEDED: t.Final = frozenset({"create", "update"})


class BaoKv(OpenBao):
    """What is asked of a KV engine: where a path is, whether it may be written, the write."""

    def locate(self, path: str, token: str) -> tuple[str, int]:
        """The path of the API, and the version of its engine. Any token that may use the path may ask."""
        reply = self._ask("GET", f"sys/internal/ui/mounts/{path}", token)
        data = reply.body.get("data") if isinstance(reply.body, dict) else None
        found = data if isinstance(data, dict) else {}
        mount, kind = str(found.get("path") or ""), found.get("type")
        if kind not in ("kv", "generic") or not path.startswith(mount):
            raise MintError(f"OpenBao: {path} is in no KV engine")
        version = 2 if str((found.get("options") or {}).get("version")) == "2" else 1
        rest = path[len(mount) :]
        if version == 2 and not rest.startswith("data/"):
            rest = f"data/{rest}"
        return f"{mount}{rest}", version

    def may_write(self, path: str, token: str) -> bool:
        reply = self._ask("POST", "sys/capabilities-self", token, t.cast("t.Any", {"paths": [path]}))
        data = reply.body.get("data") if isinstance(reply.body, dict) else None
        held = (data if isinstance(data, dict) else {}).get(path)
        return isinstance(held, list) and ("root" in held or set(held) >= _NEEDED)

    def put(self, path: str, version: int, token: str, fields: t.Mapping[str, str]) -> None:
        """All fields of the path become these."""
        body: t.Mapping[str, t.Any] = {"data": dict(fields)} if version == 2 else fields
        self._ask("POST", path, token, body)
