# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What goes wrong on purpose goes wrong as it was asked to, and only then."""

from __future__ import annotations

import http.client
import ssl
import threading
import time

import pytest

from tests.servers.lab import Lab, LabError

from .talk import Client

POOLS = "/pools"


def pools(lab: Lab) -> list[str]:
    return [row["poolid"] for row in lab.get(POOLS)]


@pytest.mark.parametrize("status", [401, 403, 500, 595, 596])
def test_a_status_is_answered_as_often_as_asked(lab: Lab, ask: Client, status: int) -> None:
    lab.fault("status", method="GET", path="^/pools$", status=status, message="no such luck", times=2)
    seen = [ask("GET", POOLS).status for _ in range(3)]
    assert seen == [status, status, 200]
    assert [entry["status"] for entry in lab.requests()] == seen
    assert lab.fault_hits() == [2]


def test_a_401_has_no_body_and_other_statuses_say_why(lab: Lab, ask: Client) -> None:
    lab.fault("status", path=POOLS, status=401, message="Authentication failed!", times=1)
    reply = ask("GET", POOLS)
    assert (reply.reason, reply.text) == ("Authentication failed!", "")
    lab.fault("status", path=POOLS, status=400, message="Parameter verification failed.", errors={"a": "b"})
    assert ask("GET", POOLS).json == {
        "data": None,
        "message": "Parameter verification failed.\n",
        "errors": {"a": "b"},
    }


def test_a_fault_knows_method_path_and_member(lab: Lab, ask: Client) -> None:
    lab.fault("status", method="PUT", path=r"^/pools$", member=1, status=500)
    lab.edit("POST", POOLS, {"poolid": "p"})
    assert ask("PUT", POOLS, {"poolid": "p", "comment": "x"}).status == 200
    assert Client(lab, member=1)("GET", POOLS).status == 200
    assert Client(lab, member=1)("PUT", POOLS, {"poolid": "p"}).status == 500


def test_an_answer_that_is_no_json(lab: Lab, ask: Client) -> None:
    lab.fault("raw", path=POOLS, status=200, body="<html>a proxy</html>")
    reply = ask("GET", POOLS)
    assert (reply.status, reply.text) == (200, "<html>a proxy</html>")


@pytest.mark.parametrize(("stage", "expected"), [("before", []), ("after", ["p"])])
def test_the_connection_ends_before_or_after_the_write(lab: Lab, ask: Client, stage: str, expected: list[str]) -> None:
    lab.fault("close", method="POST", path=POOLS, stage=stage)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError, ssl.SSLError)):
        ask("POST", POOLS, {"poolid": "p"})
    assert pools(lab) == expected
    assert [entry["status"] for entry in lab.writes()] == ["closed"]


@pytest.mark.parametrize(("stage", "expected"), [("before", []), ("after", ["p"])])
def test_no_answer_comes_and_clearing_the_fault_ends_the_wait(lab: Lab, stage: str, expected: list[str]) -> None:
    lab.fault("hang", method="POST", path=POOLS, stage=stage)
    with pytest.raises(TimeoutError):
        Client(lab, timeout=0.3)("POST", POOLS, {"poolid": "p"})
    assert pools(lab) == expected
    threading.Timer(0.2, lab.clear_faults).start()
    began = time.monotonic()
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError, ssl.SSLError)):
        Client(lab, timeout=5)("POST", POOLS, {"poolid": "q"})
    assert time.monotonic() - began < 3


def test_an_error_after_the_write_hides_that_it_was_done(lab: Lab, ask: Client) -> None:
    lab.fault("status", method="POST", path=POOLS, stage="after", status=596, message="Broken pipe")
    assert ask("POST", POOLS, {"poolid": "p"}).status == 596
    assert pools(lab) == ["p"]


def test_half_a_body(lab: Lab, ask: Client) -> None:
    lab.fault("cut", path="/access/roles", times=1)
    with pytest.raises(http.client.IncompleteRead):
        ask("GET", "/access/roles")
    assert len(ask("GET", "/access/roles").data) > 10


def test_a_delay_and_a_latency(lab: Lab, ask: Client) -> None:
    lab.fault("delay", path=POOLS, seconds=0.3)
    began = time.monotonic()
    assert ask("GET", POOLS).status == 200
    assert time.monotonic() - began >= 0.3
    lab.clear_faults()
    lab.configure(latency=0.2)
    began = time.monotonic()
    ask("GET", POOLS)
    assert time.monotonic() - began >= 0.2


def test_a_stopped_member_refuses_and_drops_what_was_open(lab: Lab) -> None:
    context = ssl.create_default_context(cafile=lab.ca_path)
    held = http.client.HTTPSConnection(lab.hosts[0], context=context, timeout=5)
    try:
        header = {"Authorization": f"PVEAPIToken={lab.token_id}={lab.token_secret}"}
        held.request("GET", "/api2/json/version", headers=header)
        held.getresponse().read()
        lab.stop_member(0)
        with pytest.raises(ConnectionRefusedError):
            Client(lab)("GET", POOLS)
        held.sock.settimeout(2)
        assert held.sock.recv(1) == b""  # the other side ended it
    finally:
        held.close()
    assert Client(lab, member=1)("GET", POOLS).status == 200
    lab.start_member(0)
    assert Client(lab)("GET", POOLS).status == 200


def test_a_node_that_is_down(lab: Lab, ask: Client) -> None:
    lab.node_online("pve2", False)
    reply = ask("GET", "/nodes/pve2/qemu/201/config")
    assert (reply.status, reply.reason) == (595, "No route to host")
    rows = {row["id"]: row for row in ask("GET", "/cluster/resources").data}
    assert (rows["qemu/201"]["status"], rows["node/pve2"]["status"]) == ("unknown", "offline")
    assert {row["node"]: row["status"] for row in ask("GET", "/nodes").data}["pve2"] == "offline"
    lab.reset()
    assert ask("GET", "/nodes/pve2/qemu/201/config").status == 200


def test_a_fault_that_does_not_exist_is_refused(lab: Lab) -> None:
    with pytest.raises(LabError, match="no fault of kind 'explode'"):
        lab.fault("explode")
    with pytest.raises(LabError, match="stage is before or after"):
        lab.fault("hang", stage="during")
