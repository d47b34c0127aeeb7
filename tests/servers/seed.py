# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the lab holds at the start: nodes, storages, a template, guests, users, tokens and roles.

A seed is plain data, so that a test or a person may give a part of it as JSON: `{"guests": [...], "pools": {...}}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from .wire import Values

TEMPLATE = "debian-13-standard_13.1-2_amd64.tar.zst"
PROVISIONER = frozenset(
    """Datastore.Allocate Datastore.AllocateSpace Datastore.Audit Group.Allocate Mapping.Audit Mapping.Modify
    Permissions.Modify Pool.Allocate Pool.Audit Realm.AllocateUser SDN.Allocate SDN.Audit SDN.Use Sys.Audit Sys.Console
    Sys.Modify User.Modify VM.Allocate VM.Audit VM.Backup VM.Config.CPU VM.Config.Disk VM.Config.HWType
    VM.Config.Memory VM.Config.Network VM.Config.Options VM.PowerMgmt""".split()
)

STORAGES: list[Values] = [
    {"storage": "local-dir", "type": "dir", "path": "/srv/local-dir", "content": "images,rootdir"},
    {"storage": "local-zfs", "type": "zfspool", "pool": "rpool/data", "content": "images,rootdir", "sparse": 1},
    {"storage": "tank", "type": "zfspool", "pool": "tank/guests", "content": "images,rootdir"},
]
# What a fresh fakepve holds.
STORAGES_OF_FAKEPVE: dict[str, dict[str, Any]] = {
    "local": {"type": "dir", "path": "/var/lib/vz", "content": "backup,iso,vztmpl"},
    "local-lvm": {"type": "lvmthin", "thinpool": "data", "vgname": "pve", "content": "images,rootdir"},
}

# A container as a person made it, running: every kind of value that a paste of a live config has.
PASTED: dict[str, Any] = {
    "arch": "amd64",
    "cores": 2,
    "features": "nesting=1",
    "hostname": "ct-web",
    "memory": 2048,
    "nameserver": "192.0.2.53",
    "net0": "name=eth0,bridge=vmbr0,firewall=1,gw=192.0.2.1,hwaddr=00:00:5E:00:53:01,ip=192.0.2.21/24,type=veth",
    "onboot": 1,
    "ostype": "debian",
    "rootfs": "local-zfs:subvol-101-disk-0,size=8G",
    "mp0": "local-zfs:subvol-101-disk-1,mp=/data,backup=1,size=4G",
    "searchdomain": "lab.example",
    "startup": "order=2,up=30",
    "swap": 512,
    "tags": "prod;web",
    "unprivileged": 1,
    "description": "The web container",
}
GUESTS: list[dict[str, Any]] = [
    {"vmid": 101, "type": "lxc", "node": "pve1", "status": "running", "config": PASTED},
    {
        "vmid": 102,
        "type": "lxc",
        "node": "pve1",
        "status": "stopped",
        "config": {
            "arch": "amd64",
            "hostname": "ct-stopped",
            "memory": 512,
            "net0": "name=eth0,bridge=vmbr0,hwaddr=00:00:5E:00:53:02,ip=dhcp,type=veth",
            "ostype": "debian",
            "rootfs": "local-dir:102/vm-102-disk-0.raw,size=4G",
            "swap": 512,
            "unprivileged": 1,
        },
    },
    {
        "vmid": 201,
        "type": "qemu",
        "name": "vm-build",
        "node": "pve2",
        "status": "stopped",
        "config": {"memory": 2048, "cores": 2, "net0": "virtio=00:00:5E:00:53:C9,bridge=vmbr0"},
    },
]


@dataclass
class Seed:
    nodes: list[str] = field(default_factory=lambda: ["pve1", "pve2", "pve3"])
    bridges: list[str] = field(default_factory=lambda: ["vmbr0", "vmbr1"])
    storages: list[Values] = field(default_factory=lambda: [dict(row) for row in STORAGES])
    templates: list[str] = field(default_factory=lambda: [TEMPLATE])
    guests: list[dict[str, Any]] = field(default_factory=lambda: [dict(row) for row in GUESTS])
    # poolid -> {"comment": ..., "vms": "101,102", "storage": ...}
    pools: dict[str, Values] = field(default_factory=dict)
    # Users besides root@pam, hf-read@pve and hf-provision@pve: userid -> keys of the user.
    users: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Static tokens: full token id -> secret. All without privilege separation.
    tokens: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Seed:
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise ValueError(f"a seed has no {', '.join(unknown)}; it has {', '.join(sorted(known))}")
        return cls(**data)


def backend_guests(seed: Seed, placeholder: int) -> list[dict[str, Any]]:
    """The guests file for fakepve, with one guest on each node, for it knows only nodes that hold one."""
    extra = [
        {"vmid": placeholder + number, "type": "lxc", "node": node, "name": f"placeholder-{node}"}
        for number, node in enumerate(seed.nodes)
    ]
    guests = [dict(guest) for guest in seed.guests]
    for guest in guests:
        guest.setdefault("name", guest.get("config", {}).get("hostname") or f"CT{guest['vmid']}")
    return [*guests, *extra]


def backend_steps(seed: Seed, placeholder: int) -> Iterator[tuple[str, str, Values]]:
    """The requests that bring the rest of the seed into a fresh fakepve."""
    for number, node in enumerate(seed.nodes):
        yield "DELETE", f"/nodes/{node}/lxc/{placeholder + number}", {}
    for storage in seed.storages:
        yield "POST", "/storage", dict(storage)
    for name in seed.templates:
        values: Values = {"content": "vztmpl", "filename": name, "url": f"https://templates.example/{name}"}
        yield "POST", f"/nodes/{seed.nodes[0]}/storage/local/download-url", values
    for poolid, values in seed.pools.items():
        yield "POST", "/pools", {"poolid": poolid, **{k: v for k, v in values.items() if k == "comment"}}
        members = {name: value for name, value in values.items() if name in ("vms", "storage")}
        if members:
            yield "PUT", "/pools", {"poolid": poolid, **members}


def section_store(seed: Seed, special_roles: Mapping[str, frozenset[str]]) -> dict[str, dict[Any, dict[str, Any]]]:
    """What the section store holds at the start: what every PVE has, some objects of a house, and the static tokens."""
    roles: dict[Any, dict[str, Any]] = {name: {"privs": sorted(privs)} for name, privs in special_roles.items()}
    roles["HfProvisioner"] = {"privs": sorted(PROVISIONER)}
    users: dict[Any, dict[str, Any]] = {"root@pam": {"enable": 1, "expire": 0, "groups": []}}
    for name in ("hf-read@pve", "hf-provision@pve"):
        users[name] = {"enable": 1, "expire": 0, "groups": ["hf-mint"]}
    for name, keys in seed.users.items():
        users[name] = {"enable": 1, "expire": 0, "groups": [], **keys}
    tokens: dict[Any, dict[str, Any]] = {}
    for full, secret in seed.tokens.items():
        owner, _, token = full.partition("!")
        tokens[owner, token] = {"expire": 0, "privsep": 0, "value": secret}
    acl: dict[Any, dict[str, Any]] = {}
    for user, role in (("hf-read@pve", "PVEAuditor"), ("hf-provision@pve", "HfProvisioner")):
        row = {"path": "/", "type": "user", "ugid": user, "roleid": role, "propagate": 1}
        acl["/", "user", user, role] = row
    return {
        "user": users,
        "group": {"hf-mint": {}},
        "role": roles,
        "token": tokens,
        "acl": acl,
        "storage": {
            **{name: dict(data) for name, data in STORAGES_OF_FAKEPVE.items()},
            **{str(row["storage"]): {k: v for k, v in row.items() if k != "storage"} for row in seed.storages},
        },
        "realm": {"pam": {"type": "pam"}, "pve": {"type": "pve"}},
        "cluster_options": {"": dict(seed.options)},
    }
