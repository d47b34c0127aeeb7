# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of a container's keys (pve-container LXC/Config.pm: confdesc, netconf_desc, dev_desc)."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ...wire.kind import Canon, Kind, SpellingError
from ...wire.lists import ListOf, SetOf
from ...wire.network import DNS_NAME, IPV4, IPV4_CONFIG, IPV6, IPV6_CONFIG, MAC, NAMESERVERS, SEARCH_DOMAINS
from ...wire.propstr import PropertyMap, Sub
from ...wire.scalars import DESCRIPTION0, CheckedText, Enum, Integer, Number, Text, read_text
from ...wire.tags import TAGS
from .mount_kinds import FLAG, MOUNT, ROOTFS
from .timezones import ZONES

_OFF: t.Final = Sub(FLAG, default=False)

_INTERFACE: t.Final = Text(pattern=r"[-.\w]+", expected="a name of letters, digits, - _ and .")


# --- netN ---


def _host_managed(net: t.Mapping[str, Canon]) -> str | None:
    """LXC/Config.pm update_pct_config refuses it, unless the link is down."""
    if net.get("host-managed") and net.get("ip6") == "auto" and not net.get("link_down"):
        return "host-managed cannot go with ip6=auto (PVE does no SLAAC for the guest)"
    return None


NET: t.Final = PropertyMap(
    {
        "name": Sub(_INTERFACE, required=True),
        "bridge": Sub(_INTERFACE),
        "firewall": _OFF,
        "gw": Sub(IPV4),
        "gw6": Sub(IPV6),
        "host-managed": _OFF,
        "hwaddr": Sub(MAC, filled=True, carried=True),
        "ip": Sub(IPV4_CONFIG),
        "ip6": Sub(IPV6_CONFIG),
        "link_down": _OFF,
        "mtu": Sub(Integer(64, 65535)),
        "rate": Sub(Number()),
        "tag": Sub(Integer(1, 4094)),
        "trunks": Sub(SetOf(Integer(0), separators=";", joiner=";", min_items=1)),
        "type": Sub(Enum(("veth",)), default="veth", filled=True),
    },
    check=_host_managed,
)

# --- devN ---


def _device_path(text: str) -> str | None:
    """LXC/Config.pm verify_lxc_dev_string."""
    if not text.startswith("/dev/") or re.search(r"/\.\.?(/|$)", text):
        return "must be a path under /dev/ without . or .."
    return None


DEV: t.Final = PropertyMap(
    {
        "path": Sub(CheckedText(_device_path), required=True),
        "deny-write": _OFF,
        "gid": Sub(Integer(0)),
        "mode": Sub(Text(pattern="0[0-7]{3}", expected="four octal digits that begin with 0, in quotes")),
        "uid": Sub(Integer(0)),
    },
    default_key="path",
)

# --- features, startup, env ---

FEATURES: t.Final = PropertyMap(
    {
        "force_rw_sys": _OFF,
        "fuse": _OFF,
        "keyctl": _OFF,
        "mknod": _OFF,
        "mount": Sub(
            SetOf(
                Text(pattern=r"[a-zA-Z0-9_ ]+", expected="a file system type"), separators=";", joiner=";", min_items=1
            )
        ),
        "nesting": _OFF,
    }
)


@dataclass(frozen=True)
class Startup(PropertyMap):
    """JSONSchema.pm pve_parse_startup_order: the last of repeated sub-keys wins, and the text 0 counts as nothing."""

    def canon(self, value: object) -> Canon:
        if not isinstance(value, t.Mapping) and str(value).strip() in ("", "0"):
            raise SpellingError("expected order=N, up=N, down=N (PVE does not take a lone 0: write order=0)")
        return super().canon(value)


STARTUP: t.Final = Startup(
    {"order": Sub(Integer(0)), "up": Sub(Integer(0)), "down": Sub(Integer(0))},
    default_key="order",
    bare_default=False,
    print_first=("order", "up", "down"),
    repeat=True,
)

# No control characters but the tab; what stands behind the = may be empty.
_CONTROL = r"\x00-\x08\x0a-\x1f\x7f"


_VARIABLE: t.Final = Text(
    pattern=rf"\w+=[^{_CONTROL}]*", expected="NAME=value without control characters", no_linefeed=False
)


@dataclass(frozen=True)
class Env(ListOf):
    """NAME=value, separated by NUL; also read from a list or a dict. Values are kept as they are."""

    item: Kind = field(default=_VARIABLE)
    joiner: str = "\0"

    def canon(self, value: object) -> Canon:
        if isinstance(value, t.Mapping):
            value = [f"{name}={read_text(text)}" for name, text in value.items()]
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, (list, tuple)):
            raise SpellingError("expected a list of NAME=value")
        return tuple(part for text in texts for part in read_text(text).split("\0") if part)


# --- all keys ---


def _timezone(text: str) -> str | None:
    return (
        None if text in ("host", "UTC") or text in ZONES else "must be host, UTC or a name of zone.tab (Europe/Vienna)"
    )


def _words(text: str) -> Enum:
    return Enum(tuple(text.split()))


LXC_KINDS: t.Final[t.Mapping[str, Kind]] = {
    "arch": Enum(("amd64", "i386", "arm64", "armhf", "riscv32", "riscv64")),
    "cmode": Enum(("shell", "console", "tty")),
    "console": FLAG,
    "cores": Integer(1, 8192),
    "cpulimit": Number(0, 8192),
    # CGroup.pm clamp_cpu_shares: the first with cgroup v2, the second with v1.
    "cpuunits": Integer(0, 500000, clamps=((None, 10000), (2, None))),
    "debug": FLAG,
    "description": DESCRIPTION0,
    "entrypoint": Text(pattern=rf"[^{_CONTROL}]+", expected="a command without control characters"),
    "env": Env(),
    "features": FEATURES,
    "hookscript": Text(
        pattern=r"[a-zA-Z][a-zA-Z0-9._-]*[a-zA-Z0-9]:.+", expected="a volume id (storage:snippets/name)"
    ),
    "hostname": Text(max_length=255, pattern=DNS_NAME.pattern, expected=DNS_NAME.expected),
    "lock": _words("backup create destroyed disk fstrim migrate mounted rollback snapshot snapshot-delete"),
    "memory": Integer(16),
    "nameserver": NAMESERVERS,
    "onboot": FLAG,
    "ostype": _words("debian devuan ubuntu centos fedora opensuse archlinux alpine gentoo nixos unmanaged"),
    "protection": FLAG,
    "rootfs": ROOTFS,
    "searchdomain": SEARCH_DOMAINS,
    "startup": STARTUP,
    "swap": Integer(0),
    "tags": TAGS,
    "template": FLAG,
    "timezone": CheckedText(_timezone),
    "tty": Integer(0, 6),
    "unprivileged": FLAG,
}

#: Numbered keys: prefix -> (kind, how many there may be).
NUMBERED: t.Final[t.Mapping[str, tuple[Kind, int]]] = {"net": (NET, 32), "mp": (MOUNT, 256), "dev": (DEV, 256)}

_NUMBERED = re.compile(r"([a-z]+)(0|[1-9][0-9]{0,2})")


def kind_of(key: str) -> Kind | None:
    """The kind of a configuration key, numbered keys too; None when there is no such key."""
    match = _NUMBERED.fullmatch(key)
    if match is not None and match[1] in NUMBERED:
        kind, count = NUMBERED[match[1]]
        return kind if int(match[2]) < count else None
    return LXC_KINDS.get(key)
