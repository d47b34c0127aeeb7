# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgement on plain keys, interfaces and features of a container that is there."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.judge import tags_of
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    CONFIG,
    LIVE,
    MAC,
    NET,
    form,
    ids,
    judged,
    keys,
    live,
)

SAME = [
    ({"description": "managed"}, {"description": "managed\n"}),
    ({"description": "managed\n"}, {"description": "managed\n"}),
    ({"description": "a\nb"}, {"description": "a\nb\n"}),
    ({"tags": "Beta,alpha alpha"}, {}),
    ({"tags": ["beta", "alpha"]}, {}),
    ({"onboot": True}, {}),
    ({"onboot": "yes"}, {}),
    ({"debug": 0}, {}),
    ({"cpulimit": 0}, {}),
    ({"cpulimit": 1}, {"cpulimit": "1.0"}),
    ({"cpuunits": 100}, {}),
    ({"cpuunits": 50000}, {"cpuunits": 10000}),
    ({"swap": "512"}, {}),
    ({"console": True, "tty": 2, "cmode": "tty"}, {}),
    ({"startup": "3"}, {"startup": "order=3"}),
    ({"startup": {"up": 10, "order": 2}}, {"startup": "order=2,up=10"}),
    ({"features": "nesting=1,keyctl=0"}, {}),
    ({"features": {"nesting": True}}, {}),
    ({"features": "keyctl=0"}, {"features": None}),
    ({"features": {"mount": "nfs;cifs"}}, {"features": "mount=cifs;nfs"}),
    ({"nameserver": "192.0.2.1, 192.0.2.2"}, {"nameserver": "192.0.2.1 192.0.2.2"}),
    ({"net0": "name=eth0,bridge=vmbr0,ip=dhcp"}, {}),
    ({"net0": f"bridge=vmbr0,name=eth0,ip=dhcp,hwaddr={MAC.lower()},firewall=0,type=veth"}, {}),
    ({"net0": {"name": "eth0", "bridge": "vmbr0", "ip6": "2001:DB8::1/64", "trunks": "20;10"}},
     {"net0": f"name=eth0,bridge=vmbr0,hwaddr={MAC},ip6=2001:db8:0::1/64,trunks=10;20,type=veth"}),
    ({"dev0": "/dev/fuse,deny-write=0"}, {"dev0": "path=/dev/fuse"}),
    ({"entrypoint": "/sbin/init"}, {}),
    ({"digest": "of another day", "hostname": "ct-example"}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("config", "found"), SAME)
def test_5_c2_spellings_of_the_same_value_are_no_drift(config: dict[str, t.Any], found: dict[str, t.Any]) -> None:
    judgement = judged(config, live(**found))
    assert (judgement.action, judgement.drift, judgement.steps, judgement.refusals) == ("none", (), (), ())


DIFFERENT = [
    ({"description": "b,a"}, {"description": "a,b\n"}, {"description": "b,a"}),
    ({"cores": 4}, {"cores": None}, {"cores": "4"}),
    ({"swap": 512}, {"swap": None}, {"swap": "512"}),
    ({"nameserver": "192.0.2.2 192.0.2.1"}, {"nameserver": "192.0.2.1 192.0.2.2"},
     {"nameserver": "192.0.2.2 192.0.2.1"}),
    ({"cpulimit": "1.50"}, {"cpulimit": "1"}, {"cpulimit": "1.5"}),
    ({"onboot": False}, {}, {"onboot": "0"}),
    ({"net1": "name=eth1,bridge=vmbr1"}, {}, {"net1": "name=eth1,bridge=vmbr1"}),
    ({"entrypoint": "/bin/app"}, {}, {"entrypoint": "/bin/app"}),
]  # fmt: skip


@pytest.mark.parametrize(("config", "found", "sent"), DIFFERENT)
def test_6_7_what_differs_is_sent_and_nothing_else(
    config: dict[str, t.Any], found: dict[str, t.Any], sent: dict[str, str]
) -> None:
    judgement = judged(config, live(**found))
    assert keys(judgement) == list(config)
    assert form(judgement) == sent


def test_c1_33_one_put_with_the_digest_and_no_net() -> None:
    judgement = judged({"net0": "name=eth0,bridge=vmbr0,ip=dhcp", "memory": 2048}, live())
    (step,) = judgement.steps
    assert keys(judgement) == ["memory"]
    assert (step.method, step.path, step.task) == ("PUT", CONFIG, False)
    assert step.form == {"memory": "2048"}
    assert step.digest == LIVE["digest"]


def test_30_a_pasted_live_config_is_equal_without_a_word() -> None:
    judgement = judged(LIVE, live(), existing="match")
    assert (judgement.action, judgement.notes, judgement.steps, judgement.refusals) == ("none", (), (), ())


def test_32_a_declaration_of_nothing_touches_nothing() -> None:
    judgement = judged({}, live(), identity=None)
    assert (judgement.action, judgement.steps, judgement.refusals) == ("none", (), ())


@pytest.mark.parametrize("key", ["hostname", "cores", "cpulimit", "description", "tags", "swap", "onboot", "features"])
def test_8_a_key_is_cleared_by_delete(key: str) -> None:
    judgement = judged({}, live(cpulimit="2"), delete=[key])
    assert form(judgement) == {"delete": key}


def test_8_clearing_what_is_not_set_is_nothing() -> None:
    assert judged({}, live(), delete=["timezone", "net5", "mp3"]).steps == ()


def test_set_and_clear_go_into_one_put_and_never_share_a_key() -> None:
    judgement = judged({"memory": 2048}, live(cpulimit="2"), delete=["cpulimit", "cores"])
    assert form(judgement) == {"memory": "2048", "delete": "cores,cpulimit"}


# ---- interfaces


def test_33_a_changed_interface_carries_the_live_mac() -> None:
    judgement = judged({"net0": "name=eth0,bridge=vmbr1,ip=dhcp"}, live())
    assert form(judgement) == {"net0": f"name=eth0,bridge=vmbr1,hwaddr={MAC},ip=dhcp"}
    assert judgement.notes == ()


def test_12_another_mac_is_drift_and_the_link_will_drop() -> None:
    judgement = judged({"net0": NET.replace(MAC, "00:00:5e:00:53:99")}, live())
    assert form(judgement) == {"net0": "name=eth0,bridge=vmbr0,hwaddr=00:00:5E:00:53:99,ip=dhcp"}
    assert any("link drops" in note for note in judgement.notes)


def test_a_new_name_makes_the_interface_anew() -> None:
    judgement = judged({"net0": "name=eth7,bridge=vmbr0,ip=dhcp"}, live())
    assert any("link drops" in note for note in judgement.notes)


def test_a_live_subkey_that_is_not_declared_is_drift() -> None:
    judgement = judged({"net0": "name=eth0,bridge=vmbr0"}, live())
    assert form(judgement) == {"net0": f"name=eth0,bridge=vmbr0,hwaddr={MAC}"}


def test_11_an_interface_is_removed_by_delete() -> None:
    assert form(judged({}, live(), delete=["net0"])) == {"delete": "net0"}


def test_an_interface_whose_live_value_is_not_understood_is_left_alone() -> None:
    judgement = judged({"net0": "name=eth0,bridge=vmbr0"}, live(net0="garbage"))
    assert ids(judgement) == ["unreadable"]


OCI = {"entrypoint": "/bin/app --serve", "net0": f"{NET},host-managed=1"}


def test_24_host_managed_that_an_oci_create_filled_in_is_not_drift() -> None:
    assert judged({"net0": "name=eth0,bridge=vmbr0,ip=dhcp"}, live(**OCI)).drift == ()


def test_24_it_is_carried_in_a_write() -> None:
    judgement = judged({"net0": "name=eth0,bridge=vmbr1,ip=dhcp"}, live(**OCI))
    assert "host-managed=1" in form(judgement)["net0"]


def test_24_host_managed_that_is_declared_counts() -> None:
    judgement = judged({"net0": "name=eth0,bridge=vmbr0,ip=dhcp,host-managed=0"}, live(**OCI))
    assert "host-managed" not in form(judgement)["net0"]


def test_24_without_an_entrypoint_of_its_own_host_managed_is_drift() -> None:
    assert keys(judged({"net0": "name=eth0,bridge=vmbr0,ip=dhcp"}, live(net0=f"{NET},host-managed=1"))) == ["net0"]


# ---- features, by what PVE lets a token do

FEATURES = [
    ("nesting=1", None, {"features": "nesting=1"}),
    ("nesting=0", "nesting=1", {"delete": "features"}),
    ("nesting=1", "nesting=0", {"features": "nesting=1"}),
    ("nesting=1,keyctl=1", "keyctl=1", {"features": "keyctl=1,nesting=1"}),
    ("nesting=1", "keyctl=0", {"features": "keyctl=0,nesting=1"}),
    ("nesting=1,mount=cifs;nfs", "mount=nfs;cifs", {"features": "mount=nfs;cifs,nesting=1"}),
    ("keyctl=1", None, "root-only"),
    ("nesting=1", "keyctl=1,nesting=1", "root-only"),
    ("nesting=1,fuse=1", "nesting=1", "root-only"),
    ("nesting=0", "nesting=1,keyctl=0", "root-only"),
    ("mount=nfs", "mount=nfs;cifs", "root-only"),
]


@pytest.mark.parametrize(("declared", "found", "outcome"), FEATURES)
def test_10_c5_features_mirror_the_permission(declared: str, found: str | None, outcome: t.Any) -> None:
    judgement = judged({"features": declared}, live(features=found))
    if outcome == "root-only":
        assert ids(judgement) == ["root-only"]
        assert "pct set 900 --" in judgement.refusals[0].msg
        assert judgement.steps == ()
    else:
        assert form(judgement) == outcome


def test_c5_features_that_are_not_declared_are_never_sent() -> None:
    assert form(judged({"memory": 2048}, live(features="keyctl=1,nesting=1"))) == {"memory": "2048"}


@pytest.mark.parametrize("delete", [[], ["features"]])
def test_10_a_privileged_container_takes_no_feature_of_a_token(delete: list[str]) -> None:
    config = {} if delete else {"features": "nesting=1"}
    judgement = judged(config, live(unprivileged=0, features="fuse=1"), delete=delete)
    assert ids(judgement) == ["privileged-features"]


def test_10_features_are_judged_by_what_is_in_effect_not_by_what_is_pending() -> None:
    found = live(features=None, facts={"current": {**LIVE, "features": "keyctl=1"}})
    assert ids(judged({"features": "nesting=1"}, found)) == ["root-only"]


def test_10_the_delete_line_for_root() -> None:
    judgement = judged({}, live(features="keyctl=1"), delete=["features"])
    assert judgement.refusals[0].msg.endswith("Run on pve1: pct set 900 --delete features")


# ---- keys that only root may touch, fixed keys, locks

ROOT_ONLY = [
    ({"dev0": "/dev/fuse"}, {}, [], "pct set 900 --dev0 /dev/fuse"),
    ({"dev0": "/dev/fuse,mode=0666"}, {"dev0": "/dev/fuse"}, [], "pct set 900 --dev0 /dev/fuse,mode=0666"),
    ({}, {"dev0": "/dev/fuse"}, ["dev0"], "pct set 900 --delete dev0"),
    ({"hookscript": "local:snippets/hook.sh"}, {}, [], "pct set 900 --hookscript local:snippets/hook.sh"),
    ({}, {"hookscript": "local:snippets/hook.sh"}, ["hookscript"], "pct set 900 --delete hookscript"),
]


@pytest.mark.parametrize(("config", "found", "delete", "line"), ROOT_ONLY)
def test_9_13_root_only_keys_are_refused_with_the_line_for_root(
    config: dict[str, t.Any], found: dict[str, t.Any], delete: list[str], line: str
) -> None:
    judgement = judged(config, live(**found), delete=delete)
    assert ids(judgement) == ["root-only"]
    assert judgement.refusals[0].msg.endswith(f"and an API token never is. Run on pve1: {line}")


def test_the_line_for_root_is_quoted_for_the_shell() -> None:
    judgement = judged({"hookscript": "local:snippets/it's a hook.sh"}, live())
    assert """--hookscript 'local:snippets/it'"'"'s a hook.sh'""" in judgement.refusals[0].msg


def test_35_unprivileged_is_fixed_at_creation() -> None:
    judgement = judged({"unprivileged": 0}, live())
    assert ids(judgement) == ["read-only"]
    assert "(live 1, declared 0)" in judgement.refusals[0].msg


def test_28_a_lock_refuses_a_write_and_is_named() -> None:
    judgement = judged({"memory": 2048}, live(lock="backup"))
    assert ids(judgement) == ["locked"]
    assert "is locked (backup)" in judgement.refusals[0].msg


def test_28_a_lock_does_not_matter_where_nothing_is_written() -> None:
    assert judged({"memory": 1024}, live(lock="backup")).refusals == ()


def test_28_the_lock_of_an_unfinished_create_is_told() -> None:
    assert "a create that did not finish" in judged({"memory": 2048}, live(lock="create")).refusals[0].msg


def test_35_all_refusals_come_together() -> None:
    config = {"unprivileged": 0, "dev0": "/dev/fuse", "features": "fuse=1", "rootfs": "local-zfs:4", "memory": 2048}
    judgement = judged(config, live(lock="snapshot"))
    assert sorted(ids(judgement)) == ["locked", "read-only", "root-only", "root-only", "shrink"]
    assert judgement.steps == ()


# ---- what is noted


def test_22_a_clamped_cpuunits_is_noted() -> None:
    assert judged({"cpuunits": 50000}, live(cpuunits=10000)).notes == (
        "cpuunits: PVE stores at most 10000 on nodes with cgroup v2.",
    )


def test_pending_names_only_declared_keys() -> None:
    found = live(facts={"pending": ("memory", "net10", "ostype")})
    assert judged({"memory": 1024}, found, delete=["net10"]).pending == ("memory", "net10")


def test_29_env_that_this_credential_does_not_see_is_no_drift() -> None:
    judgement = judged({}, live(facts={"env_unreadable": True}), env=["A=b"])
    assert (judgement.drift, judgement.steps) == ((), ())
    assert any("not comparable with this credential" in note for note in judgement.notes)


@pytest.mark.parametrize("env", [["A=b", "C=d=e"], {"A": "b", "C": "d=e"}])
def test_29_env_is_compared_in_order_and_hidden(env: t.Any) -> None:
    assert judged({}, live(env="A=b\0C=d=e"), env=env).drift == ()
    judgement = judged({}, live(env="C=d=e\0A=b"), env=env)
    assert judgement.drift[0].hidden
    assert form(judgement) == {"env": "A=b\0C=d=e"}


# ---- tags by the cluster's style


@pytest.mark.parametrize(
    ("style", "declared", "found", "same"),
    [
        (None, "Beta;alpha", "alpha;beta", True),
        ({"case-sensitive": 1}, "Beta;alpha", "Beta;alpha", True),
        ({"case-sensitive": 1}, "beta;alpha", "Beta;alpha", False),
        ({"ordering": "config"}, "beta;alpha", "alpha;beta", False),
        ({"ordering": "config"}, "beta;alpha", "beta;alpha", True),
        ({"shape": "dense"}, "Beta;alpha", "alpha;beta", True),
        ("case-sensitive=1,ordering=config", "Beta", "beta", False),
    ],
)
def test_26_tags_follow_the_tag_style(style: t.Any, declared: str, found: str, same: bool) -> None:
    judgement = judged({"tags": declared}, live(tags=found, facts={"tag_style": style}))
    assert (judgement.drift == ()) is same


def test_26_a_tag_style_may_be_a_text() -> None:
    assert tags_of("shape=full,ordering=config").ordered
    assert not tags_of("shape=full").case_sensitive
