# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users (pve-access-control PVE/API2/User.pm). An update takes only what changes; groups replace as a whole."""

from __future__ import annotations

import typing as t

from ..engine.family import Absence, Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal
from ..engine.index import Index, Sight
from ..engine.key import Clear, Key
from ..engine.read import read_table, rows_of
from ..wire.scalars import Flag, Integer, Text
from .access import GROUPS, USERID

_TEXT: t.Final[dict[str, t.Any]] = {"default": "", "clear": Clear.EMPTY}
#: PVE/Tools.pm EMAIL_RE.
_EMAIL = r"[\w+\-~]+(\.[\w+\-~]+)*@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*"
#: PVE/Auth/Plugin.pm store_password dies in every type but these.
_WITH_PASSWORD = ("pam", "pve")


def _name(max_length: int) -> Text:
    return Text(max_length=max_length, zero_is_empty=True)


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    """The realm is looked at only when the user is to be created."""
    live = read_table(family, declaration, reader)
    if live.present or declaration.state == "absent":
        return live
    rows = rows_of(reader, "access/domains")
    realm = declaration.ident["userid"].rpartition("@")[2]
    kind = next((row.get("type") for row in rows if row.get("realm") == realm), None)
    return Live(present=False, facts={"realm": realm, "realm_type": kind})


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    """userconfig_force_defaults (AccessControl.pm) makes root@pam anew whatever one stores."""
    if declaration.ident["userid"] == "root@pam" and (drift or declaration.state == "absent"):
        yield Refusal(id="root", msg="User root@pam is PVE's own and is not managed.")
    kind, realm = live.facts.get("realm_type"), live.facts.get("realm")
    if kind and kind not in _WITH_PASSWORD and "password" in declaration.values:
        msg = (
            f"{family.title(declaration.ident)}: realm {realm} is of type {kind} and stores no passwords; leave it out."
        )
        yield Refusal(id="no-password", key="password", msg=msg)


def _notes(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[str]:
    """PVE stores a user of a realm that is not there, who then cannot log in."""
    if "realm" in live.facts and live.facts["realm_type"] is None:
        yield f"{family.title(declaration.ident)}: there is no realm {live.facts['realm']} yet."


#: Whoever lacks these sees only itself and the members of the groups that it may audit.
SEES_USERS = Sight(path="/access/groups", privileges=("Sys.Audit", "User.Modify"), below=False)

USER = Family(
    name="user",
    product="pve",
    noun="User",
    identity={"userid": USERID},
    read=Read(path="access/users/{userid}", absence=(Absence(status=500, message=r"no such user \('.*'\)"),)),
    index=(Index(path="access/users", columns={"userid": "userid"}, skip={"userid": "root@pam"}, sight=SEES_USERS),),
    create=Endpoint(method="POST", path="access/users", identity=("userid",)),
    update=Endpoint(method="PUT", path="access/users/{userid}"),
    delete=Endpoint(method="DELETE", path="access/users/{userid}"),
    keys={
        "enable": Key(kind=Flag(), default=True, clear=Clear.NEVER),
        "expire": Key(kind=Integer(minimum=0), default=0, clear=Clear.NEVER),
        "firstname": Key(kind=_name(1024), **_TEXT),
        "lastname": Key(kind=_name(1024), **_TEXT),
        "email": Key(
            kind=Text(max_length=254, pattern=_EMAIL, expected="an email address", zero_is_empty=True), **_TEXT
        ),
        "comment": Key(kind=Text(max_length=2048, no_linefeed=False, zero_is_empty=True), **_TEXT),
        "keys": Key(
            kind=Text(
                pattern=r"[0-9a-zA-Z!=]{0,4096}", zero_is_empty=True, expected="keys of letters, digits, ! and ="
            ),
            hidden=True,
            **_TEXT,
        ),
        "groups": Key(kind=GROUPS, default=(), clear=Clear.EMPTY),
        "password": Key(kind=Text(min_length=8, max_length=64), secret=True, create_only=True, clear=Clear.NEVER),
    },
    needs=("realm", "group"),
    retain=True,
    read_hook=_read,
    refuse=_refuse,
    notes=_notes,
    refuses={
        "root": "any change of root@pam, which PVE keeps itself",
        "no-password": "a password for a user of a realm that stores none",
    },
    privileges=Privileges(
        read="Sys.Audit on /access/groups, or User.Modify",
        write="User.Modify on /access/groups/{group} of every old and new group (or on /access/groups); to create also "
        "Realm.AllocateUser on /access/realm/{realm}",
    ),
)
