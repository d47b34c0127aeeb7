# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of addresses and networks, of the cluster or of one guest (pve-firewall PVE/API2/Firewall/Aliases.pm).

The list is read: one GET serves every alias of a scope, and only the list has the digest. A credential without the
privilege gets 403, so a name that is not listed is absent. An update replaces the whole line.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import replace

from ..engine.family import Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal, Step
from ..engine.index import Index
from ..engine.key import Clear, Key
from ..engine.read import rows_of
from ..engine.steps import create_steps, delete_steps, update_steps
from .cluster import VMID
from .firewall import CIDR, COMMENT, GUESTS, NAME, scope_path

_COLLECTION = "cluster/firewall/aliases"
#: Stands for the node of a guest that is not there: no node can be called so, and PVE refuses it.
_NOWHERE = "-"


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    """Names differ in more than case; the case that is shown is the one that was written last."""
    scope = scope_path(declaration.ident, reader)
    if scope is None:
        return Live(present=False, facts={"path": f"nodes/{_NOWHERE}/lxc/{declaration.ident['vmid']}/firewall/aliases"})
    path = f"{scope}/aliases"
    rows = rows_of(reader, path)
    name = declaration.ident["name"].lower()
    row = next((row for row in rows if str(row["name"]).lower() == name), None)
    facts: dict[str, t.Any] = {"path": path}
    if row is not None and declaration.state == "absent" and not declaration.extras.get("force"):
        facts["used"] = sorted(_used(name, scope, declaration.ident.get("vmid"), reader))
    return Live(present=row is not None, values=row or {}, facts=facts)


def _used(name: str, scope: str, vmid: object, reader: Reader) -> t.Iterator[str]:
    """Where the same scope names it. Rules of nodes and guests may name an alias of the cluster too; they are many."""
    spellings = {name, f"guest/{name}" if vmid else f"dc/{name}"}
    yield from _in_rules("rules", f"{scope}/rules", spellings, reader)
    if not vmid:
        for row in rows_of(reader, f"{scope}/groups"):
            yield from _in_rules(f"group {row['group']}", f"{scope}/groups/{row['group']}", spellings, reader)
    for row in rows_of(reader, f"{scope}/ipset"):
        entries = rows_of(reader, f"{scope}/ipset/{row['name']}")
        if any(str(entry.get("cidr")).lower() in spellings for entry in entries):
            yield f"ipset {row['name']}"


def _in_rules(what: str, path: str, spellings: set[str], reader: Reader) -> t.Iterator[str]:
    rows = rows_of(reader, path)
    ends = (str(row.get(end) or "").lower() for row in rows for end in ("source", "dest"))
    if any(spellings & set(re.split(r"[,\s]+", end)) for end in ends):
        yield what


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    used = live.facts.get("used")
    if declaration.state == "absent" and used:
        yield Refusal(
            id="in-use",
            msg=f"{family.title(declaration.ident)} is named by {', '.join(used)}, and the firewall skips a rule whose "
            "alias is gone; change them first, or set force: true.",
        )


def _notes(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[str]:
    """In a plan the guest may be another declaration's."""
    if live.facts["path"].startswith(f"nodes/{_NOWHERE}/"):
        yield f"{family.title(declaration.ident)}: the guest is not there yet; PVE refuses the alias until it is."


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    """The generic requests, in the scope's folder and under the name as it is written there."""
    build = delete_steps if declaration.state == "absent" else update_steps if live.present else create_steps
    ident = {**declaration.ident, "name": live.values.get("name") or declaration.ident["name"]}
    made = build(family, replace(declaration, ident=ident), live, drift)
    path = live.facts["path"]
    return tuple(replace(step, path=step.path.replace(_COLLECTION, path, 1), digest=live.digest) for step in made)


FIREWALL_ALIAS = Family(
    name="firewall_alias",
    product="pve",
    noun="Firewall alias",
    identity={"name": NAME, "vmid": VMID},
    optional=("vmid",),
    caseless=("name",),
    joiner=" of guest ",
    read=Read(path=_COLLECTION, rows={"name": "name"}, shared=True),
    index=(
        Index(path=_COLLECTION, columns={"name": "name"}),
        Index(path="nodes/{node}/{type}/{vmid}/firewall/aliases", columns={"name": "name"}, under=GUESTS),
    ),
    create=Endpoint(method="POST", path=_COLLECTION, identity=("name",)),
    update=Endpoint(method="PUT", path=f"{_COLLECTION}/{{name}}"),
    delete=Endpoint(method="DELETE", path=f"{_COLLECTION}/{{name}}"),
    digest=True,
    keys={
        "cidr": Key(kind=CIDR, required=True, resend=True, clear=Clear.NEVER),
        "comment": Key(kind=COMMENT, default="", clear=Clear.OMIT),
    },
    options={"force": {"type": "bool", "default": False}},
    needs=("lxc",),
    read_hook=_read,
    refuse=_refuse,
    notes=_notes,
    steps_hook=_steps,
    refuses={
        "in-use": "deleting an alias that rules, security groups or IP sets of its scope name, unless force",
    },
    privileges=Privileges(
        read="Sys.Audit on /, for a guest's VM.Audit on /vms/{vmid}",
        write="Sys.Modify on /, for a guest's VM.Config.Network on /vms/{vmid}",
    ),
)
