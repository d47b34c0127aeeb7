# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read and written, in which order, and what a failure says."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import converge as engine
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import (
    Declaration,
    Drift,
    Endpoint,
    Family,
    Live,
    Refusal,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.steps import (
    create_steps,
    delete_steps,
    update_steps,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    HomeflareError,
    NotStoredError,
    RefusedError,
    ServerError,
    TaskError,
    TransportError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.run import crash
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Ended, Script, error

HOME = "places/home"
OLD = {"type": "house", "server": "a.example", "comment": "old", "digest": "d1"}
NEW = {**OLD, "comment": "new", "digest": "d2"}
CONFLICT = error(500, "detected modified configuration - file changed by other user? Try again.")
BODY = {"server": "a.example", "comment": "new", "digest": "d1"}


def declare(**values: t.Any) -> Declaration:
    return Declaration(ident={"id": "home"}, values=values)


def run(script: Script, declaration: Declaration | None = None, *, check_mode: bool = False) -> dict[str, t.Any]:
    wanted = declaration or declare(comment="new")
    script.read_only = check_mode
    outcome = converge(PLACE, wanted, script, check_mode=check_mode)
    script.done()
    return {**outcome.result(PLACE, wanted), "warnings": outcome.progress.warnings}


def test_equal_is_one_get() -> None:
    result = run(Script([("GET", HOME, None, NEW)]))
    assert (result["changed"], result["action"], result["drift"]) == (False, "none", [])


def test_drift_is_one_put_with_the_digest_of_that_read_and_a_read_back() -> None:
    result = run(Script([("GET", HOME, None, OLD), ("PUT", HOME, BODY, None), ("GET", HOME, None, NEW)]))
    assert (result["changed"], result["action"], result["drift"]) == (True, "update", ["comment"])
    assert result["object"] == {"id": "home", "comment": "new"}


def test_check_mode_judges_the_same_and_writes_nothing() -> None:
    result = run(Script([("GET", HOME, None, OLD)]), check_mode=True)
    assert (result["changed"], result["drift"]) == (True, ["comment"])


@pytest.mark.parametrize("status", [401, 403, 404, 500, 595, 596])
def test_a_failed_read_is_a_failure_and_never_a_create(status: int) -> None:
    script = Script([("GET", HOME, None, error(status, "no"))])
    with pytest.raises(ApiError):
        run(script)


@pytest.mark.parametrize("answer", [None, [], "text"])
def test_an_answer_of_another_shape_is_a_failure(answer: t.Any) -> None:
    with pytest.raises(ServerError):
        run(Script([("GET", HOME, None, answer)]))


def test_an_object_that_is_not_there_is_created_and_read_back() -> None:
    values = {"type": "house", "server": "a.example", "comment": "new"}
    script = Script(
        [
            ("GET", HOME, None, error(500, "no such place 'home'")),
            ("POST", "places", {"id": "home", **values}, None),
            ("GET", HOME, None, {**values, "digest": "d2"}),
        ]
    )
    assert run(script, declare(**values))["action"] == "create"


def test_a_write_that_did_not_take_fails_naming_the_keys() -> None:
    script = Script([("GET", HOME, None, OLD), ("PUT", HOME, None, None), ("GET", HOME, None, OLD)])
    with pytest.raises(NotStoredError, match="still differ: comment") as caught:
        run(script)
    assert caught.value.extra == {"changed": True, "written": ["update"]}


def test_c9_the_same_steps_are_written_once_after_a_conflict() -> None:
    script = Script(
        [
            ("GET", HOME, None, OLD),
            ("PUT", HOME, BODY, CONFLICT),
            ("GET", HOME, None, {**OLD, "max-rooms": 3, "digest": "d7"}),
            ("PUT", HOME, {**BODY, "digest": "d7"}, None),
            ("GET", HOME, None, NEW),
        ]
    )
    assert run(script)["changed"]


def test_c9_other_steps_after_a_conflict_are_not_written() -> None:
    script = Script(
        [
            ("GET", HOME, None, OLD),
            ("PUT", HOME, None, CONFLICT),
            ("GET", HOME, None, {**OLD, "server": "b.example", "digest": "d7"}),
        ]
    )
    with pytest.raises(RefusedError, match="changed by someone else"):
        run(script)
    script.done()


def test_c9_a_second_conflict_ends_it() -> None:
    script = Script(
        [
            ("GET", HOME, None, OLD),
            ("PUT", HOME, None, CONFLICT),
            ("GET", HOME, None, OLD),
            ("PUT", HOME, None, CONFLICT),
        ]
    )
    with pytest.raises(RefusedError, match="nothing was written"):
        run(script)


def test_a_refusal_comes_before_any_write_with_the_whole_result() -> None:
    script = Script([("GET", HOME, None, OLD)])
    with pytest.raises(RefusedError, match="fixed at creation") as caught:
        run(script, declare(type="ship"))
    assert caught.value.details()["drift"] == ["type"]
    assert not caught.value.details()["changed"]


@pytest.mark.parametrize("status", [596, 502, 504])
def test_a_write_whose_answer_was_lost_is_judged_by_what_is_stored(status: int) -> None:
    expect = [("GET", HOME, None, OLD), ("PUT", HOME, None, error(status, "timeout"))]
    stored = run(Script([*expect, ("GET", HOME, None, NEW), ("GET", HOME, None, NEW)]))
    assert stored["changed"]
    assert "PVE has stored it" in stored["warnings"][0]
    with pytest.raises(HomeflareError, match="outcome is unknown"):
        run(Script([*expect, ("GET", HOME, None, OLD)]))


def test_a_defect_after_the_write_says_what_was_written() -> None:
    script = Script([("GET", HOME, None, OLD), ("PUT", HOME, None, None), ("GET", HOME, None, KeyError("a secret"))])
    with pytest.raises(KeyError) as caught:
        run(script)
    told = crash(caught.value)
    assert (told["changed"], told["written"]) == (True, ["update"])
    assert told["msg"].startswith("Internal error (KeyError at scripted.py:")
    assert "secret" not in told["msg"]


def test_a_write_that_timed_out_after_it_was_sent_is_not_sent_again() -> None:
    lost = TransportError("no answer; the outcome is unknown", method="PUT", path=HOME, sent=True)
    script = Script([("GET", HOME, None, OLD), ("PUT", HOME, None, lost)])
    with pytest.raises(TransportError, match="outcome is unknown"):
        run(script)
    script.done()


def test_a_400_that_applied_a_part_names_what_landed() -> None:
    wanted = Declaration(ident={"id": "home"}, values={"comment": "new", "max-rooms": 3})
    script = Script(
        [
            ("GET", HOME, None, OLD),
            ("PUT", HOME, None, error(400, "Parameter verification failed.", {"max-rooms": "no"})),
            ("GET", HOME, None, NEW),
        ]
    )
    with pytest.raises(ApiError) as caught:
        run(script, wanted)
    assert caught.value.extra["partly_applied"] == ["comment"]


def test_a_create_that_lost_a_race_is_right_only_when_equal() -> None:
    wanted = declare(type="house", server="a.example", comment="new")
    expect = [
        ("GET", HOME, None, error(500, "no such place 'home'")),
        ("POST", "places", None, error(500, "place 'home' already exists")),
    ]
    run(Script([*expect, ("GET", HOME, None, NEW), ("GET", HOME, None, NEW)]), wanted)
    with pytest.raises(RefusedError, match="appeared after it was read"):
        run(Script([*expect, ("GET", HOME, None, OLD)]), wanted)


def _with_task() -> t.Any:
    return dataclasses.replace(PLACE, update=Endpoint(method="PUT", path="places/{id}", task=True))


def test_a_task_call_without_a_task_id_is_a_failure() -> None:
    script = Script([("GET", HOME, None, OLD), ("PUT", HOME, None, None)])
    with pytest.raises(TaskError, match="no task id"):
        converge(_with_task(), declare(comment="new"), script, check_mode=False)


def test_a_task_that_ends_with_warnings_is_a_success_with_a_warning() -> None:
    upid = "UPID:pve1:0000A1B2:00C3D4E5:65000000:place:home:root@pam!lab:"
    script = Script(
        [("GET", HOME, None, OLD), ("PUT", HOME, None, upid), ("GET", HOME, None, NEW)],
        ended=Ended(warnings=True, log=("nesting",)),
    )
    outcome = converge(_with_task(), declare(comment="new"), script, check_mode=False)
    assert outcome.progress.tasks == [upid]
    assert "warnings" in outcome.progress.warnings[0]


def test_absent_is_deleted_and_proven_gone() -> None:
    gone = Declaration(ident={"id": "home"}, state="absent")
    absent = error(500, "no such place 'home'")
    script = Script([("GET", HOME, None, OLD), ("DELETE", HOME, {}, None), ("GET", HOME, None, absent)])
    assert run(script, gone)["action"] == "delete"
    assert not run(Script([("GET", HOME, None, absent)]), gone)["changed"]


def steps_with(**more: t.Any) -> t.Any:
    """The sample family, its steps changed."""

    def build(family: t.Any, declaration: Declaration, live: t.Any, drift: t.Any) -> t.Any:
        make = delete_steps if declaration.state == "absent" else update_steps if live.present else create_steps
        return tuple(dataclasses.replace(step, **more) for step in make(family, declaration, live, drift))

    return dataclasses.replace(PLACE, steps_hook=build)


ABSENT = error(500, "no such place 'home'")
CREATE = declare(type="house", server="a.example")


def test_removing_what_somebody_else_removed_meanwhile_is_no_failure() -> None:
    family = steps_with(gone="no such place")
    wanted = Declaration(ident={"id": "home"}, state="absent")
    gone = error(500, "delete failed: no such place 'home'")
    script = Script([("GET", HOME, None, OLD), ("DELETE", HOME, {}, gone), ("GET", HOME, None, ABSENT)])
    assert converge(family, wanted, script, check_mode=False).judgement.action == "delete"
    still = Script([("GET", HOME, None, OLD), ("DELETE", HOME, {}, gone), ("GET", HOME, None, OLD)])
    with pytest.raises(NotStoredError):
        converge(family, wanted, still, check_mode=False)


def test_an_answer_that_shows_a_secret_once_is_not_guessed_from_what_is_stored() -> None:
    family = steps_with(reveals=True)
    lost = Script([("GET", HOME, None, ABSENT), ("POST", "places", None, error(596, "Connection timed out"))])
    with pytest.raises(HomeflareError, match="outcome is unknown"):
        converge(family, CREATE, lost, check_mode=False)
    taken = Script([("GET", HOME, None, ABSENT), ("POST", "places", None, error(500, "place already exists"))])
    with pytest.raises(RefusedError, match="appeared after it was read"):
        converge(family, CREATE, taken, check_mode=False)


def test_ready_is_asked_once_before_the_first_write_and_can_stop_it() -> None:
    asked: list[str] = []

    def stop(judgement: t.Any) -> None:
        asked.append(judgement.action)
        raise HomeflareError("not ready")

    for live, check_mode in ((NEW, False), (OLD, True)):
        converge(PLACE, declare(comment="new"), Script([("GET", HOME, None, live)]), check_mode=check_mode, ready=stop)
    assert asked == []
    with pytest.raises(HomeflareError, match="not ready"):
        converge(PLACE, declare(comment="new"), Script([("GET", HOME, None, OLD)]), check_mode=False, ready=stop)
    assert asked == ["update"]


def test_a_lock_that_is_all_that_stands_in_the_way_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PAUSE", 0.01)
    family = dataclasses.replace(PLACE, refuse=_locked)
    locked = {**OLD, "lock": "backup"}

    def attempt(expect: list[t.Any], seconds: float) -> None:
        script = Script(expect)
        converge(family, declare(comment="new"), script, check_mode=False, lock_wait=seconds)
        script.done()

    with pytest.raises(RefusedError, match="locked"):
        attempt([("GET", HOME, None, locked)], 0)
    reads = [("GET", HOME, None, locked), ("GET", HOME, None, locked), ("GET", HOME, None, OLD)]
    attempt([*reads, ("PUT", HOME, BODY, None), ("GET", HOME, None, NEW)], 60)


def _locked(_family: Family, _declaration: Declaration, live: Live, _drift: tuple[Drift, ...]) -> list[Refusal]:
    return [Refusal(id="locked", passes=True, msg="locked (backup)")] if live.values.get("lock") else []
