# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests that close a drift, by the table. Pure."""

from __future__ import annotations

import typing as t
from urllib.parse import quote

from ..wire.kind import Form, Kind
from .compare import kinds_of
from .family import Declaration, Drift, Endpoint, Family, Live, Step
from .key import NOTHING, Clear, Key


def fill(path: str, ident: t.Mapping[str, t.Any]) -> str:
    """The path with every ``{name}`` percent-encoded as one segment (``@``, ``!`` and ``:`` are safe)."""
    return path.format(**{name: quote(str(value), safe="@!:") for name, value in ident.items()})


def to_step(endpoint: Endpoint | None, declaration: Declaration, form: t.Mapping[str, Form], **more: t.Any) -> Step:
    """One request to an endpoint that the family's table has: its path filled, its identity in the form."""
    if endpoint is None:
        raise TypeError(f"the family's table has no endpoint for: {more.get('what')}")
    named = {name: str(declaration.ident[name]) for name in endpoint.identity}
    return Step(
        method=endpoint.method,
        path=fill(endpoint.path, declaration.ident),
        form={**endpoint.form, **named, **form},
        task=endpoint.task,
        **more,
    )


def create_steps(
    family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...] = ()
) -> tuple[Step, ...]:
    """One create with everything that is declared and not empty."""
    kinds = kinds_of(family, declaration, live)
    form = {
        name: sent
        for name in family.keys
        if name in declaration.values
        for sent in [kinds[name].form(kinds[name].canon(declaration.values[name]))]
        if sent not in ("", ())
    }
    return (to_step(family.create, declaration, form, what="create"),)


def update_steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    """One update: what differs, what must be sent again, and what is cleared."""
    if family.update is None:
        return ()
    form, cleared = update_form(family, declaration, live, drift)
    if cleared:
        form["delete"] = tuple(cleared) if family.delete_array else ",".join(cleared)
    digest = live.digest if family.digest else None
    return (to_step(family.update, declaration, form, digest=digest, what="update"),)


def update_form(
    family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]
) -> tuple[dict[str, Form], list[str]]:
    """The form of an update and the keys to name in ``delete``; the two never share a key."""
    kinds = kinds_of(family, declaration, live)
    form: dict[str, Form] = {}
    cleared: list[str] = []
    drifted = {item.key: item for item in drift}
    for name, key in family.keys.items():
        if name in drifted:
            _set_or_clear(name, key, kinds[name], drifted[name], form, cleared)
        elif key.resend or key.clear is Clear.OMIT:
            _send_again(name, key, kinds[name], declaration, live, form)
    for other in [family.keys[name].requires for name in form]:
        if other is not None and other not in form:
            _send_again(other, family.keys[other], kinds[other], declaration, live, form)
    return form, cleared


def _set_or_clear(name: str, key: Key, kind: Kind, item: Drift, form: dict[str, Form], cleared: list[str]) -> None:
    want = item.want if item.live is NOTHING or item.want is NOTHING else kind.carry(item.want, item.live)
    sent = "" if want is NOTHING else kind.form(want)
    if sent not in ("", ()):
        form[name] = sent
    elif key.clear is Clear.EMPTY:
        form[name] = ""
    elif key.clear is Clear.DELETE:
        cleared.append(name)


def _send_again(name: str, key: Key, kind: Kind, declaration: Declaration, live: Live, form: dict[str, Form]) -> None:
    raw = live.values.get(key.live or name)
    if raw is None and name in declaration.values and not key.secret:
        raw = declaration.values[name]
    if raw is None:
        return
    sent = kind.form(kind.canon(raw))
    if sent not in ("", ()):
        form[name] = sent


def delete_steps(
    family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...] = ()
) -> tuple[Step, ...]:
    """One delete; what it needs goes into the query."""
    return () if family.delete is None else (to_step(family.delete, declaration, {}, what="delete"),)
