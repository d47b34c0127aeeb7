# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Corrections of pools, of the resource list, of aliases, and of what HA and storages say elsewhere.

See corrections.py.
"""

from __future__ import annotations

from typing import Any

from .sections import ha, storage_types
from .sections.table import Call
from .wire import Answer, Die

SIDS = {"lxc": "ct", "qemu": "vm"}


def drop_falsy_comment(_call: Call, answer: Answer) -> Answer:
    rows: list[Any] = answer.data if isinstance(answer.data, list) else [answer.data]
    for row in rows:
        if isinstance(row, dict) and row.get("comment") in ("", "0"):
            del row["comment"]
    return answer


def mark_unknown(call: Call, answer: Answer) -> Answer:
    for row in answer.data or []:
        if row.get("node") in call.world.offline:
            row["status"] = "offline" if row["type"] == "node" else "unknown"
    return answer


def show_hastate(call: Call, answer: Answer) -> Answer:
    for row in answer.data or []:
        state = ha.state_of(call, f"{SIDS[row['type']]}:{row['vmid']}") if row.get("type") in SIDS else None
        if state is not None:
            row["hastate"] = state
    return answer


def show_ha_status(call: Call, answer: Answer) -> Answer:
    kind = call.template.split("/")[3]
    state = ha.state_of(call, f"{SIDS[kind]}:{call.values['vmid']}")
    if state is not None and isinstance(answer.data, dict):
        answer.data["ha"] = {"managed": 1, "state": state}
    return answer


def refuse_guest_in_use(call: Call) -> Answer | None:
    """Destroying a guest that HA or a replication job names; with `purge` they go along."""
    kind, vmid = call.template.split("/")[3], call.values["vmid"]
    jobs = call.objects("replication_job")
    mine = [name for name, job in jobs.items() if job["guest"] == int(vmid)]
    sid = f"{SIDS[kind]}:{vmid}"
    if not call.values.get("purge"):
        if mine:
            raise Die(f"There is a replication job '{mine[0]}' for guest '{vmid}' - Please remove that first.")
        if sid in call.objects("ha_resource"):
            what = "CT" if kind == "lxc" else "VM"
            raise Die(f"unable to remove {what} {vmid} - used in HA resources and purge parameter not set.")
    for name in mine:
        del jobs[name]
    call.objects("ha_resource").pop(sid, None)
    return None


def plain_alias(call: Call) -> Answer | None:
    """What an alias is after it was written to the file and read again."""
    values = call.values
    address, slash, length = str(values.get("cidr") or "").partition("/")
    if slash and length == ("128" if ":" in address else "32"):
        values["cidr"] = address
    comment = str(values.get("comment") or "").strip()
    values.pop("comment", None)
    if comment not in ("", "0"):
        values["comment"] = comment
    return None


def share_by_type(call: Call, answer: Answer) -> Answer:
    """A storage whose type is shared always is (pve-storage Plugin.pm @SHARED_STORAGE)."""
    rows = answer.data if isinstance(answer.data, list) else [answer.data]
    for row in rows:
        kind = storage_types.TYPES.get(str(row.get("plugintype") or row.get("type")) if isinstance(row, dict) else "")
        if kind is not None and kind.shared:
            row["shared"] = 1
    return answer
