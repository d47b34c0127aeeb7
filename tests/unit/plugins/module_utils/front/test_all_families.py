# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every registered family must do, whatever its table says. The options are those of its end-to-end row."""

from __future__ import annotations

import random
import typing as t
from pathlib import Path
from string import Template

import pytest
import yaml
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.compare import compare, has_key
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Family, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import Clear
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.steps import update_form
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    HomeflareError,
    ServerError,
    TransportError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.run import full_spec
from ansible_collections.homeflare.proxmox.tests.unit.scripted import error

TESTS = Path(__file__).resolve().parents[4]
FACTS = {
    "node": "pve1",
    "storage": "local-zfs",
    "template": "local:vztmpl/debian.tar.zst",
    "bridge": "vmbr0",
    "vmid": "900",
    "vmid2": "901",
    "tmp": "/tmp",
}
every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


def create_options(family: Family) -> dict[str, t.Any]:
    """What the end-to-end row creates, with the other options at their defaults."""
    text = (TESTS / "e2e" / "families" / f"{family.name}.yml").read_text(encoding="utf-8")
    given = yaml.safe_load(Template(text).safe_substitute(FACTS))["create"]
    spec = argument_spec(family)
    assert set(given) <= set(spec)
    return {name: given.get(name, option.get("default")) for name, option in spec.items()}


class Broken:
    """A session whose reads fail, or answer nonsense; whatever is written to it fails the test."""

    def __init__(self, answer: object) -> None:
        self.answer, self.reads = answer, 0

    def get(self, path: str, query: object = None, *, shared: bool = False, role: str = "read") -> t.Any:
        self.reads += 1
        if isinstance(self.answer, ApiError):
            raise ApiError(
                method="GET",
                path=path,
                status=self.answer.status,
                message=self.answer.message,
                errors=self.answer.errors,
            )
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def write(self, method: str, path: str, form: object, *, task: bool = False) -> t.Any:
        raise AssertionError(f"{method} {path} was sent although nothing was known")

    def wait(self, upid: str, *, what: str = "") -> t.Any:
        raise AssertionError("nothing was started")


UNREAD: t.Mapping[str, Exception] = {
    "401": error(401, "authentication failure"),
    "403": error(403, "Permission check failed (/, Sys.Audit)"),
    "404": error(404, "no such file '/json/x'"),
    "500 with another text": error(500, "got no worker upid - start worker failed"),
    "500 without a text": error(500, ""),
    "501": error(501, "Method 'GET /x' not implemented"),
    "400 of another parameter": error(400, "Parameter verification failed.", {"node": "no such cluster node"}),
    "595": error(595, "No route to host"),
    "596": error(596, "broken pipe"),
    "599": error(599, "Too many redirections"),
    "timeout": TransportError("timed out", method="GET", path="x", sent=True),
    "refused": TransportError("connection refused", method="GET", path="x", sent=False),
    "no JSON": ServerError("the answer is not JSON", method="GET", path="x"),
}
NONSENSE: t.Mapping[str, t.Any] = {
    "null": None,
    "text": "text",
    "number": 7,
    "list of texts": ["a"],
    "list of null": [None],
    "list of nameless rows": [{}],
    "rows of another sort": [{"poolid": [], "members": 7, "tokens": 3, "privs": {}, "storage": None, "name": None}],
}


@every_family
@pytest.mark.parametrize("failure", UNREAD.values(), ids=UNREAD)
@pytest.mark.parametrize("state", ["present", "absent"])
@pytest.mark.parametrize("check_mode", [True, False], ids=["check", "apply"])
def test_a_failed_read_is_a_failure_and_never_a_create(
    family: Family, failure: Exception, state: str, check_mode: bool
) -> None:
    session = Broken(failure)
    with pytest.raises(HomeflareError):
        converge(family, _declared(family, state), session, check_mode=check_mode)
    assert session.reads


@every_family
@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_an_answer_of_another_shape_is_a_failure(family: Family, answer: object) -> None:
    session = Broken(answer)
    with pytest.raises(HomeflareError):
        converge(family, _declared(family, "present"), session, check_mode=False)
    assert session.reads


@every_family
def test_absence_is_a_status_and_a_text_together(family: Family) -> None:
    for absence in family.read.absence:
        assert absence.message, "a status alone says nothing"
        for status in (200, 401, 403, 501, 595, 596):
            assert absence.status != status


def _declared(family: Family, state: str) -> Declaration:
    options = create_options(family)
    if state == "absent":
        options = {**options, "state": "absent"}
        if family.retain:
            names = [str(options[name]) for name in family.identity if options.get(name) is not None]
            options["confirm_destroy"] = family.joiner.join(names)
    return declaration_of(family, options)


# ---- set and delete


def _spelled(family: Family) -> list[list[t.Any]]:
    path = TESTS / "unit" / "spellings" / f"{family.name}.yml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [row for row in data["different"] if len(row) == 3 and not family.keys[row[0]].secret]


@every_family
def test_no_update_sets_and_deletes_the_same_key(family: Family) -> None:
    """Random mixtures of drifted and deleted keys, from the pairs that the spellings call different."""
    rng = random.Random(family.name)
    pairs = _spelled(family)
    types = sorted({kind for key in family.keys.values() for kind in key.types}) or [None]
    looked_at = 0
    for _mixture in range(120):
        kind = rng.choice(types)
        live: dict[str, t.Any] = {} if kind is None or family.selector is None else {family.selector: kind}
        values: dict[str, t.Any] = {}
        delete: list[str] = []
        for name, declared, raw in rng.sample(pairs, len(pairs)):
            key = family.keys[name]
            if not has_key(key, kind) or name == family.selector or name in values or name in delete:
                continue
            if raw is not None:
                live[key.live or name] = raw
            if raw is not None and key.clear is not Clear.NEVER and not key.is_required(kind) and rng.random() < 0.5:
                delete.append(name)
            else:
                values[name] = declared
        declaration = Declaration(ident={}, values=values, delete=tuple(delete))
        state = Live(present=True, values=live)
        form, cleared = update_form(family, declaration, state, compare(family, declaration, state))
        assert not set(form) & set(cleared), (form, cleared)
        assert len(cleared) == len(set(cleared))
        looked_at += len(form) + len(cleared)
    assert looked_at


# ---- the options of the module


@every_family
def test_secrets_are_no_log_and_nothing_else_is(family: Family) -> None:
    spec = argument_spec(family)
    for name, key in family.keys.items():
        option = spec.get(key.option_name(name))
        if option is None:
            continue
        assert bool(option.get("no_log")) is (key.secret or key.hidden), name


@every_family
def test_no_option_hides_another(family: Family) -> None:
    spec = full_spec(family)
    assert set(argument_spec(family)) <= set(spec)
    names = [*family.identity, *(key.option_name(name) for name, key in family.keys.items()), *family.options]
    assert family.config or len(names) == len(set(names))
    for name, option in spec.items():
        assert option.get("type"), name
        assert not (option.get("required") and "default" in option), name


def test_needs_has_no_circle_and_names_families() -> None:
    done: set[str] = set()
    while len(done) < len(FAMILIES):
        ready = {name for name, family in FAMILIES.items() if set(family.needs) & set(FAMILIES) <= done}
        assert ready - done, f"these wait for each other: {sorted(set(FAMILIES) - done)}"
        done |= ready
    for family in FAMILIES.values():
        assert family.name not in family.needs


@every_family
def test_every_family_has_an_end_to_end_row(family: Family) -> None:
    row = yaml.safe_load((TESTS / "e2e" / "families" / f"{family.name}.yml").read_text(encoding="utf-8"))
    assert row["family"] == family.name
    for part in ("create", "drifts", "refused", "absent"):
        assert row[part], part
