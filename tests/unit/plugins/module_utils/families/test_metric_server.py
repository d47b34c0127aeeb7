# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metric servers: what goes along with every update, defaults, keys by type, what is never shown."""

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.metric_server import METRIC_SERVER
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

Call = tuple[str, str, t.Any, t.Any]

ITEM = "cluster/metrics/server/m1"
GRAPHITE = {"type": "graphite", "server": "192.0.2.21", "port": 2003}
INFLUX = {"type": "influxdb", "server": "192.0.2.20", "port": 8089}
OTEL = {"type": "opentelemetry", "server": "otel.example", "port": 4318}
ABSENT = error(500, "status server entry 'm1' does not exist")


def encoded(value: t.Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def run(expect: list[t.Any], **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(METRIC_SERVER, {"id": "m1", **params})
    script = Script(expect)
    outcome = converge(METRIC_SERVER, wanted, script, check_mode=False)
    script.done()
    return outcome.result(METRIC_SERVER, wanted, diff_values=True)


def read(answer: t.Any) -> Call:
    return ("GET", ITEM, None, answer)


def test_create_posts_to_the_item_without_the_id_in_the_form() -> None:
    sent = {"type": "influxdb", "server": "192.0.2.20", "port": "8089", "bucket": "b", "token": "t"}
    live = {**INFLUX, "bucket": "b"}
    result = run([read(ABSENT), ("POST", ITEM, sent, None), read(live)], bucket="b", token="t", **INFLUX)
    assert "token" not in result["object"]


def test_server_and_port_go_along_with_every_update() -> None:
    sent = {"server": "192.0.2.21", "port": "2003", "mtu": "1400"}
    result = run([read(GRAPHITE), ("PUT", ITEM, sent, None), read({**GRAPHITE, "mtu": 1400})], mtu=1400)
    assert result["drift"] == ["mtu"]


def test_server_and_port_go_along_with_a_clear() -> None:
    sent = {"server": "192.0.2.21", "port": "2003", "delete": "path,proto"}
    expect = [read({**GRAPHITE, "path": "a.b", "proto": "tcp"}), ("PUT", ITEM, sent, None), read(GRAPHITE)]
    run([*expect], delete=["path", "proto"])


def test_a_changed_server_is_sent_once() -> None:
    sent = {"server": "192.0.2.22", "port": "2003"}
    run([read(GRAPHITE), ("PUT", ITEM, sent, None), read({**GRAPHITE, "server": "192.0.2.22"})], server="192.0.2.22")


@pytest.mark.parametrize(
    ("live", "declared"),
    [
        (GRAPHITE, {"mtu": 1500, "timeout": 1, "path": "proxmox", "proto": "udp", "disable": False}),
        ({"type": "graphite", "server": "192.0.2.21"}, {"port": 2003}),
        (
            INFLUX,
            {
                "influxdbproto": "udp",
                "mtu": 1500,
                "timeout": 1,
                "bucket": "proxmox",
                "organization": "proxmox",
                "api_path_prefix": "/",
                "max_body_size": 25000000,
                "verify_certificate": True,
            },
        ),
        (
            OTEL,
            {
                "otel_protocol": "https",
                "otel_path": "/v1/metrics",
                "otel_timeout": 5,
                "otel_verify_ssl": True,
                "otel_max_body_size": 10000000,
                "otel_compression": "gzip",
                "otel_headers": {},
                "otel_resource_attributes": {},
            },
        ),
    ],
    ids=["graphite", "graphite-port", "influxdb", "opentelemetry"],
)
def test_a_declared_default_equals_absence(live: dict[str, t.Any], declared: dict[str, t.Any]) -> None:
    assert not run([read(live)], **declared)["changed"]


def test_a_type_is_fixed() -> None:
    with pytest.raises(RefusedError, match="type is fixed at creation"):
        run([read(GRAPHITE)], type="influxdb")


@pytest.mark.parametrize(
    ("kind", "option", "value"),
    [
        ("graphite", "bucket", "b"),
        ("influxdb", "proto", "tcp"),
        ("opentelemetry", "mtu", 1500),
        ("influxdb", "path", "a"),
    ],
)
def test_a_key_of_another_type_is_an_error(kind: str, option: str, value: t.Any) -> None:
    with pytest.raises(DeclarationError, match=f"^{option}: is not a key of type {kind}"):
        run([], **{"type": kind, "server": "a.example", "port": 1, option: value})


def test_creating_needs_type_server_and_port() -> None:
    with pytest.raises(RefusedError, match=r"needs type\..*needs server\..*needs port"):
        run([read(ABSENT)])


def test_a_server_without_a_port_takes_no_change_until_one_is_declared() -> None:
    bare = {"type": "opentelemetry", "server": "otel.example"}
    with pytest.raises(RefusedError, match="has no port"):
        run([read(bare)], disable=True)
    sent = {"server": "otel.example", "port": "4318", "disable": "1"}
    run([read(bare), ("PUT", ITEM, sent, None), read({**OTEL, "disable": 1})], disable=True, port=4318)


def test_a_token_is_sent_again_only_when_asked() -> None:
    assert not run([read(INFLUX)], token="t")["changed"]
    sent = {"server": "192.0.2.20", "port": "8089", "token": "t"}
    run([read(INFLUX), ("PUT", ITEM, sent, None), read(INFLUX)], token="t", update_secret="always")


def test_headers_are_compared_as_what_they_hold_and_never_shown() -> None:
    live = {**OTEL, "otel-headers": encoded({"X-Key": "s3cret", "A": "b"})}
    assert not run([read(live)], otel_headers={"A": "b", "X-Key": "s3cret"})["changed"]
    assert not run([read(live)], otel_headers=encoded({"A": "b", "X-Key": "s3cret"}))["changed"]
    form = base64.b64encode(b'{"A":"c"}').decode()
    sent = {"server": "otel.example", "port": "4318", "otel-headers": form}
    new = {**OTEL, "otel-headers": form}
    result = run([read(live), ("PUT", ITEM, sent, None), read(new)], otel_headers={"A": "c"})
    told = json.dumps(result)
    assert result["drift"] == ["otel-headers"]
    assert form not in told
    assert "s3cret" not in told
    spec = argument_spec(METRIC_SERVER)
    assert spec["otel_headers"]["no_log"] is True
    assert spec["token"]["no_log"] is True


def test_empty_headers_clear_them() -> None:
    sent = {"server": "otel.example", "port": "4318", "delete": "otel-headers"}
    live = {**OTEL, "otel-headers": encoded({"A": "b"})}
    run([read(live), ("PUT", ITEM, sent, None), read(OTEL)], otel_headers={})


def test_an_absent_server_is_read_before_and_not_deleted() -> None:
    """DELETE of an absent one dies of ``cannot lookup undefined type!``."""
    assert not run([read(ABSENT)], state="absent")["changed"]
    run([read(GRAPHITE), ("DELETE", ITEM, {}, None), read(ABSENT)], state="absent")


def test_another_error_of_the_read_is_no_absence() -> None:
    with pytest.raises(ApiError):
        run([read(error(500, "got no worker upid - start worker failed"))], **GRAPHITE)


@pytest.mark.parametrize(
    ("params", "option"),
    [
        ({"port": 65537}, "port"),
        ({"port": 0}, "port"),
        ({"mtu": 511}, "mtu"),
        ({"path": "a..b"}, "path"),
        ({"otel_timeout": 11}, "otel_timeout"),
        ({"otel_max_body_size": 1023}, "otel_max_body_size"),
        ({"otel_headers": {"A": "x" * 1024}}, "otel_headers"),
        ({"otel_headers": "not base64"}, "otel_headers"),
        ({"otel_resource_attributes": encoded([1])}, "otel_resource_attributes"),
        ({"server": "a b"}, "server"),
        ({"id": "1m"}, "id"),
    ],
)
def test_bounds(params: dict[str, t.Any], option: str) -> None:
    with pytest.raises(DeclarationError, match=f"^{option}: "):
        run([], **params)
