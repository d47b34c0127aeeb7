# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks: whose they are, and how they end (measured 10)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.lab import Lab

from .talk import Client

TEMPLATE = "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
NEW = {"vmid": 900, "ostemplate": TEMPLATE, "rootfs": "local-dir:1"}


def status(ask: Client, upid: str) -> Any:
    return ask("GET", f"/nodes/{upid.split(':')[1]}/tasks/{upid}/status").data


def log(ask: Client, upid: str) -> list[str]:
    return [line["t"] for line in ask("GET", f"/nodes/{upid.split(':')[1]}/tasks/{upid}/log").data]


def test_a_task_carries_its_owners_name(lab: Lab, ask: Client) -> None:
    upid = ask("POST", "/nodes/pve3/lxc", NEW).data
    assert upid.endswith(f":vzcreate:900:{lab.token_id}:")
    shown = status(ask, upid)
    assert (shown["status"], shown["exitstatus"], shown["user"], shown["tokenid"]) == (
        "stopped",
        "OK",
        "root@pam",
        "lab",
    )
    assert shown["upid"] == upid
    assert log(ask, upid)[-1] == "TASK OK"
    assert upid in [row["upid"] for row in ask("GET", "/nodes/pve3/tasks").data]


def test_a_token_sees_only_its_own_tasks(lab: Lab, ask: Client) -> None:
    upid = ask("POST", "/nodes/pve3/lxc", NEW).data
    secret = lab.edit("POST", "/access/users/root@pam/token/other", {"privsep": 0})["data"]["value"]
    reply = Client(lab, f"root@pam!other={secret}")("GET", f"/nodes/pve3/tasks/{upid}/status")
    assert (reply.status, reply.reason) == (403, "Permission check failed (/nodes/pve3, Sys.Audit)")
    assert lab.get(f"/nodes/pve3/tasks/{upid}/status")["exitstatus"] == "OK"
    # With privileges checked, root's token holds Sys.Audit on the node.
    lab.configure(privileges=True)
    assert Client(lab, f"root@pam!other={secret}")("GET", f"/nodes/pve3/tasks/{upid}/status").status == 200


@pytest.mark.parametrize(
    ("upid", "text"),
    [
        ("UPID:pve1:00000001:00000001:00000001:vzcreate:900:root@pam:", "no such task"),
        ("nonsense", "unable to parse worker upid"),
    ],
)
def test_an_unknown_task(ask: Client, upid: str, text: str) -> None:
    reply = ask("GET", f"/nodes/pve1/tasks/{upid}/status")
    assert (reply.status, reply.errors) == (400, {"upid": text})


def test_a_failed_task_that_did_nothing(lab: Lab, ask: Client) -> None:
    lab.fault("task", method="POST", path="/lxc$", exitstatus="command 'x' failed", forward=False, log=["one", "two"])
    upid = ask("POST", "/nodes/pve3/lxc", NEW).data
    assert upid.split(":")[5:8] == ["vzcreate", "900", lab.token_id]
    assert status(ask, upid)["exitstatus"] == "command 'x' failed"
    assert log(ask, upid) == ["one", "two", "TASK ERROR: command 'x' failed"]
    assert lab.try_edit("GET", "/nodes/pve3/lxc/900/config")["status"] == 500


def test_a_task_that_ends_with_warnings_after_two_polls(lab: Lab, ask: Client) -> None:
    lab.fault("task", method="POST", path="/lxc$", exitstatus="WARNINGS: 1", polls=2, log=["WARN: nesting"])
    upid = ask("POST", "/nodes/pve3/lxc", NEW).data
    assert [status(ask, upid)["status"] for _ in range(3)] == ["running", "running", "stopped"]
    shown = status(ask, upid)
    assert shown["exitstatus"] == "WARNINGS: 1"
    assert log(ask, upid)[-2:] == ["WARN: nesting", "TASK WARNINGS: 1"]
    assert lab.get("/nodes/pve3/lxc/900/config")["memory"] == 512


def test_a_task_whose_end_is_not_in_its_log(lab: Lab, ask: Client) -> None:
    lab.fault("task", method="POST", path="/lxc$", exitstatus="unexpected status")
    upid = ask("POST", "/nodes/pve3/lxc", NEW).data
    assert status(ask, upid)["exitstatus"] == "unexpected status"
    assert not any(line.startswith("TASK") for line in log(ask, upid))


def test_a_poll_that_fails_is_a_fault_like_any_other(lab: Lab, ask: Client) -> None:
    upid = ask("POST", "/nodes/pve3/lxc", NEW).data
    lab.fault("status", path="/tasks/.*/status", status=596, times=1)
    assert ask("GET", f"/nodes/pve3/tasks/{upid}/status").status == 596
    assert status(ask, upid)["exitstatus"] == "OK"
