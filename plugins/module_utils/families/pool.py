# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools and their members (pve-manager PVE/API2/Pool.pm).

The query form ``pools?poolid=`` is used throughout: the item paths are deprecated and cannot name a nested pool.
One PUT either adds members or, with delete=1, removes them.
"""

from __future__ import annotations

import typing as t

from ..engine.compare import compare
from ..engine.family import Absence, Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal, Step
from ..engine.index import Index, Sight
from ..engine.key import Clear, Key
from ..engine.read import read_row, rows_of
from ..engine.steps import create_steps, delete_steps, to_step
from ..wire.kind import Kind
from ..wire.lists import AtLeast, SetOf
from ..wire.scalars import Text
from .acl_rows import SUBJECTS
from .cluster import GUESTS, STORAGE

STORAGES = SetOf(STORAGE)
MEMBERS = ("vms", "storage")
ABSENT = Absence(status=500, message=r"pool '.*' does not exist")


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    if declaration.extras.get("members") == "exact" or declaration.exact:
        return {}
    return {"vms": AtLeast(GUESTS), "storage": AtLeast(STORAGES)}


def _shape(row: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
    members = row.get("members") or []
    return {
        **row,
        "vms": [member["vmid"] for member in members if member.get("type") in ("qemu", "lxc")],
        "storage": [member["storage"] for member in members if member.get("type") == "storage"],
    }


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    row = read_row(family, declaration.ident, reader)
    live = Live(present=row is not None, values=_shape(row) if row is not None else {})
    return Live(present=live.present, values=live.values, facts=_facts(family, declaration, reader, live))


def _facts(family: Family, declaration: Declaration, reader: Reader, live: Live) -> dict[str, t.Any]:
    """Only what a pending change needs: an equal pool costs one GET."""
    poolid = str(declaration.ident["poolid"])
    if declaration.state == "absent":
        if not live.present:
            return {}
        names = [str(row["poolid"]) for row in rows_of(reader, "pools")]
        below = [name for name in names if name.startswith(f"{poolid}/")]
        return {"below": below, "acl": _acl_rows(poolid, reader) if "/" in poolid else []}
    facts: dict[str, t.Any] = {}
    if not live.present and "/" in poolid:
        parent = poolid.rpartition("/")[0]
        facts["parent"] = parent
        facts["parent_present"] = read_row(family, {"poolid": parent}, reader) is not None
    if any(item.key == "vms" for item in compare(family, declaration, live)):
        rows = rows_of(reader, "cluster/resources", {"type": "vm"})
        facts["pool_of"] = {str(row["vmid"]): row["pool"] for row in rows if row.get("pool")}
        facts["guests"] = {str(row["vmid"]) for row in rows}
    return facts


def _acl_rows(poolid: str, reader: Reader) -> list[t.Mapping[str, t.Any]]:
    """delete_pool_acl (pve-access-control AccessControl.pm) only reaches top-level names; a nested pool's rows stay."""
    return [row for row in rows_of(reader, "access/acl") if row.get("path") == f"/pool/{poolid}"]


def _changes(item: Drift) -> tuple[list[t.Any], list[t.Any]]:
    """Members to add and members to remove."""
    live = set(item.live) if isinstance(item.live, tuple) else set()
    want = set(item.want) if isinstance(item.want, tuple) else set()
    return sorted(want - live), sorted(live - want)


def _additive(declaration: Declaration, key: str) -> bool:
    return bool(_kinds(declaration, Live(present=True)).get(key)) and key not in declaration.delete


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if declaration.state == "absent":
        yield from _refuse_absent(title, live)
        return
    here, pool_of = declaration.ident["poolid"], live.facts.get("pool_of", {})
    if not live.present and not here.rpartition("/")[2][:1].isalpha():
        yield Refusal(id="no-letter", msg=f"{title}: the name of a new pool must start with a letter.")
    if declaration.extras.get("allow_move"):
        return
    for item in drift:
        for vmid in _changes(item)[0] if item.key == "vms" else ():
            other = pool_of.get(str(vmid), here)
            if other != here:
                yield Refusal(
                    id="in-other-pool",
                    key="vms",
                    msg=f"{title}: guest {vmid} is in pool {other}, and a guest is in one pool at most; "
                    "set allow_move: true to move it.",
                )


def _notes(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[str]:
    """In a plan the parent may be another declaration's, so PVE has the last word."""
    title = family.title(declaration.ident)
    if live.facts.get("parent_present") is False:
        yield f"{title}: its parent {live.facts['parent']} is not there yet; PVE refuses the pool until it is."
    if "guests" in live.facts:
        added = [vmid for item in drift if item.key == "vms" for vmid in _changes(item)[0]]
        unseen = [str(vmid) for vmid in added if str(vmid) not in live.facts["guests"]]
        if unseen:
            yield f"{title}: no guest {', '.join(unseen)} is seen, and PVE lists only members that are there."


def _refuse_absent(title: str, live: Live) -> t.Iterable[Refusal]:
    """Pool.pm delete_pool refuses these too; here check mode says so as well."""
    held = [*map(str, live.values.get("vms", ())), *live.values.get("storage", ()), *live.facts.get("below", ())]
    if held:
        yield Refusal(
            id="not-empty",
            until_gone=True,
            msg=f"{title} still holds {', '.join(held)}, and PVE deletes only an empty pool; remove them first.",
        )


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    if declaration.state == "absent":
        return (*delete_steps(family, declaration, live), *_acl_steps(live))
    plain = {name: value for name, value in declaration.values.items() if name not in MEMBERS}
    steps: list[Step] = []
    comment: dict[str, t.Any] = {}
    if not live.present:
        bare = Declaration(ident=declaration.ident, values=plain)
        steps += create_steps(family, bare, live)
    else:
        comment = {item.key: _text(item) for item in drift if item.key == "comment"}
    removed, added = _member_forms(declaration, drift)
    for what, form in (("remove members", removed), ("update", added)):
        if form:
            steps.append(_put(family, declaration, {**comment, **form}, what))
            comment = {}
    if comment:
        steps.append(_put(family, declaration, comment, "update"))
    return tuple(steps)


def _member_forms(declaration: Declaration, drift: tuple[Drift, ...]) -> tuple[dict[str, str], dict[str, str]]:
    removed: dict[str, str] = {}
    added: dict[str, str] = {}
    for item in drift:
        if item.key not in MEMBERS:
            continue
        add, remove = _changes(item)
        if remove and not _additive(declaration, item.key):
            removed[item.key] = ",".join(map(str, remove))
        if add:
            added[item.key] = ",".join(map(str, add))
    if removed:
        removed["delete"] = "1"
    if added and declaration.extras.get("allow_move"):
        added["allow-move"] = "1"
    return removed, added


def _text(item: Drift) -> str:
    return item.want if isinstance(item.want, str) else ""


def _put(family: Family, declaration: Declaration, form: t.Mapping[str, str], what: str) -> Step:
    return to_step(family.update, declaration, form, what=what)


def _acl_steps(live: Live) -> t.Iterable[Step]:
    for row in live.facts.get("acl", ()):
        form = {"path": row["path"], "roles": row["roleid"], SUBJECTS[row["type"]]: row["ugid"], "delete": "1"}
        yield Step(method="PUT", path="access/acl", form=form, what="remove the pool's ACL rows")


POOL = Family(
    name="pool",
    product="pve",
    noun="Pool",
    identity={
        "poolid": Text(
            pattern=r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+){0,2}",
            expected="up to three names of letters, digits, - _ and ., with / between them",
        )
    },
    read=Read(path="pools", query={"poolid": "{poolid}"}, rows={"poolid": "poolid"}, absence=(ABSENT,)),
    create=Endpoint(method="POST", path="pools", identity=("poolid",)),
    update=Endpoint(method="PUT", path="pools", identity=("poolid",)),
    delete=Endpoint(method="DELETE", path="pools", identity=("poolid",)),
    keys={
        "comment": Key(kind=Text(zero_is_empty=True), default="", clear=Clear.EMPTY),
        "vms": Key(kind=GUESTS, default=(), clear=Clear.OMIT),
        "storage": Key(kind=STORAGES, default=(), clear=Clear.OMIT),
    },
    options={
        "members": {"type": "str", "choices": ["additive", "exact"], "default": "additive"},
        "allow_move": {"type": "bool", "default": False},
    },
    index=(Index(path="pools", columns={"poolid": "poolid"}, sight=Sight(path="/pool", privileges=("Pool.Audit",))),),
    needs=("lxc", "storage"),
    nested=True,
    shape=_shape,
    kinds_hook=_kinds,
    read_hook=_read,
    refuse=_refuse,
    notes=_notes,
    steps_hook=_steps,
    refuses={
        "no-letter": "creating a pool whose name (its last part) does not start with a letter",
        "in-other-pool": "adding a guest that is in another pool, unless allow_move",
        "not-empty": "deleting a pool that holds guests, storages or pools",
    },
    privileges=Privileges(
        read="Pool.Audit on /pool/{poolid}",
        write="Pool.Allocate on /pool/{poolid}, and for each member VM.Allocate on /vms/{vmid} or Datastore.Allocate "
        "on /storage/{storage}",
    ),
)
