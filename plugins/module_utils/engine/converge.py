# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, judge, refuse, write, read back, judge again. HTTP 200 is never proof."""

from __future__ import annotations

import re
import time
import typing as t
from dataclasses import dataclass, field, replace

from ..errors import ApiError, HomeflareError, NotStoredError, RefusedError, ServerError, TaskError
from . import report
from .family import Declaration, Family, Judgement, Live, Reader, Step
from .judge import judge
from .read import read

#: Gets the answer of each write at once: PVE shows some secrets only there, and never again.
Answered = t.Callable[[Step, t.Any], None]
#: Called once before the first write, with what is about to be written; raises to stop it.
Ready = t.Callable[[Judgement], None]

#: Seconds between two reads while PVE finishes by itself.
PAUSE = 2.0
#: A judgement may ask to be written in parts (protection off before a volume changes); never without end.
ROUNDS = 4
#: pve-common PVE::Tools::assert_if_modified, and qemu-server's own wording.
CONFLICT = re.compile(r"detected modified configuration|file change by other user")
#: What the create endpoints say when somebody else was faster.
TAKEN = re.compile(r"already (exists|defined)")
#: pve-http-server AnyEvent.pm proxy_request: these statuses say nothing about whether the request ran.
UNCLEAR = (596, 597, 599)


class Writer(Reader, t.Protocol):
    """What the engine needs of a session."""

    def write(self, method: str, path: str, form: t.Mapping[str, t.Any], *, task: bool = False) -> t.Any: ...

    def wait(self, upid: str, *, what: str = "") -> t.Any: ...


@dataclass
class Progress:
    """What one object's converge did so far; kept so that a failure can say it."""

    written: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    answered: Answered | None = None


@dataclass(frozen=True)
class Outcome:
    """The judgement that was acted on, the last read, and what was done."""

    judgement: Judgement
    live: Live
    progress: Progress

    def result(self, family: Family, declaration: Declaration, *, diff_values: bool = False) -> dict[str, t.Any]:
        """The task's result."""
        return report.result(
            family, declaration, self.judgement, self.live, tasks=self.progress.tasks, diff_values=diff_values
        )


def plan(family: Family, declaration: Declaration, reader: Reader) -> tuple[Live, Judgement]:
    """Read and judge; writes nothing."""
    live = read(family, declaration, reader)
    return live, judge(family, declaration, live)


def refuse(family: Family, declaration: Declaration, live: Live, judgement: Judgement) -> None:
    """Raise RefusedError with every refusal, a sentence each, and the whole result beside it."""
    if judgement.refusals:
        told = report.result(family, declaration, replace(judgement, steps=()), live)
        raise RefusedError(" ".join(item.msg for item in judgement.refusals), result=told)


def converge(
    family: Family,
    declaration: Declaration,
    session: Writer,
    *,
    check_mode: bool,
    ready: Ready | None = None,
    answered: Answered | None = None,
) -> Outcome:
    """Bring one object to its declaration. Raises HomeflareError; what was written is in ``error.extra``."""
    live, judgement = plan(family, declaration, session)
    refuse(family, declaration, live, judgement)
    progress = Progress(warnings=list(judgement.notes), answered=answered)
    if not check_mode and not judgement.steps:
        live, judgement = _settle(family, declaration, session, live, judgement)
    if check_mode or not judgement.steps:
        return Outcome(judgement, live, progress)
    if ready:
        ready(judgement)
    return apply(family, declaration, session, live, judgement, progress)


def apply(
    family: Family,
    declaration: Declaration,
    session: Writer,
    live: Live,
    judgement: Judgement,
    progress: Progress,
) -> Outcome:
    """Write a judgement that was not refused, and prove it."""
    try:
        live, pending = _write_rounds(family, declaration, session, judgement, progress)
    except HomeflareError as error:
        _tell(error, progress)
        raise
    return Outcome(replace(judgement, pending=pending), live, progress)


def _write_rounds(
    family: Family, declaration: Declaration, session: Writer, judgement: Judgement, progress: Progress
) -> tuple[Live, tuple[str, ...]]:
    settled = replace(declaration, rewrite_secrets=False, created=judgement.action == "create")
    step_round = judgement
    for _round in range(ROUNDS):
        _write(family, declaration, session, step_round, progress)
        live, left = plan(family, settled, session)
        if not left.drift and left.action == "none" and not left.refusals:
            progress.warnings += [note for note in left.notes if note not in progress.warnings]
            live, left = _settle(family, settled, session, live, left)
            return live, left.pending
        if not (step_round.partial and left.steps):
            raise _not_stored(family, declaration, live, left)
        step_round = left
    raise _not_stored(family, declaration, live, left)


def _settle(
    family: Family, declaration: Declaration, session: Writer, live: Live, judgement: Judgement
) -> tuple[Live, Judgement]:
    """Read again while PVE finishes what it has accepted (``Judgement.wait``)."""
    until = time.monotonic() + judgement.wait
    while judgement.wait and not judgement.steps:
        if time.monotonic() >= until:
            title = family.title(declaration.ident)
            raise NotStoredError(f"{title}: PVE has accepted it and has not finished within the time to wait.")
        time.sleep(PAUSE)
        live, judgement = plan(family, declaration, session)
    return live, judgement


def _not_stored(family: Family, declaration: Declaration, live: Live, left: Judgement) -> NotStoredError:
    title = family.title(declaration.ident)
    if left.action == "delete":
        return NotStoredError(f"{title}: PVE accepted the delete, and it is still there.")
    if left.action == "create":
        return NotStoredError(f"{title}: PVE accepted the write, and it is not there.")
    keys = ", ".join(family.option_of(item.key) for item in left.drift)
    said = " ".join(item.msg for item in left.refusals)
    told = report.result(family, declaration, replace(left, steps=()), live)
    return NotStoredError(f"{title}: after the write these keys still differ: {keys}. {said}".strip(), result=told)


def _write(family: Family, declaration: Declaration, session: Writer, judgement: Judgement, progress: Progress) -> None:
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


def _tell(error: HomeflareError, progress: Progress) -> None:
    """A failure half-way says what was written."""
    error.extra.setdefault("changed", bool(progress.written))
    if progress.written:
        error.extra["written"] = list(progress.written)
    if progress.tasks:
        error.extra.setdefault("tasks", list(progress.tasks))
