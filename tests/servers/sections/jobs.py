# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Backup and replication jobs.

After pve-manager API2/Backup.pm, ReplicationConfig.pm and VZDump.pm, pve-guest-common VZDump/ and
ReplicationConfig.pm; measured 50, 54.
"""

from __future__ import annotations

import time
import uuid

from .. import privileges, schema
from ..formats import split_list
from ..wire import Die, forbid, refuse
from .table import SECTION_TRUTH, Call, Data, Key, Section, Texts, TypeRow

NESTED = {"prune-backups": "prune-backups", "fleecing": "backup-fleecing", "performance": "backup-performance"}
# What raise_param_exc becomes inside cfs_lock_file, whose caller dies with its text.
FAILED = "400 Parameter verification failed.\n"
ROOT_ONLY = ("tmpdir", "dumpdir", "script", "job-id")
UNDELETABLE = frozenset({"id", "delete", "schedule", "enabled", "starttime", "dow"})


# ---- backup


def _backup_settle(call: Call) -> None:
    """What the handlers do before they lock jobs.cfg."""
    if call.method not in ("POST", "PUT"):
        return
    values = call.values
    values["id"] = values.get("id") or str(uuid.uuid4())
    deleted = split_list(str(values.get("delete") or ""))
    _allowed(call, deleted)
    pool = values.get("pool")
    if pool:
        if call.world.backend.get("/pools", {"poolid": pool}) is None:
            raise forbid(f"pool '{pool}' does not exist")
        privileges.need(call.world, call.identity, f"/pool/{pool}", "VM.Backup")
    _schedule(call)
    if call.method == "PUT" and not deleted and not set(values) - {"id", "delete"}:
        raise Die("no options specified")


def _allowed(call: Call, deleted: list[str]) -> None:
    """API2/Backup.pm assert_param_permission_create, _update and _common."""
    world, who, values = call.world, call.identity, call.values
    if who == privileges.ROOT:
        return
    for name in ROOT_ONLY:
        if name in values or name in deleted:
            raise refuse(**{name: "Only root may set this option."})
    if any(values.get(name) is not None or name in deleted for name in ("bwlimit", "ionice", "performance")):
        privileges.need(world, who, "/", "Sys.Modify")
    fleecing = _nested("fleecing", str(values.get("fleecing") or "")).get("storage")
    if fleecing:
        privileges.need(world, who, f"/storage/{fleecing}", "Datastore.AllocateSpace")
    current = call.objects("backup_job").get(values["id"], {}) if call.method == "PUT" else {}
    if current.get("dumpdir"):
        raise Die("only root@pam may edit jobs with a 'dumpdir' option.")
    touched = {values["storage"]} if values.get("storage") else {"local"} if "storage" in deleted else set()
    if call.method == "POST" or current:
        touched.add(values.get("storage") or "local" if call.method == "POST" else current.get("storage") or "local")
    for storage in sorted(touched):
        privileges.need(world, who, f"/storage/{storage}", "Datastore.Allocate")


def _schedule(call: Call) -> None:
    values = call.values
    if values.get("schedule") is not None:
        if values.get("starttime") is not None:
            raise refuse(starttime="'starttime' and 'schedule' cannot both be set")
    elif values.get("starttime") is None:
        if call.method == "POST":
            raise refuse(schedule="neither 'starttime' nor 'schedule' were set")
    else:
        days = ",".join(split_list(str(values.get("dow") or "")))
        everyday = days in ("", "mon,tue,wed,thu,fri,sat,sun")
        values["schedule"] = str(values["starttime"]) if everyday else f"{days} {values['starttime']}"
    values.pop("starttime", None)
    values.pop("dow", None)


def _conflicts(data: Data) -> None:
    """VZDump.pm verify_vzdump_parameters."""
    for name in ("all", "exclude", "pool"):
        if data.get(name) and data.get("vmid"):
            raise Die(f"{FAILED}{name}: option conflicts with option 'vmid'")
    if data.get("exclude") is not None and not data.get("pool"):
        data["all"] = 1


def _complete(data: Data) -> None:
    _conflicts(data)
    if not any(data.get(name) for name in ("all", "stop", "pool", "vmid")):
        raise Die(f"{FAILED}vmid: property is missing")


def _backup_create(call: Call, key: Key, data: Data) -> None:
    data.setdefault("enabled", 1)
    data["type"] = "vzdump"
    _complete(data)


def _backup_update(call: Call, key: Key, old: Data, new: Data) -> None:
    sent = {name: value for name, value in call.values.items() if name not in ("id", "delete") and value is not None}
    _conflicts(sent)  # an `exclude` alone puts `all=1` into what is sent
    new.update({"all": sent["all"]} if "all" in sent else {})
    if new.get("exclude") is not None and new.get("pool") is None:
        new["all"] = 1
    if sent.get("vmid") is not None:
        drop: tuple[str, ...] = ("all", "exclude", "pool")
    elif sent.get("all"):
        drop = ("vmid", "pool")
    else:
        drop = ("vmid", "all", "exclude") if new.get("pool") else ()
    for name in drop:
        new.pop(name, None)
    _complete(new)


def _nested(name: str, text: str) -> dict[str, str]:
    return schema.parse_named(NESTED[name], text)


def _backup_show(_call: Call, key: Key, data: Data) -> Data:
    shown: Data = {"enabled": 1, **data, "id": key}
    return shown | {name: _nested(name, str(shown[name])) for name in NESTED if name in shown}


def _backup_row(call: Call, key: Key, data: Data) -> Data:
    shown = _backup_show(call, key, data)
    return shown | ({"next-run": (int(time.time()) // 3600 + 1) * 3600} if shown["enabled"] else {})


def _backup_keys() -> frozenset[str]:
    return frozenset(schema.load().paths["/cluster/backup/{id}"]["PUT"]["parameters"]["properties"])


BACKUP = Section(
    state="backup_job",
    identity=("id",),
    item="/cluster/backup/{id}",
    collection="/cluster/backup",
    settle=_backup_settle,
    texts=Texts(
        absent="No such job '{id}'",
        absent_put="no such vzdump job",
        absent_delete=FAILED + "id: No such job '{id}'",
        exists="Job '{id}' already exists",
        unknown_delete=FAILED + "delete: unknown option '{option}'",
    ),
    absent_status=400,
    error_parameter="id",
    kept_if_true=frozenset({"comment"}),
    delete="set",
    deletable=_backup_keys() - UNDELETABLE,
    line_feeds=False,
    show=_backup_show,
    row=_backup_row,
    before_create=_backup_create,
    before_update=_backup_update,
)


# ---- replication


def _replication_settle(call: Call) -> None:
    """An identity without leading zeros, and the privileges on the guest that the handlers themselves ask for."""
    if call.values.get("id") is None:
        return
    guest, number = (int(part) for part in str(call.values["id"]).split("-"))
    call.values["id"] = f"{guest}-{number}"
    if call.method != "GET":
        privileges.need(call.world, call.identity, f"/vms/{guest}", "VM.Replicate")
    if call.values.get("force") and call.values.get("keep"):
        raise refuse(keep="conflicts with parameter 'force'")
    if call.method == "POST":
        _new_replication(call, guest)


def _new_replication(call: Call, guest: int) -> None:
    world, values = call.world, call.values
    rows = world.backend.get("/cluster/resources", {"type": "vm"}) or []
    found = next((row for row in rows if row["vmid"] == guest), None)
    if found is None:
        raise Die(f"Guest '{guest}' does not exist.")
    target, node = str(values["target"]), str(found["node"])
    if target not in world.config.nodes:
        raise Die(f"Target '{target}' does not exist.")
    if values.get("source") not in (None, node):
        raise Die(f"Source '{values['source']}' does not match current node of guest '{guest}' ({node})")
    values["source"] = node
    if target == node:
        raise Die("Source and target must not be identical")
    _replicatable(call, guest, node, str(found["type"]))


def _replicatable(call: Call, guest: int, node: str, kind: str) -> None:
    """Only ZFS replicates (pve-storage volume_has_feature); a guest without any volume has none to replicate."""
    config = call.world.backend.get(f"/nodes/{node}/{kind}/{guest}/config") or {}
    count = 0
    for name, value in sorted(config.items()):
        volume = str(value).split(",", 1)[0]
        storage, colon, _ = volume.partition(":")
        if name.rstrip("0123456789") not in ("rootfs", "mp", "scsi", "virtio", "sata", "ide") or not colon:
            continue
        if call.objects("storage").get(storage, {}).get("type") != "zfspool":
            raise Die(f"missing replicate feature on volume '{volume}'")
        count += 1
    if not count:
        raise Die("No replicatable volumes found")


def _replication_written(call: Call, key: Key, data: Data) -> None:
    """ReplicationConfig.pm write_config, and numbers as SectionConfig keeps them."""
    guest, number = (int(part) for part in str(key).split("-"))
    data.update(guest=guest, jobnum=number)
    if "rate" in data:
        rate = float(data["rate"])
        data["rate"] = int(rate) if rate.is_integer() else rate
    for name, other in call.objects("replication_job").items():
        if name != key and other["guest"] == guest and other["target"] == data["target"]:
            raise Die(f"replication job for guest '{guest}' to target 'local/{data['target']}' already exists")


def _replication_delete(call: Call, key: Key, data: Data) -> bool:
    """Only marks it, until the source node has cleaned up; `force` drops it at once."""
    if call.values.get("force"):
        return False
    data["remove_job"] = "local" if call.values.get("keep") else "full"
    return True


def _replication_show(call: Call, key: Key, data: Data) -> Data:
    privileges.need(call.world, call.identity, f"/vms/{data['guest']}", "VM.Audit")
    return {**data, "id": key}


def _replication_row(call: Call, key: Key, data: Data) -> Data | None:
    seen = privileges.has(call.world, call.identity, f"/vms/{data['guest']}", "VM.Audit")
    return {**data, "id": key} if seen else None


REPLICATION = Section(
    state="replication_job",
    identity=("id",),
    item="/cluster/replication/{id}",
    collection="/cluster/replication",
    settle=_replication_settle,
    texts=Texts(
        absent="no such replication job '{id}'",
        absent_put="no such job '{id}'",
        absent_delete="no such job '{id}'",
        exists="replication job '{id}' already exists",
    ),
    types={
        "local": TypeRow(
            keys=frozenset({"disable", "comment", "rate", "schedule", "remove_job", "source"}),
            required=frozenset({"target"}),
            fixed=frozenset({"target"}),
        )
    },
    kept_if_true=SECTION_TRUTH,
    delete="delete",
    steering=frozenset({"keep", "force"}),
    digest_file="replication.cfg",
    line_feeds=False,
    forgiving_delete="force",
    show=_replication_show,
    row=_replication_row,
    before_create=_replication_written,
    before_update=lambda call, key, old, new: _replication_written(call, key, new),
    before_delete=_replication_delete,
)

SECTIONS = (BACKUP, REPLICATION)
