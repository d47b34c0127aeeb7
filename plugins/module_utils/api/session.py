# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine asks of PVE or PBS: read, write, wait. Everything else of ``api`` is behind this."""

from __future__ import annotations

import threading
import time
import typing as t

from ..errors import ApiError, ReadOnlyError, TaskUnknown
from .client import Call, authorization, make_call, read_answer
from .connection import Connection, Member
from .lease import MARGIN, Lease, Leases
from .lease_cell import CELL, Cell
from .members import Members
from .memo import Memo
from .redact import Secrets, one_line
from .task import TaskResult, Upid, Waiter

Envelope = dict[str, t.Any]
Query = t.Mapping[str, t.Any]
Form = t.Mapping[str, t.Union[str, tuple[str, ...]]]

_WRITES: t.Final = frozenset({"POST", "PUT", "DELETE"})


class Session:
    """One task's way to one cluster. Safe to use from several threads; closes with ``close`` or ``with``.

    Mints only what is used: ``read`` for a GET, ``provision`` for a write and for a GET that asks for it.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        read_only: bool,
        warn: t.Callable[[str], None] | None = None,
        progress: t.Callable[[str], None] | None = None,
        clock: t.Callable[[], float] = time.monotonic,
        sleep: t.Callable[[float], None] = time.sleep,
        cell: Cell = CELL,
    ) -> None:
        self.requests = 0
        self.writes = 0
        self.mints = 0
        self._connection = connection
        self._read_only = read_only
        self._warn = warn
        self._progress = progress
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._secrets = Secrets()
        self._memo = Memo()
        self._held: dict[str, Lease] = {}
        self._owners: dict[str, Lease] = {}
        self._skipped: set[Member] = set()
        self._members = Members(connection, on_request=self._count, on_skip=self._tell_skipped, cell=cell)
        self._leases = (
            Leases(connection.bao, self._secrets, cell=cell, clock=clock, on_mint=self._count_mint)
            if connection.bao is not None
            else None
        )

    def get(self, path: str, query: Query | None = None, *, shared: bool = False, role: str = "read") -> t.Any:
        """``data`` of the answer. One that is ``shared`` must not be changed by who gets it.

        Raises ApiError, TransportError, MintError.
        """
        call = make_call("GET", path, query)
        if not shared:
            return self._call(call, role)[0]["data"]
        return self._memo.get((call, role), lambda: self._call(call, role)[0]["data"])

    def envelope(self, path: str, query: Query | None = None, *, role: str = "read") -> Envelope:
        """The whole answer: ``data``, and ``total`` or ``changes`` where the endpoint has them."""
        return self._call(make_call("GET", path, query), role)[0]

    def write(self, method: str, path: str, form: Form | None = None, *, task: bool = False) -> t.Any:
        """``data`` of a POST, PUT or DELETE. With ``task`` it is a UPID, or TaskUnknown is raised."""
        if method not in _WRITES:
            raise ValueError(f"{method} is no write")
        if self._read_only:
            message = f"{method} {path}: nothing is written in check mode or verify"
            raise ReadOnlyError(message, method=method, path=path)
        call = make_call(method, path, form)
        try:
            # A lease that ends in the middle of a task could not read its outcome.
            needed = self._connection.task_timeout if task else MARGIN
            envelope, lease = self._call(call, "provision", needed)
        finally:
            self._memo.clear()
        data = envelope["data"]
        upid = Upid.parse(data)
        if upid is not None:
            with self._lock:
                self._owners[upid.text] = lease
        elif task:
            message = f"{method} {call.path}: PVE took the request and named no task; the outcome is unknown"
            raise TaskUnknown(message, upid=None)
        return data

    def wait(
        self,
        upid: str,
        *,
        timeout: float | None = None,
        what: str = "",
        progress: t.Callable[[str], None] | None = None,
    ) -> TaskResult:
        """Wait for a task. Raises TaskFailed or TaskUnknown."""
        parsed = Upid.parse(upid)
        if parsed is None:
            raise TaskUnknown(f"{what or 'task'}: the answer names no task; the outcome is unknown", upid=None)
        waiter = Waiter(
            parsed,
            lambda path, query: self._ask_as_owner(parsed.text, path, query),
            what=what,
            progress=progress or self._progress,
            clock=self._clock,
            sleep=self._sleep,
        )
        try:
            return waiter.wait(self._connection.task_timeout if timeout is None else timeout)
        finally:
            self._memo.clear()

    def secrets(self) -> frozenset[str]:
        """Every secret that this session has seen, in every spelling that it was sent in."""
        return self._secrets.all()

    def close(self) -> None:
        """Close the connections."""
        self._members.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _call(self, call: Call, role: str, needed: float = MARGIN) -> tuple[Envelope, Lease]:
        lease = self._lease(role, needed)
        try:
            return self._send(call, lease), lease
        except ApiError as error:
            if error.status != 401 or self._leases is None:
                raise
        # 401 comes before the handler, so that a write has not run either. Most likely the lease has ended.
        self._drop(lease)
        lease = self._lease(role, needed)
        return self._send(call, lease, hint="a credential minted just now is refused as well"), lease

    def _send(self, call: Call, lease: Lease, hint: str = "") -> Envelope:
        product = self._connection.product
        headers = {"Authorization": authorization(product, lease.token_id, lease.secret)}
        secrets = self._secrets.all()
        answer = self._members.send(call, headers, secrets)
        if answer.status == 403 and self._connection.bao is not None:
            hint = f"asked with a token of the OpenBao role {self._connection.bao.role_name(lease.role)}"
        return read_answer(call, answer, secrets, hint if answer.status in (401, 403) else "")

    def _ask_as_owner(self, upid: str, path: str, query: Query) -> Envelope:
        """A token sees only its own tasks: ask with the one that started this one, and with another only after it."""
        call = make_call("GET", path, query)
        role = "read" if self._read_only else "provision"
        lease = self._owners.get(upid)
        if lease is None:
            envelope, lease = self._call(call, role)
        else:
            try:
                return self._scrub(self._send(call, lease))
            except ApiError as error:
                if error.status != 401 or self._leases is None:
                    raise
            self._drop(lease)
            envelope, lease = self._call(call, role)
        with self._lock:
            self._owners[upid] = lease
        return self._scrub(envelope)

    def _scrub(self, envelope: Envelope) -> Envelope:
        """A task's texts as they may be printed: what a worker wrote is not ours to trust."""
        data, secrets = envelope["data"], self._secrets.all()
        if isinstance(data, dict) and isinstance(data.get("exitstatus"), str):
            data["exitstatus"] = one_line(data["exitstatus"], secrets)
        for row in data if isinstance(data, list) else ():
            if isinstance(row, dict):
                row["t"] = one_line(str(row.get("t", "")), secrets)
        return envelope

    def _lease(self, role: str, needed: float) -> Lease:
        held = self._held.get(role)
        if held is not None and held.usable(self._clock(), needed):
            return held
        lease = self._static(role) if self._leases is None else self._leases.get(role, needed)
        self._secrets.add(lease.secret, f"{lease.token_id}={lease.secret}", f"{lease.token_id}:{lease.secret}")
        with self._lock:
            self._held[role] = lease
        return lease

    def _static(self, role: str) -> Lease:
        connection = self._connection
        return Lease(connection.token_id or "", connection.token_secret or "", role)

    def _drop(self, lease: Lease) -> None:
        with self._lock:
            if self._held.get(lease.role) is lease:
                del self._held[lease.role]
        if self._leases is not None:
            self._leases.drop(lease)

    def _count(self, call: Call) -> None:
        with self._lock:
            self.requests += 1
            self.writes += not call.reads

    def _count_mint(self) -> None:
        with self._lock:
            self.mints += 1

    def _tell_skipped(self, member: Member, why: str) -> None:
        with self._lock:
            known = member in self._skipped
            self._skipped.add(member)
        if self._warn is not None and not known:
            self._warn(f"{member.authority} does not answer ({why}); the next member is asked")
