# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to agree between files of the repo, and what no file may hold."""

from __future__ import annotations

import ast
import ipaddress
import re
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Family
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.info import Info
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES, INFOS

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path for path in (ROOT / "plugins/modules").glob("*.py") if path.stem != "__init__")
UTILS = sorted((ROOT / "plugins/module_utils").rglob("*.py"))
LICENCE = (
    "# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)",
    "# SPDX-License-Identifier: GPL-3.0-or-later",
)


def _tracked() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({path for path in listing.split("\0") if path and (ROOT / path).is_file()})


def _texts() -> t.Iterator[tuple[str, str]]:
    for path in _tracked():
        if path != "LICENSE" and not (ROOT / path).is_symlink():
            try:
                yield path, (ROOT / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def _constant(module: Path, name: str) -> t.Any:
    """DOCUMENTATION, EXAMPLES or RETURN as data, without importing the module."""
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, ast.Assign) and any(isinstance(at, ast.Name) and at.id == name for at in node.targets):
            return yaml.safe_load(ast.literal_eval(node.value))
    return None


def _imports(path: Path) -> set[str]:
    """What a file imports, relative imports with their dots."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


# The families and what the collection says of them


def _groups() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
    return groups


def test_every_family_and_lookup_has_a_module_and_every_module_one_of_them() -> None:
    assert [path.stem for path in MODULES] == sorted([*FAMILIES, *INFOS, "estate", "estate_info"])


def test_action_groups_are_sorted() -> None:
    groups = _groups()
    assert list(groups) == sorted(groups)
    for name, members in groups.items():
        assert members == sorted(set(members)), name


def _wanted(group: str) -> t.Callable[[Family | Info], bool]:
    return {
        "all": lambda job: True,
        "guests": lambda job: isinstance(job, Family) and job.config is not None,
        "pbs": lambda job: job.product == "pbs",
        "pve": lambda job: job.product == "pve",
    }[group]


@pytest.mark.parametrize("group", ["all", "guests", "pbs", "pve"])
def test_action_group_holds_just_the_families_that_belong(group: str) -> None:
    belongs = _wanted(group)
    jobs: dict[str, Family | Info] = {**FAMILIES, **INFOS}
    whole = ["estate", "estate_info"] if group in ("all", "pve") else []
    assert _groups().get(group, []) == sorted([*(name for name, job in jobs.items() if belongs(job)), *whole])


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_module_has_its_action(module: Path) -> None:
    action = ROOT / "plugins/action" / module.name
    assert not action.is_symlink()
    assert action.read_text() == (ROOT / "plugins/action/lxc.py").read_text()


def test_no_action_without_a_module() -> None:
    actions = sorted(path.stem for path in (ROOT / "plugins/action").glob("*.py") if path.stem != "__init__")
    assert actions == [path.stem for path in MODULES]


# Modules


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_module_is_documented(module: Path) -> None:
    documentation = _constant(module, "DOCUMENTATION")
    assert documentation["module"] == module.stem
    assert {"short_description", "description", "author", "version_added", "options"} <= set(documentation)
    assert any(name.endswith(".attributes") for name in documentation["extends_documentation_fragment"])
    for name, option in documentation["options"].items():
        assert option.get("description"), name
        assert option.get("type"), name
    assert _constant(module, "RETURN")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_examples_are_tasks_of_the_module(module: Path) -> None:
    tasks = _constant(module, "EXAMPLES")
    assert isinstance(tasks, list)
    assert tasks
    assert all(task.get("name") for task in tasks)
    assert any(f"homeflare.proxmox.{module.stem}" in task for task in tasks)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_module_is_documentation_and_one_call(module: Path) -> None:
    texts = {"DOCUMENTATION", "EXAMPLES", "RETURN"}
    body = [
        node
        for node in ast.parse(module.read_text()).body
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in texts)
    ]
    assert sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in body) <= 25


# Rooms


PURE_FILES = {"compare.py", "export.py", "family.py", "index.py", "judge.py", "key.py", "report.py", "steps.py"}
PURE = [path for path in UTILS if {"wire", "families"} & set(path.parts) or path.name in PURE_FILES]
IMPURE = re.compile(
    r"(ansible|requests|hvac|socket|ssl|http|urllib3|urllib\.request|subprocess|time|multiprocessing|mmap)(\.|$)|\.+(api|front)(\.|$)"
)


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(ROOT / "plugins/module_utils")))
def test_pure_rooms_import_no_io_and_nothing_of_ansible(path: Path) -> None:
    assert [name for name in sorted(_imports(path)) if IMPURE.match(name)] == []


@pytest.mark.parametrize("path", UTILS, ids=lambda path: str(path.relative_to(ROOT / "plugins/module_utils")))
def test_file_of_module_utils_is_short(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 330
    if path.name == "__init__.py":
        assert lines == []


# What no file may hold


def test_python_files_name_the_licence() -> None:
    texts = [(path, text) for path, text in _texts() if path.endswith(".py") and text]
    assert texts
    assert [path for path, text in texts if not all(line in text.splitlines()[:6] for line in LICENCE)] == []


def test_no_machine_paths_and_no_registry_hosts() -> None:
    # Put together here, so that this file does not hold them.
    parts = [
        ("/", "root/"),
        ("/", "home/"),
        ("/", "work/"),
        ("pypi", r"\.org"),
        ("python", "hosted"),
        ("registry", r"\.npm"),
    ]
    forbidden = re.compile("|".join(rf"(?<![\w.~])?{first}{second}" for first, second in parts))
    found = [f"{path}: {match.group()}" for path, text in _texts() for match in forbidden.finditer(text)]
    assert found == []


def test_no_unresolved_merge_and_no_trailing_space() -> None:
    bad = re.compile(r"^(<{7}|>{7}|={7}$)|[ \t]+$", re.MULTILINE)
    assert [path for path, text in _texts() if path.endswith((".py", ".yml", ".toml")) and bad.search(text)] == []


DOCUMENTED = [
    ipaddress.ip_network(name)
    for name in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "127.0.0.0/8", "0.0.0.0/32", "255.0.0.0/8")
]


def test_addresses_are_those_set_aside_for_documentation() -> None:
    found = []
    for path, text in _texts():
        if path.startswith(("tests/requirements", "tests/unit/plugins/module_utils/wire")) or path.endswith(".txt"):
            continue
        for match in re.finditer(r"(?<![\w.-])(\d{1,3}(?:\.\d{1,3}){3})(?![\w.-])", text):
            try:
                address = ipaddress.ip_address(match.group(1))
            except ValueError:  # a version number, or a test of what is no address
                continue
            if not any(address in network for network in DOCUMENTED):
                found.append(f"{path}: {address}")
    assert found == []


# Tools


def test_sanity_has_nothing_to_ignore() -> None:
    assert [path.name for path in (ROOT / "tests/sanity").glob("ignore-*.txt") if path.read_text().strip()] == []


def test_execution_environments_get_what_requirements_say() -> None:
    def lines(name: str) -> list[str]:
        return [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith("#")]

    assert lines("meta/ee-requirements.txt") == lines("requirements.txt")


def test_licence_is_the_whole_gpl() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert "END OF TERMS AND CONDITIONS" in text
