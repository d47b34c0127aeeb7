# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Metric servers (pve-manager API2/Cluster/MetricServer.pm, Status/*.pm; measured 52).

Every server answers the connection test that PVE makes before it writes: a fault of kind `status` is how one does not.
"""

from __future__ import annotations

from ..formats import split_list
from .table import SECTION_TRUTH, Call, Data, Key, Section, Texts, TypeRow

INFLUX = "influxdbproto organization bucket api-path-prefix max-body-size verify-certificate mtu timeout"
OTEL = """otel-protocol otel-path otel-timeout otel-headers otel-verify-ssl otel-max-body-size otel-compression
    otel-resource-attributes"""
# `token` is taken for any type, and kept only by InfluxDB (extract_sensitive_params, on_add_hook).
ALL = frozenset({"disable", "token"})


def _keys(text: str) -> frozenset[str]:
    return ALL | frozenset(text.split())


TYPES = {
    "graphite": TypeRow(keys=_keys("port mtu path timeout proto"), required=frozenset({"server"})),
    "influxdb": TypeRow(keys=_keys(INFLUX), required=frozenset({"server", "port"})),
    "opentelemetry": TypeRow(keys=_keys("port " + OTEL), required=frozenset({"server"})),
}


def _token(call: Call, key: Key, data: Data) -> None:
    """The token goes to a file of its own, never into status.cfg."""
    token = data.pop("token", None)
    tokens = call.objects("metric_token")
    if data["type"] != "influxdb":
        return
    if call.values.get("token"):
        tokens[key] = {"token": token}
    elif "token" in split_list(str(call.values.get("delete") or "")):
        tokens.pop(key, None)


def _forget_token(call: Call, key: Key, data: Data) -> None:
    call.objects("metric_token").pop(key, None)


def _row(_call: Call, key: Key, data: Data) -> Data:
    shown = {"id": key, "disable": int(data.get("disable", 0))}
    return shown | {name: data.get(name) for name in ("type", "server", "port")}


SERVER = Section(
    state="metric_server",
    identity=("id",),
    item="/cluster/metrics/server/{id}",
    collection="/cluster/metrics/server",
    create_on_item=True,
    texts=Texts(
        absent="status server entry '{id}' does not exist",
        absent_put="no such server '{id}'",
        absent_delete="cannot lookup undefined type! at /usr/share/perl5/PVE/API2/Cluster/MetricServer.pm line 295.",
        exists="Metric server '{id}' already exists",
    ),
    types=TYPES,
    kept_if_true=SECTION_TRUTH,
    delete="dies",
    digest_file="status.cfg",
    digest_in_item=False,
    line_feeds=False,
    row=_row,
    before_create=_token,
    before_update=lambda call, key, old, new: _token(call, key, new),
    before_delete=_forget_token,
)

SECTIONS = (SERVER,)
