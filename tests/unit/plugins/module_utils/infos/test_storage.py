# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup of storages: told as they are declared, and nothing secret."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ServerError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.storage.table import STORAGE
from ansible_collections.homeflare.proxmox.plugins.module_utils.infos.storage import STORAGE_INFO
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script

Call = tuple[str, str, t.Any, t.Any]

TANK = {
    "storage": "tank",
    "type": "dir",
    "path": "/srv/tank",
    "content": "iso,backup",
    "nodes": "pve2,pve1",
    "prune-backups": "keep-last=3,keep-daily=0",
    "content-dirs": {"iso": "images"},
    "disable": 1,
    "digest": "d1",
}
PBS = {
    "storage": "pbs",
    "type": "pbs",
    "server": "pbs.example",
    "datastore": "house",
    "content": "backup",
    "shared": 1,
    "encryption-key": "aa:bb",
    "master-pubkey": 1,
    "digest": "d1",
}
LIST: Call = ("GET", "storage", None, [TANK, PBS])


def look(expect: list[Call], **params: t.Any) -> list[dict[str, t.Any]]:
    script = Script(expect, read_only=True)
    found = STORAGE_INFO.gather(params, script)
    script.done()
    rows: list[dict[str, t.Any]] = found["storages"]
    return rows


def test_storages_are_sorted_and_told_in_the_options_of_the_module() -> None:
    pbs, tank = look([LIST])
    assert tank == {
        "storage": "tank",
        "type": "dir",
        "path": "/srv/tank",
        "content": ["backup", "iso"],
        "nodes": ["pve1", "pve2"],
        "disable": True,
        "prune_backups": {"keep-last": 3},
        "content_dirs": {"iso": "images"},
    }
    assert pbs["encrypted"] is True
    assert "aa:bb" not in json.dumps(pbs)


@pytest.mark.parametrize("live", [TANK, PBS])
def test_what_is_told_is_a_declaration_that_changes_nothing(live: dict[str, t.Any]) -> None:
    (told,) = look([(*LIST[:3], [live])])
    told.pop("encrypted", None)
    wanted = declaration_of(STORAGE, told)
    outcome = converge(STORAGE, wanted, Script([(*LIST[:3], [live])]), check_mode=False)
    assert outcome.judgement.action == "none"


def test_one_storage_or_one_type() -> None:
    assert [row["storage"] for row in look([LIST], storage="tank")] == ["tank"]
    assert [row["storage"] for row in look([LIST], type="pbs")] == ["pbs"]


def test_a_storage_that_is_not_there_is_told_from_one_that_is_not_seen() -> None:
    path = "/storage/x1"
    granted: Call = ("GET", "access/permissions", {"path": path}, {path: {"Datastore.Audit": 1}})
    assert look([LIST, granted], storage="x1") == []
    with pytest.raises(ServerError, match="would not see it"):
        look([LIST, (*granted[:3], {path: {}})], storage="x1")


def test_the_status_of_a_node() -> None:
    row = {"storage": "tank", "active": 1, "enabled": 1, "total": 10, "used": 4, "avail": 6, "content": "iso"}
    pbs, tank = look([LIST, ("GET", "nodes/pve1/storage", None, [row])], node="pve1")
    assert tank["status"] == {"active": True, "enabled": True, "total": 10, "used": 4, "avail": 6}
    assert pbs["status"] is None
