# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Things that go wrong on purpose.

A fault is a dict. `method` and `path` are regular expressions for requests it applies to (whole method, part of the
path after /api2/json), `times` how often (None: until cleared), `member` only on that member. `kind` is one of:

status   answer `status` and `message` (and `errors`)
raw      answer the bytes of `body` with `content_type` and `status`: a proxy's HTML page, a cut JSON text
hang     read the request and say nothing for `seconds`
close    close the connection without an answer
cut      send the head and half of the body of the real answer, then close
delay    wait `seconds`, then go on
task     the request answers with a task that ends with `exitstatus`. With `forward` (default) the request is done and
         its task only shown so; without it nothing is done. `polls`: that many polls see it running first; `log`:
         lines of its log.

`stage` of status, raw, hang and close is `before` the request is handled, or `after` it was: a write whose outcome the
client does not learn.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Any

from .wire import Request

KINDS = ("status", "raw", "hang", "close", "cut", "delay", "task")


@dataclass
class Fault:
    kind: str
    method: str = ".*"
    path: str = ""
    times: int | None = None
    member: int | None = None
    stage: str = "before"
    status: int = 500
    message: str = "something broke"
    errors: dict[str, str] = field(default_factory=dict)
    body: str = ""
    content_type: str = "text/html"
    seconds: float = 3600.0
    exitstatus: str = "OK"
    forward: bool = True
    polls: int = 0
    log: list[str] = field(default_factory=list)
    hits: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no fault of kind {self.kind!r}; there are {', '.join(KINDS)}")
        if self.stage not in ("before", "after"):
            raise ValueError(f"stage is before or after, not {self.stage!r}")

    def applies(self, request: Request, stage: str) -> bool:
        if self.stage != stage:
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        if self.member is not None and self.member != request.member:
            return False
        return bool(re.fullmatch(self.method, request.method) and re.search(self.path, request.path))


class Faults:
    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self.cleared = threading.Event()

    def add(self, **fields: Any) -> None:
        fault = Fault(**fields)
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        """Forget all faults; connections that hang on one end."""
        with self._lock:
            self._faults.clear()
            self.cleared.set()
            self.cleared = threading.Event()

    def hits(self) -> list[int]:
        with self._lock:
            return [fault.hits for fault in self._faults]

    def take(self, request: Request, *kinds: str, stage: str = "before") -> Fault | None:
        """The first fault of these kinds that applies, counted."""
        with self._lock:
            for fault in self._faults:
                if fault.kind in kinds and fault.applies(request, stage):
                    fault.hits += 1
                    return fault
        return None
