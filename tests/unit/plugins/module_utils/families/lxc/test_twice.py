# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any declaration, applied to any container as PVE would store it, leaves nothing to do."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Judgement, Live
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    LIVE,
    absent,
    judged,
    live,
)
from hypothesis import given, settings
from hypothesis import strategies as st

BRIDGES = ("vmbr0", "vmbr1")


def nets() -> st.SearchStrategy[dict[str, t.Any]]:
    return st.fixed_dictionaries(
        {"name": st.sampled_from(("eth0", "eth1"))},
        optional={
            "bridge": st.sampled_from(BRIDGES),
            "ip": st.sampled_from(("dhcp", "192.0.2.7/24")),
            "firewall": st.booleans(),
            "tag": st.integers(1, 4094),
            "trunks": st.sampled_from(("3;1", [1, 2])),
            "hwaddr": st.sampled_from(("00:00:5e:00:53:aa", "00:00:5E:00:53:BB")),
            "type": st.just("veth"),
        },
    )


def mounts(*, root: bool) -> st.SearchStrategy[dict[str, t.Any]]:
    return st.fixed_dictionaries(
        {"volume": st.sampled_from([f"local-zfs:{size}" for size in ("8", "8.5", "9", "200.1")])}
        | ({} if root else {"mp": st.sampled_from(("/data", "/srv"))}),
        optional={
            "ro": st.booleans(),
            "acl": st.booleans(),
            "replicate": st.booleans(),
            "mountoptions": st.sampled_from(("noatime;discard", ["discard", "noatime"], "nosuid")),
        },
    )


CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "hostname": st.sampled_from(("ct-example", "ct-new")),
        "memory": st.integers(16, 4096),
        "swap": st.integers(0, 1024),
        "cores": st.integers(1, 64),
        "cpulimit": st.sampled_from((0, 1, "1.50", 2.5)),
        "cpuunits": st.integers(0, 500000),
        "onboot": st.booleans(),
        "protection": st.booleans(),
        "tags": st.lists(st.sampled_from(("Alpha", "beta", "gamma")), min_size=1),
        "startup": st.sampled_from((3, "order=1,up=5", {"down": 9})),
        "nameserver": st.sampled_from(("192.0.2.1,192.0.2.2", ["2001:DB8::1"])),
        "features": st.sampled_from(("nesting=1", {"nesting": 0}, "nesting=on")),
        "description": st.text(alphabet="ab\n", min_size=1, max_size=5).filter(str.strip),
        "net0": nets(),
        "net1": nets(),
        "rootfs": mounts(root=True),
        "mp0": mounts(root=False),
    },
)


def allocated(key: str, value: str) -> str:
    """``storage:GiB`` as PVE stores it once it is allocated."""
    volume, _comma, options = value.partition(",")
    storage, _colon, name = volume.partition(":")
    if not re.fullmatch(r"[0-9.]+", name):
        return value
    mib = int(float(name) * 1024)
    return ",".join(filter(None, [f"{storage}:subvol-900-disk-{key}", options, f"size={mib}M"]))


def stored(key: str, value: str) -> str:
    """A value as PVE keeps it: a MAC made up, a description with its newline, a volume allocated."""
    if key.startswith("net") and "hwaddr=" not in value:
        return f"{value},hwaddr=00:00:5E:00:53:CC,type=veth"
    if key == "cpuunits":
        return str(min(int(value), 10000))
    if key == "description":
        return value + "\n"
    return allocated(key, value) if key == "rootfs" or key.startswith("mp") else value


def applied(found: Live, judgement: Judgement) -> Live:
    config = dict(found.values)
    for step in judgement.steps:
        form = dict(step.form)
        if step.path.endswith("/resize"):
            value = re.sub(r",size=[^,]+", "", str(config[str(form["disk"])]))
            config[str(form["disk"])] = f"{value},size={form['size']}"
            continue
        for key in str(form.pop("delete", "")).split(","):
            config.pop(key, None)
        form.pop("ostemplate", None)
        config.update({key: stored(key, str(value)) for key, value in form.items() if key != "vmid"})
    return Live(present=True, values=config)


@settings(max_examples=300, deadline=None)
@given(config=CONFIGS)
def test_applied_twice_the_second_time_does_nothing(config: dict[str, t.Any]) -> None:
    found = live(features=None)
    for _round in range(3):
        judgement = judged(config, found)
        assert not judgement.refusals
        if not judgement.partial:
            break
        found = applied(found, judgement)
    found = applied(found, judgement)
    again = judged(config, found)
    assert (again.drift, again.steps, again.refusals) == ((), (), ())


@settings(max_examples=200, deadline=None)
@given(config=CONFIGS, root=mounts(root=True))
def test_created_from_nothing_it_equals_its_declaration(config: dict[str, t.Any], root: dict[str, t.Any]) -> None:
    config = {**config, "rootfs": root}
    made = judged(config, absent(), create={"ostemplate": "local:vztmpl/x.tar.zst"})
    assert not made.refusals
    found = applied(Live(present=False, values={"unprivileged": 1}), made)
    again = judged(config, found, existing="match")
    assert (again.drift, again.refusals) == ((), ())


@settings(max_examples=200, deadline=None)
@given(config=CONFIGS)
def test_under_match_nothing_is_ever_written(config: dict[str, t.Any]) -> None:
    judgement = judged(config, live(), existing="match")
    assert judgement.steps == ()
    assert bool(judgement.drift) is bool(judgement.refusals)


def test_the_sample_is_what_pve_would_keep() -> None:
    assert stored("rootfs", "local-zfs:8,ro=1") == "local-zfs:subvol-900-disk-rootfs,ro=1,size=8192M"
    assert stored("net0", "name=eth0").startswith("name=eth0,hwaddr=")
    assert LIVE["rootfs"] == allocated("rootfs", str(LIVE["rootfs"]))
