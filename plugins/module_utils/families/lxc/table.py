# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers (pve-container LXC/Config.pm and API2/LXC.pm), as a table."""

from __future__ import annotations

import functools
import typing as t

from ...engine.family import Endpoint, Family, Privileges, Read
from ...engine.index import Export, Index, Sight
from ...engine.key import Clear, Key
from ...wire.scalars import AnyText, Text
from ..cluster import VMID
from ..guest import EXISTING
from .check import check
from .export import retell
from .judge import judge, kinds_hook
from .kinds import DEV, LXC_KINDS, NET
from .mounts import LXC_MOUNT, LXC_ROOTFS
from .read import read

_NODE: t.Final = Text(
    pattern=r"[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?", expected="a node's name (letters, digits and -)"
)


def _key(name: str, **more: t.Any) -> Key:
    return Key(kind=LXC_KINDS[name], **more)


#: ``default`` is what an absent key is equal to. An absent swap is 0 at run time (LXC.pm update_lxc_config), though a
#: create writes 512. PVE refuses to delete memory, rootfs, ostype and unprivileged; without arch nothing starts.
_PLAIN: t.Final[dict[str, Key]] = {
    "hostname": _key("hostname"),
    "ostype": _key("ostype", clear=Clear.NEVER),
    "arch": _key("arch", default="amd64", clear=Clear.NEVER),
    "unprivileged": _key("unprivileged", default=False, clear=Clear.NEVER, create_only=True),
    "protection": _key("protection", default=False),
    "cores": _key("cores"),
    "cpulimit": _key("cpulimit", default=0),
    "cpuunits": _key("cpuunits", default=100),
    "memory": _key("memory", default=512, clear=Clear.NEVER),
    "swap": _key("swap", default=0),
    "features": _key("features", default={}),
    "onboot": _key("onboot", default=False),
    "startup": _key("startup"),
    "tags": _key("tags", default=()),
    "nameserver": _key("nameserver"),
    "searchdomain": _key("searchdomain"),
    "timezone": _key("timezone"),
    "console": _key("console", default=True),
    "tty": _key("tty", default=2),
    "cmode": _key("cmode", default="tty"),
    "debug": _key("debug", default=False),
    "hookscript": _key("hookscript"),
    "description": _key("description", default="", hidden=True),
    "entrypoint": _key("entrypoint", default="/sbin/init", hidden=True),
    "env": _key("env", default=(), hidden=True),
}

_KEYS: t.Final[dict[str, Key]] = {
    **_PLAIN,
    "rootfs": Key(kind=LXC_ROOTFS, clear=Clear.NEVER, required=True),
    **{f"mp{number}": Key(kind=LXC_MOUNT) for number in range(256)},
    **{f"net{number}": Key(kind=NET) for number in range(32)},
    **{f"dev{number}": Key(kind=DEV) for number in range(256)},
    # The checksum of a pasted config says nothing about what is wanted.
    "digest": Key(kind=AnyText(), clear=Clear.NEVER, hidden=True),
}

_OPTIONS: t.Final[dict[str, dict[str, t.Any]]] = {
    "existing": {"type": "str", "choices": list(EXISTING), "default": "update"},
    "identity": {"type": "raw"},
    "create": {
        "type": "dict",
        "options": {
            "ostemplate": {"type": "str"},
            "start": {"type": "bool", "default": False},
            "pool": {"type": "str"},
            "bwlimit": {"type": "float"},
            "ignore_unpack_errors": {"type": "bool", "default": False},
        },
    },
    "password": {"type": "str", "no_log": True},
    "ssh_public_keys": {"type": "list", "elements": "str", "no_log": True},
    "env": {"type": "raw", "no_log": True},
    "detach": {"type": "list", "elements": "str", "default": []},
    "attach_existing": {"type": "bool", "default": False},
    "absent_allow_unused": {"type": "list", "elements": "str", "default": []},
}

LXC: t.Final = Family(
    name="lxc",
    product="pve",
    noun="Container",
    identity={"vmid": VMID, "node": _NODE},
    joiner=" on ",
    alone=("vmid",),
    config="config",
    empty_clears=False,
    digest=True,
    keys=_KEYS,
    options=_OPTIONS,
    needs=("storage", "sdn_vnet"),
    read=Read(path="nodes/{node}/lxc/{vmid}/config"),
    index=(
        Index(
            path="cluster/resources",
            query={"type": "vm"},
            columns={"vmid": "vmid", "node": "node"},
            where={"type": "lxc"},
            skip={"template": "1"},
            sight=Sight(path="/vms", privileges=("VM.Audit",)),
        ),
    ),
    export=Export(probe={"tags": ""}, stated=("unprivileged", "swap"), retell=retell),
    create=Endpoint(method="POST", path="nodes/{node}/lxc", identity=("vmid",), task=True),
    update=Endpoint(method="PUT", path="nodes/{node}/lxc/{vmid}/config"),
    delete=Endpoint(method="DELETE", path="nodes/{node}/lxc/{vmid}", task=True),
    check=check,
    read_hook=read,
    judge_hook=judge,
    kinds_hook=functools.partial(kinds_hook, NET),
    refuses={
        "not-here": "a vmid that another guest holds, or this one on another node",
        "no-node": "a new container on a node that is not in the cluster, or is offline",
        "exists": "a container that is there, with existing: refuse",
        "not-ours-differs": "any difference from a container that is there, with existing: match",
        "not-recognised": "a change of a container that is not the declared one by hostname, MAC, volume or identity",
        "locked": "a change of a container that stays locked for longer than lock_wait",
        "protected": "a change of volumes, or the deletion, of a container with protection on",
        "read-only": "another value of unprivileged, which only backup and restore change",
        "root-only": "devices, the hookscript, bind and device mounts, and features but nesting, which only root@pam "
        "may set",
        "privileged-features": "features of a privileged container, which only root@pam may set",
        "unreadable": "a change of a mount or an interface whose live value is in a form that is not known",
        "storage-move": "a volume on another storage: moving it is a task of its own",
        "volume-swap": "another volume in place of the one that is attached",
        "shrink": "a smaller size of a volume",
        "detach": "removing a mount point with a volume that is not listed under detach",
        "detach-pending": "a new volume in place of one whose detachment waits for a restart",
        "existing-volume": "a volume that is there already, when creating, or in place of none without attach_existing",
        "foreign-volume": "attaching a volume that belongs to another guest",
        "no-template": "a new container without create.ostemplate",
        "no-rootfs": "a new container without rootfs",
        "absent-thin": "deleting a container that nothing but its vmid identifies",
        "absent-differs": "deleting a container that differs from its declaration",
        "running": "deleting a container that runs",
        "ha-or-repl": "deleting a container that is under HA or replicated",
        "unused": "deleting a container with unusedN volumes that are not listed under absent_allow_unused",
    },
    privileges=Privileges(
        read="VM.Audit on /vms/{vmid}",
        write="VM.Config.CPU, VM.Config.Memory, VM.Config.Disk, VM.Config.Network and VM.Config.Options on "
        "/vms/{vmid}; VM.Allocate there (or on the pool) to create, delete, or change nesting; "
        "Datastore.AllocateSpace on each storage that gets a volume; SDN.Use on each bridge",
    ),
)
