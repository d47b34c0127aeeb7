# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HA resources and rules (pve-ha-manager API2/HA/Resources.pm, Rules.pm; measured 48, 49)."""

from __future__ import annotations

import urllib.parse
from typing import Any

from ..formats import split_list
from ..wire import Die
from .engine import digest
from .table import Call, Data, Endpoint, Key, Section, Texts, TypeRow

TYPES = {"lxc": "ct", "qemu": "vm"}
NAMES = {"ct": "container", "vm": "VM"}


def _guests(call: Call) -> dict[str, str]:
    """vmid -> ct or vm, of every guest."""
    rows = call.world.backend.get("/cluster/resources", {"type": "vm"}) or []
    return {str(row["vmid"]): TYPES[row["type"]] for row in rows}


def _sid(call: Call, text: str) -> str:
    return f"{_guests(call).get(text, 'vm')}:{text}" if text.isdigit() else text


# ---- resources


def _resource_create(call: Call, key: Key, data: Data) -> None:
    kind, _, vmid = str(key).partition(":")
    found = _guests(call).get(vmid)
    if found is None:
        raise Die(f"resource '{key}' does not exist in cluster")
    if found != kind:
        raise Die(f"resource '{key}' - guest with ID {vmid} is not a {NAMES[kind]}")
    data["type"] = kind


def _resource_show(call: Call, key: Key, data: Data) -> Data:
    return {**data, "sid": key, "digest": digest(call, RESOURCE)}


def _resource_delete(call: Call, key: Key, data: Data) -> None:
    if int(call.values.get("purge", 1)):
        rules = call.objects("ha_rule")
        for name, rule in list(rules.items()):
            rest = [sid for sid in split_list(str(rule["resources"])) if sid != key]
            rule["resources"] = ",".join(rest)
            if not rest:
                del rules[name]


RESOURCE = Section(
    state="ha_resource",
    identity=("sid",),
    item="/cluster/ha/resources/{sid}",
    collection="/cluster/ha/resources",
    normalize=_sid,
    texts=Texts(
        absent="no such resource '{sid}'",
        absent_delete="cannot delete service '{sid}', not HA managed!",
        exists="create resource failed: resource ID '{sid}' already defined",
        put="update resources config failed: ",
    ),
    delete="delete",
    deletable=frozenset({"state", "failback", "auto-rebalance", "max_restart", "max_relocate", "comment", "group"}),
    steering=frozenset({"purge", "type"}),
    digest_file="resources.cfg",
    line_feeds=False,
    filters={"type": "type"},
    show=_resource_show,
    row=_resource_show,
    before_create=_resource_create,
    before_delete=_resource_delete,
)


# ---- rules


def _nodes(call: Call, text: str) -> str:
    parts = sorted(split_list(text))
    unknown = [part for part in parts if part.partition(":")[0] not in call.world.config.nodes]
    if not parts:
        raise Die("no nodes were specified")
    if unknown:
        raise Die(f"cannot use non-existent node(s) {', '.join(unknown)}.")
    return ",".join(parts)


def _rule_checked(call: Call, key: Key, data: Data) -> None:
    sids = sorted(_sid(call, sid) for sid in split_list(str(data["resources"])))
    unmanaged = [sid for sid in sids if sid not in call.objects("ha_resource")]
    if unmanaged:
        raise Die(f"cannot use unmanaged resource(s) {', '.join(unmanaged)}.")
    data["resources"] = ",".join(sids)
    if data["type"] == "node-affinity":
        data["nodes"] = _nodes(call, str(data.get("nodes", "")))
    elif len(sids) < 2:
        why = "resources: rule is ineffective as there are less than two resources"
        raise Die(f"400 Rule '{key}' is invalid.\n{why}")
    for name in ("disable", "strict"):
        if not data.get(name):
            data.pop(name, None)
    if "comment" in data:
        data["comment"] = urllib.parse.unquote(str(data["comment"]))


def _rule_update(call: Call, key: Key, old: Data, new: Data) -> None:
    if call.values.get("nodes") == "":
        raise Die("no nodes were specified")
    fresh = {name: value for name, value in new.items() if name != "comment" or call.values.get("comment")}
    _rule_checked(call, key, fresh)
    if "comment" in new:
        fresh.setdefault("comment", new["comment"])
    new.clear()
    new.update(fresh, type=old["type"])


def _rule_show(call: Call, key: Key, data: Data) -> Data:
    order = list(call.objects("ha_rule")).index(key) + 1
    return {**data, "rule": key, "order": order, "digest": digest(call, RULE)}


def _rule_row(call: Call, key: Key, data: Data) -> Data | None:
    wanted = call.values.get("resource")
    named = wanted is None or str(wanted) in split_list(str(data["resources"]))
    return _rule_show(call, key, data) if named else None


RULE = Section(
    state="ha_rule",
    identity=("rule",),
    item="/cluster/ha/rules/{rule}",
    collection="/cluster/ha/rules",
    texts=Texts(
        absent="no such ha rule '{rule}'",
        absent_put="update HA rules failed: HA rule '{rule}' does not exist",
        absent_delete="",
        exists="HA rule '{rule}' already defined",
        post="create ha rule failed: ",
        put="update HA rules failed: ",
    ),
    types={
        "node-affinity": TypeRow(
            keys=frozenset({"strict", "affinity", "disable", "comment"}), required=frozenset({"resources", "nodes"})
        ),
        "resource-affinity": TypeRow(
            keys=frozenset({"disable", "comment"}), required=frozenset({"resources", "affinity"})
        ),
    },
    delete="dies",
    digest_file="rules.cfg",
    line_feeds=False,
    filters={"type": "type"},
    show=_rule_show,
    row=_rule_row,
    before_create=_rule_checked,
    before_update=_rule_update,
)


def _migrated(text: str) -> Any:
    def answer(_call: Call) -> None:
        raise Die(f"{text}: ha groups have been migrated to rules")

    return answer


SECTIONS = (RESOURCE, RULE)
ENDPOINTS = (
    Endpoint("GET", "/cluster/ha/groups", _migrated("cannot index groups")),
    Endpoint("POST", "/cluster/ha/groups", _migrated("cannot create group")),
)
