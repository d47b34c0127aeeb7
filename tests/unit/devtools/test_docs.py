# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``./dev docs`` makes: up to date, and true to the tables."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Family
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import Clear, DefaultBy, Key
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES, INFOS
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.lists import ListOf, SetOf
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.network import MAC
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import PropertyMap, Sub
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Enum, Flag, Integer, Text
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE

from devtools import docs
from devtools.families import page, words


def test_what_is_made_of_the_code_is_up_to_date() -> None:
    """Run ./dev docs when this fails."""
    assert docs.stale() == []


def test_a_stale_page_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {**FAMILIES, "pool": dataclasses.replace(FAMILIES["pool"], refuses={"new": "a thing that was not there"})}
    monkeypatch.setattr(docs, "FAMILIES", changed)
    assert "+| `new` | a thing that was not there |" in docs.stale()


def test_every_family_has_its_section_with_every_key_and_refusal() -> None:
    sections = {part.partition("\n")[0]: part for part in page(FAMILIES, INFOS).split("\n## ")[1:]}
    assert sorted(sections) == sorted([*FAMILIES, "Lookups"])
    for name, family in FAMILIES.items():
        section = sections[name]
        for option in (*family.identity, *family.refuses, *family.options):
            assert f"`{option}`" in section, (name, option)
        if not family.config:
            for key, row in family.keys.items():
                assert row.internal or f"| `{family.option_of(key)}`" in section, (name, key)


def _rows(family: Family) -> dict[str, list[str]]:
    """The rows of the table of keys, without borders."""
    lines = [line for line in page({family.name: family}, {}).splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {row[0]: row[1:] for row in cells if len(row) == 5}


def test_a_row_says_how_a_key_behaves() -> None:
    rows = _rows(PLACE)
    assert rows["`type`"] == ["one of house, ship", "", "never", "needed, fixed"]
    assert rows["`server`"] == ["text", "", "never", "needed, sent again"]
    assert rows["`comment`"] == ["text", "empty", "`delete=key`", ""]
    assert rows["`note`"] == ["text", "empty", "an empty value", ""]
    assert rows["`enable`"] == ["flag", "`true`", "`delete=key`", ""]
    assert rows["`max_rooms`"] == ["whole number, 1 to 9", "", "`delete=key`", ""]
    assert rows["`groups`"] == ["set of texts", "empty", "`delete=key`", ""]
    assert rows["`password`"] == ["text", "", "never", "write-only"]
    assert rows["`otp_key`"] == ["text", "", "`delete=key`", "hidden"]
    assert rows["`sails`"] == ["whole number", "", "`delete=key`", "[ship]"]


def test_a_row_names_the_types_that_a_rule_is_for() -> None:
    port = Key(
        kind=Integer(), default=DefaultBy("type", {"house": 1, "ship": 2, "tent": 1}), required=("ship",), option="gate"
    )
    rows = _rows(dataclasses.replace(PLACE, keys={"port": port}))
    assert rows["`gate` (PVE: `port`)"] == [
        "whole number",
        "`1` (house, tent); `2` (ship)",
        "`delete=key`",
        "needed (ship)",
    ]


def test_numbered_keys_are_told_once() -> None:
    keys = {f"net{number}": Key(kind=MAC, clear=Clear.OMIT) for number in range(4)}
    rows = _rows(dataclasses.replace(PLACE, keys=keys, config="config"))
    assert rows == {"`net0` to `net3`": ["MAC address", "", "leaving it out", ""]}


class Compass(Kind):
    """A ``bearing`` as sailors know it (Almanac.pm bearing). It has no default."""


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Flag(), "flag"),
        (Integer(minimum=1), "whole number, at least 1"),
        (Text(max_length=9), "text, at most 9 characters"),
        (Text(pattern="x", expected="the name of a node"), "name of a node"),
        (SetOf(Enum(("a", "b"))), "set of a, b"),
        (ListOf(Text(expected="address")), "list of texts (address)"),
        (PropertyMap({"a": Sub(Flag())}, open=True), "property string of `a` and others"),
        (Compass(), "`bearing` as sailors know it"),
    ],
)
def test_a_kind_is_told_in_words(kind: Kind, told: str) -> None:
    assert words(kind) == told


def test_a_family_that_is_to_come_is_not_named() -> None:
    family = dataclasses.replace(PLACE, needs=("place", "planet"))
    assert "- Needs `place`." in page({"place": family}, {})
