# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call: how it is spelled for PVE and PBS, and what an answer says."""

from __future__ import annotations

import http
import json
import re
import typing as t
import urllib.parse
from dataclasses import dataclass

from ..errors import ApiError, DeclarationError
from .redact import one_line

Query = t.Mapping[str, t.Any]
Pairs = tuple[tuple[str, str], ...]

# PVE's server refuses a longer body (APIServer/AnyEvent.pm, $limit_max_post).
LONGEST_BODY: t.Final = 512 * 1024

# A member that could not get an answer from the node it proxies to (APIServer/AnyEvent.pm, proxy_request).
PROXY_STATUSES: t.Final = frozenset({595, 596, 597, 599})

HINTS: t.Final[dict[int, str]] = {
    301: "redirects are never followed; is this the port of the API?",
    302: "redirects are never followed; is this the port of the API?",
    307: "redirects are never followed; is this the port of the API?",
    308: "redirects are never followed; is this the port of the API?",
    401: "wrong secret, expired token or disabled user; the node's system log has the reason",
    595: "the member could not connect to the node that it forwards to",
    596: "the member got no answer from the node that it forwards to",
}


@dataclass(frozen=True)
class Call:
    """One request without its member and its credential."""

    method: str
    path: str
    query: Pairs = ()
    form: Pairs | None = None

    @property
    def reads(self) -> bool:
        return self.method == "GET"

    @property
    def target(self) -> str:
        query = encode(self.query)
        return f"/api2/json/{self.path}" + (f"?{query}" if query else "")

    @property
    def body(self) -> bytes | None:
        return None if self.form is None else encode(self.form).encode("ascii")


@dataclass(frozen=True)
class Answer:
    """What a live member said."""

    status: int
    reason: str
    body: bytes

    def json(self) -> t.Any:
        """The decoded body, or None where it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


def make_call(method: str, path: str, values: Query | None) -> Call:
    """A DELETE carries its parameters in the query (a body is answered 501), a POST or PUT in a form, if empty too."""
    path = path.strip("/")
    if any(part in {".", "..", ""} for part in path.split("/")) or re.search(r"[\x00-\x1f\x7f?#]", path):
        raise DeclarationError(f"{path!r} is no path of the API: a name in it is empty or holds what a name may not")
    path = urllib.parse.quote(path, safe="/:@!$&'()*+,;=~%")
    pairs = spell(values or {})
    if method in {"GET", "DELETE"}:
        return Call(method, path, query=pairs)
    call = Call(method, path, form=pairs)
    if len(call.body or b"") > LONGEST_BODY:
        raise DeclarationError(f"{method} {path}: the values are longer than the API takes (512 KiB)")
    return call


def spell(values: Query) -> Pairs:
    """Pairs as the API spells them: 1 and 0, a repeated key for a tuple, and nothing for None."""
    pairs: list[tuple[str, str]] = []
    for key, value in values.items():
        items = value if isinstance(value, (tuple, list)) else (value,)
        pairs += [(key, _text(item)) for item in items if item is not None]
    return tuple(pairs)


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def encode(pairs: Pairs) -> str:
    # PVE splits at '&' and ';' and at every '=' (APIServer/AnyEvent.pm, decode_urlencoded): all of them are escaped.
    return urllib.parse.urlencode(pairs, quote_via=urllib.parse.quote, safe="")


def authorization(product: str, token_id: str, secret: str) -> str:
    """PBS has another prefix and another separator; both decode percent escapes."""
    spelled = urllib.parse.quote(secret, safe="")
    return f"PBSAPIToken={token_id}:{spelled}" if product == "pbs" else f"PVEAPIToken={token_id}={spelled}"


def read_answer(call: Call, answer: Answer, secrets: t.Iterable[str], hint: str = "") -> dict[str, t.Any]:
    """The envelope of a 2xx, else ApiError."""
    body = answer.json()
    if 200 <= answer.status < 300 and isinstance(body, dict) and "data" in body:
        return body
    if 200 <= answer.status < 300:
        message = "the answer is not the API's; is this its address and port?"
        raise ApiError(method=call.method, path=call.path, status=answer.status, message=message)
    raise ApiError(
        method=call.method,
        path=call.path,
        status=answer.status,
        message=_message(answer, body, secrets),
        errors=_errors(body, secrets),
        hint=hint or HINTS.get(answer.status, ""),
    )


def _message(answer: Answer, body: t.Any, secrets: t.Iterable[str]) -> str:
    """``message`` of the body; else PVE's text in the reason phrase; else a plain text body (PBS); else the phrase."""
    if isinstance(body, dict) and isinstance(body.get("message"), str) and body["message"].strip():
        return one_line(body["message"], secrets)
    reason = answer.reason.strip()
    if reason and reason != _phrase(answer.status):
        return one_line(reason, secrets)
    text = body if isinstance(body, str) else "" if body is not None else answer.body.decode("utf-8", "replace")
    if text.strip() and not text.lstrip().startswith("<"):
        return one_line(text, secrets)
    return one_line(reason or "no text", secrets)


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return ""


def _errors(body: t.Any, secrets: t.Iterable[str]) -> dict[str, str]:
    errors = body.get("errors") if isinstance(body, dict) else None
    if not isinstance(errors, dict):
        return {}
    return {str(key): one_line(str(text), secrets) for key, text in errors.items()}
