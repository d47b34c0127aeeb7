# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``Family.refuses`` against the code: every refusal that a family's hooks can make is told, and no other."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils import families
from ansible_collections.homeflare.proxmox.plugins.module_utils.front import registry
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES

ROOM = Path(families.__path__[0]).resolve()
#: Functions that make a refusal of their first argument.
MAKERS = ("refuse", "_no")


def _home(name: str) -> Path:
    """The file in which a family's table is."""
    imports = ast.parse(inspect.getsource(registry)).body
    constant = next(key for key, value in vars(registry).items() if value is FAMILIES[name])
    for node in imports:
        if isinstance(node, ast.ImportFrom) and constant in [alias.name for alias in node.names]:
            return ROOM.joinpath(*str(node.module).split(".")[1:]).with_suffix(".py")
    raise AssertionError(name)


def _sources(name: str) -> set[Path]:
    """The family's own files: what its table imports, but for the tables of others."""
    home = _home(name)
    others = {_home(other) for other in FAMILIES} - {home}
    found: set[Path] = set()
    wanted = {home}
    while wanted:
        path = wanted.pop()
        found.add(path)
        wanted |= {near for near in _imports(path) if near not in found | others}
    return found


def _imports(path: Path) -> set[Path]:
    """The files of families/ that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            place = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            named = [place.with_suffix(".py"), *(place / f"{alias.name}.py" for alias in node.names)]
            found |= {name for name in named if name.is_file() and name.is_relative_to(ROOM)}
    return found


def _made(path: Path) -> set[str]:
    """Ids of the refusals that a file makes."""
    made = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id == "Refusal":
            ids = [keyword.value for keyword in node.keywords if keyword.arg == "id"]
        else:
            ids = node.args[:1] if node.func.id in MAKERS else []
        made |= {item.value for item in ids if isinstance(item, ast.Constant) and isinstance(item.value, str)}
    return made


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_family_tells_every_refusal_of_its_hooks(name: str) -> None:
    made = {refusal for path in _sources(name) for refusal in _made(path)}
    assert set(FAMILIES[name].refuses) == made


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_refusal_is_told_by_a_plain_phrase(name: str) -> None:
    for phrase in FAMILIES[name].refuses.values():
        assert phrase[:1].islower(), phrase
        assert not phrase.endswith("."), phrase
        assert "|" not in phrase, phrase


def test_refusals_are_found_where_they_are_made() -> None:
    assert {"root-only", "no-template", "not-recognised", "no-node"} <= {
        refusal for path in _sources("lxc") for refusal in _made(path)
    }
    assert _sources("group") == {ROOM / "group.py", ROOM / "access.py"}
