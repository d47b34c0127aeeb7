# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles (pve-access-control PVE/API2/Role.pm).

The index is read, not the item: it tells an empty role from none, it says which are built in, and the row of
Administrator holds every privilege that this PVE knows.
"""

from __future__ import annotations

import typing as t

from ..engine.compare import compare
from ..engine.family import Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal
from ..engine.index import Index
from ..engine.key import Clear, Key
from ..engine.read import read_row, rows_of
from ..wire.kind import Kind
from ..wire.lists import AtLeast, SetOf
from ..wire.scalars import Text
from .access import ROLEID

PRIVS = SetOf(Text(pattern=r"[A-Za-z.]+", expected="a privilege such as VM.Audit"))
#: Without these nobody can give back what an edit took away (Role.pm, ACL.pm: what their writes ask for).
REPAIR = ("Permissions.Modify", "Sys.Modify")


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    return {} if declaration.exact else {"privs": AtLeast(PRIVS)}


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    row = read_row(family, declaration.ident, reader)
    live = Live(present=row is not None, values=row or {})
    facts: dict[str, t.Any] = {}
    if declaration.state == "absent" or _lost(family, declaration, live):
        rows = rows_of(reader, "access/acl") if live.present else []
        facts["bound"] = sorted({row["path"] for row in rows if row.get("roleid") == declaration.ident["roleid"]})
    if declaration.state == "present" and compare(family, declaration, live):
        known = read_row(family, {"roleid": "Administrator"}, reader) or {}
        facts["known"] = PRIVS.canon(known.get("privs"))
    return Live(present=live.present, values=live.values, facts=facts)


def _lost(family: Family, declaration: Declaration, live: Live) -> list[str]:
    """What an edit takes away that the next edit would need."""
    if declaration.state == "absent" or not live.present or not compare(family, declaration, live):
        return []
    want = (
        _kinds(declaration, live)
        .get("privs", PRIVS)
        .carry(PRIVS.canon(declaration.values.get("privs")), PRIVS.canon(live.values.get("privs")))
    )
    return [name for name in REPAIR if name in PRIVS.canon(live.values.get("privs")) and name not in want]


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if live.values.get("special") in (1, "1", True) and (drift or declaration.state == "absent"):
        yield Refusal(
            id="built-in", msg=f"{title} is built in, and PVE does not change it; declare a role of your own."
        )
        return
    if declaration.state == "absent":
        yield from _refuse_bound(title, declaration, live)
        return
    if not live.present and declaration.ident["roleid"].upper().startswith("PVE"):
        yield Refusal(id="reserved", msg=f"{title}: PVE keeps names that begin with PVE for itself; take another name.")
    known = live.facts.get("known", ())
    unknown = sorted(set(PRIVS.canon(declaration.values.get("privs"))) - set(known))
    if drift and known and unknown:
        names = ", ".join(unknown)
        yield Refusal(id="unknown-privilege", key="privs", msg=f"{title}: this PVE knows no privilege {names}.")
    yield from _refuse_lockout(family, declaration, live)


def _refuse_bound(title: str, declaration: Declaration, live: Live) -> t.Iterable[Refusal]:
    """PVE deletes a bound role; its grants vanish when user.cfg is read next (AccessControl.pm parse_user_config)."""
    bound = live.facts.get("bound", ())
    if bound and declaration.confirm_destroy != declaration.ident["roleid"]:
        yield Refusal(
            id="still-bound",
            until_gone=True,
            msg=f"{title} is still bound at {', '.join(bound)}, and deleting it takes these grants along; remove them "
            f'first, or set confirm_destroy: "{declaration.ident["roleid"]}".',
        )


def _refuse_lockout(family: Family, declaration: Declaration, live: Live) -> t.Iterable[Refusal]:
    """Who holds the role is not asked: it may be the credential of this very run."""
    reach = [path for path in live.facts.get("bound", ()) if path in ("/", "/access")]
    lost = _lost(family, declaration, live)
    if reach and lost and not declaration.extras.get("allow_self_lockout"):
        yield Refusal(
            id="lockout",
            key="privs",
            msg=f"{family.title(declaration.ident)} is bound at {', '.join(reach)} and would lose {', '.join(lost)}, "
            "without which the edit cannot be taken back; set allow_self_lockout: true if another way in is left.",
        )


ROLE = Family(
    name="role",
    product="pve",
    noun="Role",
    identity={"roleid": ROLEID},
    read=Read(path="access/roles", rows={"roleid": "roleid"}, shared=True),
    index=(Index(path="access/roles", columns={"roleid": "roleid"}, skip={"special": "1"}),),
    create=Endpoint(method="POST", path="access/roles", identity=("roleid",)),
    update=Endpoint(method="PUT", path="access/roles/{roleid}"),
    delete=Endpoint(method="DELETE", path="access/roles/{roleid}"),
    keys={"privs": Key(kind=PRIVS, default=(), clear=Clear.EMPTY, required=True)},
    options={
        "exact": {"type": "bool", "default": True},
        "confirm_destroy": {"type": "str"},
        "allow_self_lockout": {"type": "bool", "default": False},
    },
    kinds_hook=_kinds,
    read_hook=_read,
    refuse=_refuse,
    refuses={
        "built-in": "a change of a role that PVE makes itself",
        "reserved": "a new role whose name begins with PVE",
        "unknown-privilege": "a privilege that this PVE does not know",
        "still-bound": "deleting a role that ACL rows grant, without confirm_destroy",
        "lockout": "taking Permissions.Modify or Sys.Modify from a role that is bound at / or /access, unless "
        "allow_self_lockout",
    },
    privileges=Privileges(
        read="none; to delete a role or to take privileges from it, Sys.Audit on /access",
        write="Sys.Modify on /access",
    ),
)
