# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Metric servers (pve-manager API2/Cluster/MetricServer.pm, Status/*.pm; measured 52)."""

from __future__ import annotations

from .table import Call, Data, Key, Section, Texts, TypeRow

COMMON = frozenset({"disable", "port", "mtu", "timeout"})
NEEDED = frozenset({"server"})
INFLUX = "influxdbproto organization bucket api-path-prefix max-body-size verify-certificate token"
OTEL = "otel-protocol otel-path otel-timeout otel-headers otel-verify-ssl otel-max-body-size otel-compression"
TYPES = {
    "graphite": TypeRow(keys=COMMON | {"path", "proto"}, required=NEEDED),
    "influxdb": TypeRow(keys=COMMON | frozenset(INFLUX.split()), required=NEEDED | {"port"}),
    "opentelemetry": TypeRow(
        keys=(COMMON - {"mtu", "timeout"}) | frozenset(OTEL.split()) | {"otel-resource-attributes"}, required=NEEDED
    ),
}


def _row(_call: Call, key: Key, data: Data) -> Data:
    shown = {"id": key, "disable": int(data.get("disable", 0))}
    return shown | {name: data[name] for name in ("type", "server", "port") if name in data}


SERVER = Section(
    state="metric_server",
    identity=("id",),
    item="/cluster/metrics/server/{id}",
    collection="/cluster/metrics/server",
    create_on_item=True,
    texts=Texts(
        absent="status server entry '{id}' does not exist",
        absent_delete="cannot lookup undefined type! at /usr/share/perl5/PVE/API2/Cluster/MetricServer.pm line 295.",
        exists="Metric server '{id}' already exists",
    ),
    types=TYPES,
    delete="dies",
    secrets=frozenset({"token"}),
    digest_file="status.cfg",
    digest_in_item=False,
    line_feeds=False,
    row=_row,
)

SECTIONS = (SERVER,)
