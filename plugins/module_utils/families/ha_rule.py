# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HA rules (pve-ha-manager PVE/API2/HA/Rules.pm, PVE/HA/Rules.pm, PVE/HA/Rules/).

The schema is a oneOf by type, so the type goes along with every update. Resources and nodes do as well: before
pve-ha-manager 5.2.0 an update without them failed.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass
from urllib.parse import quote

from ..engine.family import Absence, Declaration, Endpoint, Family, Live, Privileges, Read
from ..engine.index import Index
from ..engine.key import Clear, Key
from ..errors import DeclarationError
from ..wire.kind import Canon, Form, Kind, SpellingError
from ..wire.lists import SetOf
from ..wire.scalars import Enum, Flag, Text, read_text
from .cluster import CONFIGID, NODE, SIDS

NODE_AFFINITY: t.Final = "node-affinity"
RESOURCE_AFFINITY: t.Final = "resource-affinity"
AFFINITY: t.Final = Enum(("positive", "negative"))
#: ParseUtils.pm encode_text leaves these as they are: printable ASCII but for ``%`` and ``:``.
PLAIN: t.Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in "%:")


@dataclass(frozen=True)
class NodePriority(Kind):
    """``node`` or ``node:priority``; no priority is 0 (PVE/HA/Tools.pm parse_node_priority)."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str"}

    def canon(self, value: object) -> Canon:
        node, colon, priority = read_text(value).partition(":")
        if colon and not (priority.isascii() and priority.isdigit()):
            raise SpellingError("expected a node name, or node:priority with a whole number")
        return f"{node}:{int(priority)}" if int(priority or 0) else node

    def fault(self, canon: Canon) -> str | None:
        return NODE.fault(str(canon).partition(":")[0])

    def form(self, canon: Canon) -> Form:
        return str(canon)


@dataclass(frozen=True)
class Nodes(SetOf):
    """A set of nodes with priorities. PVE would keep the last of a node named twice."""

    item: Kind = NodePriority()

    def fault(self, canon: Canon) -> str | None:
        names = [part.partition(":")[0] for part in canon]
        twice = next((name for name in names if names.count(name) > 1), None)
        return super().fault(canon) or (f"must name node {twice} once" if twice else None)


@dataclass(frozen=True)
class Mark(Flag):
    """A flag that is stored only when it is set: API2/HA/Rules.pm drops a false one from the request."""

    def form(self, canon: Canon) -> Form:
        return "1" if canon else ""


@dataclass(frozen=True)
class DecodedText(Text):
    """A text that PVE percent-decodes when it is sent (PVE/HA/Rules.pm decode_value), so it is sent encoded."""

    def fault(self, canon: Canon) -> str | None:
        if self.max_length is not None and len(self.form(canon)) > self.max_length:
            return f"must be at most {self.max_length} characters long, percent-encoded as PVE stores it"
        return super().fault(canon)

    def form(self, canon: Canon) -> Form:
        return quote(str(canon), safe=PLAIN)


@dataclass(frozen=True)
class Unsaid(Enum):
    """``positive`` is what a rule without an affinity means, and a PVE whose rules have none refuses the key."""

    def form(self, canon: Canon) -> Form:
        return "" if canon == "positive" else str(canon)


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    is_node_affinity = (live.values if live.present else declaration.values).get("type") == NODE_AFFINITY
    return {"affinity": Unsaid(AFFINITY.choices)} if is_node_affinity and "affinity" not in live.values else {}


def _check(family: Family, declaration: Declaration) -> None:
    """PVE/HA/Rules/ResourceAffinity.pm: fewer than two resources make a rule ineffective, and it is refused."""
    resources = declaration.values.get("resources")
    if declaration.values.get("type") == RESOURCE_AFFINITY and resources and len(SIDS.canon(resources)) < 2:
        raise DeclarationError("a resource-affinity rule needs at least two resources.", option="resources")


HA_RULE = Family(
    name="ha_rule",
    product="pve",
    noun="HA rule",
    identity={"rule": CONFIGID},
    read=Read(path="cluster/ha/rules/{rule}", absence=(Absence(status=500, message=r"no such ha rule '.*'"),)),
    index=(Index(path="cluster/ha/rules", columns={"rule": "rule"}),),
    create=Endpoint(method="POST", path="cluster/ha/rules", identity=("rule",)),
    update=Endpoint(method="PUT", path="cluster/ha/rules/{rule}"),
    delete=Endpoint(method="DELETE", path="cluster/ha/rules/{rule}"),
    keys={
        "type": Key(
            kind=Enum((NODE_AFFINITY, RESOURCE_AFFINITY)),
            create_only=True,
            required=True,
            resend=True,
            clear=Clear.NEVER,
        ),
        "resources": Key(kind=SIDS, required=True, resend=True, clear=Clear.NEVER),
        "nodes": Key(kind=Nodes(), required=True, resend=True, clear=Clear.NEVER, types=(NODE_AFFINITY,)),
        "affinity": Key(kind=AFFINITY, default="positive", required=(RESOURCE_AFFINITY,), clear=Clear.NEVER),
        "strict": Key(kind=Flag(), default=False, types=(NODE_AFFINITY,)),
        "disable": Key(kind=Mark(), default=False),
        "comment": Key(kind=DecodedText(max_length=4096, zero_is_empty=True, strip="ends"), default=""),
    },
    digest=True,
    selector="type",
    needs=("ha_resource",),
    kinds_hook=_kinds,
    check=_check,
    privileges=Privileges(read="Sys.Audit on /", write="Sys.Console on /"),
)
