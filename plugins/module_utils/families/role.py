# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles (pve-access-control PVE/API2/Role.pm).

The index is read, not the item: it tells an empty role from none, it says which are built in, and the row of
Administrator holds every privilege that this PVE knows.
"""

from __future__ import annotations

import typing as t

from ..engine.family import Clear, Declaration, Drift, Endpoint, Family, Key, Live, Privileges, Read, Reader, Refusal
from ..engine.read import read_table
from ..wire.kind import Kind
from ..wire.lists import AtLeast, SetOf
from ..wire.scalars import Text
from .access import ROLEID

PRIVS = SetOf(Text(pattern=r"[A-Za-z.]+"))


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    return {} if declaration.exact else {"privs": AtLeast(PRIVS)}


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    live = read_table(family, declaration, reader)
    roleid = declaration.ident["roleid"]
    if declaration.state == "absent":
        rows = reader.get("access/acl", shared=True) if live.present else []
        bound = sorted({row["path"] for row in rows if row.get("roleid") == roleid})
        return Live(present=live.present, values=live.values, facts={"bound": bound})
    rows = reader.get("access/roles", shared=True)
    known = next((PRIVS.canon(row.get("privs")) for row in rows if row.get("roleid") == "Administrator"), ())
    return Live(present=live.present, values=live.values, facts={"known": known})


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if live.values.get("special") in (1, "1", True) and (drift or declaration.state == "absent"):
        yield Refusal(
            id="built-in", msg=f"{title} is built in, and PVE does not change it; declare a role of your own."
        )
    if declaration.state == "absent":
        yield from _refuse_bound(title, declaration, live)
        return
    unknown = sorted(set(PRIVS.canon(declaration.values.get("privs"))) - set(live.facts.get("known", ())))
    if drift and live.facts.get("known") and unknown:
        names = ", ".join(unknown)
        yield Refusal(id="unknown-privilege", key="privs", msg=f"{title}: this PVE knows no privilege {names}.")


def _refuse_bound(title: str, declaration: Declaration, live: Live) -> t.Iterable[Refusal]:
    """PVE deletes a bound role, and its grants vanish when user.cfg is read next (AccessControl.pm parse_user_config)."""
    bound = live.facts.get("bound", ())
    if bound and declaration.confirm_destroy != declaration.ident["roleid"]:
        yield Refusal(
            id="still-bound",
            msg=f"{title} is still bound at {', '.join(bound)}, and deleting it takes these grants along; remove them "
            f'first, or set confirm_destroy: "{declaration.ident["roleid"]}".',
        )


ROLE = Family(
    name="role",
    product="pve",
    noun="Role",
    identity={"roleid": ROLEID},
    read=Read(path="access/roles", rows={"roleid": "roleid"}, shared=True),
    create=Endpoint(method="POST", path="access/roles", identity=("roleid",)),
    update=Endpoint(method="PUT", path="access/roles/{roleid}"),
    delete=Endpoint(method="DELETE", path="access/roles/{roleid}"),
    keys={"privs": Key(kind=PRIVS, default=(), clear=Clear.OMIT, required=True)},
    exact=True,
    options={"confirm_destroy": {"type": "str"}},
    kinds_hook=_kinds,
    read_hook=_read,
    refuse=_refuse,
    privileges=Privileges(read="none", write="Sys.Modify on /access"),
)
