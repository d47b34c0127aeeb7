# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Version, nodes and datacenter options (pve-manager API2/Cluster.pm, Nodes.pm, pve-cluster DataCenterConfig.pm)."""

from __future__ import annotations

import re
from typing import Any

from .table import Call, Data, Endpoint, Key, Section, Texts

# Property strings that the datacenter options are read back as objects; these hold texts, so does bwlimit not.
OBJECTS = {
    "crs": "ha",
    "migration": "type",
    "replication": "type",
    "next-id": "",
    "ha": "",
    "notify": "",
    "u2f": "",
    "webauthn": "",
    "tag-style": "",
    "user-tag-access": "",
}
FLAGS = re.compile(r"(1|on|yes|true)|(0|off|no|false)", re.IGNORECASE)


def _number(text: str) -> Any:
    return int(text) if re.fullmatch(r"\d+", text) else text


def _object(text: str, default_key: str) -> Data:
    out: Data = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if part:
            out[name if equals else default_key] = _number(value if equals else name)
    return out


def _options(call: Call, key: Key, data: Data) -> Data:
    shown: Data = {"mac_prefix": "BC:24:11", **data}
    for name, default_key in OBJECTS.items():
        if name in shown:
            shown[name] = _object(str(shown[name]), default_key)
    access = shown.get("user-tag-access")
    if isinstance(access, dict) and "user-allow-list" in access:
        access["user-allow-list"] = str(access["user-allow-list"]).split(";")
    registered = [tag for tag in str(data.get("registered-tags") or "").split(";") if tag]
    if registered:
        shown["registered-tags"] = sorted(registered)
    allowed = access.get("user-allow-list", []) if isinstance(access, dict) else []
    shown["allowed-tags"] = sorted({*registered, *allowed})
    text = str(data.get("description") or "")
    shown["description"] = text if not text or text.endswith("\n") else text + "\n"
    return shown


OPTIONS = Section(
    state="cluster_options",
    identity=(),
    item="/cluster/options",
    texts=Texts(absent=""),
    singleton=True,
    delete="delete",
    show=_options,
)


def _version(call: Call) -> Data:
    return {"version": "9.2.11", "release": "9.2", "repoid": "14a22df3"}


def _nodes(call: Call) -> list[Data]:
    rows = []
    for name in call.world.config.nodes:
        online = name not in call.world.offline
        row: Data = {"node": name, "id": f"node/{name}", "type": "node", "status": "online" if online else "offline"}
        row["ssl_fingerprint"] = call.world.config.fingerprint
        if online:
            row.update(cpu=0.02, maxcpu=4, mem=2 << 30, maxmem=8 << 30, disk=4 << 30, maxdisk=64 << 30, uptime=3600)
        rows.append(row)
    return rows


def _status(call: Call) -> list[Data]:
    nodes = call.world.config.nodes
    rows: list[Data] = [
        {"type": "cluster", "id": "cluster", "name": "lab", "nodes": len(nodes), "quorate": 1, "version": len(nodes)}
    ]
    for index, name in enumerate(nodes, 1):
        online = int(name not in call.world.offline)
        address = f"192.0.2.{10 + index}"
        rows.append(
            {"type": "node", "id": f"node/{name}", "name": name, "nodeid": index, "ip": address, "level": ""}
            | {"online": online, "local": int(index == 1)}
        )
    return rows


def _network(call: Call) -> list[Data]:
    """The bridges only (pve-manager API2/Network.pm index); every type filter that a client may use finds them."""
    return [
        {"iface": name, "type": "bridge", "active": 1, "autostart": 1, "method": "manual", "method6": "manual"}
        for name in call.world.config.seed.bridges
    ]


SECTIONS = (OPTIONS,)
ENDPOINTS = (
    Endpoint("GET", "/version", _version),
    Endpoint("GET", "/nodes", _nodes),
    Endpoint("GET", "/cluster/status", _status),
    Endpoint("GET", "/nodes/{node}/network", _network),
)
