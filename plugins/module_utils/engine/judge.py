# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared against live: one answer, for the plan, the write, the read-back and the guard of a delete. Pure."""

from __future__ import annotations

import typing as t
from urllib.parse import quote

from ..wire.kind import Canon, Form, Kind, SpellingError
from .family import NOTHING, Clear, Declaration, DefaultBy, Drift, Endpoint, Family, Judgement, Key, Live, Refusal, Step


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


# ---- compare


def kinds_of(family: Family, declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    """Every key's kind, after what the family makes depend on the declaration and on what was read."""
    table = {name: key.kind for name, key in family.keys.items()}
    return {**table, **family.kinds_hook(declaration, live)} if family.kinds_hook else table


def default_of(key: Key, kind: Kind, live: Live) -> Canon:
    """What an absent live key equals; NOTHING where it equals no value."""
    default = key.default.of(live.values) if isinstance(key.default, DefaultBy) else key.default
    return NOTHING if default is NOTHING else kind.canon(default)


def live_canon(name: str, key: Key, kind: Kind, live: Live) -> Canon:
    """The canonical live value. A value that we cannot read is kept as it is, and so equals no declaration."""
    raw = live.values.get(key.live or name)
    if raw is None:
        return default_of(key, kind, live)
    try:
        return kind.canon(raw)
    except SpellingError:
        return {"unreadable": str(raw)}


def section_type(family: Family, declaration: Declaration, live: Live) -> str | None:
    """The type of the object, where the family has types: live's, else the declared one."""
    if family.selector is None:
        return None
    found = live.values.get(family.selector) if live.present else None
    found = found if found is not None else declaration.values.get(family.selector)
    return None if found is None else str(found)


def has_key(key: Key, kind_of_section: str | None) -> bool:
    """Whether an object of this section type has the key."""
    return not key.types or kind_of_section is None or kind_of_section in key.types


def compare(family: Family, declaration: Declaration, live: Live) -> tuple[Drift, ...]:
    """The declared keys that differ, in the order of the table. For an absent object, every declared key."""
    kinds = kinds_of(family, declaration, live)
    kind_of_section = section_type(family, declaration, live)
    drift: list[Drift] = []
    for name, key in family.keys.items():
        kind = kinds[name]
        if name in declaration.values:
            found = _differs(name, key, kind, declaration, live)
        elif name in declaration.delete or _cleared_by_exact(key, declaration, kind_of_section):
            found = _still_set(name, key, kind, live)
        else:
            continue
        if found:
            drift.append(found)
    return tuple(drift)


def _cleared_by_exact(key: Key, declaration: Declaration, kind_of_section: str | None) -> bool:
    if not declaration.exact:
        return False
    fixed = key.is_create_only(kind_of_section) or key.is_required(kind_of_section) or key.clear is Clear.NEVER
    return not (fixed or key.secret) and has_key(key, kind_of_section)


def _differs(name: str, key: Key, kind: Kind, declaration: Declaration, live: Live) -> Drift | None:
    want = kind.canon(declaration.values[name])
    hidden = key.hidden or key.secret
    if not live.present:
        return Drift(key=name, live=NOTHING, want=want, hidden=hidden)
    if key.secret:
        again = declaration.rewrite_secrets and not key.create_only
        return Drift(key=name, live=NOTHING, want=want, hidden=True) if again else None
    found = live_canon(name, key, kind, live)
    if found is not NOTHING and kind.same(want, found):
        return None
    return Drift(key=name, live=found, want=want, hidden=hidden)


def _still_set(name: str, key: Key, kind: Kind, live: Live) -> Drift | None:
    if not live.present or live.values.get(key.live or name) is None:
        return None
    found, default = live_canon(name, key, kind, live), default_of(key, kind, live)
    if default is not NOTHING and kind.same(default, found):
        return None
    return Drift(key=name, live=found, want=NOTHING, hidden=key.hidden or key.secret)


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


# ---- requests


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
