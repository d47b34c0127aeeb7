# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A judgement as the result that a task returns, and as the diff that a person reads. Pure."""

from __future__ import annotations

import typing as t

from ..wire.kind import Canon, Kind
from .compare import kinds_of, live_canon
from .family import Declaration, Drift, Family, Judgement, Live, Refusal
from .key import NOTHING


def result(
    family: Family,
    declaration: Declaration,
    judgement: Judgement,
    live: Live,
    *,
    tasks: t.Sequence[str] = (),
    diff_values: bool = False,
) -> dict[str, t.Any]:
    """The keys of DESIGN's result; ``live`` is the last read."""
    return {
        "changed": bool(judgement.steps),
        "action": judgement.action,
        "drift": [item.key for item in judgement.drift],
        "refusals": [{"id": item.id, "key": item.key, "msg": item.msg} for item in judgement.refusals],
        "pending": list(judgement.pending),
        "tasks": list(tasks),
        "object": live_object(family, declaration, live),
        "diff": diff(family, declaration, judgement, live, values=diff_values),
    }


def reasons(refusals: t.Sequence[Refusal]) -> str:
    """The refusals in one message; more than one are counted, for a command at the end of one has no full stop."""
    if len(refusals) == 1:
        return refusals[0].msg
    return " ".join(f"({number}) {item.msg}" for number, item in enumerate(refusals, start=1))


def live_object(family: Family, declaration: Declaration, live: Live) -> dict[str, t.Any]:
    """The live values of the declared keys; never a secret, nor what the table hides."""
    if not live.present:
        return {}
    kinds = kinds_of(family, declaration, live)
    shown: dict[str, t.Any] = {
        name: kind.show(kind.canon(declaration.ident[name]))
        for name, kind in family.identity.items()
        if name in declaration.ident
    }
    for name, key in family.keys.items():
        if name not in declaration.values or key.secret or key.hidden:
            continue
        canon = live_canon(name, key, kinds[name], live)
        if canon is not NOTHING:
            shown[family.option_of(name)] = show(kinds[name], canon)
    return shown


def show(kind: Kind, canon: Canon) -> t.Any:
    """A canonical value for a person; a live value that could not be read is shown as PVE gave it."""
    if isinstance(canon, dict) and set(canon) == {"unreadable"}:
        return canon["unreadable"]
    return kind.show(canon)


def diff(
    family: Family, declaration: Declaration, judgement: Judgement, live: Live, *, values: bool = False
) -> dict[str, t.Any]:
    """Names of the drifted keys, and with ``values`` both canonical values of those that may be shown."""
    title = family.title(declaration.ident)
    kinds = kinds_of(family, declaration, live)
    before: dict[str, t.Any] = {}
    after: dict[str, t.Any] = {}
    for item in judgement.drift:
        name = family.option_of(item.key)
        before[name], after[name] = _sides(kinds[item.key], item, values)
    if judgement.action == "create":
        before = {"state": "absent"}
        after["state"] = "present"
    if judgement.action == "delete":
        before, after = {"state": "present"}, {"state": "absent"}
    return {"before_header": title, "after_header": title, "before": before, "after": after}


def _sides(kind: Kind, item: Drift, values: bool) -> tuple[t.Any, t.Any]:
    if values and not item.hidden:
        return _value(kind, item.live), _value(kind, item.want)
    return _name(item.live, "live", item.hidden), _name(item.want, "declared", item.hidden)


def _value(kind: Kind, canon: Canon) -> t.Any:
    return "(not set)" if canon is NOTHING else show(kind, canon)


def _name(canon: Canon, side: str, hidden: bool) -> str:
    if canon is NOTHING:
        return "(not set)"
    return f"({side} value, hidden)" if hidden else f"({side} value)"
