# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared against live: one answer, for the plan, the write, the read-back and the guard of a delete. Pure."""

from __future__ import annotations

import typing as t

from ..wire.kind import Canon, Kind
from .compare import compare, has_key, section_type
from .family import Declaration, Drift, Family, Judgement, Live, Refusal
from .key import NOTHING, Key
from .steps import create_steps, delete_steps, update_steps


def judge(family: Family, declaration: Declaration, live: Live) -> Judgement:
    """The judgement. Empty drift means no steps."""
    return (family.judge_hook or generic)(family, declaration, live)


def generic(family: Family, declaration: Declaration, live: Live) -> Judgement:
    """The judgement of a family that is nothing but its table."""
    if declaration.state == "absent":
        return _judge_absent(family, declaration, live)
    drift = compare(family, declaration, live)
    refusals = [*_refuse(family, declaration, live, drift), *_more(family, declaration, live, drift)]
    if live.present and not drift:
        return Judgement(refusals=tuple(refusals))
    action = "update" if live.present else "create"
    build = family.steps_hook or (update_steps if live.present else create_steps)
    steps = () if refusals else build(family, declaration, live, drift)
    notes = tuple(family.notes(family, declaration, live, drift)) if family.notes else ()
    return Judgement(action=action, drift=drift, refusals=tuple(refusals), steps=steps, notes=notes)


def _judge_absent(family: Family, declaration: Declaration, live: Live) -> Judgement:
    if not live.present:
        return Judgement()
    refusals = list(_more(family, declaration, live, ()))
    handle = family.handle(declaration.ident)
    if family.retain and declaration.confirm_destroy != handle:
        refusals.append(
            Refusal(
                id="retain",
                msg=f"{family.title(declaration.ident)}: what it holds cannot be rebuilt from its declaration; "
                f'to delete it, set confirm_destroy: "{handle}".',
            )
        )
    build = family.steps_hook or delete_steps
    steps = () if refusals else build(family, declaration, live, ())
    return Judgement(action="delete", refusals=tuple(refusals), steps=steps)


def _more(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    return family.refuse(family, declaration, live, drift) if family.refuse else ()


# ---- refusals that a table implies


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if not live.present:
        missing = [name for name, key in family.keys.items() if _missing(family, declaration, live, name, key)]
        for name in missing:
            option = family.option_of(name)
            yield Refusal(id="missing", key=name, msg=f"{title} does not exist, and creating it needs {option}.")
        yield from _lone(family, declaration, live, title, drift)
        return
    kind_of_section = section_type(family, declaration, live)
    yield from _not_of_type(family, declaration, title, kind_of_section)
    for item in drift:
        if item.want is NOTHING and family.keys[item.key].is_required(kind_of_section):
            msg = f"{title} cannot be without {family.option_of(item.key)}; give it a value instead."
            yield Refusal(id="required", key=item.key, msg=msg)
        key = family.keys[item.key]
        if key.is_create_only(kind_of_section) and has_key(key, kind_of_section):
            yield Refusal(id="create-only", key=item.key, msg=create_only_message(title, family, item))
    yield from _lone(family, declaration, live, title, drift)


def _lone(
    family: Family, declaration: Declaration, live: Live, title: str, drift: tuple[Drift, ...]
) -> t.Iterable[Refusal]:
    """Keys that PVE takes only together with another, which is neither declared nor there."""
    cleared = {item.key for item in drift if _clears(family, item)}
    for item in drift:
        name = family.keys[item.key].requires
        if name is None or _clears(family, item) or name in declaration.values:
            continue
        if name in cleared or live.values.get(family.keys[name].live or name) is None:
            option, other = family.option_of(item.key), family.option_of(name)
            yield Refusal(id="requires", key=item.key, msg=f"{title}: PVE takes {option} only together with {other}.")


def _clears(family: Family, item: Drift) -> bool:
    return item.want is NOTHING or family.keys[item.key].kind.form(item.want) in ("", ())


def _not_of_type(family: Family, declaration: Declaration, title: str, kind: str | None) -> t.Iterable[Refusal]:
    """A declaration that does not name the type is checked against the type that is there."""
    for name in declaration.values:
        if not has_key(family.keys[name], kind):
            option = family.option_of(name)
            msg = f"{title} is of {family.selector} {kind}, which has no {option}."
            yield Refusal(id="not-of-type", key=name, msg=msg)


def create_only_message(title: str, family: Family, item: Drift) -> str:
    """Why a fixed key cannot follow its declaration, with both values where they may be shown."""
    option = family.option_of(item.key)
    kind = family.keys[item.key].kind
    shown = "" if item.hidden else f" (live {_plain(kind, item.live)}, declared {_plain(kind, item.want)})"
    return (
        f"{title}: {option} is fixed at creation{shown}. Declare the live value, "
        f"or delete the object and create it anew."
    )


def _plain(kind: Kind, canon: Canon) -> str:
    if canon is NOTHING:
        return "not set"
    shown = kind.show(canon)
    return ",".join(str(item) for item in shown) if isinstance(shown, (list, tuple)) else str(shown)


def _missing(family: Family, declaration: Declaration, live: Live, name: str, key: Key) -> bool:
    kind_of_section = section_type(family, declaration, live)
    wanted = key.is_required(kind_of_section) and has_key(key, kind_of_section)
    return wanted and name not in declaration.values
