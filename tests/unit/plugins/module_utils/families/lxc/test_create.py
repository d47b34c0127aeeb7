# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating a container: one POST, or every reason why not."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Refusal
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.table import LXC
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    TEMPLATE,
    absent,
    declare,
    form,
    ids,
    judged,
)

CONFIG = {"hostname": "ct-example", "memory": 2048, "rootfs": "local-zfs:8"}


def created(config: t.Mapping[str, t.Any], **options: t.Any) -> t.Any:
    return judged(config, absent(), **{"create": {"ostemplate": TEMPLATE}, "identity": None, **options})


def test_50_create_is_one_post_that_starts_a_task() -> None:
    config = {
        **CONFIG,
        "cores": "4",
        "features": {"nesting": 1, "keyctl": 0},
        "net0": {"name": "eth0", "bridge": "vmbr0", "ip": "dhcp"},
        "mp0": "local-lvm:4,mp=/data",
        "onboot": True,
        "tags": ["Beta", "alpha"],
    }
    judgement = created(config)
    (step,) = judgement.steps
    assert (judgement.action, judgement.partial) == ("create", False)
    assert (step.method, step.path, step.task, step.digest) == ("POST", "nodes/pve1/lxc", True, None)
    assert step.form == {
        "vmid": "900",
        "ostemplate": TEMPLATE,
        "hostname": "ct-example",
        "memory": "2048",
        "cores": "4",
        "features": "nesting=1",
        "net0": "name=eth0,bridge=vmbr0,ip=dhcp",
        "rootfs": "local-zfs:8",
        "mp0": "local-lvm:4,mp=/data",
        "onboot": "1",
        "tags": "alpha;beta",
    }


def test_14_features_that_are_all_off_are_left_out() -> None:
    assert "features" not in form(created({**CONFIG, "features": "nesting=0"}))


def test_a_description_that_pve_would_lose_is_left_out() -> None:
    assert "description" not in form(created({**CONFIG, "description": "0"}))


def test_50_options_of_the_create_alone() -> None:
    options = {
        "create": {"ostemplate": TEMPLATE, "start": True, "pool": "house", "bwlimit": 0, "ignore_unpack_errors": True},
        "password": "correct horse",
        "ssh_public_keys": ["ssh-ed25519 AAAA a@b.example", "ssh-ed25519 BBBB c@d.example\n"],
        "env": {"A": "b", "C": "d"},
    }
    sent = form(created(CONFIG, **options))
    assert sent["start"] == "1"
    assert sent["pool"] == "house"
    assert sent["bwlimit"] == "0"
    assert sent["ignore-unpack-errors"] == "1"
    assert sent["password"] == "correct horse"
    assert sent["ssh-public-keys"] == "ssh-ed25519 AAAA a@b.example\nssh-ed25519 BBBB c@d.example"
    assert sent["env"] == "A=b\0C=d"


def test_50_what_is_not_asked_for_is_not_sent() -> None:
    sent = form(created(CONFIG, create={"ostemplate": TEMPLATE, "start": False, "ignore_unpack_errors": False}))
    assert set(sent) == {"vmid", "ostemplate", "hostname", "memory", "rootfs"}


@pytest.mark.parametrize("existing", ["update", "match", "refuse"])
def test_an_absent_container_is_created_whatever_existing_says(existing: str) -> None:
    assert created(CONFIG, existing=existing).action == "create"


REFUSED = [
    (CONFIG, {"create": None}, ["no-template"]),
    (CONFIG, {"create": {"start": True}}, ["no-template"]),
    ({"memory": 512}, {}, ["no-rootfs"]),
    ({"mp0": "local-lvm:8,mp=/data"}, {}, ["no-rootfs"]),
    ({"rootfs": "local-zfs:subvol-900-disk-0,size=8G"}, {}, ["existing-volume"]),
    ({**CONFIG, "mp0": "local-lvm:vm-900-disk-1,mp=/data"}, {}, ["existing-volume"]),
    ({**CONFIG, "mp0": "/srv,mp=/data"}, {}, ["root-only"]),
    ({**CONFIG, "rootfs": "/dev/sdz"}, {}, ["root-only"]),
    ({**CONFIG, "dev0": "/dev/fuse"}, {}, ["root-only"]),
    ({**CONFIG, "hookscript": "local:snippets/hook.sh"}, {}, ["root-only"]),
    ({**CONFIG, "features": "keyctl=1"}, {}, ["root-only"]),
    ({**CONFIG, "features": "nesting=1", "unprivileged": 0}, {}, ["privileged-features"]),
    ({"features": "fuse=1", "dev0": "/dev/fuse"}, {"create": None},
     ["no-template", "no-rootfs", "root-only", "root-only"]),
]  # fmt: skip


@pytest.mark.parametrize(("config", "options", "refusals"), REFUSED)
def test_9_15_21_51_everything_that_stands_against_a_create_comes_together(
    config: dict[str, t.Any], options: dict[str, t.Any], refusals: list[str]
) -> None:
    judgement = created(config, **options)
    assert ids(judgement) == refusals
    assert judgement.steps == ()


def test_a_privileged_create_says_what_it_needs() -> None:
    judgement = created({**CONFIG, "unprivileged": False})
    assert form(judgement)["unprivileged"] == "0"
    assert any("Sys.Modify" in note for note in judgement.notes)


def test_24_an_image_may_need_one_more_put() -> None:
    judgement = created(CONFIG, create={"ostemplate": "local:vztmpl/app.tar"})
    assert judgement.partial


def test_36_47_a_refusal_of_the_read_is_the_judgement() -> None:
    refusal = Refusal(id="no-node", key="node", msg="Node pve1 is not a member of this cluster.")
    for state in ("present", "absent"):
        judgement = judge(LXC, declare(CONFIG, state=state), absent(refusals=(refusal,)))
        assert judgement.refusals == (refusal,)
        assert judgement.steps == ()
