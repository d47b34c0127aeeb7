# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of network values: MAC, IP addresses, CIDR, names."""

from __future__ import annotations

import ipaddress
import re
import typing as t
from dataclasses import dataclass

from .kind import Canon, Form, Kind, SpellingError
from .lists import ListOf
from .scalars import Text, read_text

_MAC = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}")

#: LXC/Config.pm verify_ip_with_ll_iface, JSONSchema.pm pve_verify_iface: lower-case fe80 only.
_LINK_LOCAL = re.compile(r"(fe80:[^%]+)%([A-Za-z][A-Za-z0-9_]{1,20}(?:[:.][0-9]+)?)")

_CIDR = re.compile(r"([^/\s]+)/([0-9]{1,3})")

#: JSONSchema.pm pve_verify_dns_name. Case is kept.
_LABEL = r"[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?"
DNS_NAME: t.Final = Text(pattern=rf"({_LABEL}\.)*{_LABEL}", expected="a DNS name")

_BITS: t.Mapping[int, int] = {4: 32, 6: 128}


def _parse(text: str, version: int | None) -> str | None:
    """The address in its canonical text, or None. PVE takes no zone in an address, Python does."""
    if "%" in text:
        return None
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return str(address) if version in (None, address.version) else None


def _version_of(address: str) -> int:
    return 6 if ":" in address else 4


@dataclass(frozen=True)
class _Text(Kind):
    """A text with a canonical text."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str"}

    def form(self, canon: Canon) -> Form:
        return str(canon)


@dataclass(frozen=True)
class Mac(_Text):
    """A MAC address; PVE stores the case that was sent, and does not care about it."""

    def canon(self, value: object) -> Canon:
        text = read_text(value).strip().upper()
        if not _MAC.fullmatch(text):
            raise SpellingError("expected a MAC address such as 00:00:5E:00:53:01")
        return text

    def fault(self, canon: Canon) -> str | None:
        """JSONSchema.pm pve_verify_mac_addr: the group bit must not be set."""
        return "must be a unicast MAC address (an even second digit)" if int(canon[1], 16) % 2 else None


@dataclass(frozen=True)
class Address(_Text):
    """An IP address. Spellings of one IPv6 address (case, ``::``) are the same.

    version      4, 6 or None for both
    link_local   ``fe80::1%eth0`` is allowed
    """

    version: int | None = None
    link_local: bool = False

    def canon(self, value: object) -> Canon:
        text = read_text(value).strip()
        match = _LINK_LOCAL.fullmatch(text) if self.link_local else None
        address = _parse(match[1] if match else text, 6 if match else self.version)
        if address is None:
            raise SpellingError(f"expected an IP{f'v{self.version}' if self.version else ''} address")
        return f"{address}%{match[2]}" if match else address


@dataclass(frozen=True)
class Cidr(_Text):
    """An address with a prefix length; host bits stay.

    version    4, 6 or None for both
    words      words that stand instead (``dhcp``)
    smallest   the shortest prefix that PVE takes (JSONSchema.pm pve_verify_cidrv4, pve_verify_cidrv6)
    """

    version: int | None = None
    words: tuple[str, ...] = ()
    smallest: int = 8

    def canon(self, value: object) -> Canon:
        text = read_text(value).strip()
        if text in self.words:
            return text
        match = _CIDR.fullmatch(text)
        address = _parse(match[1], self.version) if match else None
        if match is None or address is None:
            family = f"IPv{self.version} " if self.version else ""
            words = "".join(f", or {word}" for word in self.words)
            raise SpellingError(f"expected an {family}address with a prefix length (address/bits){words}")
        return f"{address}/{int(match[2])}"

    def fault(self, canon: Canon) -> str | None:
        address, slash, bits = canon.partition("/")
        most = _BITS[_version_of(address)]
        if slash and not self.smallest <= int(bits) <= most:
            return f"must have a prefix length between {self.smallest} and {most}"
        return None


def firewall_cidr(text: str) -> str:
    """The whole-host suffix is the same as none: /32 for IPv4, /128 for IPv6, never the other way round."""
    address, slash, bits = text.strip().partition("/")
    whole = slash and bits == str(_BITS[_version_of(address)]) and _parse(address, None) is not None
    return address if whole else text.strip()


@dataclass(frozen=True)
class FirewallCidr(_Text):
    """A CIDR, address, range or alias in the firewall; kept as written but for the whole-host suffix."""

    def canon(self, value: object) -> Canon:
        return firewall_cidr(read_text(value))

    def fault(self, canon: Canon) -> str | None:
        return None if canon and not re.search(r"\s", canon) else "must be an address, a network or an alias"


IPV4_CONFIG: t.Final = Cidr(version=4, words=("dhcp", "manual"))
IPV6_CONFIG: t.Final = Cidr(version=6, words=("auto", "dhcp", "manual"))
IPV4: t.Final = Address(version=4)
IPV6: t.Final = Address(version=6)
MAC: t.Final = Mac()

#: Any separator is read; the configuration holds them joined by a space (LXC.pm verify_nameserver_list).
NAMESERVERS: t.Final = ListOf(Address(link_local=True), joiner=" ")
SEARCH_DOMAINS: t.Final = ListOf(DNS_NAME, joiner=" ")
