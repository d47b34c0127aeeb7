# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind, SpellingError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.network import (
    DNS_NAME,
    IPV4,
    IPV4_CONFIG,
    IPV6,
    IPV6_CONFIG,
    MAC,
    NAMESERVERS,
    SEARCH_DOMAINS,
    Address,
    Cidr,
    FirewallCidr,
    firewall_cidr,
)
from hypothesis import given
from hypothesis import strategies as st


def refused(kind: Kind, value: object) -> bool:
    try:
        return kind.fault(kind.canon(value)) is not None
    except SpellingError:
        return True


@given(st.ip_addresses(v=6))
def test_spellings_of_one_ipv6_address_are_the_same(address: ipaddress.IPv6Address) -> None:
    texts = (address.compressed, address.exploded, address.exploded.upper(), address.compressed.upper())
    assert len({IPV6.canon(text) for text in texts}) == 1
    assert len({IPV6_CONFIG.canon(f"{text}/64") for text in texts}) == 1
    assert IPV6.canon(IPV6.form(IPV6.canon(address.exploded))) == IPV6.canon(str(address))


@given(st.ip_addresses())
def test_addresses_of_the_wrong_family_are_refused(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    assert refused(IPV4, str(address)) == (address.version == 6)
    assert refused(IPV6, str(address)) == (address.version == 4)
    assert not refused(Address(), str(address))


@given(st.ip_addresses(v=4), st.integers(0, 40))
def test_prefix_lengths_of_ipv4(address: ipaddress.IPv4Address, bits: int) -> None:
    assert refused(IPV4_CONFIG, f"{address}/{bits}") != (8 <= bits <= 32)


@given(st.ip_addresses(v=6), st.integers(0, 140))
def test_prefix_lengths_of_ipv6(address: ipaddress.IPv6Address, bits: int) -> None:
    assert refused(IPV6_CONFIG, f"{address}/{bits}") != (8 <= bits <= 128)


@pytest.mark.parametrize("text", ["dhcp", "manual"])
def test_words(text: str) -> None:
    assert IPV4_CONFIG.canon(text) == IPV6_CONFIG.canon(text) == text
    assert IPV4_CONFIG.fault(text) is None
    assert refused(IPV4_CONFIG, "auto")
    assert not refused(IPV6_CONFIG, "auto")


def test_host_bits_stay() -> None:
    assert Cidr().canon("198.51.100.5/24") == "198.51.100.5/24"


@pytest.mark.parametrize(
    "text", ["fe80::1%eth0", "192.0.2.1/24", "192.0.2", "192.0.2.256", "192.0.2.01", "::g", "", "host"]
)
def test_what_is_no_address(text: str) -> None:
    assert refused(Address(), text)


def test_mac() -> None:
    assert MAC.canon("00:00:5e:00:53:aa") == MAC.canon("00:00:5E:00:53:AA") == "00:00:5E:00:53:AA"
    assert MAC.fault("00:00:5E:00:53:AA") is None
    assert MAC.fault(MAC.canon("01:00:5E:00:53:01")) is not None
    for text in ("zz", "00:00:5E:00:53", "00-00-5E-00-53-01", "00:00:5E:00:53:01:02", "00005E005301"):
        assert refused(MAC, text)


@pytest.mark.parametrize(
    ("text", "canon"),
    [
        ("192.0.2.1/32", "192.0.2.1"),
        ("192.0.2.1/128", "192.0.2.1/128"),
        ("2001:db8::1/128", "2001:db8::1"),
        ("2001:db8::/32", "2001:db8::/32"),
        ("2001:DB8::1/128", "2001:DB8::1"),
        ("192.0.2.0/24", "192.0.2.0/24"),
        ("dc/lan", "dc/lan"),
        ("dc/32", "dc/32"),
        ("192.0.2.1-192.0.2.9", "192.0.2.1-192.0.2.9"),
        (" 192.0.2.1 ", "192.0.2.1"),
    ],
)
def test_whole_host_suffix(text: str, canon: str) -> None:
    assert firewall_cidr(text) == FirewallCidr().canon(text) == canon
    assert firewall_cidr(canon) == canon
    assert FirewallCidr().fault(canon) is None


@pytest.mark.parametrize("text", ["", "a b"])
def test_what_is_no_firewall_cidr(text: str) -> None:
    assert refused(FirewallCidr(), text)


def test_nameservers_are_ordered_and_joined_by_spaces() -> None:
    canon = NAMESERVERS.canon("192.0.2.53;2001:DB8::53, fe80::A%eth0.5")
    assert NAMESERVERS.form(canon) == "192.0.2.53 2001:db8::53 fe80::a%eth0.5"
    assert NAMESERVERS.canon(NAMESERVERS.form(canon)) == canon
    assert not NAMESERVERS.same(canon, canon[::-1])


def test_search_domains() -> None:
    assert SEARCH_DOMAINS.canon(["b.example", "a.example"]) == SEARCH_DOMAINS.canon("b.example;a.example")
    assert refused(SEARCH_DOMAINS, "a_b.example")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a", True),
        ("A-1.example", True),
        ("9", True),
        ("-a", False),
        ("a-", False),
        ("a.", False),
        ("a b", False),
        ("", False),
    ],
)
def test_dns_names(text: str, right: bool) -> None:
    assert refused(DNS_NAME, text) != right
