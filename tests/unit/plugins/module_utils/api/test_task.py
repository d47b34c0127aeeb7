# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.task import TaskResult, Upid, Waiter
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    TaskFailed,
    TaskUnknown,
    TransportError,
)

UPID = "UPID:pve1:0000C530:001C9BEC:66A5B3C4:vzcreate:100:ops@pve!deploy:"
STATUS = f"nodes/pve1/tasks/{UPID}/status"
RUNNING = {"data": {"status": "running"}}


def stopped(exit_status: str | None) -> dict[str, t.Any]:
    return {"data": {"status": "stopped", "exitstatus": exit_status}}


def log(*lines: str) -> list[dict[str, t.Any]]:
    rows = [{"n": number, "t": line} for number, line in enumerate(lines, 1)]
    return [{"data": rows[:1], "total": len(rows)}, {"data": rows[-10:], "total": len(rows)}]


def broken(sent: bool = True) -> TransportError:
    return TransportError("GET x: no member answered", method="GET", path="x", sent=sent)


def refused(status: int) -> ApiError:
    return ApiError(method="GET", path="x", status=status, message="no")


class Script:
    """Answers in order; time passes only while sleeping."""

    def __init__(self, *answers: t.Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, t.Mapping[str, t.Any]]] = []
        self.slept: list[float] = []
        self.told: list[str] = []

    def ask(self, path: str, query: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        self.asked.append((path, query))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return t.cast("t.Mapping[str, t.Any]", answer)

    def wait(self, timeout: float = 600, what: str = "Create container 100") -> TaskResult:
        upid = Upid.parse(UPID)
        assert upid is not None
        waiter = Waiter(
            upid, self.ask, what=what, progress=self.told.append, clock=lambda: sum(self.slept), sleep=self.slept.append
        )
        return waiter.wait(timeout)


@pytest.mark.parametrize(
    ("text", "node", "title", "user"),
    [
        (UPID, "pve1", "vzcreate 100", "ops@pve!deploy"),
        ("UPID:pve-1:0000C530:101C9BECF:66A5B3C4:srvreload::root@pam:", "pve-1", "srvreload", "root@pam"),
        (
            "UPID:pbs1:00001234:0000ABCD:00000001:66A5B3C4:verify:store\\x3avm:ops@pbs!t:",
            "pbs1",
            "verify store\\x3avm",
            "ops@pbs!t",
        ),
    ],
)
def test_a_upid_names_node_type_id_and_user(text: str, node: str, title: str, user: str) -> None:
    upid = Upid.parse(text)
    assert upid is not None
    assert (upid.node, upid.title, upid.user, upid.path) == (node, title, user, f"nodes/{node}/tasks/{text}")


@pytest.mark.parametrize(
    "value", [None, "", 7, "OK", UPID[:-1], UPID + "x", UPID.replace("pve1", "pve/1"), "UPID:" + UPID]
)
def test_what_is_no_upid(value: object) -> None:
    assert Upid.parse(value) is None


def test_ok_is_success_and_the_node_is_the_upids() -> None:
    script = Script(RUNNING, RUNNING, stopped("OK"))
    assert script.wait() == TaskResult(UPID)
    assert {path for path, _query in script.asked} == {STATUS}


def test_polls_become_rarer() -> None:
    script = Script(*[RUNNING] * 8, stopped("OK"))
    script.wait()
    assert script.slept == [0.5, 1.0, 1.0, 2.0, 2.0, 5.0, 5.0, 5.0]


def test_progress_is_told_every_few_seconds() -> None:
    script = Script(*[RUNNING] * 8, stopped("OK"))
    script.wait()
    assert script.told[0] == "Create container 100: running for 6 s"
    assert len(script.told) == 4 - 1


def test_warnings_are_success_with_the_tail_of_the_log() -> None:
    script = Script(stopped("WARNINGS: 1"), *log(*[f"line {number}" for number in range(30)]))
    result = script.wait()
    assert (result.warnings, result.log[0], len(result.log)) == (True, "line 20", 10)
    assert [query for _path, query in script.asked[1:]] == [{"start": 0, "limit": 1}, {"start": 20, "limit": 10}]


def test_c10_a_task_that_fails_at_once_fails_at_once_with_its_text() -> None:
    script = Script(stopped("unable to create CT 100 - no space"), *log("a", "TASK ERROR: no space"))
    with pytest.raises(TaskFailed, match="Create container 100 failed: unable to create CT 100 - no space") as caught:
        script.wait()
    assert script.slept == []
    assert caught.value.details() == {"tasks": [UPID], "task_log": ["a", "TASK ERROR: no space"]}


def test_a_failure_whose_log_cannot_be_read_is_still_that_failure() -> None:
    with pytest.raises(TaskFailed, match="no space"):
        Script(stopped("no space"), refused(403)).wait()


@pytest.mark.parametrize("error", [broken(), refused(500), refused(596)])
def test_failed_polls_are_not_a_failed_task(error: Exception) -> None:
    assert Script(*[error] * 4, RUNNING, *[error] * 4, stopped("OK")).wait() == TaskResult(UPID)


def test_five_failed_polls_in_a_row_leave_the_outcome_unknown() -> None:
    script = Script(broken())
    with pytest.raises(TaskUnknown, match=r"outcome is unknown: .*no member answered") as caught:
        script.wait()
    assert len(script.asked) == 5
    assert caught.value.upid == UPID


@pytest.mark.parametrize("status", [401, 403])
def test_a_task_that_may_not_be_read_is_unknown_at_once(status: int) -> None:
    script = Script(refused(status))
    with pytest.raises(TaskUnknown):
        script.wait()
    assert len(script.asked) == 1


def test_a_task_that_does_not_end_in_time_is_unknown_not_failed() -> None:
    script = Script(RUNNING)
    with pytest.raises(TaskUnknown, match=r"still runs after 10 s \(task_timeout\)"):
        script.wait(timeout=10)


def test_unexpected_status_is_asked_again() -> None:
    assert Script(stopped("unexpected status"), stopped("unexpected status"), stopped("OK")).wait() == TaskResult(UPID)


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("TASK OK", TaskResult(UPID)),
        ("TASK WARNINGS: 2", TaskResult(UPID, warnings=True, log=("x", "TASK WARNINGS: 2"))),
        ("TASK ERROR: no space", TaskFailed),
        ("still copying", TaskUnknown),
    ],
)
def test_unexpected_status_that_stays_is_read_from_the_log(line: str, outcome: t.Any) -> None:
    script = Script(*[stopped("unexpected status")] * 4, *log("x", line))
    if isinstance(outcome, TaskResult):
        assert script.wait() == outcome
    else:
        with pytest.raises(outcome):
            script.wait()
