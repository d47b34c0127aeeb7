# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storages (pve-storage PVE/API2/Storage/Config.pm; the options of each type from its PVE/Storage/*Plugin.pm).

The list is read, not the item: it holds the same, and needs Datastore.Audit where the item needs Datastore.Allocate.
"""

from __future__ import annotations

from ...engine.family import Endpoint, Family, Privileges, Read
from ...engine.index import Export, Index, Sight
from ...engine.key import Clear, DefaultBy, Key
from ...wire.scalars import Enum, Flag, Integer, Text
from ..cluster import STORAGE as STORAGE_ID
from ..retention import RETENTION
from .guard import read_storage, refuse, secret_kinds, steps
from .kinds import (
    ALWAYS_SHARED,
    BWLIMIT,
    CONTENT_DIRS,
    CONTENTS,
    FINGERPRINT,
    MONITORS,
    NAME,
    NODES,
    OFFERS,
    PORTAL,
    SERVER,
    SUBDIR,
    TYPES,
    AbsolutePath,
    EncryptionKey,
    IsMountpoint,
    Marked,
)

_DIRS = ("btrfs", "dir")
_MOUNTS = ("cephfs", "cifs", "nfs")
_FOLDERS = ("dir", *_MOUNTS)
_ISCSI = ("iscsi", "iscsidirect", "zfs")
_PREALLOCATES = ("btrfs", "cifs", "dir", "nfs")

_locators: dict[str, Key] = {
    "path": Key(kind=AbsolutePath(), create_only=True, required=_DIRS, types=(*_DIRS, *_MOUNTS)),
    "server": Key(
        kind=SERVER,
        create_only=("cifs", "nfs", "pbs"),
        required=("cifs", "esxi", "nfs", "pbs"),
        types=("cifs", "esxi", "nfs", "pbs"),
    ),
    "export": Key(kind=SUBDIR, create_only=True, required=True, types=("nfs",)),
    "share": Key(kind=Text(), create_only=True, required=True, types=("cifs",)),
    "pool": Key(
        kind=Text(),
        create_only=("zfs", "zfspool"),
        required=("zfs", "zfspool"),
        default=DefaultBy("type", {"rbd": "rbd"}),
        types=("rbd", "zfs", "zfspool"),
    ),
    "portal": Key(kind=PORTAL, create_only=True, required=True, types=_ISCSI),
    "target": Key(kind=Text(), create_only=True, required=True, types=_ISCSI),
    "iscsiprovider": Key(
        kind=Enum(("comstar", "iet", "istgt", "LIO")), create_only=True, required=True, types=("zfs",)
    ),
    "blocksize": Key(
        kind=Text(pattern=r"[0-9]+[kKmM]?", expected="a size such as 16k"),
        create_only=("zfs",),
        required=("zfs",),
        types=("zfs", "zfspool"),
    ),
    "vgname": Key(kind=NAME, create_only=True, required=True, types=("lvm", "lvmthin")),
    "thinpool": Key(kind=NAME, create_only=True, required=True, types=("lvmthin",)),
    "base": Key(
        kind=Text(pattern=r"[A-Za-z][A-Za-z0-9\-_.]*[A-Za-z0-9]:\S+", expected="a volume such as iscsi1:0.0.1.scsi-x"),
        create_only=True,
        types=("lvm",),
    ),
    "datastore": Key(kind=Text(), create_only=True, required=True, types=("pbs",)),
}

_common: dict[str, Key] = {
    "content": Key(kind=CONTENTS, default=DefaultBy("type", {name: offer.default for name, offer in OFFERS.items()})),
    "nodes": Key(kind=NODES),
    "disable": Key(kind=Flag(), default=False),
    "shared": Key(
        kind=Flag(),
        default=DefaultBy("type", {name: name in ALWAYS_SHARED for name in TYPES}),
        types=("btrfs", "dir", "esxi", "lvm", *ALWAYS_SHARED),
    ),
    "prune-backups": Key(kind=RETENTION, types=(*_DIRS, *_MOUNTS, "pbs")),
    "max-protected-backups": Key(kind=Integer(minimum=-1), types=(*_DIRS, *_MOUNTS, "pbs")),
    "bwlimit": Key(
        kind=BWLIMIT, types=tuple(name for name in TYPES if name not in ("btrfs", "esxi", "pbs")), default={}
    ),
    "format": Key(kind=Enum(("raw", "qcow2", "vmdk", "subvol")), default="raw", types=_PREALLOCATES),
    "preallocation": Key(kind=Enum(("off", "metadata", "falloc", "full")), default="metadata", types=_PREALLOCATES),
    "snapshot-as-volume-chain": Key(
        kind=Flag(), default=False, create_only=("cifs", "dir", "nfs"), types=("cifs", "dir", "lvm", "nfs")
    ),
}

_folders: dict[str, Key] = {
    "content-dirs": Key(kind=CONTENT_DIRS, default={}, types=_FOLDERS),
    "create-base-path": Key(kind=Flag(), default=True, types=(*_DIRS, *_MOUNTS)),
    "create-subdirs": Key(kind=Flag(), default=True, types=(*_DIRS, *_MOUNTS)),
    "mkdir": Key(kind=Flag(), default=True, types=(*_DIRS, *_MOUNTS)),
    "is_mountpoint": Key(kind=IsMountpoint(), default="no", types=_DIRS),
    "nocow": Key(kind=Flag(), default=False, types=("btrfs",)),
    "options": Key(kind=Text(pattern=r"\S+", expected="options without white space"), types=_MOUNTS),
    "subdir": Key(kind=SUBDIR, types=("cephfs", "cifs")),
    "domain": Key(kind=Text(max_length=256), types=("cifs",)),
    "smbversion": Key(kind=Enum(("default", "2.0", "2.1", "3", "3.0", "3.11")), default="default", types=("cifs",)),
    "fuse": Key(kind=Flag(), default=False, types=("cephfs",)),
    "fs-name": Key(
        kind=Text(pattern=r"[A-Za-z][A-Za-z0-9_-]+", expected="a letter, then letters, digits, - and _"),
        types=("cephfs",),
    ),
}

_blocks: dict[str, Key] = {
    "mountpoint": Key(kind=AbsolutePath(), clear=Clear.NEVER, types=("zfspool",)),
    "sparse": Key(kind=Flag(), default=False, types=("zfs", "zfspool")),
    "zfs-base-path": Key(kind=AbsolutePath(), clear=Clear.NEVER, types=("zfs",)),
    "nowritecache": Key(kind=Flag(), default=False, types=("zfs",)),
    "comstar_hg": Key(kind=Text(), types=("zfs",)),
    "comstar_tg": Key(kind=Text(), types=("zfs",)),
    "lio_tpg": Key(kind=Text(), types=("zfs",)),
    "saferemove": Key(kind=Flag(), default=False, types=("lvm",)),
    "saferemove-stepsize": Key(kind=Enum(("1", "2", "4", "8", "16", "32")), default="32", types=("lvm",)),
    "saferemove_throughput": Key(kind=Text(), types=("lvm",)),
    "tagged_only": Key(kind=Flag(), default=False, types=("lvm",)),
    "monhost": Key(kind=MONITORS, types=("cephfs", "rbd")),
    "data-pool": Key(kind=Text(), types=("rbd",)),
    "krbd": Key(kind=Flag(), default=False, types=("rbd",)),
}

_remote: dict[str, Key] = {
    "namespace": Key(kind=Text(), types=("pbs", "rbd")),
    "port": Key(
        kind=Integer(minimum=1, maximum=65535),
        default=DefaultBy("type", {"esxi": 443, "pbs": 8007}),
        types=("esxi", "pbs"),
    ),
    "username": Key(
        kind=Text(),
        required=("esxi",),
        default=DefaultBy("type", {"cephfs": "admin", "pbs": "root@pam", "rbd": "admin"}),
        types=("cephfs", "cifs", "esxi", "pbs", "rbd"),
    ),
    "fingerprint": Key(kind=FINGERPRINT, types=("pbs",)),
    "skip-cert-verification": Key(kind=Flag(), default=False, types=("esxi",)),
}

_secrets: dict[str, Key] = {
    "password": Key(
        kind=Text(max_length=256),
        secret=True,
        required=("esxi", "pbs"),
        clear=Clear.NEVER,
        types=("cifs", "esxi", "pbs"),
    ),
    "keyring": Key(kind=Text(no_linefeed=False), secret=True, clear=Clear.NEVER, types=("cephfs", "rbd")),
    "encryption-key": Key(kind=EncryptionKey(), hidden=True, types=("pbs",)),
    "master-pubkey": Key(kind=Marked(), hidden=True, types=("pbs",)),
}

STORAGE = Family(
    name="storage",
    product="pve",
    noun="Storage",
    identity={"storage": STORAGE_ID},
    selector="type",
    sink="config.encryption-key",
    recover="PVE keeps it too, as root on each node in /etc/pve/priv/storage; copy it from there.",
    read=Read(path="storage", rows={"storage": "storage"}, shared=True),
    index=(
        Index(
            path="storage",
            columns={"storage": "storage"},
            sight=Sight(path="/storage", privileges=("Datastore.Audit", "Datastore.AllocateSpace")),
        ),
    ),
    export=Export(standing={"storage": "local"}),
    create=Endpoint(method="POST", path="storage", identity=("storage",)),
    update=Endpoint(method="PUT", path="storage/{storage}"),
    delete=Endpoint(method="DELETE", path="storage/{storage}"),
    digest=True,
    keys={
        "type": Key(kind=Enum(TYPES), create_only=True, required=True, clear=Clear.NEVER),
        **_locators,
        **_common,
        **_folders,
        **_blocks,
        **_remote,
        **_secrets,
    },
    options={
        "unencrypted": {"type": "bool", "default": False},
        "force": {"type": "bool", "default": False},
    },
    retain=True,
    kinds_hook=secret_kinds,
    read_hook=read_storage,
    refuse=refuse,
    steps_hook=steps,
    refuses={
        "local": "deleting the storage local, or restricting its nodes: PVE makes it anew at every read",
        "in-use": "deleting a storage that guests have volumes of, or may have where they are not seen, unless force; "
        "and one that is the base of another",
        "not-offered": "content or an image format that the type does not have: PVE would drop it without a word",
        "always-shared": "shared: false for a type that is always shared",
        "key": "what would lose a key that backups need: a new pbs storage without encryption_key or unencrypted; "
        "clearing or replacing a key without saying so",
        "no-sink": "encryption_key: autogen without secret_sink: PVE shows the key once",
    },
    privileges=Privileges(
        read="Datastore.Audit or Datastore.AllocateSpace on /storage/{storage}; to delete also VM.Audit on /vms",
        write="Datastore.Allocate on /storage",
    ),
)
