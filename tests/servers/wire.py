# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request as it arrived, one answer as PVE would give it, and how both are spelled on the wire."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

API = "/api2/json"
PARAMETERS = "Parameter verification failed."

# A value is text, a list of texts for a repeated key, or None for a JSON null. `comment=` is an empty text.
Value = Any
Values = dict[str, Value]


class Die(Exception):
    """PVE's `die`: HTTP 500 and the text; also any other status."""

    def __init__(self, message: str, status: int = 500, errors: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.errors = message, status, dict(errors or {})


def refuse(**errors: str) -> Die:
    """PVE's `raise_param_exc`: 400 and a text for each parameter."""
    return Die(PARAMETERS, 400, errors)


def forbid(why: str) -> Die:
    """PVE's `raise_perm_exc`."""
    return Die(f"Permission check failed ({why})" if why else "Permission check failed", 403)


@dataclass
class Request:
    method: str
    path: str
    query: Values
    form: Values
    member: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    identity: str = ""
    by_hand: bool = False

    @property
    def values(self) -> Values:
        """Query parameters override those of the body (pve-http-server AnyEvent.pm extract_params)."""
        return {**self.form, **self.query}


@dataclass
class Answer:
    status: int = 200
    data: Value = None
    message: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content_type: str = "application/json;charset=UTF-8"
    extra: Mapping[str, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Die) -> Answer:
        return cls(problem.status, None, problem.message, problem.errors)

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status == 401:
            return b""
        out: dict[str, Value] = {"data": self.data, **self.extra}
        if self.status >= 400:
            out["message"] = self.message + "\n"
        if self.errors:
            out["errors"] = dict(self.errors)
        return json.dumps(out, ensure_ascii=False).encode()

    def reason(self) -> str:
        return self.message.split("\n", 1)[0] or "OK"


def decode_pairs(text: str) -> Values:
    """PVE's decode_urlencoded: pairs end at `&` or `;`, a value at a second raw `=`; a repeated key becomes a list.

    `k=` is an empty text and is checked as one: `memory=` is refused, `comment=` clears (measured 26, 33).
    """
    out: Values = {}
    for pair in text.replace(";", "&").split("&"):
        if not pair:
            continue
        parts = pair.split("=")
        key = urllib.parse.unquote_plus(parts[0])
        value = urllib.parse.unquote_plus(parts[1]) if len(parts) > 1 else None
        if key in out:
            known = out[key] if isinstance(out[key], list) else [out[key]]
            out[key] = [*known, value]
        else:
            out[key] = value
    return out


def decode_body(body: bytes, content_type: str) -> Values:
    """The parameters of a body; Die(506) for a type that PVE does not take, Die(500) for malformed JSON."""
    kind = content_type.split(";")[0].strip().lower()
    if kind == "application/json":
        try:
            loaded = json.loads(body) if body else {}
        except ValueError:
            raise Die("malformed JSON string") from None
        if not isinstance(loaded, dict):
            raise Die("malformed JSON string")
        return {key: _json_value(value) for key, value in loaded.items()}
    if kind not in ("", "application/x-www-form-urlencoded"):
        raise Die(f"upload '{kind}' not allowed", 506)
    return decode_pairs(body.decode("utf-8", errors="replace"))


def _json_value(value: Value) -> Value:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return str(value)
    return value
