# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``ansible-doc`` tells of each module, against what the module takes, needs and returns."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import estate_report, report
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.census import Census
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Judgement, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.front import estate_info
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.jobs import job_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES, INFOS
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py") if path.stem != "__init__")
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("**/*.yml"))
NAMESPACE = "homeflare.proxmox."
#: Ansible's own result keys, which no module documents.
COMMON = {"changed", "diff"}
#: Keys by which Ansible decides what became of a task, or what to do with its result.
MEANT_FOR_ANSIBLE = {"ansible_facts", "exception", "failed", "results", "skipped", "unreachable", "warnings"}


def _tell() -> dict[str, dict[str, t.Any]]:
    """``ansible-doc --json`` of every module: fragments are merged in, as a person sees it."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "ansible_collections/homeflare"
        place.mkdir(parents=True)
        (place / "proxmox").symlink_to(ROOT)
        command = [sys.executable, "-m", "ansible.cli.doc", "--json", *(NAMESPACE + module for module in MODULES)]
        environ = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": name, "ANSIBLE_HOME": name}
        done = subprocess.run(command, env=environ, cwd=name, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, dict[str, t.Any]] = json.loads(done.stdout)
    return told


#: Asked here and not when it is first needed: ansible-test runs each test in a process of its own.
TOLD = _tell()


def _doc(module: str) -> dict[str, t.Any]:
    doc: dict[str, t.Any] = TOLD[NAMESPACE + module]["doc"]
    return doc


def _spec(module: str) -> dict[str, dict[str, t.Any]]:
    return job_of(module).spec


every_module = pytest.mark.parametrize("module", MODULES)


# ---- options


def _shape_of_spec(option: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {
        "type": option.get("type", "str"),
        "elements": option.get("elements"),
        "required": bool(option.get("required")),
        "default": option.get("default"),
        "choices": sorted(map(str, option.get("choices") or ())),
        "aliases": sorted(option.get("aliases") or ()),
    }


def _differences(
    documented: t.Mapping[str, t.Any], spec: t.Mapping[str, t.Any], place: str = ""
) -> t.Iterator[tuple[str, t.Any, t.Any]]:
    if set(documented) != set(spec):
        yield place or "names", sorted(set(documented) - set(spec)), sorted(set(spec) - set(documented))
    for name in sorted(set(documented) & set(spec)):
        told, taken = _shape_of_spec(documented[name]), _shape_of_spec(spec[name])
        yield from ((f"{place}{name}.{part}", told[part], taken[part]) for part in told if told[part] != taken[part])
        yield from _differences(
            documented[name].get("suboptions") or {}, spec[name].get("options") or {}, f"{place}{name}."
        )


@every_module
def test_options_are_documented_as_they_are_taken(module: str) -> None:
    assert list(_differences(_doc(module)["options"], _spec(module))) == []


def test_the_comparison_sees_what_is_missing_and_what_differs() -> None:
    documented = {"a": {"type": "int", "default": 1}, "b": {}, "d": {"type": "dict", "suboptions": {"x": {}}}}
    spec = {"a": {"type": "int"}, "c": {}, "d": {"type": "dict", "options": {"x": {"required": True}}}}
    assert list(_differences(documented, spec)) == [
        ("names", ["b"], ["c"]),
        ("a.default", 1, None),
        ("d.x.required", False, True),
    ]


def _described(options: t.Mapping[str, t.Any], place: str = "") -> t.Iterator[str]:
    """Options without a sentence that says what they are."""
    for name, option in options.items():
        said = option.get("description")
        texts = [said] if isinstance(said, str) else said or []
        if not texts or not all(re.search(r"[.:)](\s|$)", text) for text in texts):
            yield place + name
        yield from _described(option.get("suboptions") or {}, f"{place}{name}.")


@every_module
def test_every_option_is_described_in_sentences(module: str) -> None:
    assert list(_described(_doc(module)["options"])) == []


# ---- privileges

#: ``VM.Audit``, ``Datastore.AllocateSpace``: PVE's names of privileges.
PRIVILEGE = re.compile(r"\b(?:[A-Z][A-Za-z]+\.)+[A-Z][A-Za-z]+\b")


def _needs(module: str) -> tuple[str, str]:
    """What the table says: for reading and for writing."""
    if module in FAMILIES:
        return FAMILIES[module].privileges.read, FAMILIES[module].privileges.write
    return (INFOS[module].read if module in INFOS else "", "")


def _privilege_notes(module: str) -> list[str]:
    return [note for note in _doc(module).get("notes", ()) if note.startswith("PRIVILEGES: ")]


@every_module
def test_a_note_says_which_privileges_are_needed(module: str) -> None:
    notes = " ".join(_privilege_notes(module))
    assert notes
    wanted = set(PRIVILEGE.findall(" ".join(_needs(module))))
    assert wanted <= set(PRIVILEGE.findall(notes))


@pytest.mark.parametrize("module", sorted(FAMILIES))
def test_reading_and_writing_are_told_apart(module: str) -> None:
    assert all(_needs(module))
    assert len(_privilege_notes(module)) >= 2


# ---- examples


def _tasks(module: str) -> list[dict[str, t.Any]]:
    tasks: list[dict[str, t.Any]] = yaml.safe_load(TOLD[NAMESPACE + module]["examples"])
    return tasks


def _unknown(action: str, arguments: t.Mapping[str, t.Any], spec: t.Mapping[str, t.Any]) -> list[str]:
    """Options that the spec does not have, and missing ones that it requires."""
    names = {*spec, *(alias for option in spec.values() for alias in option.get("aliases", ()))}
    wrong = [f"{action}: {name}" for name in arguments if name not in names]
    wrong += [f"{action} lacks {name}" for name, option in spec.items() if _lacks(name, option, arguments)]
    for name, option in spec.items():
        inner = arguments.get(name)
        if option.get("options") and isinstance(inner, dict):
            wrong += _unknown(f"{action}.{name}", inner, option["options"])
    return wrong


def _lacks(name: str, option: t.Mapping[str, t.Any], arguments: t.Mapping[str, t.Any]) -> bool:
    return bool(option.get("required")) and not {name, *option.get("aliases", ())} & set(arguments)


def _wrong(tasks: t.Iterable[t.Mapping[str, t.Any]]) -> t.Iterator[str]:
    """Of tasks (also below ``block`` and the like) that use this collection: options that do not exist."""
    for task in tasks:
        for inner in ("block", "rescue", "always", "tasks", "pre_tasks", "post_tasks"):
            yield from _wrong(task.get(inner) or ())
        for action, arguments in task.items():
            name = str(action).removeprefix(NAMESPACE)
            if str(action).startswith(NAMESPACE) and name in MODULES:
                yield from _unknown(name, arguments or {}, _spec(name))
                if name == "estate" and isinstance(arguments["resources"], list):
                    yield from _wrong_resources(arguments["resources"])


def _wrong_resources(resources: t.Iterable[t.Mapping[str, t.Any]]) -> t.Iterator[str]:
    for resource in resources:
        ((family, options),) = resource.items()
        yield from _unknown(family, options, _spec(family))


@every_module
def test_examples_use_only_options_that_there_are(module: str) -> None:
    tasks = _tasks(module)
    assert any(NAMESPACE + module in task for task in tasks)
    assert list(_wrong(tasks)) == []


def test_an_example_with_an_unknown_option_is_seen() -> None:
    tasks = [{"block": [{"homeflare.proxmox.pool": {"pool": "house"}}]}]
    assert list(_wrong(tasks)) == ["pool: pool", "pool lacks poolid"]


# ---- what comes back


def _returned(module: str) -> set[str]:
    """The keys of a result, by running what makes it."""
    if module in INFOS:
        return set(INFOS[module].returns)
    if module == "estate":
        return set(estate_report.result([], changed=False))
    if module == "estate_info":
        return set(estate_info._result(Census()))
    declaration = Declaration(ident={"id": "one"})
    return set(report.result(PLACE, declaration, Judgement(), Live(present=False)))


@every_module
def test_every_key_of_a_result_is_documented(module: str) -> None:
    documented = TOLD[NAMESPACE + module]["return"]
    assert set(documented) == _returned(module) - COMMON
    assert not set(documented) & MEANT_FOR_ANSIBLE
    for name, entry in documented.items():
        assert entry.get("description"), name
        assert entry.get("returned"), name
        assert entry.get("type"), name
        assert "sample" in entry, name


def test_rows_of_an_estate_are_documented() -> None:
    contains = TOLD["homeflare.proxmox.estate"]["return"]["rows"]["contains"]
    assert list(contains) == list(TOLD["homeflare.proxmox.estate"]["return"]["rows"]["sample"][0])


# ---- the guides

GUIDES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```ya?ml\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("guide", GUIDES)
def test_yaml_of_a_guide_uses_only_options_that_there_are(guide: str) -> None:
    for text in FENCE.findall((ROOT / guide).read_text()):
        data = yaml.safe_load(text)
        if isinstance(data, list):
            assert list(_wrong(data)) == []


@pytest.mark.parametrize("guide", GUIDES)
def test_links_of_a_guide_lead_to_something(guide: str) -> None:
    text = (ROOT / guide).read_text()
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    lost = [link for link in links if link and not (ROOT / guide).parent.joinpath(link).exists()]
    assert lost == []


#: Texts of PVE and OpenBao, which are not ours to find.
FOREIGN = ("Authentication failed!", "Permission check failed", "no quorum", "permission denied")


def _texts_of_code() -> set[str]:
    """Every text that the plugins hold; of texts with values in them, the parts between."""
    texts: set[str] = set()
    for path in (ROOT / "plugins").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts |= {" ".join(line.split()) for line in (node.value, *node.value.splitlines())}
    return texts


def test_messages_of_the_guide_to_trouble_are_those_of_the_code() -> None:
    """Each has a part, left or right of what it leaves open (``...`` and values), that the code holds."""
    guide = (ROOT / "docs/troubleshooting.md").read_text()
    told = [cell for row in re.findall(r"^\| (.*?) \|", guide, re.MULTILINE) for cell in re.findall(r"`([^`]+)`", row)]
    assert len(told) > 30
    texts = _texts_of_code()
    whole = "\n".join(texts)
    pieces = {text.strip(" :;().") for text in texts if 10 <= len(text) <= 120}

    def is_known(message: str) -> bool:
        parts = [part.strip(" :;()") for part in re.split(r"\.\.\.|: ", message)]
        if any(len(part) >= 10 and part in whole for part in parts):
            return True
        return any(piece in message for piece in pieces) or any(text in message for text in FOREIGN)

    assert [message for message in told if not is_known(message)] == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_collection_use_only_options_that_there_are(example: str) -> None:
    data = yaml.safe_load((ROOT / example).read_text())
    if isinstance(data, list):
        assert list(_wrong(data)) == []
