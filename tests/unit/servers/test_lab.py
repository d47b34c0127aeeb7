# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab itself: what arrives is logged and masked, a reset is complete, nothing outlives its parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.servers.lab import Lab, LabError
from tests.servers.procs import import_root
from tests.servers.wire import decode_pairs

from .talk import Client


def test_what_arrives_is_logged_in_order(lab: Lab, ask: Client) -> None:
    ask("GET", "/pools", {"poolid": "no"})
    ask("POST", "/pools", {"poolid": "p", "comment": "x"})
    lab.edit("PUT", "/pools", {"poolid": "p", "comment": "by hand"})
    first, second = lab.requests()
    assert (first["method"], first["path"], first["query"], first["status"]) == ("GET", "/pools", {"poolid": "no"}, 500)
    assert (second["form"], second["identity"], second["member"]) == ({"poolid": "p", "comment": "x"}, lab.token_id, 0)
    assert lab.writes() == [second]
    lab.reset_log()
    assert lab.requests() == []


def test_secrets_are_in_no_log(lab: Lab, ask: Client) -> None:
    ask("POST", "/access/users", {"userid": "a@pve", "password": "sentinel-one"})
    ask(
        "POST",
        "/nodes/pve1/lxc",
        {"vmid": 900, "ostemplate": "x", "password": "sentinel-two", "env": "A=sentinel-three"},
    )
    made = ask("POST", "/access/users/a@pve/token/tt", {}).data["value"]
    written = "\n".join(path.read_text(encoding="utf-8") for path in lab.log_files)
    assert "/access/users/a@pve/token/tt" in written
    assert not [secret for secret in (made, lab.token_secret, "sentinel") if secret in written]
    assert lab.writes()[0]["form"]["password"] == "***"
    assert len(lab.mints()) == 1


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", "No ticket"),
        ("Bearer x", "No ticket"),
        ("PVEAPIToken=root@pam!lab=wrong", "Authentication failed!"),
        ("PVEAPIToken=root@pam!nobody=x", "Authentication failed!"),
        ("PBSAPIToken=root@pam!lab:x", "No ticket"),
    ],
)
def test_who_is_not_known_gets_a_401_without_a_body(ask: Client, header: str, reason: str) -> None:
    reply = ask("GET", "/version", headers={"Authorization": header})
    assert (reply.status, reply.reason, reply.text) == (401, reason, "")


def test_expired_tokens_and_disabled_users_are_not_let_in(lab: Lab) -> None:
    secret = lab.edit("POST", "/access/users/hf-read@pve/token/tt", {})["data"]["value"]
    ask = Client(lab, f"hf-read@pve!tt={secret}")
    assert ask("GET", "/version").status == 200
    lab.edit("PUT", "/access/users/hf-read@pve/token/tt", {"expire": int(time.time()) - 5})
    assert ask("GET", "/version").status == 401
    lab.edit("PUT", "/access/users/hf-read@pve/token/tt", {"expire": 0})
    lab.edit("PUT", "/access/users/hf-read@pve", {"enable": 0})
    assert ask("GET", "/version").status == 401


def test_a_401_may_take_its_time(lab: Lab) -> None:
    lab.configure(auth_delay=0.3)
    began = time.monotonic()
    assert Client(lab, "root@pam!no=x")("GET", "/version").status == 401
    assert time.monotonic() - began >= 0.3


def test_bodies_that_pve_does_not_take(ask: Client) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    reply = ask("DELETE", "/pools", body="poolid=p", headers=form)
    assert (reply.status, reply.reason) == (501, "Unexpected content for method 'DELETE'")
    assert ask("POST", "/pools", body="x", headers={"Content-Type": "text/plain"}).status == 506
    broken = ask("POST", "/pools", body="{", headers={"Content-Type": "application/json"})
    assert (broken.status, broken.text) == (500, "malformed JSON string")


def test_json_bodies_are_taken(lab: Lab, ask: Client) -> None:
    body = json.dumps({"delete": ["swap"], "onboot": True, "memory": 600})
    reply = ask("PUT", "/nodes/pve1/lxc/102/config", body=body, headers={"Content-Type": "application/json"})
    live = lab.get("/nodes/pve1/lxc/102/config")
    assert reply.status == 200
    assert (live["onboot"], live["memory"], "swap" in live) == (1, 600, False)


def test_pairs_are_split_as_pve_splits_them() -> None:
    assert decode_pairs("a=1&b=x%3Dy;c=&d=1=2&a=2&e=%2B+") == {
        "a": ["1", "2"],
        "b": "x=y",
        "c": "",
        "d": "1",
        "e": "+ ",
    }


def test_a_reset_brings_everything_back(lab: Lab, ask: Client) -> None:
    before = lab.get("/nodes/pve1/lxc/101/config")
    ask("PUT", "/nodes/pve1/lxc/101/config", {"memory": 4096})
    ask("POST", "/pools", {"poolid": "p"})
    ask("POST", "/access/groups", {"groupid": "g1"})
    ask("PUT", "/cluster/options", {"keyboard": "de"})
    lab.fault("status", path="/version", status=500)
    lab.configure(privileges=True)
    lab.stop_member(0)
    lab.reset()
    assert ask("GET", "/version").status == 200
    assert lab.get("/nodes/pve1/lxc/101/config") == before
    assert lab.get("/pools") == []
    assert lab.try_edit("GET", "/access/groups/g1")["status"] == 500
    assert "keyboard" not in lab.get("/cluster/options")


def test_a_reset_after_reads_only_costs_nothing(lab: Lab, ask: Client) -> None:
    ask("GET", "/pools")
    began = time.monotonic()
    for _ in range(20):
        lab.reset()
    assert time.monotonic() - began < 1


def test_an_edit_that_is_refused_raises(lab: Lab) -> None:
    with pytest.raises(LabError, match="pool 'no' does not exist"):
        lab.edit("PUT", "/pools", {"poolid": "no"})


def test_what_no_server_keeps_is_refused_and_not_made_up(ask: Client) -> None:
    reply = ask("GET", "/nodes/pve1/disks/list")
    assert (reply.status, reply.reason[:40]) == (501, "the lab keeps no /nodes/{node}/disks/lis")


def test_the_seed_is_there(lab: Lab) -> None:
    assert [row["node"] for row in lab.get("/nodes")] == ["pve1", "pve2", "pve3"]
    assert {row["storage"] for row in lab.get("/storage")} >= {"local", "local-dir", "local-zfs", "local-lvm", "tank"}
    volumes = [row["volid"] for row in lab.get("/nodes/pve1/storage/local/content", {"content": "vztmpl"})]
    assert volumes == ["local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"]
    assert lab.get("/nodes/pve1/lxc/101/status/current")["status"] == "running"
    assert {row["vmid"] for row in lab.get("/cluster/resources", {"type": "vm"})} == {101, 102, 201}


def test_objects_may_be_put_past_all_checks(lab: Lab) -> None:
    lab.put_object("group", "odd group", {"comment": "from a file edited by hand"})
    assert {"groupid": "odd group", "users": "", "comment": "from a file edited by hand"} in lab.get("/access/groups")
    lab.put_object("group", "odd group", None)
    assert "odd group" not in {row["groupid"] for row in lab.get("/access/groups")}


def test_a_seed_of_ones_own(tmp_path: Path) -> None:
    seed: dict[str, Any] = {
        "nodes": ["alpha"],
        "guests": [{"vmid": 7000, "type": "lxc", "node": "alpha", "config": {"hostname": "seven"}}],
        "pools": {"house": {"comment": "The house", "vms": "7000"}},
        "tokens": {"root@pam!mine": "my-secret"},
    }
    with Lab.start(tmp_path / "lab", bao=False, seed=seed) as lab:
        ask = Client(lab, "root@pam!mine=my-secret")
        assert ask("GET", "/nodes/alpha/lxc/7000/config").data["hostname"] == "seven"
        (house,) = ask("GET", "/pools", {"poolid": "house"}).data
        assert (house["comment"], [row["vmid"] for row in house["members"]]) == ("The house", [7000])
    with pytest.raises(ValueError, match="a seed has no nonsense"):
        Lab(tmp_path / "other", bao=False, seed={"nonsense": 1})


def children_of(pid: int) -> list[int]:
    """Every process below, now."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(path.parent.name)
            found += [child, *children_of(child)]
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_running(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.servers.lab", "--json", "--folder", str(tmp_path / "lab")]
    environment = {**os.environ, "PYTHONPATH": str(import_root())}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=import_root()) as person:
        assert person.stdout is not None
        facts = json.loads(person.stdout.readline())
        assert facts["hosts"]
        below = children_of(person.pid)
        assert len(below) >= 4
        person.send_signal(number)
        code = person.wait(10)
        assert code == (-number if number == signal.SIGKILL else 0)
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in below) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in below if alive(pid)] == []
