# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Authentication realms (pve-access-control API2/Domains.pm, Auth/*.pm).

Every directory answers the connection test that `check-connection=1` asks for.
"""

from __future__ import annotations

from .. import schema
from ..formats import split_list
from ..wire import Die
from .table import SECTION_TRUTH, Call, Data, Key, Section, Texts, TypeRow

# What PVE::Auth::Plugin::parse_config puts in at every read.
BUILT_IN: dict[str, Data] = {
    "pam": {"type": "pam", "plugin": "PVE::Auth::PAM", "comment": "Linux PAM standard authentication"},
    "pve": {"type": "pve", "comment": "Proxmox VE authentication server"},
}
# `password` is taken for any type, and kept only by LDAP and AD.
COMMON = frozenset({"default", "comment", "password"})
DIRECTORY = COMMON | frozenset(
    """server2 port bind_dn tfa mode secure sslversion verify capath cert certkey filter group_filter group_dn
    group_name_attr user_classes group_classes sync_attributes sync-defaults-options case-sensitive""".split()
)
OPENID = COMMON | frozenset(
    """client-key autocreate groups-claim groups-autocreate groups-overwrite prompt scopes acr-values audiences
    query-userinfo""".split()
)
TYPES = {
    "pam": TypeRow(keys=COMMON | {"tfa"}),
    "pve": TypeRow(keys=COMMON | {"tfa"}),
    "ldap": TypeRow(keys=DIRECTORY, required=frozenset({"server1", "base_dn", "user_attr"})),
    "ad": TypeRow(keys=DIRECTORY | {"base_dn", "user_attr"}, required=frozenset({"server1", "domain"})),
    "openid": TypeRow(
        keys=OPENID, required=frozenset({"issuer-url", "client-id"}), fixed=frozenset({"username-claim"})
    ),
}
SYNC = "sync-defaults-options"


def _create(call: Call, key: Key, data: Data) -> None:
    if key in BUILT_IN:
        raise Die(f"unable to use reserved name '{key}'")
    if data["type"] in BUILT_IN:
        raise Die(f"unable to create builtin type '{data['type']}'")
    _written(call, key, data)


def _update(call: Call, key: Key, old: Data, new: Data) -> None:
    new["type"] = old["type"]  # `delete=type` takes it away, and the file then cannot be written
    _written(call, key, new)


def _written(call: Call, key: Key, data: Data) -> None:
    directory = data["type"] in ("ldap", "ad")
    if call.values.get("check-connection") is not None and not directory:
        raise Die("'check-connection' parameter can only be set for realms of type 'ldap' or 'ad'")
    if directory and data.get(SYNC):
        data[SYNC] = _sync_options(str(data[SYNC]))
    if data.get("default"):
        realms = call.objects("realm")
        for name in realms:
            realms[name] = {k: v for k, v in realms[name].items() if k != "default"}
    password, passwords = data.pop("password", None), call.objects("realm_password")
    if call.values.get("password") and directory:
        passwords[key] = {"password": password}
    elif "password" in split_list(str(call.values.get("delete") or "")):
        passwords.pop(key, None)


def _sync_options(text: str) -> str:
    """API2/Domains.pm map_sync_default_options: old options as `remove-vanished`, keys in order."""
    found = schema.parse_named("realm-sync-options", text)
    full, purge = found.pop("full", "0") == "1", found.pop("purge", "0") == "1"
    if "remove-vanished" not in found and (full or purge):
        found["remove-vanished"] = ";".join((["entry", "properties"] if full else []) + (["acl"] if purge else []))
    return ",".join(f"{name}={found[name]}" for name in sorted(found))


def _delete(call: Call, key: Key, data: Data) -> bool:
    """`pam` and `pve` are there again at the next read. Users, groups and ACL rows of a realm stay."""
    call.objects("realm_password").pop(key, None)
    if key in BUILT_IN:
        call.objects("realm")[key] = {"type": key}
    return key in BUILT_IN


def _show(_call: Call, key: Key, data: Data) -> Data:
    built_in = BUILT_IN.get(str(key), {})
    return {**built_in, **data}


def _row(call: Call, key: Key, data: Data) -> Data:
    shown = _show(call, key, data)
    row = {"realm": key, "type": shown["type"]}
    row |= {name: shown[name] for name in ("comment", "default") if shown.get(name)}
    if shown.get("tfa"):
        row["tfa"] = schema.parse_named("pve-tfa-config", str(shown["tfa"]))["type"]
    return row


REALM = Section(
    state="realm",
    identity=("realm",),
    item="/access/domains/{realm}",
    collection="/access/domains",
    texts=Texts(
        absent="domain '{realm}' does not exist",
        absent_put="update auth server failed: domain '{realm}' does not exist",
        absent_delete="delete auth server failed: authentication domain '{realm}' does not exist",
        exists="domain '{realm}' already exists",
        post="add auth server failed: ",
        put="update auth server failed: ",
    ),
    types=TYPES,
    kept_if_true=SECTION_TRUTH,
    delete="set",
    delete_unchecked=True,
    no_options="no options specified",
    steering=frozenset({"check-connection"}),
    digest_file="domains.cfg",
    line_feeds=False,
    show=_show,
    row=_row,
    before_create=_create,
    before_update=_update,
    before_delete=_delete,
)

SECTIONS = (REALM,)
