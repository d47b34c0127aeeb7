# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.sizes import GIB
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.volumes import (
    Volume,
    classify,
    owner,
    parse_volume,
    split_volid,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("local-zfs:8", "new"),
        ("local-zfs:0.5", "new"),
        ("local-zfs:subvol-900-disk-0", "volume"),
        ("local:410/vm-410-disk-0.raw", "volume"),
        ("local:8G", "volume"),
        ("/srv/data", "bind"),
        ("/dev/sdb1", "device"),
        ("/device", "bind"),
        ("/dev", "bind"),
        ("nothing", "volume"),
    ],
)
def test_classify(text: str, kind: str) -> None:
    assert classify(text) == kind
    assert parse_volume(text).managed is (kind in ("new", "volume"))


def test_parse() -> None:
    assert parse_volume("tank:0.1") == Volume("new", "tank:0.1", storage="tank", size=102 * 2**20)
    assert parse_volume("tank:8").size == 8 * GIB
    assert parse_volume("tank:subvol-1-disk-0") == Volume(
        "volume", "tank:subvol-1-disk-0", storage="tank", name="subvol-1-disk-0"
    )
    assert parse_volume("nothing").storage is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("local:vztmpl/a.tar.zst", ("local", "vztmpl/a.tar.zst")),
        ("local:a:b", ("local", "a:b")),
        ("x:a", None),
        ("1x:a", None),
        ("local:", None),
        ("/srv", None),
    ],
)
def test_split(text: str, parts: tuple[str, str] | None) -> None:
    assert split_volid(text) == parts


@pytest.mark.parametrize(
    ("text", "vmid"),
    [
        ("local-zfs:subvol-900-disk-0", 900),
        ("local:410/vm-410-disk-0.raw", 410),
        ("local:base-100-disk-0/vm-101-disk-1", 101),
        ("local:basevol-100-disk-0/subvol-102-disk-0", 102),
        ("local:vm-103-cloudinit", 103),
        ("local:iso/vm-image.iso", None),
        ("local:8", None),
        ("/srv/vm-1-x", None),
    ],
)
def test_owner(text: str, vmid: int | None) -> None:
    assert owner(text) == vmid
