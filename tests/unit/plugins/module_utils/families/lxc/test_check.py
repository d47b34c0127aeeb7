# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input is refused by name before anything is asked of a server."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.kinds import LXC_KINDS
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.table import LXC
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import declare

BAD = [
    ({"memroy": 512}, {}, "memroy is not a key that this module manages. Did you mean memory?"),
    ({"net32": "name=eth0"}, {}, "net32 is not a key"),
    ({"mp256": "a:8,mp=/x"}, {}, "mp256 is not a key"),
    ({"password": "secret-word"}, {}, "config.password: is a secret; give it by the option password"),
    ({"ssh-public-keys": "x"}, {}, "the option ssh_public_keys"),
    ({"ssh_public_keys": "x"}, {}, "the option ssh_public_keys"),
    ({"env": ["A=secret-word"]}, {}, "config.env: is a secret; give it by the option env"),
    ({"ostemplate": "local:vztmpl/x"}, {}, "give it under create"),
    ({"ignore-unpack-errors": 1}, {}, "give it under create"),
    ({"start": 1}, {}, "give it under create"),
    ({"pool": "house"}, {}, "give it under create"),
    ({"vmid": 900}, {}, "is an option of this module"),
    ({"lock": "backup"}, {}, "config.lock"),
    ({"template": 0}, {}, "config.template"),
    ({"unused0": "local-zfs:x"}, {}, "absent_allow_unused"),
    ({"force": 1}, {}, "config.force"),
    ({"restore": 1}, {}, "config.restore"),
    ({"unique": 1}, {}, "config.unique"),
    ({"storage": "tank"}, {}, "config.storage"),
    ({"ha-managed": 1}, {}, "declare an HA resource"),
    ({"lxc": [["lxc.cap.drop", "x"]]}, {}, "raw lines"),
    ({"lxc.idmap": "x"}, {}, "raw lines"),
    ({"parent": "x"}, {}, "config.parent"),
    ({}, {"delete": ["unused0"]}, "absent_allow_unused"),
    ({}, {"delete": ["lock"]}, "config.lock"),
    ({}, {"delete": ["memroy"]}, "memroy is not a key"),
    ({}, {"delete": ["rootfs"]}, "rootfs: PVE does not let this key be deleted"),
    ({}, {"delete": ["memory"]}, "memory: PVE does not let this key be deleted"),
    ({}, {"delete": ["ostype"]}, "ostype: PVE does not let this key be deleted"),
    ({}, {"delete": ["arch"]}, "arch: PVE does not let this key be deleted"),
    ({}, {"delete": ["unprivileged"]}, "unprivileged: PVE does not let this key be deleted"),
    ({"cores": 2}, {"delete": ["cores"]}, "cores: declared both as a value and to be cleared"),
    ({"mp0": "a:8,mp=/x"}, {"detach": ["mp0"]}, "mp0: declared both"),
    ({}, {"env": ["A=b"], "delete": ["env"]}, "env: declared both"),
    ({"hostname": ""}, {}, "use delete: [hostname]"),
    ({"hostname": None}, {}, "use delete: [hostname]"),
    ({"tags": []}, {}, "use delete: [tags]"),
    ({"features": {}}, {}, "use delete: [features]"),
    ({"description": ""}, {}, "use delete: [description]"),
    ({}, {"env": []}, "use delete: [env]"),
    ({"memory": 15}, {}, "memory: must be at least 16"),
    ({"memory": "512M"}, {}, "memory: expected a whole number"),
    ({"cores": 0}, {}, "cores: must be at least 1"),
    ({"cores": 8193}, {}, "cores: must be at most 8192"),
    ({"cpulimit": -1}, {}, "cpulimit"),
    ({"cpuunits": 500001}, {}, "cpuunits"),
    ({"swap": -1}, {}, "swap"),
    ({"tty": 7}, {}, "tty"),
    ({"onboot": 2}, {}, "onboot: expected a flag"),
    ({"cmode": "TTY"}, {}, "cmode"),
    ({"ostype": "plan9"}, {}, "ostype"),
    ({"arch": "x86"}, {}, "arch"),
    ({"hostname": "a_b"}, {}, "hostname"),
    ({"timezone": "No/Where"}, {}, "timezone"),
    ({"nameserver": "192.0.2.300"}, {}, "nameserver"),
    ({"tags": "bad!tag"}, {}, "tags"),
    ({"features": "bogus=1"}, {}, "features: unknown sub-key bogus"),
    ({"net0": "bridge=vmbr0"}, {}, "net0: name is missing"),
    ({"net0": "name=eth0,hwaddr=01:00:5E:00:53:01"}, {}, "net0"),
    ({"net0": "name=eth0,ip=192.0.2.5"}, {}, "net0"),
    ({"mp0": "local-lvm:8"}, {}, "mp0: mp is missing"),
    ({"rootfs": "local-zfs:8,backup=1"}, {}, "rootfs: unknown sub-key backup"),
    ({"rootfs": "local-zfs:8,size=9G"}, {}, "rootfs: names two sizes"),
    ({"rootfs": "local-zfs:0"}, {}, "rootfs"),
    ({"description": "x" * 8193}, {}, "description"),
    ({}, {"detach": ["rootfs"]}, "detach: takes only mp0 to mp255"),
    ({}, {"detach": ["mp256"]}, "detach: takes only mp0 to mp255"),
    ({}, {"absent_allow_unused": ["mp0"]}, "absent_allow_unused"),
    ({}, {"password": "four"}, "password: PVE wants at least 5 characters"),
    ({}, {"env": ["no equals sign"]}, "env"),
    ({}, {"env": {"A": ["b"]}}, "env"),
    ({}, {"vmid": 99}, "vmid: must be at least 100"),
    ({}, {"vmid": 1000000000}, "vmid: must be at most 999999999"),
    ({}, {"vmid": "ct"}, "vmid"),
    ({}, {"node": "pve1/lxc"}, "node"),
    ({}, {"node": "pve 1"}, "node"),
]


@pytest.mark.parametrize(("config", "options", "says"), BAD)
def test_9_bad_input_is_refused_by_name(config: dict[str, t.Any], options: dict[str, t.Any], says: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        declare(config, **options)
    assert says in str(caught.value)
    assert "secret-word" not in str(caught.value)


def test_every_bound_holds_at_its_edge() -> None:
    declare({"memory": 16, "cores": 8192, "cpuunits": 500000, "swap": 0, "tty": 6, "description": "\u00e4" * 8192})
    declare({}, vmid=100)
    declare({}, vmid=999999999, node="pve-1")


def test_a_new_volume_may_repeat_its_own_size() -> None:
    declare({"rootfs": "local-zfs:8,size=8G"})


def test_the_table_holds_every_kind_and_every_numbered_key() -> None:
    managed = {name for name in LXC_KINDS if name not in ("lock", "template")}
    numbered = {*(f"net{n}" for n in range(32)), *(f"mp{n}" for n in range(256)), *(f"dev{n}" for n in range(256))}
    assert set(LXC.keys) == {*managed, *numbered, "digest"}


def test_16_what_may_hold_a_secret_is_hidden_or_not_logged() -> None:
    assert {name for name, key in LXC.keys.items() if key.hidden} == {"description", "entrypoint", "env", "digest"}
    spec = argument_spec(LXC)
    assert {name for name, option in spec.items() if option.get("no_log")} == {"password", "ssh_public_keys", "env"}


def test_messages_name_the_container_and_its_node() -> None:
    declaration = declaration_of(LXC, {"vmid": "900", "node": "pve1"})
    assert LXC.title(declaration.ident) == "Container 900 on pve1"
