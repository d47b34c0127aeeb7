# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storages, in the spelling in which the storage module declares them."""

from __future__ import annotations

import typing as t
from urllib.parse import quote

from ..engine.family import Reader
from ..engine.info import Info
from ..engine.read import rows_of
from ..engine.sight import prove_sight
from ..families.storage.kinds import TYPES
from ..families.storage.table import STORAGE
from ..wire.kind import SpellingError

_STATUS = ("active", "enabled")
_SIZES = ("total", "used", "avail")


def _gather(params: t.Mapping[str, t.Any], reader: Reader) -> dict[str, t.Any]:
    wanted, kind, node = params.get("storage"), params.get("type"), params.get("node")
    rows = rows_of(reader, "storage")
    if wanted and not any(row.get("storage") == wanted for row in rows):
        needed = ("Datastore.Audit", "Datastore.AllocateSpace")
        prove_sight(f"Storage {wanted}", "storage", f"/storage/{wanted}", needed, reader)
    chosen = [row for row in rows if wanted in (None, row.get("storage")) and kind in (None, row.get("type"))]
    status = _status(node, reader) if node else {}
    told = [
        {**_told(row), **({"status": status.get(str(row["storage"]))} if node else {})}
        for row in sorted(chosen, key=lambda row: str(row["storage"]))
    ]
    return {"storages": told}


def _told(row: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Keys by the module's options. Of a key for backups only its presence is told."""
    told: dict[str, t.Any] = {"storage": row["storage"]}
    for name, key in STORAGE.keys.items():
        if row.get(name) is None or key.secret or key.hidden:
            continue
        try:
            told[key.option_name(name)] = key.kind.show(key.kind.canon(row[name]))
        except SpellingError:
            told[key.option_name(name)] = row[name]
    if row.get("type") == "pbs":
        told["encrypted"] = bool(row.get("encryption-key"))
    return told


def _status(node: str, reader: Reader) -> dict[str, dict[str, t.Any]]:
    path = f"nodes/{quote(node, safe='')}/storage"
    return {
        str(row["storage"]): {
            **{name: str(row.get(name)) == "1" for name in _STATUS},
            **{name: row.get(name) for name in _SIZES},
        }
        for row in rows_of(reader, path, shared=False)
    }


STORAGE_INFO = Info(
    name="storage_info",
    product="pve",
    gather=_gather,
    read="Datastore.Audit or Datastore.AllocateSpace on /storage/{storage}",
    returns=("storages",),
    options={
        "storage": {"type": "str"},
        "type": {"type": "str", "choices": list(TYPES)},
        "node": {"type": "str"},
    },
)
