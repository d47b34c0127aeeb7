# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Absence is proven: by the config, the list of guests, the list of ids, and the list of nodes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, ServerError, TransportError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.guest_read import (
    Place,
    may_read_env,
    read_config,
    read_obstacles,
    read_pending,
)
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import Answers
from ansible_collections.homeflare.proxmox.tests.unit.scripted import error

PLACE = Place(type="lxc", noun="Container", node="pve1", vmid=900)
CONFIG = "nodes/pve1/lxc/900/config"
MISSING = error(500, "Configuration file 'nodes/pve1/lxc/900.conf' does not exist")
TAKEN = error(400, "Parameter verification failed.", {"vmid": "VM 900 already exists"})
NODES = [{"type": "node", "node": "pve1", "status": "online"}, {"type": "node", "node": "pve2", "status": "offline"}]


def answers(config: t.Any = MISSING, guests: t.Any = (), free: t.Any = "900") -> Answers:
    return Answers(
        {
            CONFIG: config,
            "cluster/resources?type=vm": list(guests),
            "cluster/nextid": free,
            "cluster/resources?type=node": NODES,
        }
    )


def test_a_config_is_one_get() -> None:
    reader = answers(config={"hostname": "ct-example"})
    assert read_config(PLACE, reader).config == {"hostname": "ct-example"}
    assert reader.asked == [(CONFIG, "read")]


@pytest.mark.parametrize("config", [MISSING, error(500, ""), None], ids=["text", "empty-body", "null-data"])
def test_44_a_500_and_a_vmid_that_is_nowhere_is_absent(config: t.Any) -> None:
    found = read_config(PLACE, answers(config=config))
    assert found.config is None
    assert not found.refusals


def test_45_a_500_for_a_listed_guest_fails_with_pves_text() -> None:
    guests = [{"type": "lxc", "vmid": 900, "node": "pve1"}]
    with pytest.raises(ApiError, match=r"got timeout.*Container 900 is listed on pve1") as caught:
        read_config(PLACE, answers(config=error(500, "got timeout"), guests=guests))
    assert caught.value.status == 500


@pytest.mark.parametrize("status", [400, 401, 403, 501, 595, 596, 599])
def test_46_48_every_other_status_is_an_error_and_says_that_nothing_is_known(status: int) -> None:
    reader = answers(config=error(status, "no"))
    with pytest.raises(ApiError, match="whether container 900 exists is unknown") as caught:
        read_config(PLACE, reader)
    assert caught.value.status == status
    assert len(reader.asked) == 1


def test_48_no_answer_is_an_error() -> None:
    with pytest.raises(TransportError):
        read_config(PLACE, answers(config=TransportError("timed out", method="GET", path=CONFIG, sent=True)))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"type": "qemu", "vmid": 900, "node": "pve1"}, "held by a VM on node pve1"),
        ({"type": "lxc", "vmid": 900, "node": "pve2"}, "held by a container on node pve2"),
        ({"type": "lxc", "vmid": "900", "node": "pve2"}, "held by a container on node pve2"),
        ({"type": "lxc", "vmid": 900, "node": "pve2", "status": "unknown"}, "held by a container on node pve2"),
    ],
    ids=["qemu", "elsewhere", "string-vmid", "c8-status-unknown"],
)
def test_36_37_a_vmid_that_another_holds_is_a_refusal(row: dict[str, t.Any], says: str) -> None:
    refusals = read_config(PLACE, answers(guests=[row])).refusals
    assert [refusal.id for refusal in refusals] == ["not-here"]
    assert says in refusals[0].msg
    assert "a move is a migration, not an update" in refusals[0].msg


@pytest.mark.parametrize("node", ["pve9", "pve2"], ids=["mistyped", "offline"])
def test_47_an_unknown_or_offline_node_is_a_refusal_not_a_create(node: str) -> None:
    place = Place(type="lxc", noun="Container", node=node, vmid=900)
    reader = Answers({**answers().table, f"nodes/{node}/lxc/900/config": error(500, "hostname lookup failed")})
    assert [refusal.id for refusal in read_config(place, reader).refusals] == ["no-node"]


def test_49_an_id_that_is_taken_though_nobody_is_listed_fails() -> None:
    with pytest.raises(ApiError, match="PVE says that the id is taken") as caught:
        read_config(PLACE, answers(free=TAKEN))
    assert caught.value.status == 500


@pytest.mark.parametrize("free", [error(400, "bad"), error(500, "x"), error(401)])
def test_49_an_answer_of_another_kind_to_nextid_proves_nothing(free: ApiError) -> None:
    with pytest.raises(ApiError) as caught:
        read_config(PLACE, answers(free=free))
    assert caught.value.path == "cluster/nextid"


def test_a_failed_list_of_guests_is_no_absence() -> None:
    table = {**answers().table, "cluster/resources?type=vm": error(403, "no")}
    with pytest.raises(ApiError):
        read_config(PLACE, Answers(table))
    with pytest.raises(ServerError):
        read_config(PLACE, Answers({**table, "cluster/resources?type=vm": None}))


def test_pending_tells_what_is_in_effect_and_what_waits() -> None:
    config = {"memory": 1024, "ostype": "alpine", "cores": 2}
    rows = [
        {"key": "memory", "value": 512, "pending": 1024},
        {"key": "net10", "value": "name=eth9", "delete": 1},
        {"key": "ostype", "pending": "alpine"},
        {"key": "cores", "value": 2},
        {"key": "digest", "value": "0123"},
    ]
    pending = read_pending(PLACE, Answers({"nodes/pve1/lxc/900/pending": rows}), config)
    assert pending.keys == ("memory", "net10", "ostype")
    assert pending.current == {"memory": 512, "net10": "name=eth9", "cores": 2}


@pytest.mark.parametrize(
    ("status", "row", "jobs", "expected"),
    [
        ({"status": "stopped"}, {}, [], (False, False, False)),
        ({"status": "running", "ha": {"managed": 0}}, {}, [], (True, False, False)),
        ({"status": "stopped", "ha": {"managed": 1}}, {}, [], (False, True, False)),
        ({"status": "stopped"}, {"hastate": "started"}, [], (False, True, False)),
        ({"status": "stopped"}, {}, [{"guest": "900"}], (False, False, True)),
        ({"status": "stopped"}, {}, [{"guest": 901}], (False, False, False)),
    ],
)
def test_58_what_stands_against_a_delete(
    status: dict[str, t.Any], row: dict[str, t.Any], jobs: list[t.Any], expected: tuple[bool, ...]
) -> None:
    table = {
        "nodes/pve1/lxc/900/status/current": status,
        "cluster/resources?type=vm": [{"type": "lxc", "vmid": 900, "node": "pve1", **row}],
        "cluster/replication": jobs,
    }
    assert tuple(read_obstacles(PLACE, Answers(table)).values()) == expected


def test_58_a_status_that_does_not_say_whether_it_runs_is_an_error() -> None:
    with pytest.raises(ServerError):
        read_obstacles(PLACE, Answers({"nodes/pve1/lxc/900/status/current": {}}))


@pytest.mark.parametrize(
    ("granted", "sees"), [({"VM.Config.Options": 0, "VM.Audit": 1}, True), ({"VM.Audit": 1}, False), (None, False)]
)
def test_29_who_sees_env(granted: t.Any, sees: bool) -> None:
    answer = {"/vms/900": granted} if granted else {}
    assert may_read_env(PLACE, Answers({"access/permissions": answer}), role="provision") is sees
