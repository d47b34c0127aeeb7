# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rootfs and mount points: nothing is allocated, moved, swapped or shrunk by an update."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    ROOT,
    form,
    ids,
    judged,
    live,
)

MP = "local-lvm:vm-900-disk-1,mp=/data,size=8G"


@pytest.mark.parametrize(
    ("key", "declared", "found"),
    [
        ("mp0", "local-lvm:8,mp=/data", MP),
        ("mp0", {"volume": "local-lvm:8", "mp": "/data"}, MP),
        ("mp0", "local-lvm:8,mp=/data,replicate=1,ro=0,backup=0", MP),
        ("rootfs", "tank:1", "tank:subvol-900-disk-0,size=1G"),
        ("rootfs", "tank:1024", "tank:subvol-900-disk-0,size=1T"),
        ("rootfs", "tank:0.5", "tank:subvol-900-disk-0,size=512M"),
        ("rootfs", "tank:0.1", "tank:subvol-900-disk-0,size=102M"),
        ("rootfs", "tank:1", "tank:subvol-900-disk-0,size=1027M"),
        ("rootfs", "local-zfs:subvol-900-disk-0", ROOT),
        ("rootfs", "local-zfs:subvol-900-disk-0,size=8GiB", ROOT),
        ("rootfs", "local-zfs:8", "local-zfs:subvol-900-disk-0"),
        ("mp0", "/srv,mp=/mnt/host,ro=1", "/srv,mp=/mnt/host,ro=1"),
        ("mp0", "local-lvm:8,mp=/data,mountoptions=noatime;discard", f"{MP},mountoptions=discard;noatime"),
        ("mp0", "local-lvm:8,mp=/data,idmap=u:0:100:1;g:0:100:1", f"{MP},idmap=u:0:100:1;g:0:100:1"),
    ],
)
def test_c3_4_19_23_31_the_same_mount_in_other_spellings(key: str, declared: t.Any, found: str) -> None:
    judgement = judged({key: declared}, live(**{key: found}))
    assert (judgement.drift, judgement.steps, judgement.refusals) == ((), (), ())


@pytest.mark.parametrize(
    ("declared", "found", "size"),
    [
        ("local-zfs:16", ROOT, "16G"),
        ("local-zfs:200.5", ROOT, "205312M"),
        ("local-zfs:2048", ROOT, "2T"),
        ("local-zfs:subvol-900-disk-0,size=9G", ROOT, "9G"),
    ],
)
def test_4_34_a_larger_volume_is_a_resize_to_an_absolute_size_and_nothing_else(
    declared: str, found: str, size: str
) -> None:
    judgement = judged({"rootfs": declared}, live(rootfs=found))
    (step,) = judgement.steps
    assert (step.method, step.path) == ("PUT", "nodes/pve1/lxc/900/resize")
    assert step.form == {"disk": "rootfs", "size": size}
    assert step.task
    assert step.digest is None


@pytest.mark.parametrize(
    ("declared", "found", "refusal", "says"),
    [
        ("local-lvm:4,mp=/data", MP, "shrink", "declared 4G is smaller than live 8G"),
        ("local-lvm:7.9961,mp=/data", MP, "shrink", "declared 8188M is smaller than live 8G"),
        ("local-lvm:vm-900-disk-1,mp=/data,size=4G", MP, "shrink", "declared 4G is smaller than live 8G"),
        ("tank:8,mp=/data", MP, "storage-move", "volume is on local-lvm, declared on tank"),
        ("local-lvm:vm-900-disk-7,mp=/data", MP, "volume-swap", "would detach the live volume"),
        ("/srv,mp=/data", MP, "root-only", "pct set 900 --mp0 /srv,mp=/data"),
        ("/srv,mp=/data,ro=1", "/srv,mp=/data", "root-only", "bind mount"),
        ("/dev/sdz,mp=/data", MP, "root-only", "device mount"),
        ("local-lvm:8,mp=/data", "/srv,mp=/data", "root-only", "bind mount"),
        ("local-lvm:8,mp=/data", "size=8G", "unreadable", "left alone"),
    ],
)
def test_17_18_35_what_no_update_may_do_to_a_volume(declared: str, found: str, refusal: str, says: str) -> None:
    judgement = judged({"mp0": declared}, live(mp0=found))
    assert ids(judgement) == [refusal]
    assert says in judgement.refusals[0].msg
    assert judgement.steps == ()


def test_c4_a_smaller_rootfs_is_refused() -> None:
    judgement = judged({"rootfs": "local-zfs:subvol-900-disk-0,size=4G"}, live(), identity=None)
    assert ids(judgement) == ["shrink"]


def test_3_changed_options_are_written_over_the_live_volume_and_its_live_size() -> None:
    judgement = judged({"mp0": "local-lvm:8,mp=/srv/data,ro=1"}, live(mp0=MP))
    assert form(judgement) == {"mp0": "local-lvm:vm-900-disk-1,mp=/srv/data,ro=1,size=8G"}


def test_20_options_and_growth_are_a_put_of_the_live_size_and_then_a_resize() -> None:
    judgement = judged({"mp0": "local-lvm:16,mp=/data,backup=1"}, live(mp0=MP))
    put, resize = judgement.steps
    assert put.form == {"mp0": "local-lvm:vm-900-disk-1,mp=/data,backup=1,size=8G"}
    assert resize.form == {"disk": "mp0", "size": "16G"}


def test_25_rootfs_is_never_put_in_the_spelling_of_a_new_volume() -> None:
    judgement = judged({"rootfs": "local-zfs:16,acl=1"}, live())
    assert judgement.steps[0].form == {"rootfs": "local-zfs:subvol-900-disk-0,acl=1,size=8G"}


def test_acl_off_is_not_the_same_as_acl_absent() -> None:
    assert form(judged({"rootfs": "local-zfs:8,acl=0"}, live())) == {
        "rootfs": "local-zfs:subvol-900-disk-0,acl=0,size=8G"
    }


def test_a_live_volume_without_a_size_is_written_without_one_and_not_resized() -> None:
    judgement = judged({"rootfs": "local-zfs:8,ro=1"}, live(rootfs="local-zfs:subvol-900-disk-0"))
    assert form(judgement) == {"rootfs": "local-zfs:subvol-900-disk-0,ro=1"}


# ---- a mount point that is not there yet


def test_a_new_mount_point_is_allocated_by_the_put() -> None:
    assert form(judged({"mp1": "local-lvm:8,mp=/data"}, live())) == {"mp1": "local-lvm:8,mp=/data"}


@pytest.mark.parametrize(
    ("declared", "options", "outcome"),
    [
        ("local-lvm:vm-900-disk-3,mp=/data", {}, "existing-volume"),
        ("local-lvm:vm-901-disk-3,mp=/data", {"attach_existing": True}, "foreign-volume"),
        ("/srv,mp=/data", {"attach_existing": True}, "root-only"),
        ("/dev/sdz,mp=/data", {}, "root-only"),
    ],
)
def test_18_what_may_not_be_attached(declared: str, options: dict[str, t.Any], outcome: str) -> None:
    assert ids(judged({"mp1": declared}, live(), **options)) == [outcome]


def test_an_own_volume_is_attached_when_asked_for() -> None:
    judgement = judged({"mp1": "local-lvm:vm-900-disk-3,mp=/data"}, live(), attach_existing=True)
    assert form(judgement) == {"mp1": "local-lvm:vm-900-disk-3,mp=/data"}


def test_a_detachment_that_waits_for_a_restart_is_not_written_over() -> None:
    found = live(facts={"current": {"mp1": "local-lvm:vm-900-disk-3,mp=/data,size=8G"}})
    assert ids(judged({"mp1": "local-lvm:8,mp=/data"}, found)) == ["detach-pending"]


# ---- detach


def test_35_detaching_a_volume_has_to_be_asked_for() -> None:
    judgement = judged({}, live(mp0=MP), delete=["mp0"])
    assert ids(judgement) == ["detach"]
    assert form(judged({}, live(mp0=MP), detach=["mp0"])) == {"delete": "mp0"}


def test_18_a_token_may_drop_a_bind_mount() -> None:
    assert form(judged({}, live(mp0="/srv,mp=/mnt/host"), delete=["mp0"])) == {"delete": "mp0"}


# ---- protection


def test_27_protection_off_goes_alone_and_first() -> None:
    config = {"protection": 0, "mp0": "local-lvm:8,mp=/data,ro=1", "memory": 2048}
    judgement = judged(config, live(protection=1, mp0=MP))
    assert form(judgement) == {"protection": "0"}
    assert judgement.partial


def test_27_clearing_protection_counts_too() -> None:
    judgement = judged({}, live(protection=1, mp0=MP), delete=["protection"], detach=["mp0"])
    assert form(judgement) == {"delete": "protection"}
    assert judgement.partial


@pytest.mark.parametrize("declared", [{}, {"protection": 1}])
@pytest.mark.parametrize("mount", ["local-lvm:8,mp=/data,ro=1", None])
def test_27_protection_that_stays_on_forbids_volume_changes(declared: dict[str, t.Any], mount: str | None) -> None:
    config = {**declared, **({"mp0": mount} if mount else {})}
    judgement = judged(config, live(protection=1, mp0=MP), detach=[] if mount else ["mp0"])
    assert ids(judgement) == ["protected"]
    assert judgement.refusals[0].key == "mp0"


def test_27_protection_does_not_forbid_a_resize() -> None:
    judgement = judged({"rootfs": "local-zfs:16"}, live(protection=1))
    assert [step.path for step in judgement.steps] == ["nodes/pve1/lxc/900/resize"]


def test_27_turning_protection_on_goes_with_the_volume_in_one_put() -> None:
    judgement = judged({"protection": 1, "mp0": "local-lvm:8,mp=/data,ro=1"}, live(mp0=MP))
    assert set(form(judgement)) == {"protection", "mp0"}
