# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An export: of every family, whatever it holds, the declaration of an object is clean against that object."""

from __future__ import annotations

import dataclasses
import json
import typing as t

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import export
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.export import Exported
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Family, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.index import Wishes
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.engine.lives import IDENTS, lives
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MAC = "00:00:5E:00:53:01"
NET = f"name=eth0,bridge=vmbr0,hwaddr={MAC},ip=dhcp,type=veth"
CONTAINER = {
    "hostname": "CT900",
    "ostype": "debian",
    "unprivileged": 1,
    "memory": 512,
    "swap": 512,
    "rootfs": "local-zfs:subvol-900-disk-0,size=8G",
    "net0": NET,
    "digest": "1" * 40,
}


def declared(family: str, values: t.Mapping[str, t.Any], **wishes: t.Any) -> Exported:
    live = Live(present=True, values=values)
    return export.declared(FAMILIES[family], IDENTS[family], live, Wishes(**wishes))


def options(family: str, values: t.Mapping[str, t.Any], **wishes: t.Any) -> dict[str, t.Any]:
    exported = declared(family, values, **wishes)
    assert exported.options is not None, exported
    return exported.options


def container(values: t.Mapping[str, t.Any], **wishes: t.Any) -> dict[str, t.Any]:
    config = options("lxc", {**CONTAINER, **values}, **wishes)["config"]
    assert isinstance(config, dict)
    return config


# ---- the property


def assert_clean(family: Family, told: t.Mapping[str, t.Any], live: Live) -> None:
    """As ``estate`` takes it: through the option's types, the checks, and the judgement."""
    assert json.loads(json.dumps(told)) == told
    checked = ArgumentSpecValidator(argument_spec(family)).validate(dict(told))
    assert not checked.error_messages
    judged = judge(family, declaration_of(family, checked.validated_parameters), live)
    assert (judged.drift, judged.refusals, judged.steps) == ((), (), ())


@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("generated", [False, True])
def test_what_is_told_of_an_object_is_clean_against_it_and_nothing_is_left_out(name: str, generated: bool) -> None:
    family = FAMILIES[name]

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lives(family))
    def holds(live: Live) -> None:
        wishes = Wishes(generated=generated, descriptions=True)
        exported = export.declared(family, IDENTS[name], live, wishes)
        assert exported.left_out == ()
        if exported.options is None:
            assert export.stands(family, IDENTS[name])
            return
        assert_clean(family, exported.options, live)
        again = export.declared(family, IDENTS[name], live, wishes)
        assert json.dumps(again.options) == json.dumps(exported.options)

    holds()


def test_every_family_can_be_listed() -> None:
    assert [name for name, family in FAMILIES.items() if not family.index] == []
    assert sorted(IDENTS) == sorted(FAMILIES)


# ---- what is told


def test_defaults_digests_and_what_pve_reports_are_not_told() -> None:
    told = options("group", {"comment": "", "members": ["kim@pve"], "digest": "1"})
    assert told == {"groupid": "ops"}
    assert options("user", {"enable": 1, "expire": 0, "groups": ["b", "a"], "tokens": {}}) == {
        "userid": "kim@pve",
        "groups": ["a", "b"],
    }


def test_options_are_told_by_their_names_and_values_as_a_person_writes_them() -> None:
    told = options("backup_job", {"schedule": "02:30", "all": 1, "prune-backups": "keep-last=3", "enabled": 0})
    assert told == {
        "id": "nightly",
        "schedule": "02:30",
        "enabled": False,
        "all": True,
        "prune_backups": {"keep-last": 3},
    }
    assert options("ha_resource", {"state": "stopped", "type": "ct"}) == {"sid": "ct:900", "hastate": "stopped"}


def test_secrets_hidden_keys_and_descriptions_are_not_told() -> None:
    place = {"type": "house", "server": "a.example", "password": "p", "otp-key": "o"}
    exported = export.declared(PLACE, {"id": "a"}, Live(present=True, values=place), Wishes(descriptions=True))
    assert exported.options == {"id": "a", "type": "house", "server": "a.example"}
    config = {"description": "a note\n", "entrypoint": "/bin/x --token=s", "env": "TOKEN=s"}
    assert not {"description", "entrypoint", "env"} & set(container(config))
    assert container(config, descriptions=True)["description"] == "a note"
    assert not {"entrypoint", "env"} & set(container(config, descriptions=True))


def test_a_container_is_told_so_that_it_can_be_made_again() -> None:
    assert container({}) == {
        "hostname": "CT900",
        "ostype": "debian",
        "unprivileged": True,
        "swap": 512,
        "rootfs": "local-zfs:8",
        "net0": {"bridge": "vmbr0", "ip": "dhcp", "name": "eth0"},
    }


def test_what_a_creation_fills_in_otherwise_is_always_told() -> None:
    """Absent is privileged and without swap; a creation makes it unprivileged with 512 MiB."""
    told = container({"unprivileged": None, "swap": None})
    assert (told["unprivileged"], told["swap"]) == (False, 0)


@pytest.mark.parametrize(
    ("mount", "told"),
    [
        ("local-zfs:subvol-900-disk-1,mp=/data,backup=1,size=1536M", {"volume": "local-zfs:1.5", "backup": True}),
        ("local-zfs:subvol-900-disk-1,mp=/data,size=100M", {"volume": "local-zfs:0.09765625"}),
        ("local-lvm:vm-900-disk-1,mp=/data,size=2T,mountoptions=noatime", {"mountoptions": ["noatime"]}),
        ("/srv/data,mp=/data,ro=1", {"volume": "/srv/data", "ro": True}),
        (
            "local-dir:900/subvol-900-disk-1.subvol,mp=/data,size=0T",
            {"volume": "local-dir:900/subvol-900-disk-1.subvol"},
        ),
        ("local-zfs:subvol-900-disk-1,mp=/data", {"volume": "local-zfs:subvol-900-disk-1"}),
    ],
)
def test_a_mount_is_told_by_storage_and_size_where_it_has_one(mount: str, told: dict[str, t.Any]) -> None:
    found = container({"mp0": mount})["mp0"]
    assert found == {**found, **told, "mp": "/data"}
    assert "size" not in found


def test_generated_values_are_told_on_request() -> None:
    told = container({}, generated=True)
    assert told["rootfs"] == {"volume": "local-zfs:subvol-900-disk-0", "size": "8G"}
    assert told["net0"]["hwaddr"] == MAC


def test_what_every_cluster_has_is_told_only_where_something_is_set() -> None:
    pam = {"realm": "pam"}
    for comment, told in (("Linux PAM standard authentication", None), ("ours", {"type": "pam", "comment": "ours"})):
        live = Live(present=True, values={"type": "pam", "comment": comment})
        exported = export.declared(FAMILIES["realm"], pam, live, Wishes())
        assert exported.options == (None if told is None else {**pam, **told})
        assert exported.left_out == exported.obstacles == ()


def test_rows_of_minted_tokens_are_no_part_of_an_acl() -> None:
    row = {"path": "/vms", "type": "token", "ugid": "hf-read@pve!hf-1", "roleid": "PVEAuditor", "propagate": 1}
    kept = {**row, "ugid": "kim@pve!t1"}
    assert options("acl", {"bindings": [row, kept]})["exact"] is False
    assert [binding["ugid"] for binding in options("acl", {"bindings": [row, kept]})["bindings"]] == ["kim@pve!t1"]
    assert "exact" not in options("acl", {"bindings": [kept]})
    assert declared("acl", {"bindings": [row]}) == Exported(None)


# ---- what cannot be told


def test_a_value_that_no_declaration_can_hold_is_left_out_and_named() -> None:
    exported = declared("user", {"enable": 1, "email": "not an address", "firstname": "Kim"})
    assert exported.options == {"userid": "kim@pve", "firstname": "Kim"}
    assert exported.left_out == (("email", "must be an email address"),)
    exported = declared("lxc", {**CONTAINER, "net1": "name=eth1,nonsense=1", "cores": "many"})
    assert exported.options is not None
    assert [key for key, _why in exported.left_out] == ["cores", "net1"]


def test_an_object_whose_every_declaration_would_change_it_is_not_told() -> None:
    exported = declared("replication_job", {"target": "pve2", "source": "pve1", "remove_job": "full"})
    assert exported.options is None
    assert exported.left_out


def test_what_stands_in_the_way_of_a_rebuild_is_said() -> None:
    (why,) = declared("lxc", CONTAINER).obstacles
    assert "no ostemplate is given" in why
    assert declared("lxc", CONTAINER, templates={"debian": "local:vztmpl/d.tar.zst"}).obstacles == ()
    (why,) = declared("api_token", {"expire": 0, "privsep": 1}).obstacles
    assert "secret_sink" in why
    bind = {**CONTAINER, "mp0": "/srv,mp=/srv"}
    (why,) = declared("lxc", bind, templates={"debian": "local:vztmpl/d.tar.zst"}).obstacles
    assert "root@pam" in why


# ---- wishes


def test_defaults_are_added_with_the_objects_own_name_and_give_way_to_what_was_read() -> None:
    sink = {"secret_sink": {"bao_path": "kv/{userid}/{tokenid}"}, "comment": "default"}
    told = options("api_token", {"comment": "live"}, defaults={"api_token": sink})
    assert told["secret_sink"] == {"bao_path": "kv/kim@pve/t1"}
    assert told["comment"] == "live"
    wanted = {"templates": {"debian": "local:vztmpl/d.tar.zst"}, "defaults": {"lxc": {"create": {"start": True}}}}
    assert options("lxc", CONTAINER, **wanted)["create"] == {"start": True, "ostemplate": "local:vztmpl/d.tar.zst"}
    assert options("lxc", {**CONTAINER, "ostype": "alpine"}, **wanted)["create"] == {"start": True}


@pytest.mark.parametrize(
    ("patterns", "fits"),
    [
        ([], True),
        (["900"], True),
        (["9??"], True),
        (["pve1"], True),
        (["900 on *"], True),
        (["901", "90*"], True),
        (["901"], False),
        (["!900"], False),
        (["!901"], True),
        (["9*", "!pve1"], False),
    ],
)
def test_patterns_fit_a_name_or_a_part_of_it(patterns: list[str], fits: bool) -> None:
    assert export.chosen(FAMILIES["lxc"], IDENTS["lxc"], patterns) is fits


# ---- order


def test_the_order_is_that_of_needs_and_then_of_names_with_numbers_by_value() -> None:
    room = dataclasses.replace(PLACE, name="room", needs=("place",))
    objects = [(room, {"id": "r1"}), *((PLACE, {"id": name}) for name in ("p10", "p9", "p", "p9a", "a10"))]
    found = [ident["id"] for _family, ident in export.in_order(objects, [PLACE, room])]
    assert found == ["a10", "p", "p9", "p9a", "p10", "r1"]


@given(st.lists(st.text(max_size=6)))
def test_names_of_any_sort_can_be_ordered(names: list[str]) -> None:
    ordered = sorted(names, key=export.natural)
    assert sorted(ordered) == sorted(names)
