# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The storage types: `options` and `plugindata` of pve-storage Storage/*Plugin.pm."""

from __future__ import annotations

from dataclasses import dataclass

from .table import TypeRow


@dataclass(frozen=True)
class StorageType:
    row: TypeRow
    # Content types that it takes, and those that it has when none is set.
    content: frozenset[str]
    default: tuple[str, ...]
    secrets: frozenset[str] = frozenset()
    # `shared` is 1 at every read, stored or not.
    shared: bool = False
    # `path` is /mnt/pve/ID when it is not given.
    mounted: bool = False


def _type(
    required: str,
    keys: str,
    content: str,
    default: str,
    *,
    fixed: str | None = None,
    secrets: str = "",
    shared: bool = False,
    mounted: bool = False,
) -> StorageType:
    """Required keys are fixed ones, unless `fixed` says which are."""
    needed = frozenset(required.split())
    row = TypeRow(
        keys=frozenset({"nodes", "disable", "content", *keys.split(), *secrets.split()}),
        required=needed,
        fixed=needed if fixed is None else frozenset(fixed.split()),
    )
    kinds = frozenset(content.split())
    return StorageType(row, kinds, tuple(default.split()), frozenset(secrets.split()), shared, mounted)


MAKE = "mkdir create-base-path create-subdirs"
RETAIN = "prune-backups max-protected-backups"
FILES = f"content-dirs format preallocation bwlimit {MAKE} {RETAIN}"
CHAIN = "snapshot-as-volume-chain"
EVERYTHING = "images rootdir vztmpl iso backup snippets import"

TYPES: dict[str, StorageType] = {
    "dir": _type(
        "path", f"shared is_mountpoint {FILES}", f"{EVERYTHING} none", "images rootdir", fixed=f"path {CHAIN}"
    ),
    "btrfs": _type(
        "path",
        f"shared format is_mountpoint nocow preallocation {MAKE} {RETAIN}",
        f"{EVERYTHING} none",
        "images rootdir",
    ),
    "nfs": _type(
        "path server export",
        f"options {FILES}",
        EVERYTHING,
        "images",
        fixed=f"path server export {CHAIN}",
        shared=True,
        mounted=True,
    ),
    "cifs": _type(
        "path server share",
        f"subdir username domain smbversion options {FILES}",
        EVERYTHING,
        "images",
        fixed=f"path server share {CHAIN}",
        secrets="password",
        shared=True,
        mounted=True,
    ),
    "zfspool": _type("pool", "blocksize sparse bwlimit mountpoint", "images rootdir", "images rootdir"),
    "zfs": _type(
        "portal target pool blocksize iscsiprovider",
        "nowritecache sparse comstar_hg comstar_tg lio_tpg bwlimit zfs-base-path",
        "images",
        "images",
        shared=True,
    ),
    "lvm": _type(
        "vgname",
        f"shared saferemove saferemove-stepsize saferemove_throughput tagged_only bwlimit {CHAIN}",
        "images rootdir",
        "images",
        fixed="vgname base",
    ),
    "lvmthin": _type("thinpool vgname", "bwlimit", "images rootdir", "images rootdir"),
    "rbd": _type(
        "",
        "monhost pool data-pool namespace username krbd bwlimit",
        "images rootdir",
        "images",
        secrets="keyring",
        shared=True,
    ),
    "cephfs": _type(
        "path",
        f"monhost subdir options username fuse fs-name content-dirs format bwlimit {MAKE} {RETAIN}",
        "vztmpl iso backup snippets import",
        "backup",
        secrets="keyring",
        shared=True,
        mounted=True,
    ),
    "pbs": _type(
        "server datastore",
        f"namespace port username fingerprint {RETAIN}",
        "backup none",
        "backup",
        secrets="password encryption-key master-pubkey",
        shared=True,
    ),
    "esxi": _type(
        "server username",
        "shared skip-cert-verification port",
        "import",
        "import",
        fixed="",
        secrets="password",
    ),
    "iscsi": _type("portal target", "bwlimit", "images none", "images", shared=True),
    "iscsidirect": _type("portal target", "bwlimit", "images none", "images", shared=True),
}
