# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The value formats of storages, realms, jobs, HA, metric servers and the firewall; see formats.py.

After pve-storage Storage/Plugin.pm and ZFSPoolPlugin.pm, pve-ha-manager HA/Tools.pm, pve-firewall Firewall.pm,
pve-access-control Auth/Plugin.pm, pve-guest-common VZDump/Common.pm and ReplicationConfig.pm, pve-manager Status/*.pm.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[str], "str | None"]

LABEL = r"[a-zA-Z0-9]([a-zA-Z0-9\-]*[a-zA-Z0-9])?"
NAME = rf"({LABEL}\.)*{LABEL}"
CONTENT = ("images", "rootdir", "vztmpl", "iso", "backup", "snippets", "none", "import")
ADDRESS = r"[\w+\-~]+(\.[\w+\-~]+)*"


def _matches(pattern: str, text: str) -> Check:
    compiled = re.compile(pattern)
    return lambda value: None if compiled.fullmatch(value) else text.format(value)


def is_ip(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def _host(text: str) -> Check:
    """An IP address or a DNS name."""
    return lambda value: None if is_ip(value) or re.fullmatch(NAME, value) else text.format(value)


def _portal(value: str) -> str | None:
    """A host with an optional port (PVE::Tools parse_host_and_port)."""
    host = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](:\d+)?", value)
    found = host[1] if host else re.sub(r":\d+$", "", value) if value.count(":") == 1 else value
    return None if is_ip(found) or re.fullmatch(NAME, found) else "value does not look like a valid portal address"


def _ip_or_cidr(value: str) -> str | None:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return "value does not look like a valid IP address or CIDR network"
    good = re.fullmatch(r"[^/]+(/\d+)?", value)  # no netmask in dots
    return None if good else "value does not look like a valid IP address or CIDR network"


def _content(value: str) -> str | None:
    return None if value in CONTENT else f"invalid content type '{value}'"


def _dir_override(value: str) -> str | None:
    kind, _, path = value.partition("=")
    good = kind in CONTENT and path and ".." not in path and len(path) < 1023
    return None if good else f"invalid override '{value}'"


def _blocksize(value: str) -> str | None:
    if not value:
        return None
    found = re.fullmatch(r"([1-9][0-9]*)([kKmM]?)", value)
    if not found:
        return (
            f"invalid ZFS blocksize format '{value}'. Use a positive number (no leading zeros) "
            "with an optional 'k' or 'm' suffix."
        )
    number = int(found[1]) << {"": 0, "k": 10, "m": 20}[found[2].lower()]
    if 512 <= number <= 16 << 20 and number & (number - 1) == 0:
        return None
    return (
        f"value '{value}' is not a valid ZFS blocksize. Must be a power of 2 between 512B and 16MiB "
        "(e.g., 4k, 8k, 16k, 64k, 1m)."
    )


def _replication_id(value: str) -> str | None:
    found = re.fullmatch(r"(\d+)-(\d+)", value)
    if not found:
        return f"invalid replication job id '{value}'"
    return None if int(found[1]) >= 100 else f"invalid replication job id '{value}' (guest IDs < 100 are reserved)"


# ---- calendar events (proxmox-time): [weekdays] [date] [time], or a name

NAMES = frozenset("minutely hourly daily weekly monthly yearly annually quarterly semiannually semi-annually".split())
DAY = r"(mon|tue|wed|thu|fri|sat|sun)(day|s|sday|nesday|rsday|urday)?"
DAYS = re.compile(rf"{DAY}(\.\.{DAY})?(,{DAY}(\.\.{DAY})?)*", re.IGNORECASE)
ITEM = r"(\*|\d+(\.\.\d+)?)(/\d+)?"
ITEMS = rf"{ITEM}(,{ITEM})*"
DATE = re.compile(rf"({ITEMS}-)?{ITEMS}-{ITEMS}")
TIME = re.compile(rf"{ITEMS}(:{ITEMS}){{0,2}}")


def _calendar(value: str) -> str | None:
    words = value.split()
    if not words:
        return "unable to parse calendar event - event is empty"
    if len(words) == 1 and words[0].lower() in NAMES:
        return None
    parts = (DAYS, DATE, TIME)
    at = 0
    for word in words:
        fits = [index for index in range(at, len(parts)) if parts[index].fullmatch(word)]
        if not fits:
            return (
                f"invalid calendar event '{value}' - unable to parse calendar event at '{word}' - "
                f'Context("{"weekday" if at == 0 else "time"}")\n'
            )
        at = fits[0] + 1
    return None


CHECKS: dict[str, Check] = {
    "IPorCIDR": _ip_or_cidr,
    "address": _host("value does not look like a valid address: {}"),
    "email-or-username": _matches(
        rf"{ADDRESS}(@[a-zA-Z0-9\-]+(\.[a-zA-Z0-9\-]+)*)?",
        "value does not look like a valid email address or user name",
    ),
    "graphite-path": _matches(NAME, "value does not look like a valid graphite path"),
    "ldap-simple-attr": _matches(r"[a-zA-Z0-9]+", "value '{}' does not look like a simple ldap attribute name"),
    "pve-calendar-event": _calendar,
    "pve-day-of-week": _matches(r"mon|tue|wed|thu|fri|sat|sun", "invalid day '{}'"),
    "pve-dir-override": _dir_override,
    "pve-fw-comment-spec": _matches(r"[^\n]*", "comment must not contain a line feed"),
    "pve-ha-node": _matches(rf"{LABEL}(:\d+)?", "value does not look like a valid ha node"),
    "pve-ha-resource-id": _matches(r"[a-z]+:\S+", "value does not look like a valid ha resource id"),
    "pve-ha-resource-or-vm-id": _matches(r"[a-z]+:\S+|\d+", "value does not look like a valid ha resource id"),
    "pve-replication-job-id": _replication_id,
    "pve-storage-content": _content,
    "pve-storage-options": _matches(r"\S+", "invalid options '{}'"),
    "pve-storage-path": _matches(r"/[^;()].*", "value does not look like a valid absolute path"),
    "pve-storage-portal-dns": _portal,
    "pve-storage-server": _host("value does not look like a valid server name or IP address"),
    "pve-storage-vgname": _matches(r"(?i)[a-z0-9][a-z0-9\-_.]*[a-z0-9]", "lvm name '{}' contains illegal characters"),
    "pve-storage-zfs-blocksize": _blocksize,
    "pve-volume-id": _matches(r"(?i)[a-z][a-z0-9\-_.]*[a-z0-9]:.+", "unable to parse volume ID '{}'"),
}

# ---- property strings that the schema only names

Rule = Mapping[str, Any]
_COUNT: Rule = {"type": "integer", "minimum": 0, "optional": 1}
_FLAG: Rule = {"type": "boolean", "optional": 1}
_TEXT: Rule = {"type": "string", "optional": 1}
_GONE = "(?:acl|properties|entry)"

PROPERTY_STRINGS: dict[str, Mapping[str, Rule]] = {
    "prune-backups": {
        "keep-all": _FLAG,
        **{f"keep-{what}": _COUNT for what in ("last", "hourly", "daily", "weekly", "monthly", "yearly")},
    },
    "backup-fleecing": {
        "enabled": {**_FLAG, "default_key": 1},
        "storage": {"type": "string", "format": "pve-storage-id", "optional": 1},
    },
    "backup-performance": {
        "max-workers": {"type": "integer", "minimum": 1, "maximum": 256, "optional": 1},
        "pbs-entries-max": {"type": "integer", "minimum": 1, "optional": 1},
    },
    "realm-sync-options": {
        "scope": {"type": "string", "enum": ["users", "groups", "both"], "optional": 1},
        "remove-vanished": {"type": "string", "pattern": f"(?:(?:{_GONE};)*{_GONE})|none", "optional": 1},
        "enable-new": _FLAG,
        "full": _FLAG,
        "purge": _FLAG,
    },
    "pve-tfa-config": {
        "type": {"type": "string", "enum": ["yubico", "oath"]},
        **dict.fromkeys(("id", "key", "url"), _TEXT),
        "digits": {"type": "integer", "minimum": 6, "maximum": 8, "optional": 1},
        "step": {"type": "integer", "minimum": 10, "optional": 1},
    },
}


def validate(name: str, values: Mapping[str, str]) -> str | None:
    """What a named property string's own validator says."""
    if name == "prune-backups":
        kept = [key for key, value in values.items() if key != "keep-all" and int(value) > 0]
        if kept and values.get("keep-all") == "1":
            return "keep-all cannot be set together with other options."
    if name == "backup-fleecing" and values.get("enabled") == "1" and not values.get("storage"):
        return "'storage' parameter is required when 'enabled' is set"
    return None
