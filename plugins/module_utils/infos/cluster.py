# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster as one would look at it before writing: version, nodes, quorum, resources, how it spells tags."""

from __future__ import annotations

import typing as t

from ..engine.family import Reader
from ..engine.info import Info
from ..engine.read import rows_of
from ..wire.propstr import PropertyMap, Sub
from ..wire.scalars import Enum, Flag, Text

SUBSETS = ("version", "nodes", "quorum", "resources", "tag_style")

#: pve-cluster PVE/DataCenterConfig.pm, tag-style.
_STYLE = PropertyMap(
    {
        "case-sensitive": Sub(Flag()),
        "color-map": Sub(Text()),
        "ordering": Sub(Enum(("config", "alphabetical"))),
        "shape": Sub(Enum(("full", "circle", "dense", "none"))),
    }
)
_STYLE_DEFAULTS = {"case-sensitive": False, "color-map": "", "ordering": "alphabetical", "shape": "circle"}


def _gather(params: t.Mapping[str, t.Any], reader: Reader) -> dict[str, t.Any]:
    read: dict[str, t.Callable[[], t.Any]] = {
        "version": lambda: reader.get("version"),
        "nodes": lambda: _nodes(_status(reader)),
        "quorum": lambda: _quorum(_status(reader)),
        "resources": lambda: _resources(params.get("type"), reader),
        "tag_style": lambda: _tag_style(reader),
    }
    return {name: read[name]() for name in SUBSETS if name in params["subset"]}


def _status(reader: Reader) -> list[t.Mapping[str, t.Any]]:
    return rows_of(reader, "cluster/status")


def _nodes(rows: t.Iterable[t.Mapping[str, t.Any]]) -> list[dict[str, t.Any]]:
    nodes = [
        {
            "name": row["name"],
            "nodeid": row.get("nodeid"),
            "ip": row.get("ip"),
            "online": _yes(row.get("online")),
            "local": _yes(row.get("local")),
        }
        for row in rows
        if row.get("type") == "node"
    ]
    return sorted(nodes, key=lambda node: str(node["name"]))


def _quorum(rows: list[t.Mapping[str, t.Any]]) -> dict[str, t.Any]:
    """A node without a cluster has no row of a cluster, and needs no quorum to write."""
    online = sum(node["online"] for node in _nodes(rows))
    cluster = next((row for row in rows if row.get("type") == "cluster"), None)
    if cluster is None:
        return {"cluster": None, "quorate": True, "nodes": 1, "online": online}
    quorate = _yes(cluster.get("quorate"))
    return {"cluster": cluster.get("name"), "quorate": quorate, "nodes": cluster.get("nodes"), "online": online}


def _resources(kind: str | None, reader: Reader) -> list[t.Mapping[str, t.Any]]:
    rows = rows_of(reader, "cluster/resources", {"type": kind} if kind else None, shared=False)
    return sorted(rows, key=lambda row: str(row.get("id")))


def _tag_style(reader: Reader) -> dict[str, t.Any]:
    """Any user may read it. Newer answers hold a map, older ones a property string."""
    options = reader.get("cluster/options", shared=True)
    style = options.get("tag-style") if isinstance(options, dict) else None
    found = {**_STYLE_DEFAULTS, **(_STYLE.canon(style) if style else {})}
    return {name.replace("-", "_"): value for name, value in found.items()}


def _yes(value: object) -> bool:
    return str(value) == "1" or value is True


CLUSTER_INFO = Info(
    name="cluster_info",
    product="pve",
    gather=_gather,
    read="Sys.Audit on / for nodes and quorum; resources are those that the credential may audit",
    returns=SUBSETS,
    options={
        "subset": {"type": "list", "elements": "str", "choices": list(SUBSETS), "default": list(SUBSETS)},
        "type": {"type": "str", "choices": ["vm", "storage", "node", "sdn"]},
    },
)
