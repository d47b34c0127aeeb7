# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The estates that are measured: their declarations, the same for community.proxmox, and the GETs that read them."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Iterator
from itertools import chain, islice

Resource = dict[str, dict[str, t.Any]]

TEMPLATE = "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
FIRST_VMID = 1000

#: Of ten objects so many are of each family. Both collections have a module for each of these.
SHARES = {"group": 2, "user": 2, "pool": 2, "lxc": 3, "acl": 1}


def container(number: int) -> dict[str, t.Any]:
    return {
        "node": "pve1",
        "vmid": FIRST_VMID + number,
        "config": {
            "hostname": f"ct-bench{number}",
            "cores": 2,
            "memory": 1024,
            "swap": 0,
            "unprivileged": True,
            "features": "nesting=1",
            # Without it community.proxmox sends cmode=default with every update, which PVE refuses.
            "cmode": "tty",
            "rootfs": "local-zfs:4",
            "net0": f"name=eth0,bridge=vmbr0,ip=192.0.2.{number % 250 + 1}/24",
        },
        "create": {"ostemplate": TEMPLATE},
    }


def pool(number: int) -> dict[str, t.Any]:
    return {"poolid": f"bench{number:03}", "comment": f"Pool {number}"}


def group(number: int) -> dict[str, t.Any]:
    return {"groupid": f"bench{number:03}", "comment": f"Group {number}"}


def user(number: int) -> dict[str, t.Any]:
    return {
        "userid": f"bench{number:03}@pve",
        "firstname": "Sam",
        "lastname": f"Number {number}",
        "email": f"sam{number}@example.test",
        "groups": [f"bench{number:03}"],
    }


def acl(number: int) -> dict[str, t.Any]:
    return {"path": f"/pool/bench{number:03}", "type": "group", "ugid": f"bench{number:03}", "roleid": "PVEVMUser"}


_MAKERS = {"lxc": container, "pool": pool, "group": group, "user": user, "acl": acl}


def estate(count: int) -> list[Resource]:
    """``count`` declarations, ten by ten in the same shares."""
    made = (
        {family: _MAKERS[family](ten * share + number)}
        for ten in range(count // 10 + 1)
        for family, share in SHARES.items()
        for number in range(share)
    )
    return list(islice(made, count))


def reads(resources: Iterable[Resource]) -> list[str]:
    """The GETs that it takes to see all of them, written down apart from the tables of our families."""
    return list(dict.fromkeys(chain.from_iterable(_reads(item) for item in resources)))


def _reads(item: Resource) -> Iterator[str]:
    ((family, options),) = item.items()
    if family == "lxc":
        # The config shows what is pending as if it were in effect; only the second answer tells them apart.
        yield f"/nodes/{options['node']}/lxc/{options['vmid']}/config"
        yield f"/nodes/{options['node']}/lxc/{options['vmid']}/pending"
    elif family == "pool":
        yield f"/pools?poolid={options['poolid']}"
    elif family == "group":
        yield f"/access/groups/{options['groupid']}"
    elif family == "user":
        yield f"/access/users/{options['userid']}"
    else:
        yield "/access/acl"


#: With these ansible-playbook starts, reads the playbook, and runs none of its tasks.
IDLE = ("--tags", "no-task-has-this-tag")


def play(tasks: list[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    return [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]


def as_tasks(resources: Iterable[Resource]) -> list[dict[str, t.Any]]:
    """A play of a task an object."""
    return play([{f"homeflare.proxmox.{family}": options} for item in resources for family, options in item.items()])


def as_estate(resources: list[Resource]) -> list[dict[str, t.Any]]:
    """A play of one task that holds them all."""
    return play([{"homeflare.proxmox.estate": {"resources": resources}}])


_THEIRS = {
    "pool": "proxmox_pool",
    "group": "proxmox_group",
    "user": "proxmox_user",
    "acl": "proxmox_access_acl",
    "lxc": "proxmox",
}
# Keys of a config that the module for containers calls the same.
_SAME = ("hostname", "cores", "memory", "swap", "cmode", "unprivileged")


def as_community(resources: Iterable[Resource]) -> list[dict[str, t.Any]]:
    """A play of a task an object, by community.proxmox: as much of each object as its modules take."""
    return play([_theirs(family, options) for item in resources for family, options in item.items()])


def _theirs(family: str, options: dict[str, t.Any]) -> dict[str, t.Any]:
    if family == "lxc":
        config = options["config"]
        kept = {name: config[name] for name in _SAME}
        lists = {"features": [config["features"]], "netif": {"net0": config["net0"]}}
        options = {"node": options["node"], "vmid": options["vmid"], **kept, **lists}
    return {f"community.proxmox.{_THEIRS[family]}": options}
