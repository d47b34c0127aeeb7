# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HA resources and rules (pve-ha-manager API2/HA/Resources.pm, Rules.pm, HA/Config.pm; measured 48, 49)."""

from __future__ import annotations

import urllib.parse
from typing import Any

from ..formats import split_list
from ..wire import Die
from . import ha_feasible
from .table import SECTION_TRUTH, Call, Data, Endpoint, Key, Section, Texts, TypeRow

KINDS = {"lxc": "ct", "qemu": "vm"}
NAMES = {"ct": "container", "vm": "VM"}
# Part of the store that only tests write: sid -> {"state": "error"}.
STATUS = "ha_status"


def _guests(call: Call) -> dict[str, str]:
    """vmid -> ct or vm, of every guest."""
    rows = call.world.backend.get("/cluster/resources", {"type": "vm"}) or []
    return {str(row["vmid"]): KINDS[row["type"]] for row in rows}


def state_of(call: Call, sid: str) -> str | None:
    """What the HA manager says of a resource: as requested, or what a test put into `STATUS`; None if unmanaged."""
    resource = call.objects("ha_resource").get(sid)
    if resource is None:
        return None
    state = str(call.objects(STATUS).get(sid, {}).get("state") or resource.get("state") or "started")
    return {"enabled": "started", "disabled": "stopped"}.get(state, state)


# ---- resources


def _sid(call: Call, text: str) -> str:
    """HA/Config.pm parse_sid."""
    if not text.isdigit():
        return text
    kind = _guests(call).get(text)
    if kind is None:
        raise Die(f"unable to detect SID from VMID - VM/CT {text} does not exist")
    return f"{kind}:{text}"


def _resource_settle(call: Call) -> None:
    """What the handlers do before they lock: `100` becomes `ct:100`, and a new resource must be a guest."""
    if call.values.get("sid") is None:
        return
    sid = call.values["sid"] = _sid(call, str(call.values["sid"]))
    if call.method not in ("POST", "PUT"):
        return
    kind, _, vmid = sid.partition(":")
    if call.values.get("type") not in (None, kind):
        raise Die("types does not match")
    if call.values.get("group"):
        raise Die("invalid parameter 'group': ha groups have been migrated to rules")
    if call.method == "PUT" and state_of(call, sid) == "error" and call.values.get("state") != "disabled":
        raise Die(f"service '{sid}' in error state, must be disabled and fixed first")
    if call.method == "POST":
        found = _guests(call).get(vmid)
        if found is None:
            raise Die(f"resource '{sid}' does not exist in cluster")
        if found != kind:
            raise Die(f"resource '{sid}' - guest with ID {vmid} is not a {NAMES.get(kind, kind)}")


def _resource_create(call: Call, key: Key, data: Data) -> None:
    data["type"] = str(key).partition(":")[0]


def _resource_update(call: Call, key: Key, old: Data, new: Data) -> None:
    if new.get("state") == "disabled":
        call.objects(STATUS).pop(key, None)


def _resource_delete(call: Call, key: Key, data: Data) -> None:
    call.objects(STATUS).pop(key, None)
    if not int(call.values.get("purge", 1)):
        return
    rules = call.objects("ha_rule")
    for name, rule in list(rules.items()):
        rest = [sid for sid in split_list(str(rule["resources"])) if sid != key]
        if rest:
            rules[name] = {**rule, "resources": ",".join(rest)}
        else:
            del rules[name]


RESOURCE = Section(
    state="ha_resource",
    identity=("sid",),
    item="/cluster/ha/resources/{sid}",
    collection="/cluster/ha/resources",
    settle=_resource_settle,
    texts=Texts(
        absent="no such resource '{sid}'",
        absent_put="update resources config failed: no such resource '{sid}'",
        absent_delete="cannot delete service '{sid}', not HA managed!",
        exists="resource ID '{sid}' already defined",
        post="create resource failed: ",
        put="update resources config failed: ",
    ),
    delete="delete",
    deletable=frozenset({"state", "failback", "auto-rebalance", "max_restart", "max_relocate", "comment", "group"}),
    steering=frozenset({"type"}),
    kept_if_true=SECTION_TRUTH,
    digest_file="ha/resources.cfg",
    digest_in_list=True,
    line_feeds=False,
    filters={"type": "type"},
    show=lambda call, key, data: {**data, "sid": key},
    before_create=_resource_create,
    before_update=_resource_update,
    before_delete=_resource_delete,
)


# ---- rules


def _rule_settle(call: Call) -> None:
    if call.method in ("POST", "PUT") and not call.values.get("disable"):
        call.values.pop("disable", None)  # API2/HA/Rules.pm: `delete $param->{disable} if !$param->{disable}`


def _resources(call: Call, text: str) -> str:
    sids = sorted(set(split_list(text)))
    if not sids:
        raise Die("no resources were specified")
    unmanaged = [sid for sid in sids if sid not in call.objects("ha_resource")]
    if unmanaged:
        raise Die(f"cannot use unmanaged resource(s) {', '.join(unmanaged)}.")
    return ",".join(sids)


def _nodes(call: Call, text: str) -> str:
    """HA/Rules/NodeAffinity.pm decode and encode: sorted, without a priority of 0."""
    found = {name: int(priority or 0) for name, _, priority in (part.partition(":") for part in split_list(text))}
    if not found:
        raise Die("no nodes were specified")
    unknown = [name for name in sorted(found) if name not in call.world.config.nodes]
    if unknown:
        raise Die(f"cannot use non-existent node(s) {', '.join(unknown)}.")
    return ",".join(f"{name}:{found[name]}" if found[name] else name for name in sorted(found))


def _written(call: Call, key: Key, data: Data) -> None:
    """What a POST or PUT does with the keys that it sends, and the check of the whole rule set."""
    if call.values.get("resources") is not None:
        data["resources"] = _resources(call, str(call.values["resources"]))
    if call.values.get("nodes") is not None:
        data["nodes"] = _nodes(call, str(call.values["nodes"]))
    if call.values.get("comment"):
        # The handler decodes what it is sent, and the file is encoded: `%41` is an A.
        data["comment"] = urllib.parse.unquote(str(call.values["comment"])).strip()
    errors = ha_feasible.errors({**call.objects("ha_rule"), key: data}, call.world.config.nodes).get(key)
    if errors:
        details = "\n".join(f"{name}: {', '.join(errors[name])}" for name in sorted(errors))
        raise Die(f"400 Rule '{key}' is invalid.\n{details}")


def _rule_update(call: Call, key: Key, old: Data, new: Data) -> None:
    if call.values.get("type") != old["type"]:
        raise Die("unexpected property 'type'")
    for name in ("resources", "nodes"):  # an empty list is refused rather than dropped
        if name in old:
            new.setdefault(name, old[name])
    _written(call, key, new)


def _rule_shown(call: Call, key: Key, data: Data) -> Data:
    rules = call.objects("ha_rule")
    shown = {**data, "rule": key, "order": list(rules).index(key) + 1}
    if data["type"] == "node-affinity":
        shown.setdefault("affinity", "positive")  # HA/Rules.pm set_rule_defaults: defaults that are true
    errors = ha_feasible.errors(rules, call.world.config.nodes).get(key)
    return {**shown, "errors": errors} if errors else shown


def _rule_row(call: Call, key: Key, data: Data) -> Data | None:
    wanted = call.values.get("resource")
    named = wanted is None or str(wanted) in split_list(str(data["resources"]))
    return _rule_shown(call, key, data) if named else None


RULE = Section(
    state="ha_rule",
    identity=("rule",),
    item="/cluster/ha/rules/{rule}",
    collection="/cluster/ha/rules",
    settle=_rule_settle,
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
    early_checks=True,
    kept_if_true=SECTION_TRUTH,
    digest_file="ha/rules.cfg",
    digest_in_list=True,
    in_file_order=True,
    line_feeds=False,
    filters={"type": "type"},
    show=_rule_shown,
    row=_rule_row,
    before_create=_written,
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
