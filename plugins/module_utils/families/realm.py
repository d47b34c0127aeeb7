# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Realms (pve-access-control PVE/API2/Domains.pm, PVE/Auth/{Plugin,LDAP,AD,OpenId,PAM,PVE}.pm).

An update deletes keys before it validates, and does not mind which: required and fixed keys are kept safe here.
"""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ..engine.compare import compare
from ..engine.family import Absence, Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal, Step
from ..engine.index import Export, Index
from ..engine.key import Clear, Key
from ..engine.read import read_table, rows_of
from ..engine.steps import create_steps, delete_steps, update_steps
from ..wire.kind import Canon, Kind
from ..wire.lists import ListOf, SetOf
from ..wire.propstr import PropertyMap, Sub
from ..wire.scalars import Enum, Flag, Integer, Text
from .access import REALM as REALM_ID

_LDAP: t.Final = ("ldap", "ad")
_OPENID: t.Final = ("openid",)
_WITH_TFA: t.Final = ("ldap", "ad", "pam", "pve")
_BUILT_IN: t.Final = ("pam", "pve")
#: What PAM.pm and PVE.pm answer where no comment is stored (Auth/Plugin.pm parse_config).
_BUILT_IN_COMMENTS: t.Final = {
    "pam": "Linux PAM standard authentication",
    "pve": "Proxmox VE authentication server",
}

_VANISHED = SetOf(Enum(("acl", "properties", "entry", "none")), separators=";", joiner=";")
_SYNC = PropertyMap(
    {
        "scope": Sub(Enum(("users", "groups", "both"))),
        "enable-new": Sub(Flag(), default="1"),
        "remove-vanished": Sub(_VANISHED, default="none"),
    },
)
#: Domains.pm parses the whole text by ``,`` and ``=``; the order means nothing.
_SYNC_ATTRIBUTES = PropertyMap({}, open=True)
_TFA = PropertyMap({"type": Sub(Enum(("yubico", "oath")), required=True)}, open=True)
#: OpenId.pm splits these by split_list.
_WORDS = SetOf(Text(), joiner=" ")
_CLASSES = SetOf(Text(pattern=r"[A-Za-z0-9\-]+", expected="a class of letters, digits and -"))
_ONE_WORD = "a text without white space"
_QUOTABLE = Text(pattern=r'[^\x00-\x1F\x7F<>#"]*', expected='a text without control characters and without < > # and "')


def _text(max_length: int | None = 256, pattern: str | None = None, expected: str | None = None) -> Text:
    return Text(max_length=max_length, pattern=pattern, expected=expected)


def _ldap(kind: Kind, **more: t.Any) -> Key:
    return Key(kind=kind, types=_LDAP, **more)


def _openid(kind: Kind, **more: t.Any) -> Key:
    return Key(kind=kind, types=_OPENID, **more)


class _BuiltInComment(Text):
    """The fixed comment of a realm that always exists is the same as none."""

    def canon(self, value: object) -> Canon:
        text = super().canon(value)
        return "" if text in _BUILT_IN_COMMENTS.values() else text


_COMMENT = Text(max_length=4096, zero_is_empty=True, strip="ends")


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    return (
        {"comment": _BuiltInComment(max_length=4096, zero_is_empty=True, strip="ends")}
        if live.values.get("type") in _BUILT_IN
        else {}
    )


def _shape(row: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
    """``secure`` is the old spelling of the mode (LDAP.pm get_scheme_and_port)."""
    if row.get("mode") is None and str(row.get("secure", "0")) == "1":
        return {**row, "mode": "ldaps"}
    return row


# ---- read


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    live = read_table(family, declaration, reader)
    return replace(live, facts=_facts(family, declaration, live, reader))


def _facts(family: Family, declaration: Declaration, live: Live, reader: Reader) -> dict[str, t.Any]:
    """Only what a pending change needs."""
    realm = declaration.ident["realm"]
    if declaration.state == "absent":
        rows = rows_of(reader, "access/users") if live.present else []
        return {"users": sorted(row["userid"] for row in rows if row["userid"].rpartition("@")[2] == realm)}
    if any(item.key == "default" and item.want is True for item in compare(family, declaration, live)):
        rows = rows_of(reader, "access/domains")
        others = (row["realm"] for row in rows if row["realm"] != realm and str(row.get("default", "0")) == "1")
        return {"default_now": next(others, None)}
    return {}


# ---- judge


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if declaration.state == "absent":
        yield from _refuse_absent(title, declaration, live)
        return
    kind = declaration.values.get("type")
    if not live.present and (kind in _BUILT_IN or declaration.ident["realm"] in _BUILT_IN):
        yield Refusal(id="built-in", key="type", msg=f"{title}: the realms pam and pve always exist; none is created.")
    if declaration.extras.get("check_connection") and live.values.get("type", kind) not in _LDAP:
        yield Refusal(id="not-of-type", msg=f"{title}: only ldap and ad realms have check_connection.")


def _refuse_absent(title: str, declaration: Declaration, live: Live) -> t.Iterable[Refusal]:
    """delete_domain leaves users, groups and ACL rows of the realm behind."""
    if live.values.get("type") in _BUILT_IN:
        yield Refusal(id="built-in", msg=f"{title} always exists, and cannot be deleted.")
        return
    users = live.facts.get("users", ())
    if users and declaration.confirm_destroy != declaration.ident["realm"]:
        names = ", ".join(users[:5]) + (f" and {len(users) - 5} more" if len(users) > 5 else "")
        msg = f"{title} still has users ({names}), who could then not log in."
        yield Refusal(id="has-users", until_gone=True, msg=msg)


def _notes(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[str]:
    """update_realm clears the flag on every other realm."""
    other = live.facts.get("default_now")
    if other:
        yield (
            f"{family.title(declaration.ident)} becomes the default in place of {other}; a declaration that says the "
            f"same of {other} would take it back."
        )


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    """``check-connection`` goes along with a write and is stored nowhere."""
    if declaration.state == "absent":
        return delete_steps(family, declaration, live)
    steps = (update_steps if live.present else create_steps)(family, declaration, live, drift)
    if not declaration.extras.get("check_connection"):
        return steps
    return tuple(replace(step, form={**step.form, "check-connection": "1"}) for step in steps)


REALM = Family(
    name="realm",
    product="pve",
    noun="Realm",
    identity={"realm": REALM_ID},
    selector="type",
    read=Read(path="access/domains/{realm}", absence=(Absence(status=500, message=r"domain '.*' does not exist"),)),
    index=(Index(path="access/domains", columns={"realm": "realm"}),),
    export=Export(standing={"realm": "|".join(_BUILT_IN)}),
    create=Endpoint(method="POST", path="access/domains", identity=("realm",)),
    update=Endpoint(method="PUT", path="access/domains/{realm}"),
    delete=Endpoint(method="DELETE", path="access/domains/{realm}"),
    digest=True,
    keys={
        "type": Key(kind=Enum((*_LDAP, *_OPENID, *_BUILT_IN)), create_only=True, required=True, clear=Clear.NEVER),
        "default": Key(kind=Flag(), default=False),
        "comment": Key(kind=_COMMENT, default=""),
        "tfa": Key(kind=_TFA, types=_WITH_TFA, hidden=True),
        "server1": _ldap(_text(), required=True),
        "server2": _ldap(_text()),
        "port": _ldap(Integer(minimum=1, maximum=65535)),
        "base_dn": _ldap(_text(), required=("ldap",)),
        "user_attr": _ldap(
            _text(pattern=r"\S{2,}", expected="at least two characters without white space"), required=("ldap",)
        ),
        "domain": Key(kind=_text(pattern=r"\S+", expected=_ONE_WORD), types=("ad",), required=True),
        "bind_dn": _ldap(_text()),
        "password": _ldap(Text(), secret=True),
        "mode": _ldap(Enum(("ldap", "ldaps", "ldap+starttls")), default="ldap"),
        "secure": _ldap(Flag(), default=False),
        "sslversion": _ldap(Enum(("tlsv1", "tlsv1_1", "tlsv1_2", "tlsv1_3"))),
        "verify": _ldap(Flag(), default=False),
        "capath": _ldap(Text(), default="/etc/ssl/certs"),
        "cert": _ldap(Text()),
        "certkey": _ldap(Text()),
        "filter": _ldap(_text(2048)),
        "group_dn": _ldap(_text()),
        "group_name_attr": _ldap(_text()),
        "group_filter": _ldap(_text(2048)),
        "user_classes": _ldap(_CLASSES, default="inetorgperson, posixaccount, person, user"),
        "group_classes": _ldap(_CLASSES, default="groupOfNames, group, univentionGroup, ipausergroup"),
        "sync_attributes": _ldap(_SYNC_ATTRIBUTES),
        "sync-defaults-options": _ldap(_SYNC, default=""),
        "case-sensitive": _ldap(Flag(), default=True),
        "issuer-url": _openid(_text(), required=True),
        "client-id": _openid(_text(), required=True),
        "client-key": _openid(_text(), hidden=True),
        "autocreate": _openid(Flag(), default=False),
        "username-claim": _openid(Text(), default="subject", create_only=True, clear=Clear.NEVER),
        "groups-claim": _openid(_text(pattern=r"[A-Za-z0-9.\-_]+", expected="a name of letters, digits, - _ and .")),
        "groups-autocreate": _openid(Flag(), default=False),
        "groups-overwrite": _openid(Flag(), default=False),
        "prompt": _openid(Text(pattern=r"\S+", expected=_ONE_WORD)),
        "scopes": _openid(_WORDS, default="email profile"),
        "acr-values": _openid(ListOf(_QUOTABLE, joiner=" ")),
        "audiences": _openid(SetOf(_QUOTABLE, joiner=" ")),
        "query-userinfo": _openid(Flag(), default=True),
    },
    options={"check_connection": {"type": "bool", "default": False}},
    retain=True,
    shape=_shape,
    kinds_hook=_kinds,
    read_hook=_read,
    refuse=_refuse,
    notes=_notes,
    steps_hook=_steps,
    refuses={
        "built-in": "creating or deleting the realms pam and pve, which always exist",
        "not-of-type": "check_connection for a realm that is not of type ldap or ad",
        "has-users": "deleting a realm that has users, without confirm_destroy",
    },
    privileges=Privileges(
        read="Sys.Audit or Realm.Allocate on /access/realm",
        write="Realm.Allocate on /access/realm; to delete also Sys.Audit on /access/groups, to see its users",
    ),
)
