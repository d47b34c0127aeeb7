# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HA resources (pve-ha-manager PVE/API2/HA/Resources.pm, PVE/HA/Resources.pm).

A change of the requested state starts or stops the guest. Whether it would is judged on what the guest does now, which
is read only when something differs.
"""

from __future__ import annotations

import typing as t

from ..engine.compare import compare
from ..engine.family import Absence, Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal, Step
from ..engine.index import Index
from ..engine.key import NOTHING, Key
from ..engine.read import read_table, rows_of
from ..engine.steps import create_steps, to_step, update_steps
from ..wire.scalars import Enum, Flag, Integer
from .cluster import SID, SIDS, FileText

STATE = Enum(("started", "stopped", "disabled", "ignored"), aliases={"enabled": "started"})
TYPES: t.Final = {"lxc": "ct", "qemu": "vm"}
NOUNS: t.Final = {"lxc": "a container", "qemu": "a VM"}
#: What each requested state makes of the guest; ``ignored`` leaves it alone.
RUNS: t.Final = {"started": "running", "stopped": "stopped", "disabled": "stopped"}


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    live = read_table(family, declaration, reader)
    facts: dict[str, t.Any] = {}
    sid = str(declaration.ident["sid"])
    if declaration.state == "absent":
        if live.present:
            facts["last_of"] = _last_of(sid, reader)
    elif not live.present or compare(family, declaration, live):
        facts["guest"] = _guest(sid, reader)
    return Live(present=live.present, values=live.values, facts=facts)


def _guest(sid: str, reader: Reader) -> t.Mapping[str, t.Any]:
    """The row of whatever guest has this vmid; empty when none is seen."""
    rows = rows_of(reader, "cluster/resources", {"type": "vm"})
    vmid = sid.partition(":")[2]
    return next((row for row in rows if str(row.get("vmid")) == vmid), {})


def _last_of(sid: str, reader: Reader) -> list[str]:
    """The rules whose only member this is: purge deletes them (PVE/HA/Config.pm delete_service_from_config)."""
    rules = rows_of(reader, "cluster/ha/rules")
    return sorted(str(rule["rule"]) for rule in rules if SIDS.canon(rule.get("resources")) == (sid,))


def _own_guest(declaration: Declaration, live: Live) -> t.Mapping[str, t.Any]:
    """The guest that the resource is about; empty when it is not seen or is of the other type."""
    guest: t.Mapping[str, t.Any] = live.facts.get("guest", {})
    sid = f"{TYPES.get(str(guest.get('type')))}:{guest.get('vmid')}"
    return guest if sid == declaration.ident["sid"] else {}


def _wanted_state(live: Live, drift: tuple[Drift, ...]) -> str | None:
    """The state that this change asks for; None when it asks for none."""
    for item in drift:
        if item.key == "state":
            return "started" if item.want is NOTHING else str(item.want)
    return None if live.present else "started"


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if declaration.state == "absent":
        yield from _refuse_last(title, declaration, live)
        return
    guest = _own_guest(declaration, live)
    state = _wanted_state(live, drift)
    if live.present and guest.get("hastate") == "error" and state != "disabled":
        yield Refusal(
            id="error-state",
            msg=f"{title} is in error state, and PVE takes no change until it is disabled; set hastate: disabled, mend "
            "the guest, then set the state that you want.",
        )
    if live.present or guest:
        yield from _refuse_power(title, declaration, guest, RUNS.get(state or ""))


def _refuse_power(
    title: str, declaration: Declaration, guest: t.Mapping[str, t.Any], becomes: str | None
) -> t.Iterable[Refusal]:
    is_now = guest.get("status")
    if becomes is None or is_now == becomes or declaration.extras.get("allow_power"):
        return
    verb = "start" if becomes == "running" else "stop"
    known = f"it is {is_now}" if is_now in ("running", "stopped") else "what it does now is unknown"
    vmid = str(declaration.ident["sid"]).partition(":")[2]
    yield Refusal(
        id="power",
        key="state",
        msg=f"{title}: this would {verb} guest {vmid} ({known}); set allow_power: true to let HA do that, or "
        "hastate: ignored to leave it as it is.",
    )


def _refuse_last(title: str, declaration: Declaration, live: Live) -> t.Iterable[Refusal]:
    rules = live.facts.get("last_of", ())
    if rules and not declaration.extras.get("purge"):
        yield Refusal(
            id="last-of-rule",
            until_gone=True,
            msg=f"{title} is the only member of rule {', '.join(rules)}; remove the rule first, or set purge: true to "
            "delete it along.",
        )


def _notes(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[str]:
    """In a plan the guest may be another declaration's, so PVE has the last word."""
    title = family.title(declaration.ident)
    guest = live.facts.get("guest")
    if live.present or _own_guest(declaration, live):
        return
    if guest:
        yield f"{title}: guest {guest['vmid']} is {NOUNS.get(guest['type'], 'of another type')}; PVE refuses it."
    else:
        yield f"{title}: no such guest is seen; PVE refuses the resource until it is there."


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    """PVE's own default is to purge."""
    if declaration.state == "present":
        return (update_steps if live.present else create_steps)(family, declaration, live, drift)
    purge = "1" if declaration.extras.get("purge") else "0"
    return (to_step(family.delete, declaration, {"purge": purge}, what="delete"),)


HA_RESOURCE = Family(
    name="ha_resource",
    product="pve",
    noun="HA resource",
    identity={"sid": SID},
    read=Read(path="cluster/ha/resources/{sid}", absence=(Absence(status=500, message=r"no such resource '.*'"),)),
    index=(Index(path="cluster/ha/resources", columns={"sid": "sid"}),),
    create=Endpoint(method="POST", path="cluster/ha/resources", identity=("sid",)),
    update=Endpoint(method="PUT", path="cluster/ha/resources/{sid}"),
    delete=Endpoint(method="DELETE", path="cluster/ha/resources/{sid}"),
    keys={
        "state": Key(kind=STATE, default="started", option="hastate"),
        "failback": Key(kind=Flag(), default=True),
        "auto-rebalance": Key(kind=Flag()),
        "max_restart": Key(kind=Integer(minimum=0), default=1),
        "max_relocate": Key(kind=Integer(minimum=0), default=1),
        "comment": Key(kind=FileText(max_length=4096, zero_is_empty=True, strip="ends"), default=""),
    },
    digest=True,
    needs=("lxc", "vm"),
    options={"allow_power": {"type": "bool", "default": False}, "purge": {"type": "bool", "default": False}},
    read_hook=_read,
    refuse=_refuse,
    notes=_notes,
    steps_hook=_steps,
    refuses={
        "error-state": "any change but to disabled of a resource that is in error state",
        "power": "a change that would start or stop the guest, unless allow_power",
        "last-of-rule": "deleting the only member of a rule, unless purge",
    },
    privileges=Privileges(
        read="Sys.Audit on /; before a change also VM.Audit on /vms/{vmid}", write="Sys.Console on /"
    ),
)
