# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container that is there already: existing, and who is recognised."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.table import LXC
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    LIVE,
    MAC,
    NET,
    declare,
    form,
    ids,
    judged,
    live,
)

EQUAL: dict[str, t.Any] = {"hostname": "ct-example", "memory": 1024}
WRITABLE = {"hostname": "ct-example", "memory": 2048}
REFUSABLE = {"hostname": "ct-example", "unprivileged": 0}
STRANGER = {"hostname": "ct-other", "memory": 2048}

TABLE = [
    (EQUAL, "match", []),
    (EQUAL, "update", []),
    (EQUAL, "refuse", ["exists"]),
    (REFUSABLE, "match", ["not-ours-differs"]),
    (REFUSABLE, "update", ["read-only"]),
    (REFUSABLE, "refuse", ["exists"]),
    (WRITABLE, "match", ["not-ours-differs"]),
    (WRITABLE, "update", []),
    (WRITABLE, "refuse", ["exists"]),
    (STRANGER, "match", ["not-ours-differs"]),
    (STRANGER, "update", ["not-recognised"]),
    (STRANGER, "refuse", ["exists"]),
]


@pytest.mark.parametrize(("config", "existing", "refusals"), TABLE)
def test_42_43_the_table_of_existing(config: dict[str, t.Any], existing: str, refusals: list[str]) -> None:
    judgement = judged(config, live(), existing=existing, identity=None)
    assert ids(judgement) == refusals
    assert bool(judgement.steps) is (config is WRITABLE and existing == "update")


def test_39_match_names_keys_and_never_values_and_comes_before_other_refusals() -> None:
    config = {
        "description": "hidden-words",
        "entrypoint": "/bin/hidden-command",
        "dev0": "/dev/hidden",
        "rootfs": "local-zfs:1",
        "hostname": "hidden-host",
    }
    judgement = judged(config, live(lock="backup"), existing="match", env=["HIDDEN=hidden"], identity=None)
    (refusal,) = judgement.refusals
    assert refusal.id == "not-ours-differs"
    assert "hostname, description, entrypoint, env, rootfs, dev0" in refusal.msg
    for value in ("hidden", "ct-example", "managed", "8G", "pct set", "backup"):
        assert value not in refusal.msg
    assert judgement.steps == ()


def test_39_not_recognised_names_keys_and_never_values() -> None:
    judgement = judged({**STRANGER, "rootfs": "local-zfs:16"}, live(), identity=None)
    (refusal,) = judgement.refusals
    assert "is not the declared guest (hostname differs)" in refusal.msg
    for value in ("ct-other", "ct-example", "16", "8G"):
        assert value not in refusal.msg


RECOGNISED = [
    ({"hostname": "ct-example"}, {}),
    ({"net0": NET.replace(MAC, MAC.lower())}, {}),
    ({"rootfs": "local-zfs:subvol-900-disk-0"}, {}),
    ({"hostname": "ct-example", "net1": "name=eth1,bridge=vmbr0,hwaddr=00:00:5E:00:53:99"}, {}),
]
STRANGERS = [
    ({"hostname": "CT-EXAMPLE"}, {}),
    ({"net0": NET.replace(MAC, "00:00:5E:00:53:99")}, {}),
    ({"hostname": "ct-example", "net0": NET.replace(MAC, "00:00:5E:00:53:99")}, {}),
    ({"hostname": "ct-example"}, {"hostname": None}),
]

# Nothing in these says which guest is meant.
UNMARKED = [
    ({"tags": "alpha;beta"}, {}),
    ({"net0": "name=eth0,bridge=vmbr0,ip=dhcp", "rootfs": "local-zfs:8"}, {}),
    ({"net1": "name=eth1,bridge=vmbr0,hwaddr=00:00:5E:00:53:99"}, {}),
]


@pytest.mark.parametrize(("config", "found"), RECOGNISED)
def test_42_recognised_by_a_hostname_a_mac_or_a_volume(config: dict[str, t.Any], found: dict[str, t.Any]) -> None:
    assert judged({**config, "memory": 2048}, live(**found), identity=None).steps


@pytest.mark.parametrize(("config", "found"), STRANGERS)
def test_42_not_recognised(config: dict[str, t.Any], found: dict[str, t.Any]) -> None:
    judgement = judged({**config, "memory": 2048}, live(**found), identity=None)
    assert ids(judgement) == ["not-recognised"]
    assert judgement.steps == ()


@pytest.mark.parametrize(("config", "found"), UNMARKED)
def test_42_without_an_identity_key_the_vmid_alone_tells_the_guest_and_a_warning_says_so(
    config: dict[str, t.Any], found: dict[str, t.Any]
) -> None:
    judgement = judged({**config, "memory": 2048}, live(**found), identity=None)
    assert form(judgement)["memory"] == "2048"
    assert "told by its vmid alone" in judgement.notes[0]
    assert judged({**config, "memory": 2048}, live(**found), identity=["vmid"]).notes == judgement.notes[1:]


def test_42_another_volume_is_refused_for_what_it_is_or_for_who_it_is() -> None:
    config = {"rootfs": "local-zfs:subvol-901-disk-0"}
    assert ids(judged(config, live(), identity=None)) == ["volume-swap"]
    assert ids(judged({**config, "memory": 2048}, live(), identity=None)) == ["not-recognised"]


IDENTITY = [
    ({"hostname": "ct-example"}, True),
    ({"hostname": "ct-wrong"}, False),
    (["vmid"], True),
    ("vmid", True),
    ({"vmid": 900}, True),
    ({"net0": MAC.lower()}, True),
    ({"net0": NET}, True),
    ({"net0": "00:00:5E:00:53:99"}, False),
    ({"rootfs": "local-zfs:subvol-900-disk-0"}, True),
    ({"tags": "beta;alpha"}, True),
    ({"hostname": "ct-example", "net0": "00:00:5E:00:53:99"}, False),
]


@pytest.mark.parametrize(("identity", "known"), IDENTITY)
def test_42_identity_overrides_for_the_run_that_renames(identity: t.Any, known: bool) -> None:
    judgement = judged({"hostname": "ct-new"}, live(), identity=identity)
    assert ids(judgement) == ([] if known else ["not-recognised"])
    if known:
        assert form(judgement) == {"hostname": "ct-new"}


def test_42_the_line_may_stay_after_the_rename() -> None:
    judgement = judged({"hostname": "ct-new", "memory": 2048}, live(hostname="ct-new"), identity={"hostname": "ct-old"})
    assert form(judgement) == {"memory": "2048"}


@pytest.mark.parametrize(
    "identity", [["memory"], {"cores": 2}, ["net0"], {"hostname": None}, 7, {"vmid": 901}, {"net0": "eth0"},
                 {"rootfs": "local-zfs:8"}]
)  # fmt: skip
def test_42_an_identity_that_proves_nothing_is_refused(identity: t.Any) -> None:
    with pytest.raises(DeclarationError, match="identity"):
        declare({"memory": 2048}, identity=identity)


@pytest.mark.parametrize("existing", ["match", "refuse"])
def test_a_container_that_this_run_created_is_not_one_that_was_found(existing: str) -> None:
    equal = dataclasses.replace(declare(EQUAL, existing=existing), created=True)
    assert judge(LXC, equal, live()).refusals == ()
    differs = dataclasses.replace(declare({"cmode": "tty"}, existing=existing), created=True)
    assert form(judge(LXC, differs, live(cmode="console"))) == {"cmode": "tty"}


def test_a_created_container_that_does_not_run_is_noted() -> None:
    mine = dataclasses.replace(declare(EQUAL), created=True)
    assert any("not running" in note for note in judge(LXC, mine, live(facts={"running": False})).notes)
    assert judge(LXC, mine, live(facts={"running": True})).notes == ()


# ---- state: absent


def gone(config: dict[str, t.Any], found: t.Any, **options: t.Any) -> t.Any:
    return judged(config, found, **{"state": "absent", "identity": None, **options})


def test_57_a_delete_is_one_task_without_parameters() -> None:
    judgement = gone(LIVE, live())
    (step,) = judgement.steps
    assert judgement.action == "delete"
    assert (step.method, step.path, dict(step.form), step.task) == ("DELETE", "nodes/pve1/lxc/900", {}, True)
    assert step.digest is None


def test_57_the_plan_says_what_goes_along() -> None:
    (note,) = gone({"hostname": "ct-example"}, live(mp0="local-lvm:vm-900-disk-1,mp=/data,size=8G")).notes
    assert "its volumes (mp0, rootfs), its snapshots, its ACL entries and its firewall rules" in note


@pytest.mark.parametrize(
    ("config", "refusal"),
    [
        ({"hostname": "ct-other"}, "absent-differs"),
        ({"hostname": "ct-example", "memory": 4096, "cores": 1}, "absent-differs"),
        ({}, "absent-thin"),
        ({"memory": 1024}, "absent-thin"),
        ({"rootfs": "local-zfs:8"}, "absent-thin"),
    ],
)
def test_58_a_guest_that_does_not_match_is_not_deleted(config: dict[str, t.Any], refusal: str) -> None:
    judgement = gone(config, live())
    assert ids(judgement) == [refusal]
    assert judgement.steps == ()
    for value in ("ct-example", "ct-other", "4096", "1024"):
        assert value not in judgement.refusals[0].msg


def test_58_vmid_alone_never_allows_a_delete() -> None:
    assert ids(gone({"memory": 1024}, live(), identity=["vmid"])) == ["absent-thin"]


@pytest.mark.parametrize(
    "config",
    [{"hostname": "ct-example"}, {"net0": NET}, {"rootfs": "local-zfs:subvol-900-disk-0"}, {"tags": "alpha;beta"}],
)
def test_58_each_identifying_key_allows_it(config: dict[str, t.Any]) -> None:
    assert gone(config, live()).steps


def test_58_identity_is_checked_for_a_delete_too() -> None:
    assert gone({}, live(), identity={"hostname": "ct-example"}).steps
    assert ids(gone({}, live(), identity={"hostname": "ct-other"})) == ["absent-differs"]


@pytest.mark.parametrize(
    ("values", "facts", "refusal"),
    [
        ({}, {"running": True}, "running"),
        ({"protection": 1}, {}, "protected"),
        ({"lock": "backup"}, {}, "locked"),
        ({}, {"ha": True}, "ha-or-repl"),
        ({}, {"replicated": True}, "ha-or-repl"),
        ({"unused0": "local-zfs:subvol-900-disk-5"}, {}, "unused"),
    ],
)
def test_58_what_pve_would_refuse_or_take_along_is_said_before(
    values: dict[str, t.Any], facts: dict[str, t.Any], refusal: str
) -> None:
    judgement = gone({"hostname": "ct-example"}, live(facts=facts, **values))
    assert ids(judgement) == [refusal]
    assert judgement.steps == ()


def test_58_every_obstacle_comes_at_once() -> None:
    found = live(facts={"running": True, "ha": True}, protection=1, lock="backup", unused1="local-zfs:x")
    judgement = gone({"hostname": "ct-other"}, found)
    assert ids(judgement) == ["absent-differs", "running", "protected", "locked", "ha-or-repl", "unused"]


def test_58_a_detached_volume_goes_along_only_when_it_is_listed() -> None:
    found = live(unused0="local-zfs:subvol-900-disk-5", unused1="local-zfs:subvol-900-disk-6")
    assert ids(gone({"hostname": "ct-example"}, found, absent_allow_unused=["unused0"])) == ["unused"]
    assert gone({"hostname": "ct-example"}, found, absent_allow_unused=["unused0", "unused1"]).steps


def test_an_absent_container_is_absent() -> None:
    judgement = gone({}, dataclasses.replace(live(), present=False, values={}))
    assert (judgement.action, judgement.refusals, judgement.steps) == ("none", (), ())
