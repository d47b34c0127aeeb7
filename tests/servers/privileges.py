# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a token may do: the roles on the way down a path, and the checks that PVE's schema states for a method.

After pve-access-control AccessControl.pm (roles, iterate_acl_tree) and RPCEnvironment.pm (permissions,
exec_api2_perm_check). What a guest's pool adds to /vms/N is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .formats import PRIVILEGES, split_list
from .wire import Values, forbid

if TYPE_CHECKING:
    from .world import World

ROOT = "root@pam"


def held(world: World, who: str, path: str) -> frozenset[str]:
    """The privileges of a user or token on a path."""
    user, _, token = who.partition("!")
    of_user = _of_subject(world, "user", user, path)
    if not token:
        return of_user
    record = world.store["token"].get((user, token), {})
    if not int(record.get("privsep", 1)):
        return of_user
    return of_user & _of_subject(world, "token", who, path)


def _of_subject(world: World, kind: str, name: str, path: str) -> frozenset[str]:
    if kind == "user" and name == ROOT:
        return PRIVILEGES
    groups = world.store["user"].get(name, {}).get("groups", []) if kind == "user" else []
    roles: frozenset[str] = frozenset()
    for prefix in _prefixes(path):
        here = [
            row for row in world.store["acl"].values() if row["path"] == prefix and (prefix == path or row["propagate"])
        ]
        own = [row["roleid"] for row in here if row["type"] == kind and row["ugid"] == name]
        shared = [row["roleid"] for row in here if row["type"] == "group" and row["ugid"] in groups]
        # A row further down replaces those above it, and a user's own rows replace those of its groups.
        found = own or shared
        if found:
            roles = frozenset(found)
    if "NoAccess" in roles:
        return frozenset()
    known = world.store["role"]
    return frozenset(name for role in roles if role in known for name in known[role]["privs"])


def _prefixes(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part]
    return ["/", *("/" + "/".join(parts[: n + 1]) for n in range(len(parts)))]


def check(world: World, who: str, method: Mapping[str, Any], values: Values) -> None:
    """Raise PVE's 403 unless the caller may call this method with these values."""
    if who == ROOT:
        return
    if not method.get("allowtoken", 1) and "!" in who:
        raise forbid("not available with API token")
    rule = method.get("permissions")
    if rule is None:
        raise forbid("user != root@pam")
    if "check" in rule and world.config.privileges:
        _Rule(world, who, values).demand(rule["check"])


def has(world: World, who: str, path: str, *wanted: str) -> bool:
    """Whether the caller holds one of these on a path; with the checks switched off, always."""
    return who == ROOT or not world.config.privileges or bool(held(world, who, path) & set(wanted))


def need(world: World, who: str, path: str, *wanted: str) -> None:
    """What handlers themselves ask for, beyond the schema: one of these, or PVE's 403."""
    if not has(world, who, path, *wanted):
        raise forbid(f"{path}, {'|'.join(wanted)}")


class _Rule:
    def __init__(self, world: World, who: str, values: Values) -> None:
        self.world, self.who, self.values = world, who, values

    def demand(self, rule: list[Any]) -> None:
        why = self._why_not(rule)
        if why is not None:
            raise forbid(why)

    def _why_not(self, rule: list[Any]) -> str | None:
        form, rest = rule[0], rule[1:]
        if form == "and":
            return next((why for part in rest if (why := self._why_not(part)) is not None), None)
        if form == "or":
            reasons = [self._why_not(part) for part in rest]
            return None if None in reasons else ""
        if form == "perm":
            options = dict(zip(rest[2::2], rest[3::2]))
            return self._lacks(self._filled(rest[0]), rest[1], bool(options.get("any")))
        if form == "perm-modify":
            return self._lacks(self._filled(rest[0]), ["Permissions.Modify"], True)
        if form == "userid-param":
            return self._userid_param(rest[0])
        if form == "userid-group":
            return self._userid_group(rest[0], dict(zip(rest[1::2], rest[2::2])))
        return "user != root@pam"

    def _filled(self, path: str) -> str:
        path = re.sub(r"\{([^}]+)\}", lambda m: str(self.values.get(m[1]) or ""), path)
        return "/" + "/".join(part for part in path.split("/") if part)

    def _lacks(self, path: str, wanted: Iterable[str], any_of: bool) -> str | None:
        if not re.fullmatch(r"[A-Za-z0-9./_-]+", path):
            path = ""  # a path that does not normalise has no privileges, and is shown empty (measured with /pools)
        have = held(self.world, self.who, path) if path else frozenset()
        wanted = list(wanted)
        if any_of:
            return None if have & set(wanted) else f"{path}, {'|'.join(wanted)}"
        return next((f"{path}, {name}" for name in wanted if name not in have), None)

    def _userid_param(self, what: str) -> str | None:
        userid = str(self.values.get("userid") or "")
        if what == "self":
            return None if userid == self.who.partition("!")[0] else ""
        return self._lacks("/access/realm/" + userid.rpartition("@")[2], [what], True)

    def _userid_group(self, wanted: list[str], options: Mapping[str, Any]) -> str | None:
        groups = self.world.store["user"].get(str(self.values.get("userid")), {}).get("groups", [])
        if options.get("groups_param"):
            groups = [*groups, *split_list(str(self.values.get("groups") or ""))]
        paths = ["/access/groups", *(f"/access/groups/{name}" for name in groups)]
        if any(self._lacks(path, wanted, True) is None for path in paths):
            return None
        return f"/access/groups, {'|'.join(wanted)}"
