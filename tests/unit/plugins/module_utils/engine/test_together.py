# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that go only together, what goes along with every call, keys without an option, and waiting for PVE."""

from __future__ import annotations

import dataclasses
import time
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import converge as engine
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import (
    Declaration,
    Endpoint,
    Family,
    Judgement,
    Live,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import Key
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError, NotStoredError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import PropertyMap, Sub
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Integer, Text
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

COUPLED = dataclasses.replace(
    PLACE,
    create=Endpoint(method="POST", path="places", identity=("id",), form={"kind": "any"}),
    keys={
        "storage": Key(kind=Text()),
        "template": Key(kind=Text(), default="", requires="storage"),
        "mark": Key(kind=Text(), internal=True),
    },
    selector=None,
)


def judged(values: dict[str, t.Any], live: dict[str, t.Any] | None, **more: t.Any) -> Judgement:
    wanted = Declaration(ident={"id": "home"}, values=values, **more)
    return judge(COUPLED, wanted, Live(present=live is not None, values=live or {}))


def test_a_key_goes_with_the_one_that_it_requires() -> None:
    assert judged({"template": "x"}, {"storage": "s"}).steps[0].form == {"template": "x", "storage": "s"}


def test_the_required_key_stays_at_home_when_only_others_change_or_the_key_is_cleared() -> None:
    assert judged({"template": ""}, {"storage": "s", "template": "x"}).steps[0].form == {"delete": "template"}


@pytest.mark.parametrize(
    ("values", "live", "more"),
    [
        ({"template": "x"}, {}, {}),
        ({"template": "x"}, None, {}),
        ({"template": "x"}, {"storage": "s"}, {"delete": ("storage",)}),
    ],
)
def test_without_the_required_key_the_change_is_refused(
    values: dict[str, t.Any], live: dict[str, t.Any] | None, more: dict[str, t.Any]
) -> None:
    (refusal,) = judged(values, live, **more).refusals
    assert (refusal.id, refusal.key) == ("requires", "template")


def test_clearing_both_is_not_refused() -> None:
    judgement = judged({}, {"storage": "s", "template": "x"}, delete=("storage", "template"))
    assert judgement.refusals == ()
    assert judgement.steps[0].form == {"delete": "storage,template"}


def test_a_constant_of_the_endpoint_goes_along() -> None:
    assert judged({"storage": "s"}, None).steps[0].form == {"kind": "any", "id": "home", "storage": "s"}


def test_an_internal_key_is_no_option() -> None:
    assert "mark" not in argument_spec(COUPLED)
    with pytest.raises(DeclarationError, match="mark is not a key"):
        declaration_of(COUPLED, {"id": "home", "delete": ["mark"]})


def _patient(family: Family, declaration: Declaration, live: Live) -> Judgement:
    return Judgement(wait=5.0 if live.present else 0)


PATIENT = dataclasses.replace(PLACE, judge_hook=_patient)
GET = ("GET", "places/home", None)
ABSENT = error(500, "no such place 'home'")


def test_it_reads_until_pve_has_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PAUSE", 0)
    script = Script([(*GET, {}), (*GET, {}), (*GET, ABSENT)])
    outcome = converge(PATIENT, Declaration(ident={"id": "home"}), script, check_mode=False)
    script.done()
    assert not outcome.live.present
    assert outcome.judgement.action == "none"


def test_check_mode_does_not_wait() -> None:
    script = Script([(*GET, {})], read_only=True)
    converge(PATIENT, Declaration(ident={"id": "home"}), script, check_mode=True)
    script.done()


def test_waiting_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 100, 3))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(NotStoredError, match="not finished within the time"):
        converge(PATIENT, Declaration(ident={"id": "home"}), Script([(*GET, {})] * 9), check_mode=False)


def test_an_absent_property_string_without_a_default_is_set() -> None:
    family = dataclasses.replace(COUPLED, keys={"rooms": Key(kind=PropertyMap({"max": Sub(Integer())}))})
    wanted = Declaration(ident={"id": "home"}, values={"rooms": "max=3"})
    assert judge(family, wanted, Live(present=True)).steps[0].form == {"rooms": "max=3"}
