# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The named value formats of PVE's schema that the servers check. A format that is not named here passes.

Patterns and texts after pve-common JSONSchema.pm and pve-access-control AccessControl.pm.
"""

from __future__ import annotations

import functools
import ipaddress
import re
import zoneinfo
from collections.abc import Callable

from . import formats_config

Check = Callable[[str], "str | None"]

USER = r"[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+"
NAME = r"[A-Za-z0-9.\-_]+"
TOKEN = r"[A-Za-z][A-Za-z0-9.\-_]+"
LABEL = r"[a-zA-Z0-9]([a-zA-Z0-9\-]*[a-zA-Z0-9])?"


def _matches(pattern: str, text: str) -> Check:
    compiled = re.compile(pattern)
    return lambda value: None if compiled.fullmatch(value) else text.format(value)


def _ip(value: str) -> str | None:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return "value does not look like a valid IP address"
    return None


def _ip_with_interface(value: str) -> str | None:
    return _ip(re.sub(r"(?i)^(fe80:[0-9a-f:]*)%\w+$", r"\1", value))


def _cidr(value: str) -> str | None:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return "value does not look like a valid CIDR network"
    return None if "/" in value else "value does not look like a valid CIDR network"


def _userid(value: str) -> str | None:
    if len(value) > 64:
        return f"user name '{value}' is too long ({len(value)} > 64)"
    return None if re.fullmatch(USER, value) else f"value '{value}' does not look like a valid user name"


def _poolid(value: str) -> str | None:
    if value.count("/") > 2:
        return f"pool name '{value}' nested deeper than the maximum depth of 3"
    bad = f"pool name '{value}' contains invalid characters"
    return None if re.fullmatch(rf"{NAME}(/{NAME}){{0,2}}", value) else bad


PRIVILEGES = frozenset(
    """VM.Config.Disk VM.Config.CPU VM.Config.Memory VM.Config.Network VM.Config.HWType VM.Config.Options
    VM.Config.CDROM VM.Config.Cloudinit VM.Allocate VM.Clone VM.Migrate VM.Replicate VM.Snapshot VM.Snapshot.Rollback
    VM.Console VM.Backup VM.PowerMgmt VM.Audit VM.GuestAgent.Unrestricted VM.GuestAgent.FileRead
    VM.GuestAgent.FileSystemMgmt VM.GuestAgent.FileWrite VM.GuestAgent.Audit Sys.PowerMgmt Sys.Modify Sys.Incoming
    Sys.AccessNetwork Sys.Console Sys.Syslog Sys.Audit Datastore.Allocate Datastore.AllocateTemplate
    Datastore.AllocateSpace Datastore.Audit SDN.Allocate SDN.Audit SDN.Use Realm.Allocate Realm.AllocateUser
    User.Modify Group.Allocate Pool.Allocate Pool.Audit Mapping.Modify Mapping.Use Mapping.Audit
    Permissions.Modify""".split()
)


def _privilege(value: str) -> str | None:
    return None if value in PRIVILEGES else f"invalid privilege '{value}'"


@functools.lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _timezone(value: str) -> str | None:
    return None if value == "host" or value in _zones() else f"invalid time zone '{value}'"


CHECKS: dict[str, Check] = {
    **formats_config.CHECKS,
    "pve-ct-timezone": _timezone,
    "pve-userid": _userid,
    "pve-tokenid": _matches(rf"{USER}!{TOKEN}", "value '{}' does not look like a valid token ID"),
    "pve-groupid": _matches(NAME, "group name '{}' contains invalid characters"),
    "pve-roleid": _matches(NAME, "role name '{}' contains invalid characters"),
    "pve-priv": _privilege,
    "pve-poolid": _poolid,
    "pve-realm": _matches(r"[A-Za-z][A-Za-z0-9.\-_]+", "value does not look like a valid realm"),
    "pve-vmid": _matches(r"[1-9][0-9]{2,8}", "value does not look like a valid VM ID"),
    "pve-node": _matches(LABEL, "value does not look like a valid node name"),
    "pve-configid": _matches(r"[A-Za-z][\w-]+", "invalid configuration ID '{}'"),
    "pve-storage-id": _matches(r"(?i)[a-z][a-z0-9\-_.]*[a-z0-9]", "storage ID '{}' contains illegal characters"),
    "dns-name": _matches(rf"({LABEL}\.)*{LABEL}", "value does not look like a valid DNS name"),
    "email-opt": _matches(r"(|[^\s@]+@[^\s@]+)", "value does not look like a valid email address"),
    "mac-prefix": _matches(
        r"(?i)[a-f0-9][02468ace](:[a-f0-9]{2}){0,2}:?", "value is not a valid unicast MAC address prefix"
    ),
    "mac-addr": _matches(
        r"(?i)[a-f0-9][02468ace](:[a-f0-9]{2}){5}", "value does not look like a valid unicast MAC address"
    ),
    "pve-tag": _matches(r"(?i)[a-z0-9_][a-z0-9_\-+.]*", "invalid characters in tag"),
    "ip": _ip,
    "lxc-ip-with-ll-iface": _ip_with_interface,
    "CIDR": _cidr,
    "pve-iface": _matches(r"(?i)[a-z][a-z0-9_]{1,20}([:.]\d+)?", "invalid network interface name '{}'"),
}


def split_list(text: str) -> list[str]:
    """PVE::Tools::split_list: on NUL if there is one, else on commas, semicolons and white space."""
    parts = text.split("\0") if "\0" in text else re.split(r"[,;\s]+", text)
    return [part for part in parts if part]


def check(name: str, text: str) -> str | None:
    """What is wrong with the text by that format, or None."""
    if name in CHECKS:
        return CHECKS[name](text)
    stem = name.removesuffix("-list").removesuffix("-opt")
    if stem != name and stem in CHECKS:
        return next((why for item in split_list(text) if (why := CHECKS[stem](item))), None)
    return None
