# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Users, groups, roles and API tokens (pve-access-control API2/User.pm, Group.pm, Role.pm; measured 31 to 39)."""

from __future__ import annotations

import uuid
from typing import Any

from ..formats import split_list
from ..wire import Die, refuse
from .roles import SPECIAL_ROLES
from .table import Call, Data, Endpoint, Key, Section, Texts

# ---- users


def _existing_groups(call: Call, data: Data) -> None:
    for name in data.get("groups", []):
        if name not in call.objects("group"):
            raise Die(f"no such group '{name}'")


def _user_create(call: Call, key: Key, data: Data) -> None:
    data["groups"] = sorted(set(split_list(str(data.get("groups") or ""))))
    _existing_groups(call, data)
    if data.get("password") and str(key).endswith("@pam"):
        raise Die(f"change password failed: user '{str(key).rpartition('@')[0]}' does not exist")


def _user_update(call: Call, key: Key, old: Data, new: Data) -> None:
    if "groups" in call.values:
        wanted = set(split_list(str(call.values["groups"] or "")))
        new["groups"] = sorted(wanted | set(old.get("groups", [])) if call.values.get("append") else wanted)
    _existing_groups(call, new)


def _user_delete(call: Call, key: Key, data: Data) -> None:
    tokens = call.objects("token")
    for owner, name in [pair for pair in tokens if pair[0] == key]:
        del tokens[owner, name]
    _drop_acl(call, lambda row: row["ugid"] == key or str(row["ugid"]).startswith(f"{key}!"))


def _tokens_of(call: Call, user: Key) -> dict[str, Data]:
    pairs = sorted(call.objects("token").items())
    return {name: _token_info(data) for (owner, name), data in pairs if owner == user}


def _user_fields(data: Data) -> Data:
    return {name: value for name, value in data.items() if name not in ("groups", "password")}


def _user_show(call: Call, key: Key, data: Data) -> Data:
    return {**_user_fields(data), "groups": list(data["groups"]), "tokens": _tokens_of(call, key) or None}


def _user_row(call: Call, key: Key, data: Data) -> Data | None:
    if call.values.get("enabled") is not None and data["enable"] != call.values["enabled"]:
        return None
    kind = {"pam": "pam"}.get(str(key).rpartition("@")[2], "pve")
    row = {"userid": key, "realm-type": kind, **_user_fields(data)}
    if call.values.get("full"):
        row["groups"] = ",".join(data["groups"])
        row["tokens"] = [{"tokenid": name, **info} for name, info in _tokens_of(call, key).items()]
    return row


USER = Section(
    state="user",
    identity=("userid",),
    item="/access/users/{userid}",
    collection="/access/users",
    texts=Texts(
        absent="no such user ('{userid}')",
        exists="user '{userid}' already exists",
        post="create user failed: ",
        put="update user failed: ",
    ),
    falsy_is_absent=True,
    stored_defaults={"enable": 1, "expire": 0},
    steering=frozenset({"append"}),
    show=_user_show,
    row=_user_row,
    before_create=_user_create,
    before_update=_user_update,
    before_delete=_user_delete,
)


# ---- groups


def _members(call: Call, group: Key) -> list[str]:
    return sorted(user for user, data in call.objects("user").items() if group in data.get("groups", []))


def _group_delete(call: Call, key: Key, data: Data) -> None:
    for user in call.objects("user").values():
        user["groups"] = [name for name in user.get("groups", []) if name != key]
    _drop_acl(call, lambda row: row["type"] == "group" and row["ugid"] == key)


GROUP = Section(
    state="group",
    identity=("groupid",),
    item="/access/groups/{groupid}",
    collection="/access/groups",
    texts=Texts(
        absent="group '{groupid}' does not exist",
        absent_put="update group failed: group '{groupid}' does not exist",
        absent_delete="delete group failed: group '{groupid}' does not exist",
        exists="group '{groupid}' already exists",
        post="create group failed: ",
        put="update group failed: ",
    ),
    falsy_is_absent=True,
    show=lambda call, key, data: {"members": _members(call, key), **data},
    row=lambda call, key, data: {"groupid": key, "users": ",".join(_members(call, key)), **data},
    before_delete=_group_delete,
)


# ---- roles


def _privileges(call: Call) -> list[str]:
    return sorted(set(split_list(str(call.values.get("privs") or ""))))


def _role_create(call: Call, key: Key, data: Data) -> None:
    if str(key).upper().startswith("PVE"):
        raise refuse(roleid="cannot use role ID starting with the (case-insensitive) 'PVE' namespace")
    data["privs"] = _privileges(call)


def _role_update(call: Call, key: Key, old: Data, new: Data) -> None:
    if key in SPECIAL_ROLES:
        raise Die(f"auto-generated role '{key}' cannot be modified")
    # Without `privs` a PUT empties the role (API2/Role.pm update_role).
    kept = set(old["privs"]) if call.values.get("append") else set()
    new["privs"] = sorted(kept | set(_privileges(call)))


def _role_delete(call: Call, key: Key, data: Data) -> None:
    if key in SPECIAL_ROLES:
        raise Die(f"auto-generated role '{key}' cannot be deleted")
    # The rows stay in the file, and the next parse ignores them.
    _drop_acl(call, lambda row: row["roleid"] == key)


def _role_row(call: Call, key: Key, data: Data) -> Data:
    return {"roleid": key, "privs": ",".join(data["privs"]), "special": int(key in SPECIAL_ROLES)}


ROLE = Section(
    state="role",
    identity=("roleid",),
    item="/access/roles/{roleid}",
    collection="/access/roles",
    texts=Texts(
        absent="role '{roleid}' does not exist",
        absent_put="update role failed: role '{roleid}' does not exist",
        absent_delete="delete role failed: role '{roleid}' does not exist",
        exists="role '{roleid}' already exists",
        post="create role failed: ",
    ),
    steering=frozenset({"append"}),
    show=lambda call, key, data: dict.fromkeys(data["privs"], 1),
    row=_role_row,
    before_create=_role_create,
    before_update=_role_update,
    before_delete=_role_delete,
)


# ---- tokens


def _token_info(data: Data) -> Data:
    info: Data = {"expire": int(data.get("expire", 0)), "privsep": int(data.get("privsep", 1))}
    if data.get("comment"):
        info["comment"] = data["comment"]
    return info


def _known_user(call: Call) -> None:
    if call.values["userid"] not in call.objects("user"):
        raise Die(f"no such user ('{call.values['userid']}')")


def _token_create(call: Call, key: Key, data: Data) -> None:
    _known_user(call)
    data["value"] = str(uuid.uuid4())


def _token_created(call: Call, key: Key, data: Data) -> Data:
    # Numbers that were sent come back as the texts that they were; a default is a number.
    info = {name: call.given[name] for name in ("comment", "expire", "privsep") if call.given.get(name) is not None}
    info.setdefault("privsep", 1)
    return {"full-tokenid": f"{key[0]}!{key[1]}", "info": info, "value": data["value"]}


def _token_update(call: Call, key: Key, old: Data, new: Data) -> None:
    if call.values.get("regenerate"):
        new["value"] = str(uuid.uuid4())


def _token_updated(call: Call, key: Key, data: Data) -> Data:
    out = _token_info(data)
    out.update({name: call.given[name] for name in ("expire", "privsep") if call.given.get(name) is not None})
    if call.values.get("regenerate"):
        out.update({"full-tokenid": f"{key[0]}!{key[1]}", "value": data["value"]})
    return out


def _token_delete(call: Call, key: Key, data: Data) -> None:
    _drop_acl(call, lambda row: row["ugid"] == f"{key[0]}!{key[1]}")


TOKEN = Section(
    state="token",
    identity=("userid", "tokenid"),
    item="/access/users/{userid}/token/{tokenid}",
    create_on_item=True,
    texts=Texts(
        absent="no such token '{tokenid}' for user '{userid}'",
        exists="Token already exists.",
        unknown_delete="unknown option '{option}'",
    ),
    exists_status=400,
    error_parameter="tokenid",
    falsy_is_absent=True,
    delete="delete",
    deletable=frozenset({"comment"}),
    steering=frozenset({"regenerate"}),
    secrets=frozenset({"value"}),
    show=lambda call, key, data: _token_info(data),
    before_create=_token_create,
    before_update=_token_update,
    before_delete=_token_delete,
    created=_token_created,
    updated=_token_updated,
)


def _token_list(call: Call) -> Any:
    _known_user(call)
    return [{"tokenid": name, **info} for name, info in _tokens_of(call, call.values["userid"]).items()]


def _drop_acl(call: Call, gone: Any) -> None:
    rows = call.objects("acl")
    for key in [key for key, row in rows.items() if gone(row)]:
        del rows[key]


SECTIONS = (USER, GROUP, ROLE, TOKEN)
ENDPOINTS = (Endpoint("GET", "/access/users/{userid}/token", _token_list),)
