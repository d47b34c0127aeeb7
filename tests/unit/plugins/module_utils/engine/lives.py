# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live objects of any family, drawn from its table as PVE would store them."""

from __future__ import annotations

import typing as t

from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.compare import has_key
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Family, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind, SpellingError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.lists import AtLeast, ListOf
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import PropertyMap
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Enum, Flag, Integer, Number, Text
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.sizes import MIB, Size, format_size
from hypothesis import strategies as st

Draw = t.Callable[[st.SearchStrategy[t.Any]], t.Any]

#: What kinds without a rule of their own are drawn from; each takes those that it knows.
WORDS: t.Final = (
    "yes",
    "/srv/a",
    "/dev/fuse",
    "Europe/Vienna",
    "pve1",
    "pve2:3",
    "ct-a.example",
    "192.0.2.7",
    "192.0.2.0/24",
    "2001:db8::7",
    "2001:db8::/48",
    "dhcp",
    "00:00:5E:00:53:01",
    "u:0:100000:65536",
    "local-zfs:subvol-900-disk-0",
    "W10=",
    "eyJhIjoiYiJ9",
)
_ASCII = st.characters(min_codepoint=33, max_codepoint=126)

#: Names, and what the table alone does not say: which keys contradict each other, and how an answer is shaped.
IDENTS: t.Final[dict[str, dict[str, str]]] = {
    "acl": {"path": "/vms"},
    "api_token": {"userid": "kim@pve", "tokenid": "t1"},
    "backup_job": {"id": "nightly"},
    "firewall_alias": {"name": "office"},
    "group": {"groupid": "ops"},
    "ha_resource": {"sid": "ct:900"},
    "ha_rule": {"rule": "apart"},
    "lxc": {"vmid": "900", "node": "pve1"},
    "metric_server": {"id": "m1"},
    "pool": {"poolid": "house"},
    "realm": {"realm": "house"},
    "replication_job": {"id": "900-0"},
    "role": {"roleid": "Ops"},
    "storage": {"storage": "tank"},
    "user": {"userid": "kim@pve"},
}
#: What a family's own read finds besides.
FACTS: t.Final[dict[str, dict[str, t.Any]]] = {"firewall_alias": {"path": "cluster/firewall/aliases"}}
_ROWS = [
    {"path": "/vms", "type": "group", "ugid": "ops", "roleid": "PVEVMUser", "propagate": 1},
    {"path": "/vms", "type": "user", "ugid": "kim@pve", "roleid": "PVEAuditor", "propagate": 0},
]


def values_of(draw: Draw, kind: Kind) -> t.Any:
    """A value of the kind in the spelling in which it is sent, or None where none was found."""
    for _attempt in range(3):
        value = _value(draw, kind)
        try:
            canon = None if value is None else kind.canon(value)
        except SpellingError:
            continue
        if canon is not None and kind.fault(canon) is None and kind.form(canon) not in ("", ()):
            form = kind.form(canon)
            return list(form) if isinstance(form, tuple) else form
    return None


def _value(draw: Draw, kind: Kind) -> t.Any:
    if isinstance(kind, AtLeast):
        return _value(draw, kind.whole)
    if isinstance(kind, Flag):
        return draw(st.sampled_from(("0", "1")))
    if isinstance(kind, Integer):
        low = kind.minimum if kind.minimum is not None else -5
        return draw(st.integers(low, kind.maximum if kind.maximum is not None else low + 5000))
    if isinstance(kind, Number):
        return draw(st.sampled_from(("1", "2.5", "10", "128")))
    if isinstance(kind, Size):
        return format_size(draw(st.integers(1, 2**21)) * MIB)
    if isinstance(kind, Enum):
        return draw(st.sampled_from(kind.choices))
    if isinstance(kind, PropertyMap):
        return _properties(draw, kind)
    if isinstance(kind, ListOf):
        parts = [values_of(draw, kind.item) for _part in range(draw(st.integers(max(1, kind.min_items), 3)))]
        return [part for part in parts if part is not None]
    if isinstance(kind, Text) and kind.pattern:
        return draw(st.from_regex(kind.pattern, fullmatch=True, alphabet=_ASCII))
    if isinstance(kind, Text):
        return draw(st.text("abcXYZ019 .:_-%{}", min_size=1, max_size=20))
    return draw(st.sampled_from([word for word in WORDS if _knows(kind, word)] or [None]))


def _knows(kind: Kind, word: str) -> bool:
    try:
        return kind.fault(kind.canon(word)) is None
    except SpellingError:
        return False


def _properties(draw: Draw, kind: PropertyMap) -> dict[str, t.Any]:
    wanted = [name for name, sub in kind.subs.items() if sub.required or draw(st.booleans())]
    drawn = {name: values_of(draw, kind.subs[name].kind) for name in wanted}
    return {name: value for name, value in drawn.items() if value is not None}


@st.composite
def lives(draw: Draw, family: Family) -> Live:
    """A live object with any of its keys."""
    kind_of_section = _type(draw, family)
    values: dict[str, t.Any] = {}
    for name, key in family.keys.items():
        if key.secret or key.internal or not has_key(key, kind_of_section) or not _is_drawn(name):
            continue
        if key.is_required(kind_of_section) or draw(st.booleans()):
            value = values_of(draw, key.kind)
            if value is not None:
                values[key.live or name] = value
    if family.selector and kind_of_section:
        values[family.selector] = kind_of_section
    values["digest"] = "0" * 40
    return Live(present=True, values=_possible(family.name, values), facts=FACTS.get(family.name, {}))


def _on(volume: str, mount: str) -> str:
    """A drawn mount on a volume as a storage names it."""
    return ",".join([volume, *mount.split(",")[1:]])


def _type(draw: Draw, family: Family) -> str | None:
    if family.selector is None:
        return None
    kind = family.keys[family.selector].kind
    assert isinstance(kind, Enum)
    return str(draw(st.sampled_from(kind.choices)))


def _is_drawn(name: str) -> bool:
    """Of numbered keys one is enough."""
    return not name[-1:].isdigit() or name in ("net0", "mp0", "dev0", "server1", "server2")


def _possible(family: str, values: dict[str, t.Any]) -> dict[str, t.Any]:
    """What PVE's own handlers make of it, where no table says so."""
    if family == "acl":
        return {"bindings": _ROWS}
    if family == "backup_job":
        kept = {name: value for name, value in values.items() if name not in ("all", "vmid", "pool")}
        return {**kept, "all": 1}
    if family == "ha_rule":
        return (
            {**values, "resources": "ct:900,ct:901", "nodes": "pve1:2,pve2"}
            if "nodes" in values
            else values | {"resources": "ct:900,ct:901"}
        )
    if family == "storage":
        return {
            name: value for name, value in values.items() if name not in ("content", "content-dirs", "format", "shared")
        }
    if family == "lxc":
        volumes = {"rootfs": "local-zfs:subvol-900-disk-0", "mp0": "tank:subvol-900-disk-1"}
        return {name: _on(volumes[name], str(value)) if name in volumes else value for name, value in values.items()}
    if family == "replication_job":
        return {**values, "target": "pve2", "source": "pve1"}
    return values
