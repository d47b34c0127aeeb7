# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""External metric servers (pve-manager PVE/API2/Cluster/MetricServer.pm, PVE/Status/*.pm).

The schema of an update has server and port without ``optional``, so both go along with every PUT. A read gives no
digest, and a delete of an absent server crashes.
"""

from __future__ import annotations

import base64
import binascii
import json
import typing as t
from dataclasses import dataclass

from ..engine.family import Absence, Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Refusal
from ..engine.index import Index
from ..engine.key import Clear, DefaultBy, Key
from ..wire.kind import Canon, Form, Kind, SpellingError
from ..wire.network import DNS_NAME
from ..wire.scalars import Enum, Flag, Integer, Text

_G, _I, _O = ("graphite",), ("influxdb",), ("opentelemetry",)


@dataclass(frozen=True)
class Base64Json(Kind):
    """A JSON object that PVE keeps base64-encoded (Status/OpenTelemetry.pm); a dict is one spelling of it."""

    max_length: int = 1024

    def canon(self, value: object) -> Canon:
        found = value if isinstance(value, dict) else _decoded(value)
        if not isinstance(found, dict):
            raise SpellingError("expected a dict, or the base64 of a JSON object")
        return {str(name): item for name, item in sorted(found.items(), key=lambda pair: str(pair[0]))}

    def fault(self, canon: Canon) -> str | None:
        long = len(self.form(canon)) > self.max_length
        return f"must be at most {self.max_length} characters long once encoded" if long else None

    def form(self, canon: Canon) -> Form:
        if not canon:
            return ""
        text = json.dumps(canon, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        return base64.b64encode(text.encode()).decode()


def _decoded(value: object) -> object:
    if not isinstance(value, str):
        return None
    try:
        return json.loads(base64.b64decode("".join(value.split()), validate=True))
    except (ValueError, binascii.Error):
        return None


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    """A server that was written by hand may lack its port, and an update cannot go without one."""
    if live.present and drift and live.values.get("port") is None and "port" not in declaration.values:
        title = family.title(declaration.ident)
        yield Refusal(
            id="port", key="port", msg=f"{title} has no port, and PVE takes no change without one; declare it."
        )


METRIC_SERVER = Family(
    name="metric_server",
    product="pve",
    noun="Metric server",
    identity={"id": Text(pattern=r"[A-Za-z][A-Za-z0-9_-]+", expected="an ID of letters, digits, - and _")},
    selector="type",
    read=Read(
        path="cluster/metrics/server/{id}",
        absence=(Absence(status=500, message=r"status server entry '.*' does not exist"),),
    ),
    index=(Index(path="cluster/metrics/server", columns={"id": "id"}),),
    create=Endpoint(method="POST", path="cluster/metrics/server/{id}"),
    update=Endpoint(method="PUT", path="cluster/metrics/server/{id}"),
    delete=Endpoint(method="DELETE", path="cluster/metrics/server/{id}"),
    keys={
        "type": Key(kind=Enum((*_G, *_I, *_O)), create_only=True, required=True, clear=Clear.NEVER),
        "server": Key(
            kind=Text(pattern=rf"{DNS_NAME.pattern}|[0-9A-Fa-f:.]+", expected="a host name or an IP address"),
            required=True,
            resend=True,
            clear=Clear.NEVER,
        ),
        "port": Key(
            kind=Integer(minimum=1, maximum=65536),
            default=DefaultBy("type", {"graphite": 2003}),
            required=True,
            resend=True,
            clear=Clear.NEVER,
        ),
        "disable": Key(kind=Flag(), default=False),
        "mtu": Key(kind=Integer(minimum=512, maximum=65536), default=1500, types=_G + _I),
        "timeout": Key(kind=Integer(minimum=0), default=1, types=_G + _I),
        "path": Key(
            kind=Text(pattern=DNS_NAME.pattern, expected="a graphite path such as proxmox.house"),
            default="proxmox",
            types=_G,
        ),
        "proto": Key(kind=Enum(("udp", "tcp")), default="udp", types=_G),
        "influxdbproto": Key(kind=Enum(("udp", "http", "https")), default="udp", types=_I),
        "organization": Key(kind=Text(), default="proxmox", types=_I),
        "bucket": Key(kind=Text(), default="proxmox", types=_I),
        "api-path-prefix": Key(kind=Text(), default="/", types=_I),
        "max-body-size": Key(kind=Integer(minimum=1), default=25_000_000, types=_I),
        "verify-certificate": Key(kind=Flag(), default=True, types=_I),
        "token": Key(kind=Text(), secret=True, clear=Clear.NEVER, types=_I),
        "otel-protocol": Key(kind=Enum(("http", "https")), default="https", types=_O),
        "otel-path": Key(kind=Text(), default="/v1/metrics", types=_O),
        "otel-timeout": Key(kind=Integer(minimum=1, maximum=10), default=5, types=_O),
        "otel-headers": Key(kind=Base64Json(), default={}, hidden=True, types=_O),
        "otel-verify-ssl": Key(kind=Flag(), default=True, types=_O),
        "otel-max-body-size": Key(kind=Integer(minimum=1024), default=10_000_000, types=_O),
        "otel-compression": Key(kind=Enum(("none", "gzip")), default="gzip", types=_O),
        "otel-resource-attributes": Key(kind=Base64Json(), default={}, types=_O),
    },
    refuse=_refuse,
    refuses={
        "port": "a change of a server that has no port, when none is declared: PVE takes no change without one",
    },
    privileges=Privileges(read="Sys.Audit on /", write="Sys.Modify on /"),
)
