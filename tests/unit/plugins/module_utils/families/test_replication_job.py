# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replication jobs: a fixed target, jobs that a migration turned round, removal as a mark that PVE acts on later."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import converge as engine
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import Outcome, converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    DeclarationError,
    NotStoredError,
    RefusedError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.replication_job import REPLICATION_JOB
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

PATH = "cluster/replication/100-0"
ABSENT = error(500, "no such replication job '100-0'")
JOB = {"id": "100-0", "guest": 100, "jobnum": 0, "type": "local", "source": "pve1", "target": "pve2", "digest": "d1"}
TURNED = {**JOB, "source": "pve2", "target": "pve1"}


def run(expect: list[t.Any], *, check: bool = False, **params: t.Any) -> Outcome:
    wanted = declaration_of(REPLICATION_JOB, {"id": "100-0", "follow_migration": True, "wait_timeout": 300, **params})
    script = Script(expect, read_only=check)
    outcome = converge(REPLICATION_JOB, wanted, script, check_mode=check)
    script.done()
    return outcome


def read(live: t.Any = None, **more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", PATH, None, live if isinstance(live, Exception) else {**(live or JOB), **more})


def listed(*jobs: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", "cluster/replication", None, list(jobs))


def put(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", PATH, {**form, "digest": "d1"}, None)


def delete(**query: str) -> tuple[str, str, t.Any, t.Any]:
    return ("DELETE", PATH, query, None)


def test_declared_defaults_equal_a_job_that_stores_nothing() -> None:
    run([read()], target="pve2", schedule="*/15", disable=False, comment="")


def test_a_rate_is_a_number_however_it_is_written() -> None:
    run([read(rate=10)], rate=10.0)
    run([read(rate="10.50")], rate=10.5)


def test_a_job_is_created_as_local() -> None:
    run(
        [
            read(ABSENT),
            listed({**JOB, "id": "100-1", "target": "pve3"}, {**JOB, "id": "101-0", "guest": 101}),
            ("POST", "cluster/replication", {"type": "local", "id": "100-0", "target": "pve2", "rate": "2.5"}, None),
            read(rate=2.5),
        ],
        target="pve2",
        rate=2.5,
    )


def test_an_update_carries_what_differs_and_clears_by_name() -> None:
    run([read(), put(schedule="*/5", disable="1"), read(schedule="*/5", disable=1)], schedule="*/5", disable=True)
    run(
        [read(rate=5, comment="x", schedule="*/5"), put(delete="schedule,rate,comment"), read()],
        comment="",
        delete=["rate", "schedule"],
    )


def test_another_target_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"target is fixed at creation .live pve2, declared pve3"):
        run([read()], target="pve3")


def test_a_job_that_a_migration_turned_round_is_left_as_it_is() -> None:
    outcome = run([read(TURNED)], target="pve2", schedule="*/15")
    assert not outcome.judgement.steps
    assert "migrated to pve2" in outcome.progress.warnings[0]
    run([read(TURNED), put(rate="5"), read(TURNED, rate=5)], target="pve2", rate=5)


def test_a_turned_job_is_refused_when_it_shall_not_follow() -> None:
    with pytest.raises(RefusedError, match="target is fixed at creation"):
        run([read(TURNED)], target="pve2", follow_migration=False)


def test_a_second_job_to_one_target_is_refused() -> None:
    with pytest.raises(RefusedError, match="replicated to pve2 already, by job 100-1"):
        run([read(ABSENT), listed({**JOB, "id": "100-1"})], target="pve2")


def test_creating_needs_a_target() -> None:
    with pytest.raises(RefusedError, match="creating it needs target"):
        run([read(ABSENT), listed()])


def test_the_job_number_is_a_number() -> None:
    assert declaration_of(REPLICATION_JOB, {"id": "100-00"}).ident == {"id": "100-0"}


def test_a_delete_that_marks_the_job_is_done() -> None:
    assert run([read(), delete(), read(remove_job="full")], state="absent").judgement.action == "delete"
    run([read(), delete(keep="1"), read(remove_job="local")], state="absent", keep=True)
    run([read(), delete(force="1"), read(ABSENT)], state="absent", force=True)


def test_a_delete_that_leaves_no_mark_is_not_done() -> None:
    with pytest.raises(NotStoredError, match="it is still there"):
        run([read(), delete(), read()], state="absent")


def test_a_job_that_is_marked_already_is_not_changed() -> None:
    outcome = run([read(remove_job="full")], state="absent")
    assert (outcome.judgement.action, outcome.judgement.steps) == ("none", ())


def test_force_removes_a_job_that_only_waits_for_its_node() -> None:
    run([read(remove_job="full"), delete(force="1"), read(ABSENT)], state="absent", force=True)


def test_present_takes_the_mark_away() -> None:
    outcome = run([read(remove_job="full"), put(delete="remove_job"), read()], target="pve2")
    assert [item.key for item in outcome.judgement.drift] == ["remove_job"]
    run([read(remove_job="full"), put(comment="x", delete="remove_job"), read(comment="x")], comment="x")


def test_wait_reads_until_the_job_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PAUSE", 0)
    marked = read(remove_job="full")
    run([read(), delete(), marked, marked, read(ABSENT)], state="absent", wait=True)
    run([marked, marked, read(ABSENT)], state="absent", wait=True)


def test_wait_ends_in_time() -> None:
    with pytest.raises(NotStoredError, match="not finished within the time"):
        run([read(remove_job="full")], state="absent", wait=True, wait_timeout=-1)


@pytest.mark.parametrize("failure", [error(403, "Permission check failed (/vms/100, VM.Audit)"), error(500, "x")])
def test_a_failed_read_is_no_absence(failure: ApiError) -> None:
    with pytest.raises(ApiError):
        run([read(failure)], target="pve2")


@pytest.mark.parametrize(
    "params",
    [
        {"id": "99-0"},
        {"id": "100"},
        {"rate": 0.5},
        {"target": "pve_2"},
        {"force": True, "keep": True},
        {"schedule": ""},
    ],
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)
