# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs parts two at a time, prints each as a whole when it has ended, and a table at the end."""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from devtools.checks import Part
from devtools.shell import DevError, Failed, Shell, stop_all
from devtools.tree import VENV

LOGS = VENV / "logs"
Task = tuple[Part, Callable[[Shell], None]]


@dataclass(frozen=True)
class Outcome:
    """How a part ended: ``problem`` is empty when it held."""

    part: Part
    seconds: float
    problem: str
    log: Path | None = None


def run_parts(tasks: Sequence[Task], *, skipped: Sequence[str] = ()) -> int:
    """The exit code: 0 only when every part held."""
    started = time.monotonic()
    try:
        outcomes = [_attempt(*tasks[0], None)] if len(tasks) == 1 else _at_once(tasks)
    except KeyboardInterrupt:
        stop_all()
        print("\ndev: stopped", flush=True)
        return 130
    _table(outcomes, skipped, time.monotonic() - started)
    return 1 if any(outcome.problem for outcome in outcomes) else 0


def _at_once(tasks: Sequence[Task]) -> list[Outcome]:
    LOGS.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    workers = max(2, min(4, (os.cpu_count() or 2)))
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        pending: set[Future[Outcome]] = {
            pool.submit(_attempt, part, check, LOGS / f"{part.name.replace(' ', '-')}.log") for part, check in tasks
        }
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                outcomes.append(future.result())
                _show(outcomes[-1])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop_all()
        raise
    finally:
        pool.shutdown(wait=True)
    order = [part.name for part, _check in tasks]
    return sorted(outcomes, key=lambda outcome: order.index(outcome.part.name))


_talking = threading.Lock()


def _announce(text: str) -> None:
    with _talking:
        print(text, flush=True)


def _attempt(part: Part, check: Callable[[Shell], None], log: Path | None) -> Outcome:
    started = time.monotonic()
    _announce(f"dev: {part.name} starts" if log else f"==== {part.title}")
    problem = ""
    stream = log.open("wb") if log else None
    try:
        check(Shell(stream))
    except (Failed, DevError) as error:
        problem = str(error)
    except Exception:  # noqa: BLE001 - a crash of one check must not hide the others' results
        problem = traceback.format_exc()
    finally:
        if stream:
            stream.close()
    return Outcome(part, time.monotonic() - started, problem, log)


def _show(outcome: Outcome) -> None:
    text = outcome.log.read_text(errors="replace").rstrip() if outcome.log else ""
    verdict = f"FAILED: {outcome.problem}" if outcome.problem else "ok"
    _announce(f"\n==== {outcome.part.title}\n{text}\n==== {outcome.part.name}: {verdict} ({outcome.seconds:.0f} s)\n")


def _table(outcomes: Sequence[Outcome], skipped: Sequence[str], seconds: float) -> None:
    width = max(len(outcome.part.name) for outcome in outcomes)
    lines = [
        f"  {outcome.part.name:<{width}}  {outcome.seconds:6.1f} s  {'FAILED' if outcome.problem else 'ok'}"
        for outcome in outcomes
    ]
    lines += [f"  skipped: {reason}" for reason in skipped]
    lines.append(f"  {'all':<{width}}  {seconds:6.1f} s")
    failed = [outcome for outcome in outcomes if outcome.problem]
    lines += [f"  {outcome.part.name}: {outcome.problem.splitlines()[-1]}" for outcome in failed]
    _announce("\n".join(["", "==== Summary", *lines]))
