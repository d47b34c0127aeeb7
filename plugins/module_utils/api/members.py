# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The members of a cluster: the last good one first, another one only where that is safe."""

from __future__ import annotations

import ssl
import threading
import typing as t

from ..errors import DeclarationError, TransportError
from . import tls, transport
from .client import PROXY_STATUSES, Answer, Call
from .connection import Connection, Member
from .lease_cell import CELL, Cell
from .redact import one_line

CONNECT_SECONDS: t.Final = 10.0

# A write may be answered by PVE's own proxy after 30 s; only a node that is asked directly takes longer.
WRITE_FACTOR: t.Final = 1.5


class Unanswered(Exception):
    """No answer from one member."""

    def __init__(self, failure: transport.Failure) -> None:
        super().__init__(failure.why)
        self.failure = failure


class Members:
    """Sends calls. Reads reuse connections, one set a thread; a write has a connection of its own."""

    def __init__(
        self,
        connection: Connection,
        *,
        on_request: t.Callable[[Call], None],
        on_skip: t.Callable[[Member, str], None] = lambda _member, _why: None,
        cell: Cell = CELL,
    ) -> None:
        self._connection = connection
        self._on_request = on_request
        self._on_skip = on_skip
        self._cell = cell
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[t.Any] = []
        self._context: ssl.SSLContext | None = None

    def send(self, call: Call, headers: t.Mapping[str, str], secrets: t.Iterable[str]) -> Answer:
        """The first answer. Raises TransportError when there is none, or when asking on could repeat a write."""
        why: list[str] = []
        sent = untrusted = False
        proxied: Answer | None = None
        good = self._good()
        order = self._order(good)
        for member in order:
            try:
                answer = self._exchange(member, call, headers)
            except Unanswered as unanswered:
                failure = unanswered.failure
                why.append(one_line(f"{member.authority} ({failure.why})", secrets))
                sent, untrusted = sent or failure.sent, untrusted or failure.untrusted
                if failure.fatal or (failure.sent and not call.reads):
                    break
                if member != order[-1]:
                    self._on_skip(member, failure.why)
                continue
            self._remember(member, good)
            # The path from another member to the node may be sound; a read can be asked twice.
            if call.reads and answer.status in PROXY_STATUSES and proxied is None:
                proxied = answer
                continue
            return answer if proxied is None or answer.status not in PROXY_STATUSES else proxied
        if proxied is not None:
            return proxied
        raise _transport_error(call, why, sent, _TRUST if untrusted else "")

    def close(self) -> None:
        with self._lock:
            sessions, self._open = self._open, []
        for session in sessions:
            session.close()
        self._local = threading.local()

    def _good(self) -> str | None:
        """The member that answered last, where there is a choice."""
        return self._cell.good(self._connection.cluster) if len(self._connection.members) > 1 else None

    def _order(self, good: str | None) -> tuple[Member, ...]:
        return tuple(sorted(self._connection.members, key=lambda member: member.authority != good))

    def _remember(self, member: Member, good: str | None) -> None:
        if len(self._connection.members) > 1 and member.authority != good:
            self._cell.remember(self._connection.cluster, member.authority)

    def _exchange(self, member: Member, call: Call, headers: t.Mapping[str, str]) -> Answer:
        if not call.reads:
            # A kept connection that the server has just closed looks like "sent, no answer".
            with self._session() as session:
                return self._once(session, member, call, {**headers, "Connection": "close"})
        kept, fresh = self._kept(member)
        try:
            return self._once(kept, member, call, headers)
        except Unanswered as unanswered:
            if fresh or not unanswered.failure.stale:
                raise
        with self._session() as session:
            return self._once(session, member, call, headers)

    def _once(self, session: t.Any, member: Member, call: Call, headers: t.Mapping[str, str]) -> Answer:
        read = self._connection.api_timeout * (1 if call.reads else WRITE_FACTOR)
        all_headers = dict(headers)
        if call.form is not None:
            # PVE answers 506 to any other type, and to a write without one.
            all_headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            response = session.request(
                call.method,
                f"https://{member.authority}{call.target}",
                data=call.body,
                headers=all_headers,
                timeout=(min(CONNECT_SECONDS, self._connection.api_timeout), read),
                allow_redirects=False,
            )
        except transport.caught() as error:
            failure = transport.classify(error)
            if failure.sent:
                self._on_request(call)
            raise Unanswered(failure) from None
        self._on_request(call)
        return Answer(int(response.status_code), _reason(response.reason), bytes(response.content))

    def _kept(self, member: Member) -> tuple[t.Any, bool]:
        """This thread's session, and whether it has not talked to the member yet."""
        local = self._local
        if not hasattr(local, "session"):
            local.session, local.met = self._session(), set()
            with self._lock:
                self._open.append(local.session)
        fresh = member not in local.met
        local.met.add(member)
        return local.session, fresh

    def _session(self) -> t.Any:
        tls.require()
        pins = self._connection.fingerprints
        with self._lock:
            if self._context is None:
                self._context = self._trust(bool(pins))
        return tls.new_session(tls.Adapter(context=self._context, pins=pins))

    def _trust(self, pinned: bool) -> ssl.SSLContext:
        try:
            return tls.tls_context(self._connection.ca_path, pinned=pinned)
        except OSError:
            raise DeclarationError(f"{self._connection.ca_path} cannot be read", option="ca_path") from None


def _reason(reason: object) -> str:
    """The phrase as text: http.client reads it as Latin-1, PVE writes UTF-8."""
    text = reason if isinstance(reason, str) else ""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


_TRUST: t.Final = " (ca_path names the authority that vouches for the members, tls_fingerprint their certificates)"


def _transport_error(call: Call, why: list[str], sent: bool, hint: str) -> TransportError:
    tried = ", ".join(why) + hint
    if call.reads or not sent:
        message = f"{call.method} {call.path}: no member answered: {tried}"
    else:
        message = (
            f"{call.method} {call.path}: the outcome is unknown: {tried}. The request was sent and may have run; "
            "it was not repeated. Look at the object before running this again"
        )
    return TransportError(message, method=call.method, path=call.path, sent=sent)
