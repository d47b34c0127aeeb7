# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One answer for all who ask the same, until something is written."""

from __future__ import annotations

import threading
import typing as t
from concurrent.futures import Future


class Memo:
    """Single-flight: a key is asked once, the others wait. A failure is told to who waits and then forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[t.Hashable, Future[t.Any]] = {}

    def get(self, key: t.Hashable, make: t.Callable[[], t.Any]) -> t.Any:
        with self._lock:
            known = self._known.get(key)
            future: Future[t.Any] = Future() if known is None else known
            if known is None:
                self._known[key] = future
        if known is not None:
            return future.result()
        try:
            future.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._known.get(key) is future:
                    del self._known[key]
            future.set_exception(error)
            raise
        return future.result()

    def clear(self) -> None:
        with self._lock:
            self._known = {}
