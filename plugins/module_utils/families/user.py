# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users (pve-access-control PVE/API2/User.pm). An update takes only what changes; groups replace as a whole."""

from __future__ import annotations

import typing as t

from ..engine.family import Absence, Clear, Declaration, Drift, Endpoint, Family, Key, Live, Privileges, Read, Refusal
from ..wire.scalars import Flag, Integer, Text
from .access import GROUPS, USERID

_TEXT = {"default": "", "clear": Clear.EMPTY}


def _name(max_length: int) -> Text:
    return Text(max_length=max_length, zero_is_empty=True)


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    """userconfig_force_defaults (AccessControl.pm) makes root@pam anew whatever one stores."""
    if declaration.ident["userid"] == "root@pam" and (drift or declaration.state == "absent"):
        yield Refusal(id="root", msg="User root@pam is PVE's own and is not managed.")


USER = Family(
    name="user",
    product="pve",
    noun="User",
    identity={"userid": USERID},
    read=Read(path="access/users/{userid}", absence=(Absence(status=500, message=r"no such user \('.*'\)"),)),
    create=Endpoint(method="POST", path="access/users", identity=("userid",)),
    update=Endpoint(method="PUT", path="access/users/{userid}"),
    delete=Endpoint(method="DELETE", path="access/users/{userid}"),
    keys={
        "enable": Key(kind=Flag(), default=True, clear=Clear.NEVER),
        "expire": Key(kind=Integer(minimum=0), default=0, clear=Clear.NEVER),
        "firstname": Key(kind=_name(1024), **_TEXT),
        "lastname": Key(kind=_name(1024), **_TEXT),
        "email": Key(kind=_name(254), **_TEXT),
        "comment": Key(kind=Text(max_length=2048, zero_is_empty=True), **_TEXT),
        "keys": Key(kind=Text(pattern=r"[0-9a-zA-Z!=]{0,4096}"), hidden=True, **_TEXT),
        "groups": Key(kind=GROUPS, default=(), clear=Clear.EMPTY),
        "password": Key(kind=Text(min_length=8, max_length=64), secret=True, create_only=True, clear=Clear.NEVER),
    },
    needs=("realm", "group"),
    retain=True,
    refuse=_refuse,
    privileges=Privileges(
        read="Sys.Audit on /access/groups, or User.Modify",
        write="User.Modify on /access/groups/{group} of every old and new group (or on /access/groups); to create also "
        "Realm.AllocateUser on /access/realm/{realm}",
    ),
)
