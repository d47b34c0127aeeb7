# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What OpenBao is asked: log in, mint, revoke. Through ``hvac``, on a session of ours.

``hvac`` alone would read VAULT_TOKEN and ~/.vault-token, follow a redirect with the token, and tell a missing role by
None; so address, token, trust and statuses are decided here.
"""

from __future__ import annotations

import re
import time
import typing as t
from dataclasses import dataclass, field

from ..errors import DeclarationError, DependencyError, MintError
from . import tls, transport
from .checks import printable
from .connection import BaoAccess
from .redact import Secrets, one_line

try:
    import hvac
    import hvac.adapters
except ImportError:  # told when OpenBao is asked
    hvac = None

# Whole ids of PVE and PBS; some engines call the part after the exclamation mark token_id.
_TOKEN_ID: t.Final = re.compile(r"[^@!=\s]+@[^!=\s]+![A-Za-z0-9_][A-Za-z0-9._-]*")

CONNECT_SECONDS: t.Final = 10.0
RETRY_PAUSES: t.Final = (0.3, 1.0)

_HINTS: t.Final[dict[int, str]] = {
    403: "the token may not read this path, has expired, or the mount (bao_mount) is absent",
    404: "no such role (bao_read_role, bao_write_role), mount or namespace; a KV version 2 path needs data/ (bao_path)",
    503: "sealed, or not ready",
}


def _hint(path: str, status: int) -> str:
    # A credential that could not be made is a 400 as well: there the engine's own words say why.
    if status == 400 and path.startswith("auth/"):
        return "the login or the role is not as OpenBao has it"
    return _HINTS.get(status, "redirects are not followed" if status in range(300, 400) else "")


@dataclass(frozen=True)
class Login:
    """A token of ours. ``seconds`` is None where it does not expire."""

    token: str = field(repr=False)
    seconds: float | None


@dataclass(frozen=True)
class Minted:
    """A credential. ``seconds`` 0 is "not known"; ``cached`` when an agent gave the same to others."""

    token_id: str
    secret: str = field(repr=False)
    lease_id: str
    seconds: float
    cached: bool


@dataclass(frozen=True)
class Reply:
    status: int
    body: t.Any
    headers: t.Mapping[str, str]


class OpenBao:
    """One server, agent or proxy. Every failure is a MintError of one line without a secret."""

    def __init__(self, access: BaoAccess, secrets: Secrets) -> None:
        self._access = access
        self._secrets = secrets
        secrets.add(access.token, access.secret_id, access.jwt)

    def login(self) -> Login:
        access = self._access
        credentials = {"role_id": access.role_id, "secret_id": access.secret_id}
        if access.method == "jwt":
            credentials = {"role": access.jwt_role, "jwt": access.jwt}
        path = f"auth/{access.auth_mount}/login"
        reply = self._ask("POST", path, "", {name: value for name, value in credentials.items() if value})
        auth = _table(_table(reply.body).get("auth"))
        token = auth.get("client_token")
        if not isinstance(token, str) or not printable(token):
            raise MintError(f"OpenBao POST /v1/{path} -> {reply.status}: the answer holds no token")
        self._secrets.add(token)
        return Login(token, _number(auth.get("lease_duration")) or None)

    def mint(self, path: str, token: str) -> Minted:
        """GET creates a token on the PVE side: never more often than needed."""
        reply = self._ask("GET", path, token)
        body = _table(reply.body)
        data = _table(body.get("data"))
        if isinstance(data.get("data"), dict) and "metadata" in data:  # KV version 2
            data = data["data"]
        token_id = _first(data, self._access.token_id_fields)
        secret = _first(data, self._access.secret_fields)
        where = f"OpenBao GET /v1/{path} -> {reply.status}"
        if secret is not None:
            self._secrets.add(secret)
        if token_id is None or secret is None:
            missing = self._access.token_id_fields if token_id is None else self._access.secret_fields
            raise MintError(f"{where}: the answer has no text under {' or '.join(missing)}; is this a Proxmox engine?")
        if not _TOKEN_ID.fullmatch(token_id):
            raise MintError(f"{where}: a token id looks like user@realm!name; this engine gives another (a short) one")
        if not printable(secret):
            raise MintError(f"{where}: the secret holds characters that no token secret has")
        lease_id = body.get("lease_id")
        # An agent repeats the first duration with every copy; Age says how much of it is gone.
        age = _number(reply.headers.get("Age"))
        seconds = max(0.0, _number(body.get("lease_duration")) - age)
        cached = reply.headers.get("X-Cache", "").upper() == "HIT"
        return Minted(token_id, secret, lease_id if isinstance(lease_id, str) else "", seconds, cached)

    def revoke_self(self, token: str, timeout: float) -> None:
        """Ends a login of ours and, with it, everything that it minted."""
        self._ask("POST", "auth/token/revoke-self", token, {}, timeout=timeout, retry=False)

    def revoke(self, lease_id: str, token: str, timeout: float) -> None:
        self._ask("PUT", "sys/leases/revoke", token, {"lease_id": lease_id}, timeout=timeout, retry=False)

    def _ask(
        self,
        method: str,
        path: str,
        token: str,
        body: t.Mapping[str, str] | None = None,
        *,
        timeout: float | None = None,
        retry: bool = True,
    ) -> Reply:
        pauses = list(RETRY_PAUSES) if retry else []
        while True:
            outcome = self._once(method, path, token, body, timeout or self._access.timeout)
            # Again only where it is proven that nothing was minted: not connected, or 412.
            repeatable = isinstance(outcome, transport.Failure) and not (outcome.sent or outcome.fatal)
            repeatable = repeatable or (isinstance(outcome, Reply) and outcome.status == 412)
            if not repeatable or not pauses:
                break
            time.sleep(pauses.pop(0))
        where = f"OpenBao {method} /v1/{path}"
        if isinstance(outcome, transport.Failure):
            hint = " (bao_ca_cert names the authority that vouches for it)" if outcome.untrusted else ""
            why = one_line(outcome.why, self._secrets.all())
            raise MintError(f"{where} -> no response from {self._access.url}: {why}{hint}")
        if 200 <= outcome.status < 300:
            return outcome
        hint = _hint(path, outcome.status)
        text = f"{where} -> {outcome.status}: {self._errors(outcome.body)}"
        raise Refused(f"{text} ({hint})" if hint else text, outcome.status)

    def _once(
        self, method: str, path: str, token: str, body: t.Mapping[str, str] | None, timeout: float
    ) -> Reply | transport.Failure:
        tls.require()
        if hvac is None:
            raise DependencyError("hvac")
        access = self._access
        with tls.new_session(self._adapter()) as session:
            client = hvac.Client(
                url="http://localhost" if access.url.startswith("unix://") else access.url,
                token=token,  # "" is no header at all; None would look for one in the environment
                cert=(),
                verify=True,  # by the context of our adapter
                timeout=(min(CONNECT_SECONDS, timeout), timeout),
                allow_redirects=False,
                session=session,
                adapter=hvac.adapters.RawAdapter,
                namespace=access.namespace or None,
            )
            extra = {} if body is None else {"json": dict(body)}
            try:
                response = client.adapter.request(method, f"/v1/{path}", raise_exception=False, **extra)
                return Reply(int(response.status_code), _json(response), dict(response.headers))
            except transport.caught() as error:
                return transport.classify(error)

    def _adapter(self) -> tls.Adapter:
        url = self._access.url
        if url.startswith("unix://"):
            return tls.Adapter(context=None, socket_path=url[len("unix://") :])
        if url.startswith("http://"):
            return tls.Adapter(context=None)
        try:
            return tls.Adapter(context=tls.tls_context(self._access.ca_cert))
        except OSError:
            raise DeclarationError(f"{self._access.ca_cert} cannot be read", option="bao_ca_cert") from None

    def _errors(self, body: t.Any) -> str:
        errors = _table(body).get("errors")
        if not isinstance(errors, list) or not all(isinstance(item, str) for item in errors):
            return "not an OpenBao error body"
        return one_line("; ".join(errors), self._secrets.all()) or "no reason given"


class Refused(MintError):
    """An answer of OpenBao with an error status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def _json(response: t.Any) -> t.Any:
    try:
        return response.json()
    except ValueError:
        return None


def _table(value: t.Any) -> dict[str, t.Any]:
    return value if isinstance(value, dict) else {}


def _number(value: t.Any) -> float:
    try:
        return max(0.0, float(value))
    except (TypeError, ValueError):
        return 0.0


def _first(data: t.Mapping[str, t.Any], names: t.Sequence[str]) -> str | None:
    return next((data[name] for name in names if isinstance(data.get(name), str) and data[name]), None)
