# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The writes of one judgement, in order; lost answers, lost races and conflicts; and what a failure says."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field, replace

from ..errors import ApiError, HomeflareError, RefusedError, ServerError, TaskError
from . import report
from .family import Declaration, Family, Judgement, Live, Reader, Step
from .judge import judge
from .read import read

#: Gets the answer of each write at once: PVE shows some secrets only there, and never again.
Answered = t.Callable[[Step, t.Any], None]

#: pve-common PVE::Tools::assert_if_modified, and qemu-server's own wording.
CONFLICT = re.compile(r"detected modified configuration|file change by other user")
#: What the create endpoints say when somebody else was faster.
TAKEN = re.compile(r"already (exists|defined)")
#: pve-http-server AnyEvent.pm proxy_request, and gateways in front of it (502, 504): these statuses say nothing about
#: whether the request ran.
UNCLEAR = (502, 504, 596, 597, 599)


class Writer(Reader, t.Protocol):
    """What the engine needs of a session."""

    def write(self, method: str, path: str, form: t.Mapping[str, t.Any], *, task: bool = False) -> t.Any:
        """The ``data`` of the answer."""

    def wait(self, upid: str, *, what: str = "") -> t.Any:
        """Until PVE's task is over. Raises TaskFailed."""


@dataclass
class Progress:
    """What one object's converge did so far; kept so that a failure can say it."""

    written: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    answered: Answered | None = None


def plan(family: Family, declaration: Declaration, reader: Reader) -> tuple[Live, Judgement]:
    """Read and judge; writes nothing."""
    live = read(family, declaration, reader)
    return live, judge(family, declaration, live)


def refuse(family: Family, declaration: Declaration, live: Live, judgement: Judgement) -> None:
    """Raise RefusedError with every refusal, a sentence each, and the whole result beside it."""
    if judgement.refusals:
        told = report.result(family, declaration, replace(judgement, steps=()), live)
        raise RefusedError(report.reasons(judgement.refusals), result=told)


def write(family: Family, declaration: Declaration, session: Writer, judgement: Judgement, progress: Progress) -> None:
    """Every step of the judgement. Raises HomeflareError at the first that fails; nothing is sent twice."""
    for number, step in enumerate(judgement.steps):
        try:
            _send(family, declaration, session, step, progress)
        except ApiError as error:
            if step.gone and re.search(step.gone, error.message):
                continue
            if CONFLICT.search(error.message) and number == 0:
                _write_after_conflict(family, declaration, session, judgement, progress)
                return
            if judgement.action == "create" and _taken(error):
                _appeared(family, declaration, session, step, error)
                return
            raise _explain(family, declaration, session, judgement, error) from None


def _send(family: Family, declaration: Declaration, session: Writer, step: Step, progress: Progress) -> None:
    form = dict(step.form)
    if step.digest is not None:
        form["digest"] = step.digest
    title = family.title(declaration.ident)
    try:
        answer = session.write(step.method, step.path, form, task=step.task)
    except ApiError as error:
        if step.task or step.reveals or error.status not in UNCLEAR or not _is_done(family, declaration, session):
            raise
        progress.warnings.append(
            f"{title}: the answer to {step.what or step.method} was lost ({error.status}); PVE has stored it."
        )
        return
    progress.written.append(step.what or f"{step.method} {step.path}")
    if progress.answered:
        progress.answered(step, answer)
    if step.task:
        _wait(session, answer, f"{title}: {step.what}", progress)


def _is_done(family: Family, declaration: Declaration, session: Writer) -> bool:
    try:
        left = plan(family, replace(declaration, rewrite_secrets=False), session)[1]
    except ServerError:
        return False
    return left.action == "none" and not left.drift and not left.refusals


def _wait(session: Writer, upid: object, what: str, progress: Progress) -> None:
    if not isinstance(upid, str) or not upid.startswith("UPID:"):
        raise TaskError(f"{what}: PVE returned no task id, so the outcome is unknown.", upid=None)
    progress.tasks.append(upid)
    ended = session.wait(upid, what=what)
    if ended.warnings:
        progress.warnings.append(f"{what}: the task ended with warnings. " + " ".join(ended.log[-3:]))


def _write_after_conflict(
    family: Family, declaration: Declaration, session: Writer, judgement: Judgement, progress: Progress
) -> None:
    """Somebody edited between read and write: the same steps are written once on the new digest, others never."""
    live, again = plan(family, declaration, session)
    refuse(family, declaration, live, again)
    if _without_digest(again) != _without_digest(judgement):
        raise _changed_meanwhile(family, declaration)
    try:
        for step in again.steps:
            _send(family, declaration, session, step, progress)
    except ApiError as error:
        if CONFLICT.search(error.message) and not progress.written:
            raise _changed_meanwhile(family, declaration) from None
        raise _explain(family, declaration, session, again, error) from None


def _without_digest(judgement: Judgement) -> list[Step]:
    return [replace(step, digest=None) for step in judgement.steps]


def _changed_meanwhile(family: Family, declaration: Declaration) -> RefusedError:
    title = family.title(declaration.ident)
    return RefusedError(f"{title} was changed by someone else during this run; nothing was written. Run it again.")


def _taken(error: ApiError) -> bool:
    return bool(TAKEN.search(" ".join([error.message, *error.errors.values()])))


def _appeared(family: Family, declaration: Declaration, session: Writer, step: Step, error: ApiError) -> None:
    """A create lost a race: what is there now either is what was declared, or stays untouched."""
    if not step.reveals and _is_done(family, declaration, session):
        return
    title = family.title(declaration.ident)
    raise RefusedError(f"{title} appeared after it was read; nothing was written. PVE says: {error.message}")


def _explain(
    family: Family, declaration: Declaration, session: Writer, judgement: Judgement, error: ApiError
) -> HomeflareError:
    """An error of an update with what it left behind: PVE applies some keys before it refuses others."""
    if error.status in UNCLEAR:
        title = family.title(declaration.ident)
        failure = HomeflareError(f"{title}: {error}. The outcome is unknown: look at it before you run the play again.")
        failure.extra["outcome"] = "unknown"
        return failure
    if judgement.action != "update" or error.status != 400:
        return error
    try:
        left = plan(family, declaration, session)[1]
    except ServerError:
        return error
    landed = {item.key for item in judgement.drift} - {item.key for item in left.drift}
    if landed:
        error.extra["partly_applied"] = sorted(landed)
    return error


def tell(error: Exception, progress: Progress) -> None:
    """A failure half-way says what was written, and so does a defect of ours."""
    extra: dict[str, t.Any] = vars(error).setdefault("extra", {})
    extra.setdefault("changed", bool(progress.written))
    if progress.written:
        extra["written"] = list(progress.written)
    if progress.tasks:
        extra.setdefault("tasks", list(progress.tasks))
