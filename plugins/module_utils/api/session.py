# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine asks of PVE or PBS: read, write, wait. Everything else of ``api`` is behind this."""

from __future__ import annotations

import time
import typing as t

from .connection import Connection
from .task import TaskResult


class Session:
    """One task's way to one cluster. Safe to use from several threads; closes with ``close`` or ``with``."""

    requests: int
    writes: int
    mints: int

    def __init__(
        self,
        connection: Connection,
        *,
        read_only: bool,
        warn: t.Callable[[str], None] | None = None,
        progress: t.Callable[[str], None] | None = None,
        clock: t.Callable[[], float] = time.monotonic,
    ) -> None:
        raise NotImplementedError

    def get(
        self, path: str, query: t.Mapping[str, t.Any] | None = None, *, shared: bool = False, role: str = "read"
    ) -> t.Any:
        """``data`` of the answer. Raises ApiError, TransportError, MintError."""
        raise NotImplementedError

    def envelope(
        self, path: str, query: t.Mapping[str, t.Any] | None = None, *, role: str = "read"
    ) -> dict[str, t.Any]:
        """The whole answer: ``data``, and ``total`` or ``changes`` where the endpoint has them."""
        raise NotImplementedError

    def write(
        self, method: str, path: str, form: t.Mapping[str, str | tuple[str, ...]] | None = None, *, task: bool = False
    ) -> t.Any:
        """``data`` of a POST, PUT or DELETE. With ``task`` it is a UPID, or TaskUnknown is raised."""
        raise NotImplementedError

    def wait(self, upid: str, *, timeout: float | None = None, what: str = "") -> TaskResult:
        """Wait for a task. Raises TaskFailed or TaskUnknown."""
        raise NotImplementedError

    def secrets(self) -> frozenset[str]:
        """Every secret that this session has seen, in every spelling that it was sent in."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connections."""
        raise NotImplementedError

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()
