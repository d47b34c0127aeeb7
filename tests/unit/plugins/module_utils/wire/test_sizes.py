# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import SpellingError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.sizes import (
    GIB,
    Size,
    format_size,
    new_disk_bytes,
    parse_size,
)
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8G", 8 * GIB),
        ("8GiB", 8 * GIB),
        ("1.5T", 1536 * GIB),
        ("1048576K", GIB),
        ("1024M", GIB),
        ("512", 512),
        ("0.1K", 102),
        ("0", 0),
        (" 1G ", GIB),
    ],
)
def test_parse(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "8g", "8GB", "8 G", "-1G", "+1G", "1.G", ".5G", "1e3", "8Gi", "1,5G"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(SpellingError):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [(1024 * GIB, "1T"), (205312 * 2**20, "205312M"), (1025, "1025"), (1536, "1536"), (2048, "2K"), (0, "0T")],
)
def test_format(size: int, text: str) -> None:
    assert format_size(size) == text


@given(st.integers(min_value=0, max_value=2**60), st.sampled_from([1, 2**10, 2**20, 2**30, 2**40]))
def test_a_size_is_never_changed_by_its_spelling(number: int, unit: int) -> None:
    size = number * unit
    assert parse_size(format_size(size)) == size
    assert "i" not in format_size(size)


@given(st.decimals(min_value=0, max_value=10**6, places=3))
def test_a_new_disk_is_whole_mebibytes_and_never_more_than_asked(gib: object) -> None:
    size = new_disk_bytes(str(gib))
    asked = parse_size(f"{gib}G")
    assert size % 2**20 == 0
    assert 0 <= asked - size < 2**20


def test_a_new_disk_of_a_tenth() -> None:
    assert new_disk_bytes("0.1") == 102 * 2**20


def test_kind() -> None:
    kind = Size()
    assert kind.canon("1024M") == kind.canon("1G") == kind.canon(GIB) == GIB
    assert kind.form(GIB) == kind.show(GIB) == "1G"
    for value in (None, True, [], "x"):
        with pytest.raises(SpellingError):
            kind.canon(value)
