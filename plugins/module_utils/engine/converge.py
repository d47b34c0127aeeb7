# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, judge, refuse, write, read back, judge again. HTTP 200 is never proof."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass, replace

from ..errors import NotStoredError
from . import report
from .family import Declaration, Family, Judgement, Live
from .write import Answered, Progress, Writer, plan, refuse, tell, write

#: Called once before the first write, with what is about to be written; raises to stop it.
Ready = t.Callable[[Judgement], None]

#: Seconds between two reads while PVE finishes by itself.
PAUSE = 2.0
#: A judgement may ask to be written in parts (protection off before a volume changes); never without end.
ROUNDS = 4


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


def converge(
    family: Family,
    declaration: Declaration,
    session: Writer,
    *,
    check_mode: bool,
    ready: Ready | None = None,
    answered: Answered | None = None,
    lock_wait: float = 0.0,
) -> Outcome:
    """Bring one object to its declaration. Raises HomeflareError; what was written is in ``error.extra``.

    ``lock_wait`` is how many seconds to wait for a lock that is all that stands in the way.
    """
    live, judgement = plan(family, declaration, session)
    if not check_mode:
        live, judgement = _unlocked(family, declaration, session, live, judgement, lock_wait)
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
    except Exception as error:
        tell(error, progress)
        raise
    return Outcome(replace(judgement, pending=pending), live, progress)


def _write_rounds(
    family: Family, declaration: Declaration, session: Writer, judgement: Judgement, progress: Progress
) -> tuple[Live, tuple[str, ...]]:
    settled = replace(declaration, rewrite_secrets=False, created=judgement.action == "create")
    step_round = judgement
    for _round in range(ROUNDS):
        write(family, declaration, session, step_round, progress)
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


def _unlocked(
    family: Family, declaration: Declaration, session: Writer, live: Live, judgement: Judgement, lock_wait: float
) -> tuple[Live, Judgement]:
    """Read again while a lock, and nothing else, is in the way."""
    until = time.monotonic() + lock_wait
    while judgement.refusals and all(item.passes for item in judgement.refusals) and time.monotonic() < until:
        time.sleep(min(PAUSE, max(0.0, until - time.monotonic())))
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
