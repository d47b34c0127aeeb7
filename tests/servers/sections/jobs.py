# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Backup and replication jobs (pve-manager API2/Backup.pm, pve-guest-common ReplicationConfig.pm; measured 50, 54)."""

from __future__ import annotations

import time
import uuid

from ..formats import split_list
from ..privileges import ROOT
from ..wire import Die, forbid, refuse
from .engine import digest
from .table import Call, Data, Key, Section, Texts

NESTED = ("prune-backups", "fleecing", "performance")
FAILED = "400 Parameter verification failed.\n"
SELECTION = ("vmid", "all", "pool")
ROOT_ONLY = ("tmpdir", "dumpdir", "script", "job-id")
KEPT = frozenset({"schedule", "enabled", "id"})


# ---- backup


def _backup_id(call: Call, text: str) -> str:
    return text or str(uuid.uuid4())


def _root_only(call: Call) -> None:
    for name in ROOT_ONLY:
        if call.values.get(name) is not None and call.identity != ROOT:
            raise refuse(**{name: "Only root may set this option."})


def _known_pool(call: Call, data: Data) -> None:
    pool = data.get("pool")
    if pool and call.world.backend.get("/pools", {"poolid": pool}) is None:
        raise forbid(f"pool '{pool}' does not exist")


def _selected(data: Data) -> None:
    if not any(data.get(name) for name in (*SELECTION, "exclude")):
        raise refuse(vmid="property is missing and it is not optional")
    chosen = [name for name in SELECTION if data.get(name)]
    if len(chosen) > 1:
        first, second = sorted(chosen)[:2]
        raise Die(f"{FAILED}{first}: option conflicts with option '{second}'")
    if data.get("exclude") and not data.get("pool"):
        data["all"] = 1


def _backup_create(call: Call, key: Key, data: Data) -> None:
    _root_only(call)
    if not data.get("schedule"):
        raise refuse(schedule="neither 'starttime' nor 'schedule' were set")
    _known_pool(call, data)
    data.pop("id", None)
    data.setdefault("enabled", 1)
    data["type"] = "vzdump"
    _selected(data)


def _backup_update(call: Call, key: Key, old: Data, new: Data) -> None:
    _root_only(call)
    unknown = [name for name in split_list(str(call.values.get("delete") or "")) if name in KEPT]
    if unknown:
        raise Die(f"{FAILED}delete: unknown option '{unknown[0]}'")
    _known_pool(call, new)
    if call.values.get("vmid"):
        drop: tuple[str, ...] = ("all", "exclude", "pool")
    elif call.values.get("all"):
        drop = ("vmid", "pool")
    else:
        drop = ("vmid", "all", "exclude") if new.get("pool") else ()
    for name in drop:
        new.pop(name, None)
    _selected(new)


def _backup_show(_call: Call, key: Key, data: Data) -> Data:
    shown = {**data, "id": key}
    for name in NESTED:
        if name in shown:
            pairs = (part.partition("=") for part in str(shown[name]).split(","))
            shown[name] = {first if equals else "enabled": last if equals else first for first, equals, last in pairs}
    return shown


def _backup_row(call: Call, key: Key, data: Data) -> Data:
    return {**_backup_show(call, key, data), "next-run": (int(time.time()) // 3600 + 1) * 3600}


def _deletable() -> frozenset[str]:
    from .. import schema

    put = schema.load().paths["/cluster/backup/{id}"]["PUT"]["parameters"]["properties"]
    return frozenset(put) - {"id", "delete", "schedule", "enabled"}


BACKUP = Section(
    state="backup_job",
    identity=("id",),
    item="/cluster/backup/{id}",
    collection="/cluster/backup",
    normalize=_backup_id,
    texts=Texts(
        absent="No such job '{id}'",
        absent_put="no such vzdump job",
        absent_delete=FAILED + "id: No such job '{id}'",
        exists="Job '{id}' already exists",
        unknown_delete=FAILED + "delete: unknown option '{option}'",
    ),
    absent_status=400,
    error_parameter="id",
    delete="set",
    deletable=_deletable(),
    no_options="no options specified",
    show=_backup_show,
    row=_backup_row,
    before_create=_backup_create,
    before_update=_backup_update,
)


# ---- replication


def _replication_create(call: Call, key: Key, data: Data) -> None:
    guest, number = (int(part) for part in str(key).split("-"))
    rows = call.world.backend.get("/cluster/resources", {"type": "vm"}) or []
    node = next((str(row["node"]) for row in rows if row["vmid"] == guest), None)
    if node is None:
        raise Die(f"guest '{guest}' does not exist")
    if data["target"] not in call.world.config.nodes:
        raise Die(f"Target '{data['target']}' does not exist.")
    if data["target"] == node:
        raise Die("Source and target must not be identical")
    for other in call.objects("replication_job").values():
        if other["guest"] == guest and other["target"] == data["target"]:
            raise Die(f"job for guest '{guest}' to target '{data['target']}' already exists")
    data.update(guest=guest, jobnum=number, source=node)
    _number(data)


def _number(data: Data) -> None:
    if "rate" in data:
        rate = float(data["rate"])
        data["rate"] = int(rate) if rate.is_integer() else rate


def _replication_update(call: Call, key: Key, old: Data, new: Data) -> None:
    _number(new)


def _replication_delete(call: Call, key: Key, data: Data) -> bool:
    """Only marks it, until the source node has cleaned up; `force` drops it at once."""
    if call.values.get("force"):
        return False
    data["remove_job"] = "local" if call.values.get("keep") else "full"
    return True


def _replication_row(_call: Call, key: Key, data: Data) -> Data:
    return {**data, "id": key}


def _replication_show(call: Call, key: Key, data: Data) -> Data:
    return {**data, "id": key, "digest": digest(call, REPLICATION)}


REPLICATION = Section(
    state="replication_job",
    identity=("id",),
    item="/cluster/replication/{id}",
    collection="/cluster/replication",
    texts=Texts(
        absent="no such replication job '{id}'",
        absent_put="no such job '{id}'",
        absent_delete="no such job '{id}'",
        exists="replication job '{id}' already exists",
    ),
    delete="delete",
    deletable=frozenset({"schedule", "rate", "disable", "comment", "remove_job", "source"}),
    steering=frozenset({"keep", "force"}),
    digest_file="replication.cfg",
    line_feeds=False,
    forgiving_delete="force",
    show=_replication_show,
    row=_replication_row,
    before_create=_replication_create,
    before_update=_replication_update,
    before_delete=_replication_delete,
)

SECTIONS = (BACKUP, REPLICATION)
