# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ACL, which is one table of rows, and the privileges that follow from it (API2/ACL.pm, AccessControl.pm)."""

from __future__ import annotations

import re
from typing import Any

from .. import privileges
from ..formats import split_list
from ..wire import Die, refuse
from .table import Call, Data, Endpoint

NAME = r"[A-Za-z0-9.\-_]+"
# AccessControl.pm check_path: what may stand in a new row.
PATHS = re.compile(
    rf"""/|/access|/access/groups(/{NAME})?|/access/realm(/{NAME})?|/nodes(/{NAME})?|/pool(/{NAME}){{0,3}}|/sdn
    |/sdn/(controllers|dns|fabrics|ipams|prefix-lists|route-maps)(/{NAME})?|/sdn/zones(/{NAME}){{0,2}}
    |/sdn/zones/{NAME}/{NAME}/[1-9][0-9]{{0,3}}|/storage(/{NAME})?|/vms(/[1-9][0-9]{{2,}})?|/mapping(/{NAME}){{0,2}}""",
    re.VERBOSE,
)
SUBJECTS = (("users", "user"), ("groups", "group"), ("tokens", "token"))
NONE_GIVEN = "either 'users', 'groups' or 'tokens' is required."


def normalize(path: str) -> str:
    path = re.sub(r"/+", "/", path)
    path = path[:-1] if len(path) > 1 and path.endswith("/") else path
    return path if path.startswith("/") else "/" + path


def _known(call: Call, kind: str, name: str) -> None:
    if kind == "token":
        owner, _, token = name.partition("!")
        found = (owner, token) in call.objects("token")
    else:
        found = name in call.objects(kind)
    if not found:
        raise Die(f"ACL update failed: {kind} '{name}' does not exist")


def update(call: Call) -> None:
    subjects = [(kind, name) for many, kind in SUBJECTS for name in split_list(str(call.values.get(many) or ""))]
    if not subjects:
        raise refuse(users=NONE_GIVEN, groups=NONE_GIVEN, tokens=NONE_GIVEN)
    path, deleting = normalize(str(call.values["path"])), bool(call.values.get("delete"))
    if not deleting and not PATHS.fullmatch(path):
        raise refuse(path=f"invalid ACL path '{path}'")
    propagate = int(call.values.get("propagate", 1))
    roles = split_list(str(call.values["roles"]))
    for role in roles:
        _known(call, "role", role)
    for kind, name in subjects:
        _known(call, kind, name)
    rows = call.objects("acl")
    for role in roles:
        for kind, name in subjects:
            key = (path, kind, name, role)
            if deleting:
                rows.pop(key, None)
            elif (kind, name) != ("user", "root@pam"):  # accepted, and never written
                rows[key] = {"path": path, "type": kind, "ugid": name, "roleid": role, "propagate": propagate}


def read(call: Call) -> list[Data]:
    rows = sorted(call.objects("acl").items(), key=lambda pair: str(pair[0]))
    return [dict(row) for _key, row in rows if _visible(call, str(row["path"]))]


def _visible(call: Call, path: str) -> bool:
    if not call.world.config.privileges:
        return True
    held = privileges.held(call.world, call.identity, "/access")
    return "Sys.Audit" in held or "Permissions.Modify" in privileges.held(call.world, call.identity, path)


# The paths that /access/permissions always looks at (AccessControl.pm, API2/AccessControl.pm).
ROOTS = ("/", "/access", "/access/groups", "/mapping", "/nodes", "/pool", "/sdn", "/storage", "/vms")


def permissions(call: Call) -> Any:
    who = str(call.values.get("userid") or call.identity)
    path = call.values.get("path")
    paths = [str(path)] if path else sorted({*ROOTS, *(str(row["path"]) for row in call.objects("acl").values())})
    found = {name: dict.fromkeys(sorted(privileges.held(call.world, who, name)), 1) for name in paths}
    return found if path else {name: held for name, held in found.items() if held}


ENDPOINTS = (
    Endpoint("PUT", "/access/acl", update),
    Endpoint("GET", "/access/acl", read),
    Endpoint("GET", "/access/permissions", permissions),
)
