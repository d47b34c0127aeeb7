# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the firewall's families share: where a scope lives, how its file keeps values (pve-firewall PVE/Firewall.pm)."""

from __future__ import annotations

import ipaddress
import typing as t
from dataclasses import dataclass

from ..engine.family import Reader
from ..engine.index import Index, Sight
from ..engine.read import rows_of
from ..engine.sight import prove_sight
from ..wire.kind import Canon
from ..wire.network import FirewallCidr
from ..wire.scalars import Text, read_text

NAME: t.Final = Text(
    pattern=r"[A-Za-z][A-Za-z0-9\-_]+", min_length=2, max_length=64, expected="a letter, then letters, digits, - and _"
)


@dataclass(frozen=True)
class LineComment(Text):
    """What stands behind ``#`` in a line: without the white space around it, and "0" is lost (Perl's truth)."""

    zero_is_empty: bool = True

    def canon(self, value: object) -> Canon:
        return super().canon(read_text(value).strip())


@dataclass(frozen=True)
class AddressOrNetwork(FirewallCidr):
    """An address or a network, kept as written but for the suffix of a whole host (pve_verify_ip_or_cidr)."""

    def fault(self, canon: Canon) -> str | None:
        address, slash, bits = canon.partition("/")
        try:
            most = ipaddress.ip_address(address).max_prefixlen
        except ValueError:
            return "must be an IP address or a network"
        known = not slash or (bits.isdecimal() and int(bits) <= most)
        return None if known and "%" not in address else f"must have a prefix length of at most {most}"


COMMENT: t.Final = LineComment()
CIDR: t.Final = AddressOrNetwork()


#: Every guest, each with a firewall of its own.
GUESTS: t.Final = Index(
    path="cluster/resources",
    query={"type": "vm"},
    columns={"vmid": "vmid"},
    sight=Sight(path="/vms", privileges=("VM.Audit",)),
)


def scope_path(ident: t.Mapping[str, t.Any], reader: Reader) -> str | None:
    """The folder of a scope: the cluster's, or a guest's under the node that has it now.

    None when there is no such guest: another declaration may create it. Raises ServerError when that is not known.
    """
    vmid = ident.get("vmid")
    if vmid is None:
        return "cluster/firewall"
    rows = rows_of(reader, "cluster/resources", {"type": "vm"})
    row = next((row for row in rows if str(row.get("vmid")) == str(vmid)), None)
    if row is None:
        prove_sight(f"Guest {vmid}", "cluster/resources", f"/vms/{vmid}", ("VM.Audit",), reader)
        return None
    return f"nodes/{row['node']}/{row['type']}/{vmid}/firewall"
