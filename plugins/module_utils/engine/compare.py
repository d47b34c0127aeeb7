# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared keys that differ from live, each by its kind. Pure."""

from __future__ import annotations

import typing as t

from ..wire.kind import Canon, Kind, SpellingError
from .family import Declaration, Drift, Family, Live
from .key import NOTHING, Clear, DefaultBy, Key


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
