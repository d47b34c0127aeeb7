# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leases: one mint a role and run, shared by its workers and threads, given back at the end."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import time
import typing as t
from dataclasses import dataclass, field

from ..errors import HomeflareError, MintError
from .connection import BaoAccess
from .lease_cell import CELL, Cell, Entry
from .openbao import OpenBao, Refused
from .redact import Secrets

# Less than this is not handed out: the credential must live as long as the calls that it is for.
MARGIN: t.Final = 60.0
REVOKE_SECONDS: t.Final = 5.0

Clock = t.Callable[[], float]


@dataclass(frozen=True)
class Lease:
    """A credential. ``expires_at`` is None where nobody said how long it lives; a static token has no ``lease_id``."""

    token_id: str
    secret: str = field(repr=False)
    role: str
    lease_id: str = ""
    expires_at: float | None = None
    seconds: float = 0.0

    def usable(self, now: float, needed: float = MARGIN) -> bool:
        """For the one who holds it: a short one is used up to half of its life, an unknown one until it is refused."""
        if self.expires_at is None:
            return True
        return self.expires_at - now > min(max(needed, MARGIN), self.seconds / 2)


class Leases:
    """Hands out the leases of one way to OpenBao."""

    def __init__(
        self,
        access: BaoAccess,
        secrets: Secrets,
        *,
        cell: Cell = CELL,
        clock: Clock = time.monotonic,
        on_mint: t.Callable[[], None] = lambda: None,
    ) -> None:
        self._access = access
        self._secrets = secrets
        self._cell = cell
        self._clock = clock
        self._on_mint = on_mint
        self._bao = OpenBao(access, secrets)

    def get(self, role: str, needed: float = MARGIN) -> Lease:
        """The shared lease with enough life left, or a new one. Who waits for a mint shares its outcome."""
        path = self._access.creds_path(role)
        key = self._key("lease", path)
        since = self._clock()
        with self._cell.flight(key, self._patience):
            entry = self._cell.get(key)
            if entry is not None and self._shared(entry, since, needed):
                self._raise_failure(entry)
                return self._lease(entry, role)
            try:
                minted = self._keep(key, lambda: self._mint(path))
            except MintError:
                # Better a lease with less life than was wished for than none.
                if entry is None or not self._shared(entry, self._clock(), MARGIN):
                    raise
                self._cell.put(key, entry)
                minted = entry
            return self._lease(minted, role)

    def login(self) -> str:
        """A token of OpenBao for what is no mint: the one that was given, or that of the run's login."""
        return self._token()[0]

    def drop(self, lease: Lease) -> None:
        """PVE refused it: nobody shall get it again."""
        key = self._key("lease", self._access.creds_path(lease.role))
        self._cell.drop(key, lambda entry: bool(entry.get("token_id") == lease.token_id))

    def _mint(self, path: str) -> Entry:
        token, ends, ours = self._token()
        asked = self._clock()
        try:
            minted = self._bao.mint(path, token)
        except Refused as error:
            if not (ours and error.status == 403 and self._forget_login(token)):
                raise
            # A login that an earlier task of this run made may be gone; nothing was minted, so ask with a new one.
            token, ends, ours = self._token()
            asked = self._clock()
            minted = self._bao.mint(path, token)
        self._on_mint()
        if minted.lease_id and not ours and not minted.cached:
            self._revoke_later("lease", minted.lease_id, token)
        expires_at = asked + minted.seconds if minted.seconds else None
        # A lease dies with the token that minted it.
        if ends is not None and expires_at is not None:
            expires_at = min(expires_at, ends)
        return {
            "token_id": minted.token_id,
            "secret": minted.secret,
            "lease_id": minted.lease_id,
            "expires_at": expires_at,
            "seconds": 0.0 if expires_at is None else expires_at - asked,
        }

    def _token(self) -> tuple[str, float | None, bool]:
        """The token to mint with, when it ends, and whether the login was ours."""
        if self._access.method not in {"approle", "jwt"}:
            return self._access.token, None, False
        key = self._key("login")
        since = self._clock()
        with self._cell.flight(key, self._patience):
            entry = self._cell.get(key)
            if entry is None or not self._shared(entry, since, MARGIN, unknown=True):
                entry = self._keep(key, self._log_in)
        self._raise_failure(entry)
        self._secrets.add(entry["token"])
        return entry["token"], entry["expires_at"], True

    def _log_in(self) -> Entry:
        asked = self._clock()
        login = self._bao.login()
        self._revoke_later("login", login.token, login.token)
        return {"token": login.token, "expires_at": None if login.seconds is None else asked + login.seconds}

    def _forget_login(self, token: str) -> bool:
        self._cell.drop(self._key("login"), lambda entry: entry.get("token") == token)
        return True

    def _keep(self, key: str, make: t.Callable[[], Entry]) -> Entry:
        """Put what ``make`` gives where the others look; a failure only for those who wait already."""
        try:
            entry = make()
        except MintError as error:
            self._cell.put(key, {"failure": str(error), "made_at": self._clock()})
            raise
        entry["made_at"] = self._clock()
        self._cell.put(key, entry)
        return entry

    def _shared(self, entry: Entry, since: float, needed: float, *, unknown: bool = False) -> bool:
        if since <= entry["made_at"]:
            return True
        if "failure" in entry:
            return False
        if entry["expires_at"] is None:
            return unknown
        left = entry["expires_at"] - self._clock()
        return bool(left > max(MARGIN, min(needed, entry.get("seconds", 0.0) / 2)))

    @staticmethod
    def _raise_failure(entry: Entry) -> None:
        if "failure" in entry:
            raise MintError(entry["failure"])

    def _lease(self, entry: Entry, role: str) -> Lease:
        self._secrets.add(entry["secret"])
        return Lease(entry["token_id"], entry["secret"], role, entry["lease_id"], entry["expires_at"], entry["seconds"])

    def _revoke_later(self, kind: str, name: str, token: str) -> None:
        access = self._access
        record = {"url": access.url, "namespace": access.namespace, "ca_cert": access.ca_cert}
        digest = hashlib.sha256(name.encode()).hexdigest()
        self._cell.put(f"revoke {kind} {digest}", {**record, "kind": kind, "name": name, "token": token})

    @property
    def _patience(self) -> float:
        """Longer than a login and a mint may take, each with its retries."""
        return 4 * self._access.timeout + 60

    def _key(self, *parts: str) -> str:
        """Who asks whom for what: a task with another login never gets this one's lease."""
        access = self._access
        asker = [access.method, access.auth_mount, access.token, access.role_id, access.secret_id, access.jwt]
        text = json.dumps([parts, access.url, access.namespace, asker, access.jwt_role])
        return f"{parts[0]} {hashlib.sha256(text.encode()).hexdigest()}"


def give_back(cell: Cell = CELL, seconds: float = REVOKE_SECONDS, clock: Clock = time.monotonic) -> None:
    """Revoke what this run minted: our logins with all that hangs on them, and single leases of a given token.

    Best effort, in the process that made the cell, quiet: a lease that stays ends by itself.
    """
    if os.getpid() != cell.pid:
        return
    deadline = clock() + seconds
    records = [entry for key, entry in cell.all().items() if key.startswith("revoke ")]
    cell.wipe()
    for record in sorted(records, key=lambda record: str(record["kind"]), reverse=True):
        left = deadline - clock()
        if left <= 0:
            return
        with contextlib.suppress(HomeflareError, RuntimeError):
            _give_back(record, left)


def _give_back(record: Entry, seconds: float) -> None:
    access = BaoAccess(
        url=record["url"], method="token", mount="", namespace=record["namespace"], ca_cert=record["ca_cert"]
    )
    bao = OpenBao(access, Secrets())
    if record["kind"] == "login":
        bao.revoke_self(record["token"], seconds)
    else:
        bao.revoke(record["name"], record["token"], seconds)


atexit.register(give_back)
