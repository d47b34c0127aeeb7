# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many declarations at once: read side by side, judge all, refuse before the first write, write in order.

Nothing here knows a family: the tables say what needs what.
"""

from __future__ import annotations

import typing as t
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ..errors import HomeflareError, RefusedError, internal
from . import report
from .converge import Outcome, Ready, converge
from .family import Declaration, Family, Judgement, Live
from .write import Answered, Writer, plan

#: What became of a row: nothing to do; judged and to be written; written; not written for a reason that is told.
OK, PLANNED, CHANGED, REFUSED, UNKNOWN, FAILED, NOT_REACHED = (
    "ok",
    "planned",
    "changed",
    "refused",
    "unknown",
    "failed",
    "not reached",
)


@dataclass(frozen=True)
class Resource:
    """One declared object of the estate; ``place`` is where it stands in the list, for messages."""

    place: str
    family: Family
    declaration: Declaration

    @property
    def title(self) -> str:
        return self.family.title(self.declaration.ident)


@dataclass
class Row:
    """A resource and what is known of it."""

    resource: Resource
    status: str = NOT_REACHED
    live: Live | None = None
    judgement: Judgement = field(default_factory=Judgement)
    msg: str = ""
    tasks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def read(self) -> str:
        if self.live is None:
            return "unreadable" if self.status == UNKNOWN else "not read"
        return "found" if self.live.present else "absent"

    @property
    def deletes(self) -> bool:
        return self.resource.declaration.state == "absent"


SessionOf = t.Callable[[Family], Writer]
HooksOf = t.Callable[[Resource], tuple[t.Union[Ready, None], t.Union[Answered, None]]]
Tell = t.Callable[[str], None]


def duplicates(resources: t.Sequence[Resource]) -> list[str]:
    """A sentence for each object that is declared twice."""
    seen: dict[tuple[str, ...], Resource] = {}
    said: list[str] = []
    for item in resources:
        first = seen.setdefault((item.family.name, *item.family.same(item.declaration.ident)), item)
        if first is not item:
            spelled = "" if first.title == item.title else f", as {first.title}"
            said.append(f"{item.place}: {item.title} is declared at {first.place} already{spelled}.")
    for item in resources:
        whole = item.family.whole_of(item.declaration.ident)
        over = seen.get((item.family.name, *item.family.same(whole))) if whole else None
        if over is not None:
            said.append(f"{item.place}: {item.title} is a part of {over.title}, which {over.place} declares whole.")
    return said


def survey(resources: t.Sequence[Resource], session_of: SessionOf, parallel: int) -> list[Row]:
    """Read and judge all, ``parallel`` at a time. A read that fails makes its own row unknown, never absent."""
    with ThreadPoolExecutor(max_workers=max(1, min(parallel, len(resources) or 1))) as pool:
        return list(pool.map(lambda item: _judged(item, session_of), resources))


def _judged(item: Resource, session_of: SessionOf) -> Row:
    row = Row(item)
    try:
        row.live, row.judgement = plan(item.family, item.declaration, session_of(item.family))
    except RefusedError as error:
        row.status, row.msg = REFUSED, str(error)
        return row
    except Exception as error:  # noqa: BLE001  a defect in one family leaves the others told
        row.status, row.msg = UNKNOWN, _said(error)
        return row
    row.warnings = row.judgement.notes
    if row.judgement.refusals:
        row.status, row.msg = REFUSED, report.reasons(row.judgement.refusals)
    else:
        row.status = PLANNED if row.judgement.steps else OK
    return row


def postpone(rows: t.Sequence[Row]) -> None:
    """A delete that waits for other deletes of the same estate is planned, not refused: it is judged again in time."""
    if not any(row.deletes and row.status == PLANNED for row in rows):
        return
    for row in rows:
        refusals = row.judgement.refusals
        if row.status == REFUSED and refusals and all(refusal.until_gone for refusal in refusals):
            row.status = PLANNED


def in_order(rows: t.Sequence[Row]) -> list[Row]:
    """The rows in the order of their writes: what is needed first, then deletes the other way round."""
    rank = ranks({row.resource.family.name: row.resource.family for row in rows})

    def key(row: Row) -> tuple[int, int]:
        family = row.resource.family
        depth = family.handle(row.resource.declaration.ident).count("/") if family.nested else 0
        return rank[family.name], depth

    kept = sorted((row for row in rows if not row.deletes), key=key)
    gone = sorted((row for row in rows if row.deletes), key=key, reverse=True)
    return [*kept, *gone]


def ranks(families: t.Mapping[str, Family]) -> dict[str, int]:
    """How many families deep each one stands; a family that needs nothing has rank 0. Raises ValueError on a circle."""
    known: dict[str, int] = {}

    def rank(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise ValueError(f"families need each other: {' -> '.join((*above, name))}")
        if name not in known:
            needs = [rank(other, (*above, name)) for other in families[name].needs if other in families]
            known[name] = 1 + max(needs, default=-1)
        return known[name]

    for name in families:
        rank(name, ())
    return known


def carry_out(
    rows: t.Sequence[Row], session_of: SessionOf, hooks_of: HooksOf, tell: Tell, *, lock_wait: float = 0.0
) -> None:
    """Write every planned row, one after another. Stops at the first failure; each row then says what became of it.

    A row is read and judged anew right before its write: digests of a shared file have moved on by then.
    """
    queue = [row for row in in_order(rows) if row.status == PLANNED]
    for row in queue:
        row.status = NOT_REACHED
    while queue:
        later: list[Row] = []
        for row in queue:
            if _still_waits(row, session_of):
                later.append(row)
                continue
            try:
                _write_one(row, session_of, hooks_of, tell, lock_wait)
            except KeyboardInterrupt:
                row.status, row.msg = FAILED, "Interrupted while it was written; its outcome is unknown."
                raise
            if row.status == FAILED:
                return
        if len(later) == len(queue):
            for row in later:
                row.status, row.msg = FAILED, report.reasons(row.judgement.refusals)
            return
        queue = later


def _still_waits(row: Row, session_of: SessionOf) -> bool:
    """Whether a postponed delete is still refused; asked only of those that were."""
    if not row.judgement.refusals:
        return False
    item = row.resource
    try:
        row.live, row.judgement = plan(item.family, item.declaration, session_of(item.family))
    except HomeflareError as error:
        row.status, row.msg = FAILED, str(error)
        return False
    return bool(row.judgement.refusals)


def _write_one(row: Row, session_of: SessionOf, hooks_of: HooksOf, tell: Tell, lock_wait: float) -> None:
    if row.status == FAILED:
        return
    item = row.resource
    ready, answered = hooks_of(item)
    tell(f"{item.title}: {row.judgement.action}")
    try:
        outcome = converge(
            item.family,
            item.declaration,
            session_of(item.family),
            check_mode=False,
            ready=ready,
            answered=answered,
            lock_wait=lock_wait,
        )
    except Exception as error:  # noqa: BLE001  what was written before a defect is told as well
        row.status, row.msg = FAILED, _said(error)
        extra = getattr(error, "extra", {})
        row.written = tuple(extra.get("written", ()))
        row.tasks = tuple(extra.get("tasks", ()))
        return
    _settle(row, outcome)


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, HomeflareError) else internal(error)


def _settle(row: Row, outcome: Outcome) -> None:
    progress = outcome.progress
    row.status = CHANGED if progress.written or outcome.judgement.steps else OK
    row.judgement, row.live, row.msg = outcome.judgement, outcome.live, ""
    row.tasks, row.warnings = tuple(progress.tasks), tuple(progress.warnings)
    row.written = tuple(progress.written)
