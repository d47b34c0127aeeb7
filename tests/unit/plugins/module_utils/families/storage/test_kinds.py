# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of a storage's keys: what is sent is read back as what was declared."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.metric_server import Base64Json
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.retention import KEEP, RETENTION
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.storage.kinds import (
    ALWAYS_SHARED,
    CONTENT,
    CONTENT_DIRS,
    CONTENTS,
    OFFERS,
    AbsolutePath,
    IsMountpoint,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.storage.table import STORAGE
from hypothesis import given
from hypothesis import strategies as st

COUNTS = st.dictionaries(st.sampled_from(KEEP), st.integers(min_value=0, max_value=99))


@given(COUNTS)
def test_a_retention_is_read_back_as_it_was_sent(counts: dict[str, int]) -> None:
    canon = RETENTION.canon(counts)
    assert RETENTION.fault(canon) is None
    assert RETENTION.form(canon) != ""
    assert RETENTION.canon(RETENTION.form(canon)) == canon


@given(COUNTS, st.booleans())
def test_to_keep_all_stands_alone(counts: dict[str, int], keep_all: bool) -> None:
    canon = RETENTION.canon({**counts, "keep-all": keep_all})
    counted = any(counts.values())
    assert (RETENTION.fault(canon) is not None) is (keep_all and counted)
    if not counted:
        assert canon == {"keep-all": True}


FOLDERS = st.dictionaries(
    st.sampled_from(sorted(set(CONTENT) - {"none"})), st.from_regex(r"\A[a-z0-9/_-]{1,20}(\.[a-z]{1,3})?\Z")
)


@given(FOLDERS)
def test_folders_of_content_have_one_meaning_in_three_spellings(folders: dict[str, str]) -> None:
    parts = [f"{name}={path}" for name, path in folders.items()]
    canon = CONTENT_DIRS.canon(folders)
    assert CONTENT_DIRS.fault(canon) is None
    assert CONTENT_DIRS.canon(parts) == CONTENT_DIRS.canon(",".join(parts)) == canon
    assert CONTENT_DIRS.canon(CONTENT_DIRS.form(canon)) == canon


@pytest.mark.parametrize("path", ["..", "a/../b", "a.", "a b", "a;b", "x" * 1023, "x" * 255])
def test_a_folder_that_pve_refuses(path: str) -> None:
    assert CONTENT_DIRS.fault(CONTENT_DIRS.canon({"iso": path})) is not None


@given(st.lists(st.sampled_from(["a", ".", "", "b.c"]), max_size=6))
def test_a_path_is_the_same_however_its_slashes_are_written(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    want = "/" + "/".join(part for part in parts if part not in ("", "."))
    assert AbsolutePath().canon(path) == want
    assert AbsolutePath().canon(want) == want


def test_a_mount_point_is_a_flag_or_a_path() -> None:
    kind = IsMountpoint()
    assert [kind.canon(value) for value in (True, "on", "1", 0, "no")] == ["yes", "yes", "yes", "no", "no"]
    assert kind.fault(kind.canon("/mnt/x")) is None
    assert kind.fault(kind.canon("mnt")) is not None


JSON = st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=5)


@given(JSON)
def test_an_encoded_object_is_read_back_as_it_was_sent(value: dict[str, str]) -> None:
    kind = Base64Json()
    form = kind.form(kind.canon(value))
    assert kind.canon(form) == kind.canon(value) if value else form == ""


@pytest.mark.parametrize("kind", sorted(OFFERS))
def test_the_table_knows_what_each_type_needs(kind: str) -> None:
    """Each type has content of its own, a default out of it, and something that locates it."""
    offer = OFFERS[kind]
    assert set(offer.default) <= set(offer.content)
    assert CONTENTS.fault(CONTENTS.canon(offer.default)) is None
    located = [name for name, key in STORAGE.keys.items() if kind in key.types and key.is_required(kind)]
    assert bool(located) is (kind not in ("cephfs", "rbd"))
    fixed = {name for name, key in STORAGE.keys.items() if kind in key.types and key.is_create_only(kind)}
    assert set(located) <= fixed | {"password", "username", "server"}


#: ``options`` of each plugin (pve-storage *Plugin.pm), but for what is not the table's: see the comments.
OPTIONS: t.Final[dict[str, str]] = {
    "dir": "path content-dirs shared prune-backups max-protected-backups format mkdir create-base-path create-subdirs "
    "is_mountpoint bwlimit preallocation snapshot-as-volume-chain",
    "btrfs": "path shared prune-backups max-protected-backups format is_mountpoint nocow mkdir create-base-path "
    "create-subdirs preallocation",
    "nfs": "path content-dirs server export prune-backups max-protected-backups options format mkdir create-base-path "
    "create-subdirs bwlimit preallocation snapshot-as-volume-chain",
    "cifs": "path content-dirs server share subdir prune-backups max-protected-backups format username password domain "
    "smbversion mkdir create-base-path create-subdirs bwlimit preallocation options snapshot-as-volume-chain",
    "zfspool": "pool blocksize sparse bwlimit mountpoint",
    "zfs": "portal target pool blocksize iscsiprovider nowritecache sparse comstar_hg comstar_tg lio_tpg bwlimit "
    "zfs-base-path",
    "lvm": "vgname shared saferemove saferemove-stepsize saferemove_throughput base tagged_only bwlimit "
    "snapshot-as-volume-chain",
    "lvmthin": "thinpool vgname bwlimit",
    "rbd": "monhost pool data-pool namespace username krbd keyring bwlimit",
    # ``format`` is one of its options, and Plugin.pm decode_value drops every value of it: the type has no formats.
    "cephfs": "path content-dirs monhost subdir options username mkdir create-base-path create-subdirs fuse bwlimit "
    "keyring prune-backups max-protected-backups fs-name",
    "pbs": "server datastore namespace port username password encryption-key master-pubkey prune-backups "
    "max-protected-backups fingerprint",
    "esxi": "shared server username password skip-cert-verification port",
    "iscsi": "portal target bwlimit",
    "iscsidirect": "portal target bwlimit",
}


@pytest.mark.parametrize("kind", sorted(OFFERS))
def test_the_table_has_just_the_options_of_each_plugin(kind: str) -> None:
    """One more is a 500 ``unexpected property``. ``shared`` is read of the types that are always shared."""
    found = {name for name, key in STORAGE.keys.items() if kind in key.types}
    assert found - ({"shared"} if kind in ALWAYS_SHARED else set()) == set(OPTIONS[kind].split())
    everywhere = {name for name, key in STORAGE.keys.items() if not key.types}
    assert everywhere == {"type", "nodes", "disable", "content"}
