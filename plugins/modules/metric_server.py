#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: metric_server
short_description: Manage external metric servers of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one metric server (Graphite, InfluxDB or OpenTelemetry) to which the nodes of a cluster send what they
    measure.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - A key that PVE does not store is the same as its default, so declaring a default is no change.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
  - homeflare.proxmox.family.exact
  - homeflare.proxmox.family.secret
notes:
  - "PRIVILEGES: reading needs C(Sys.Audit) on C(/)."
  - "PRIVILEGES: writing needs C(Sys.Modify) on C(/)."
  - PVE tries to reach the server when one is created or changed, and refuses the write if it cannot. For Graphite and
    InfluxDB O(disable=true) skips that; for OpenTelemetry nothing does.
  - PVE wants the server and the port with every change, so the live ones go along when they are not declared.
options:
  id:
    description:
      - ID of the entry, a letter and then letters, digits, C(-) and C(_).
    type: str
    required: true
  type:
    description:
      - What kind of server it is. Needed to create the entry, and fixed from then on.
    type: str
    choices: [graphite, influxdb, opentelemetry]
  server:
    description:
      - Host name or IP address. Needed to create the entry.
    type: str
  port:
    description:
      - Port, 1 to 65536. Needed to create the entry, whatever its type.
    type: int
  disable:
    description:
      - Whether nothing is sent for now. PVE's default is V(false).
    type: bool
  mtu:
    description:
      - Only for O(type=graphite) and O(type=influxdb).
      - Size of the packets that are sent over UDP, 512 to 65536. PVE's default is V(1500).
    type: int
  timeout:
    description:
      - Only for O(type=graphite) and O(type=influxdb).
      - Seconds to wait for the server. PVE's default is V(1).
    type: int
  path:
    description:
      - Only for O(type=graphite).
      - Path below which the values are stored. PVE's default is V(proxmox).
    type: str
  proto:
    description:
      - Only for O(type=graphite).
      - PVE's default is V(udp).
    type: str
    choices: [udp, tcp]
  influxdbproto:
    description:
      - Only for O(type=influxdb).
      - PVE's default is V(udp).
    type: str
    choices: [udp, http, https]
  organization:
    description:
      - Only for O(type=influxdb).
      - The organization, for HTTP. PVE's default is V(proxmox).
    type: str
  bucket:
    description:
      - Only for O(type=influxdb).
      - The bucket, for HTTP. PVE's default is V(proxmox).
    type: str
  api_path_prefix:
    description:
      - Only for O(type=influxdb).
      - Path in front of the API, for a server behind a proxy. PVE's default is V(/).
    type: str
  max_body_size:
    description:
      - Only for O(type=influxdb).
      - Largest request in bytes. PVE's default is V(25000000).
    type: int
  verify_certificate:
    description:
      - Only for O(type=influxdb).
      - Whether the certificate is verified, for HTTPS. PVE's default is V(true).
    type: bool
  token:
    description:
      - Only for O(type=influxdb).
      - The access token, or V(user:password). It is write-only, see O(update_secret), and cannot be cleared here.
    type: str
  otel_protocol:
    description:
      - Only for O(type=opentelemetry).
      - PVE's default is V(https).
    type: str
    choices: [http, https]
  otel_path:
    description:
      - Only for O(type=opentelemetry).
      - Path of the endpoint. PVE's default is V(/v1/metrics).
    type: str
  otel_timeout:
    description:
      - Only for O(type=opentelemetry).
      - Seconds to wait for the server, 1 to 10. PVE's default is V(5).
    type: int
  otel_headers:
    description:
      - Only for O(type=opentelemetry).
      - HTTP headers, as a dict or as the base64 of a JSON object. They are compared, and never shown.
      - At most 1024 characters once encoded. An empty dict clears them.
    type: raw
  otel_verify_ssl:
    description:
      - Only for O(type=opentelemetry).
      - Whether the certificate is verified. PVE's default is V(true).
    type: bool
  otel_max_body_size:
    description:
      - Only for O(type=opentelemetry).
      - Largest request in bytes, at least 1024. PVE's default is V(10000000).
    type: int
  otel_compression:
    description:
      - Only for O(type=opentelemetry).
      - PVE's default is V(gzip).
    type: str
    choices: [none, gzip]
  otel_resource_attributes:
    description:
      - Only for O(type=opentelemetry).
      - Attributes of the resource, as a dict or as the base64 of a JSON object.
      - At most 1024 characters once encoded. An empty dict clears them.
    type: raw
"""

EXAMPLES = r"""
- name: Metrics to InfluxDB over HTTP
  homeflare.proxmox.metric_server:
    id: influx
    type: influxdb
    server: influx.example
    port: 8086
    influxdbproto: https
    organization: house
    bucket: pve
    token: "{{ influx_token }}"

- name: Metrics to Graphite over TCP
  homeflare.proxmox.metric_server:
    id: graphite
    type: graphite
    server: 192.0.2.21
    port: 2003
    proto: tcp

- name: Metrics to an OpenTelemetry collector, with a header of its own
  homeflare.proxmox.metric_server:
    id: otel
    type: opentelemetry
    server: otel.example
    port: 4318
    otel_headers: {X-Scope: house}

- name: A new token for the server that is there
  homeflare.proxmox.metric_server:
    id: influx
    token: "{{ influx_token }}"
    update_secret: always

- name: No such server
  homeflare.proxmox.metric_server:
    id: graphite
    state: absent
"""

RETURN = r"""
action:
  description: What was done, or in check mode would be done.
  returned: success
  type: str
  choices: [none, create, update, delete]
  sample: update
drift:
  description: Names of the declared keys that differed, in PVE's spelling.
  returned: success, refusal
  type: list
  elements: str
  sample: [bucket]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for this object.
  returned: success
  type: list
  elements: str
  sample: []
tasks:
  description: UPIDs of the PVE tasks that were started.
  returned: success
  type: list
  elements: str
  sample: []
object:
  description: The live values of the declared keys after the task, without anything secret.
  returned: success
  type: dict
  sample: {id: influx, bucket: pve}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.metric_server import METRIC_SERVER
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(METRIC_SERVER)


if __name__ == "__main__":
    main()
