# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family's spellings: what is declared one way and read another is the same, or is not.

The data is in tests/unit/spellings, a file a family: ``equal`` and ``different`` are lists of [key, declared, live],
where live is null for a key that the answer does not hold. A fourth value holds other keys of the answer.
"""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.compare import compare
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import NOTHING
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES

FOLDER = Path(__file__).resolve().parents[2] / "spellings"
SAYS = ("equal", "different")


def rows() -> list[t.Any]:
    found = []
    for path in sorted(FOLDER.glob("*.yml")):
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        for verdict in SAYS:
            for number, row in enumerate(data[verdict]):
                name = f"{path.stem}-{verdict}-{number}-{row[0]}"
                found.append(pytest.param(path.stem, verdict, row, id=name))
    return found


@pytest.mark.parametrize(("name", "verdict", "row"), rows())
def test_a_spelling_is_the_same_or_is_not(name: str, verdict: str, row: list[t.Any]) -> None:
    family = FAMILIES[name]
    key, declared, raw = row[:3]
    values = dict(row[3]) if len(row) > 3 else {}
    if raw is not None:
        values[family.keys[key].live or key] = raw
    exact = bool(argument_spec(family).get("exact", {}).get("default"))
    declaration = Declaration(ident={}, values={key: declared}, exact=exact)
    found = compare(family, declaration, Live(present=True, values=values))
    assert [item.key for item in found] == ([] if verdict == "equal" else [key]), found


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_has_a_file_with_both_verdicts(name: str) -> None:
    path = FOLDER / f"{name}.yml"
    assert path.exists(), f"tests/unit/spellings/{name}.yml is missing"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(data) == set(SAYS)
    assert data["equal"]
    assert data["different"]


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_key_that_has_a_default_has_a_spelling_of_its_absence(name: str) -> None:
    family = FAMILIES[name]
    data = yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    absent = {row[0] for row in data["equal"] if row[2] is None}
    with_default = {name for name, key in family.keys.items() if key.default is not NOTHING and not key.internal}
    assert with_default - absent == set()


def test_no_file_is_of_an_unknown_family() -> None:
    assert {path.stem for path in FOLDER.glob("*.yml")} <= set(FAMILIES)
