# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole estate in one task: plan, apply, verify, and everything that may break in the middle."""

from __future__ import annotations

import json
import os
import signal
import time
import typing as t
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.play import Player, Row, Started
from tests.e2e.target import Target

Resources = list[dict[str, dict[str, t.Any]]]


def small(target: Target) -> Resources:
    """Children before parents and members before guests: the order of the list is not the order of the writes."""
    return [
        {"pool": {"poolid": "hf-a/hf-b", "comment": "below"}},
        {"pool": {"poolid": "hf-a", "vms": [target.vmids[0]]}},
        container(target, 0),
        {"acl": {"path": "/vms", "roleid": "PVEVMUser", "type": "group", "ugid": "hf-ops"}},
        {"group": {"groupid": "hf-ops", "comment": "Operators"}},
    ]


def container(target: Target, number: int, **config: t.Any) -> dict[str, dict[str, t.Any]]:
    vmid = target.vmids[number]
    declared = {"hostname": f"hf-ct{number}", "memory": 256, "rootfs": f"{target.fact('storage')}:1", **config}
    create = {"ostemplate": target.fact("template")}
    return {"lxc": {"node": target.node, "vmid": vmid, "config": declared, "create": create}}


def gone(resources: Resources) -> Resources:
    """The same objects, not to be there."""
    absent = []
    for entry in resources:
        ((family, options),) = entry.items()
        kept = {key: value for key, value in options.items() if key not in ("comment", "vms", "create")}
        if family == "group":
            kept["confirm_destroy"] = kept["groupid"]
        if family == "lxc":
            kept["config"] = {"hostname": kept["config"]["hostname"]}
        absent.append({family: {**kept, "state": "absent"}})
    return absent


def run(player: Player, target: Target, resources: Resources, **how: t.Any) -> Row:
    options = how.pop("options", {})
    target.start_counting()
    return player.module("estate", {"resources": resources, **options}, **how).one


def statuses(row: Row) -> list[str]:
    return [str(item["status"]) for item in row.result["rows"]]


@pytest.fixture
def estate(player: Player, target: Target) -> t.Iterator[Resources]:
    resources = small(target)
    yield resources
    if target.lab is None:
        player.module("estate", {"resources": gone(resources)})


def test_plan_apply_again_verify_and_delete(player: Player, target: Target, estate: Resources) -> None:
    planned = run(player, target, estate, check=True)
    assert statuses(planned) == ["planned"] * 5
    target.assert_no_writes()
    applied = run(player, target, estate)
    assert (applied.status, statuses(applied), applied.result["verdict"]) == ("ok", ["changed"] * 5, "clean")
    for how in ({}, {"in_process": False}, {"options": {"mode": "verify"}}, {"check": True}):
        again = run(player, target, estate, **how)
        assert (again.changed, statuses(again), again.result["verdict"]) == (False, ["ok"] * 5, "clean")
        target.assert_no_writes()
    deleted = run(player, target, gone(estate))
    assert (deleted.status, statuses(deleted)) == ("ok", ["changed"] * 5), deleted.msg
    assert statuses(run(player, target, gone(estate))) == ["ok"] * 5
    target.assert_no_writes()


def test_what_stands_on_each_other_goes_in_one_run(player: Player, target: Target) -> None:
    """A rule holds an HA resource, that a container, and that a pool; a role is held by the rows of its users."""
    target.needs_lab("a cluster with HA")
    subject = {"type": "user", "ugid": "hf-read@pve"}
    made: Resources = [
        {"pool": {"poolid": "hf-held", "vms": [target.vmids[0]]}},
        container(target, 0),
        {"ha_resource": {"sid": f"ct:{target.vmids[0]}", "hastate": "ignored"}},
        {
            "ha_rule": {
                "rule": "hf-rule",
                "type": "node-affinity",
                "resources": [f"ct:{target.vmids[0]}"],
                "nodes": [target.node],
            }
        },
        {"role": {"roleid": "HfHeld", "privs": ["VM.Audit"]}},
        {"acl": {"path": "/vms", "roleid": "HfHeld", **subject}},
    ]
    assert run(player, target, made).result["verdict"] == "clean"
    absent: Resources = [
        {"pool": {"poolid": "hf-held", "state": "absent"}},
        *gone([made[1]]),
        {"ha_resource": {"sid": f"ct:{target.vmids[0]}", "state": "absent"}},
        {"ha_rule": {"rule": "hf-rule", "state": "absent"}},
        {"role": {"roleid": "HfHeld", "state": "absent"}},
        {"acl": {"path": "/vms", "roleid": "HfHeld", **subject, "state": "absent"}},
    ]
    planned = run(player, target, absent, check=True)
    assert (planned.status, statuses(planned)) == ("ok", ["planned"] * 6), planned.msg
    deleted = run(player, target, absent)
    assert (deleted.status, statuses(deleted)) == ("ok", ["changed"] * 6), deleted.msg
    assert statuses(run(player, target, absent)) == ["ok"] * 6
    target.assert_no_writes()


def test_a_refusal_anywhere_keeps_everything_from_being_written(player: Player, target: Target) -> None:
    lab = target.needs_lab("a container that runs already")
    lab.edit("POST", "/pools", {"poolid": "hf-full"})
    lab.edit("PUT", "/pools", {"poolid": "hf-full", "vms": "102"})
    resources: Resources = [{"pool": {"poolid": "hf-new"}}, {"pool": {"poolid": "hf-full", "state": "absent"}}]
    row = run(player, target, resources)
    assert row.status == "failed"
    assert "still holds 102" in row.msg
    assert statuses(row) == ["planned", "refused"]
    target.assert_no_writes()


def test_verify_tells_drift_and_unknown_apart_and_writes_reports(
    player: Player, target: Target, tmp_path: Path
) -> None:
    lab = target.needs_lab("an answer that is wrong")
    lab.edit("POST", "/pools", {"poolid": "hf-a", "comment": "by hand"})
    resources: Resources = [{"pool": {"poolid": "hf-a", "comment": "declared"}}, {"group": {"groupid": "hf-mint"}}]
    report = tmp_path / "report.json"
    row = run(player, target, resources, options={"mode": "verify", "report": str(report)})
    assert (row.status, row.changed) == ("failed", False)
    assert row.msg == "The estate is not as declared: 1 ok, 1 planned."
    told = json.loads(report.read_text())
    assert (told["verdict"], told["summary"]) == ("drift", {"ok": 1, "planned": 1})
    assert told["rows"][0]["drift"] == ["comment"]
    assert "by hand" not in report.read_text()
    lab.fault("status", method="GET", path="/access/groups", status=403, message="Permission check failed")
    markdown = tmp_path / "report.md"
    row = run(player, target, resources, options={"mode": "verify", "report": str(markdown)})
    assert row.result["verdict"] == "unknown"
    assert row.msg.startswith("It is not known whether the estate is as declared: ")
    assert "| unknown | none | unreadable | group | hf-mint |" in markdown.read_text()
    target.assert_no_writes()


def test_c8_a_guest_on_a_dead_node_is_unknown_and_the_others_converge(player: Player, target: Target) -> None:
    lab = target.needs_lab("a node that can be taken down")
    lab.node_online("pve2", online=False)
    resources: Resources = [
        {"lxc": {"node": "pve2", "vmid": 905, "config": {"hostname": "far"}, "state": "absent"}},
        {"pool": {"poolid": "hf-near"}},
    ]
    row = run(player, target, resources)
    assert row.status == "failed"
    assert statuses(row) == ["unknown", "changed"]
    assert row.changed


def test_a_member_that_dies_in_the_middle_is_left_for_another(player: Player, target: Target) -> None:
    lab = target.needs_lab("a member that can be stopped")
    resources: Resources = [{"pool": {"poolid": f"hf-{number}"}} for number in range(30)]
    lab.configure(latency=0.02)
    started = _start(player, resources)
    _until(lambda: len(lab.writes()) >= 5)
    lab.stop_member(0)
    row = started.finish().one
    written = [entry["form"]["poolid"] for entry in lab.writes()]
    assert len(written) == len(set(written)), "a write was sent twice"
    if row.status == "failed":
        assert "unknown" in row.msg or "outcome" in row.msg
        assert statuses(row).count("failed") == 1
    lab.configure(latency=0)
    finished = run(player, target, resources)
    assert finished.status == "ok"
    assert {row["poolid"] for row in target.get("/pools")} >= {f"hf-{number}" for number in range(30)}


def test_a_lease_that_ends_in_the_middle_is_minted_anew(player: Player, target: Target) -> None:
    lab = target.needs_lab("tokens that can be taken away")
    resources: Resources = [{"pool": {"poolid": f"hf-{number}"}} for number in range(30)]
    lab.configure(latency=0.02)
    started = _start(player, resources)
    _until(lambda: len(lab.writes()) >= 5)
    for token in lab.minted_tokens():
        userid, _, name = token.partition("!")
        lab.edit("DELETE", f"/access/users/{userid}/token/{name}")
    row = started.finish().one
    assert (row.status, set(statuses(row))) == ("ok", {"changed"}), row.msg
    assert len([mint for mint in lab.mints() if "hf-provision" in mint["path"]]) == 2


def test_a_task_that_fails_in_the_middle_tells_what_was_written(player: Player, target: Target) -> None:
    lab = target.needs_lab("a task that can be made to fail")
    resources = [container(target, number) for number in range(3)]
    lab.fault("task", method="POST", path="/nodes/pve1/lxc$", exitstatus="unable to create CT", forward=False, times=1)
    row = run(player, target, resources)
    assert row.status == "failed"
    assert "unable to create CT" in row.msg
    assert statuses(row) == ["failed", "not reached", "not reached"]
    assert row.result["rows"][0]["tasks"]
    finished = run(player, target, resources)
    assert statuses(finished) == ["changed"] * 3


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_in_the_middle_loses_nothing(
    player: Player, target: Target, tmp_path: Path, how: signal.Signals
) -> None:
    lab = target.needs_lab("a server that can be slow")
    resources: Resources = [{"pool": {"poolid": f"hf-{number}"}} for number in range(40)]
    lab.configure(latency=0.05)
    report = tmp_path / "report.json"
    started = _start(player, resources, report=str(report))
    _until(lambda: len(lab.writes()) >= 3)
    os.killpg(started.process.pid, how)
    started.process.wait(30)
    _until(report.exists)
    lab.configure(latency=0)
    told = json.loads(report.read_text())
    there = {row["poolid"] for row in target.get("/pools")}
    for item in told["rows"]:
        if item["status"] == "changed":
            assert item["name"] in there
        if item["status"] == "not reached":
            assert item["name"] not in there
    assert told["summary"]["not reached"] > 0
    assert told["summary"]["changed"] > 0
    finished = run(player, target, resources)
    assert (finished.status, finished.result["verdict"]) == ("ok", "clean")


def test_bad_resources_are_all_named_at_once_without_a_secret(player: Player, target: Target) -> None:
    resources: t.Any = [
        {"poool": {"poolid": "a"}},
        {"pool": {"poolid": "hf-a"}},
        {"pool": {"poolid": "hf-a"}},
        {"user": {"userid": "hf-u@pve", "password": "correct-horse", "bogus": 1}},
        {"pool": {}, "group": {}},
    ]
    run_ = player.module("estate", {"resources": resources}, verbosity="")
    msg = run_.one.msg
    for said in (
        "resources[0]: there is no family poool. Did you mean pool?",
        "resources[2]: Pool hf-a is declared at resources[1] already.",
        "resources[3] (user): Unsupported parameters: bogus.",
        "resources[4]: must be one key",
    ):
        assert said in msg
    assert "correct-horse" not in run_.one.msg
    assert "correct-horse" not in json.dumps(run_.one.result)


def _start(player: Player, resources: Resources, **options: t.Any) -> Started:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/homeflare.proxmox.all": dict(player.connection)},
        "tasks": [{"homeflare.proxmox.estate": {"resources": resources, **options}}],
    }
    return player.start([play])


def _until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)
