# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Authentication realms (pve-access-control API2/Domains.pm, Auth/*.pm; specification section 7)."""

from __future__ import annotations

from typing import Any

from ..wire import Die
from .table import Call, Data, Key, Section, Texts, TypeRow

COMMENTS = {"pam": "Linux PAM standard authentication", "pve": "Proxmox VE authentication server"}
COMMON = frozenset({"default", "comment", "tfa"})
DIRECTORY = COMMON | frozenset(
    """server2 port bind_dn password mode secure sslversion verify capath cert certkey filter group_filter group_dn
    group_name_attr user_classes group_classes sync_attributes sync-defaults-options case-sensitive
    check-connection""".split()
)
OPENID = COMMON | frozenset(
    """client-key autocreate groups-claim groups-autocreate groups-overwrite prompt scopes acr-values audiences
    query-userinfo""".split()
)
TYPES = {
    "pam": TypeRow(keys=COMMON),
    "pve": TypeRow(keys=COMMON),
    "ldap": TypeRow(keys=DIRECTORY, required=frozenset({"server1", "base_dn", "user_attr"})),
    "ad": TypeRow(keys=DIRECTORY | {"base_dn", "user_attr"}, required=frozenset({"server1", "domain"})),
    "openid": TypeRow(
        keys=OPENID, required=frozenset({"issuer-url", "client-id"}), fixed=frozenset({"username-claim"})
    ),
}


def _only_default(call: Call, key: Key, data: Data) -> None:
    if data.get("default"):
        for name, other in call.objects("realm").items():
            if name != key:
                other.pop("default", None)


def _create(call: Call, key: Key, data: Data) -> None:
    if data["type"] in COMMENTS:
        raise Die(f"unable to create builtin type '{data['type']}'")
    data.pop("check-connection", None)
    _only_default(call, key, data)


def _update(call: Call, key: Key, old: Data, new: Data) -> None:
    new.pop("check-connection", None)
    _only_default(call, key, new)


def _row(_call: Call, key: Key, data: Data) -> Data:
    shown: dict[str, Any] = {"realm": key, "type": data["type"]}
    comment = data.get("comment") or COMMENTS.get(str(key))
    if comment:
        shown["comment"] = comment
    return shown | {name: data[name] for name in ("default", "tfa") if name in data}


REALM = Section(
    state="realm",
    identity=("realm",),
    item="/access/domains/{realm}",
    collection="/access/domains",
    texts=Texts(
        absent="domain '{realm}' does not exist",
        absent_put="update auth server failed: domain '{realm}' does not exist",
        absent_delete="delete auth server failed: domain '{realm}' does not exist",
        exists="domain '{realm}' already exists",
        post="add auth server failed: ",
        put="update auth server failed: ",
    ),
    types=TYPES,
    delete="set",
    delete_unchecked=True,
    no_options="no options specified",
    secrets=frozenset({"password"}),
    digest_file="domains.cfg",
    row=_row,
    before_create=_create,
    before_update=_update,
)

SECTIONS = (REALM,)
