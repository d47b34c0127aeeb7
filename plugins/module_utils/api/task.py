# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of PVE and PBS: what a UPID says, and how to wait for one."""

from __future__ import annotations

import re
import time
import typing as t
from dataclasses import dataclass

from ..errors import ApiError, MintError, TaskFailed, TaskUnknown, TransportError

BACKOFF: t.Final = (0.5, 1.0, 1.0, 2.0, 2.0, 5.0)
FAILED_POLLS: t.Final = 5
ODD_POLLS: t.Final = 4
PROGRESS_SECONDS: t.Final = 5.0
LOG_LINES: t.Final = 10

# PVE/UPID.pm, decode; PBS (proxmox-schema, upid.rs) has one more number before the start time.
_UPID: t.Final = re.compile(
    r"UPID:(?P<node>[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:(?:[0-9A-Fa-f]{8,}:)?"
    r"[0-9A-Fa-f]{8}:(?P<type>[^:\s]+):(?P<id>[^:\s]*):(?P<user>[^:\s]+):"
)
_VERDICT: t.Final = re.compile(r"TASK (?:(?P<ok>OK)|ERROR: (?P<error>.*)|(?P<warnings>WARNINGS: \d+))\s*\Z")

Ask = t.Callable[[str, t.Mapping[str, t.Any]], t.Mapping[str, t.Any]]


@dataclass(frozen=True)
class TaskResult:
    """A task that succeeded. ``warnings`` when it ended as ``WARNINGS: n``; then ``log`` is the tail of its log."""

    upid: str
    warnings: bool = False
    log: tuple[str, ...] = ()


@dataclass(frozen=True)
class Upid:
    """What a UPID says."""

    text: str
    node: str
    type: str
    id: str
    user: str

    @classmethod
    def parse(cls, value: object) -> Upid | None:
        match = _UPID.fullmatch(value) if isinstance(value, str) else None
        return None if match is None else cls(match.string, **match.groupdict())

    @property
    def path(self) -> str:
        return f"nodes/{self.node}/tasks/{self.text}"

    @property
    def title(self) -> str:
        return f"{self.type} {self.id}".strip()


class Waiter:
    """Polls one task. ``ask`` GETs an envelope with the credential that started the task."""

    def __init__(
        self,
        upid: Upid,
        ask: Ask,
        *,
        what: str = "",
        progress: t.Callable[[str], None] | None = None,
        clock: t.Callable[[], float] = time.monotonic,
        sleep: t.Callable[[float], None] = time.sleep,
    ) -> None:
        self._upid = upid
        self._ask = ask
        self._what = what or f"task {upid.title}"
        self._progress = progress
        self._clock = clock
        self._sleep = sleep

    def wait(self, timeout: float) -> TaskResult:
        """Raises TaskFailed, or TaskUnknown: a poll that fails says nothing about the task."""
        start = self._clock()
        told, failed, odd, polls = start, 0, 0, 0
        while True:
            try:
                exit_status = self._exit_status()
            except (ApiError, TransportError, MintError) as error:
                failed += 1
                if failed >= FAILED_POLLS or (isinstance(error, ApiError) and error.status in {401, 403}):
                    raise self._unknown(f"its state could not be read: {error}") from None
            else:
                failed = 0
                # The log's last line was no verdict yet; PVE's worker remembers that answer, another one may not.
                odd += exit_status == "unexpected status"
                if exit_status is not None and (exit_status != "unexpected status" or odd >= ODD_POLLS):
                    return self._finish(exit_status)
            now = self._clock()
            if now - start >= timeout:
                raise self._unknown(f"it still runs after {int(now - start)} s (task_timeout)")
            if self._progress is not None and now - told >= PROGRESS_SECONDS:
                told = now
                self._progress(f"{self._what}: running for {int(now - start)} s")
            self._sleep(min(BACKOFF[min(polls, len(BACKOFF) - 1)], max(0.05, timeout - (now - start))))
            polls += 1

    def _exit_status(self) -> str | None:
        """None while it runs."""
        data = self._ask(f"{self._upid.path}/status", {}).get("data")
        if not isinstance(data, dict) or data.get("status") != "stopped":
            return None
        return str(data.get("exitstatus") or "unexpected status")

    def _finish(self, exit_status: str) -> TaskResult:
        log: tuple[str, ...] = ()
        if exit_status != "OK":
            log = self._log()
        if exit_status == "unexpected status":
            verdict = _VERDICT.match(log[-1]) if log else None
            if verdict is None:
                raise self._unknown("it ended without a verdict", log)
            exit_status = verdict["ok"] or verdict["warnings"] or verdict["error"]
        if exit_status == "OK":
            return TaskResult(self._upid.text)
        # The container or disk is there: PVE counts warnings as success (UPID.pm, status_is_error).
        if re.match(r"WARNINGS: \d+", exit_status):
            return TaskResult(self._upid.text, warnings=True, log=log)
        raise TaskFailed(f"{self._what} failed: {exit_status} ({self._upid.text})", upid=self._upid.text, log=log)

    def _log(self) -> tuple[str, ...]:
        """The last lines; none where they cannot be read."""
        path = f"{self._upid.path}/log"
        try:
            total = int(self._ask(path, {"start": 0, "limit": 1}).get("total") or 0)
            rows = self._ask(path, {"start": max(0, total - LOG_LINES), "limit": LOG_LINES}).get("data")
        except (ApiError, TransportError, MintError, ValueError):
            return ()
        lines = [str(row.get("t", "")).strip() for row in rows or () if isinstance(row, dict)]
        return tuple(line for line in lines if line)

    def _unknown(self, why: str, log: tuple[str, ...] = ()) -> TaskUnknown:
        text = f"{self._what}: the outcome is unknown: {why} ({self._upid.text})"
        return TaskUnknown(text, upid=self._upid.text, log=log)
