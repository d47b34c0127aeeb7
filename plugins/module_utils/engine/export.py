# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A live object as its declaration. Pure.

What is told is judged before it is told: a declaration that would not be clean against the very object that it was
made of loses the keys that differ, and these are named.
"""

from __future__ import annotations

import fnmatch
import re
import typing as t
from dataclasses import dataclass

from ..errors import DeclarationError
from ..wire.kind import Canon, Kind, SpellingError
from ..wire.propstr import PropertyMap
from .compare import default_of, has_key, kinds_of, section_type
from .declare import argument_spec, declaration_of
from .estate import ranks
from .family import Declaration, Family, Live
from .index import Wishes
from .judge import judge
from .key import NOTHING, Key

Ident = t.Mapping[str, str]

#: What guests, nodes and clusters call the text that people write into, and that may hold anything.
DESCRIPTION = "description"


@dataclass(frozen=True)
class Exported:
    """One object.

    options   what ``estate`` takes; None where the object has no declaration that is clean
    left_out  (key or None, why): what is live and is not told
    obstacles why PVE, or we, would not create it from this declaration alone
    """

    options: dict[str, t.Any] | None
    left_out: tuple[tuple[str | None, str], ...] = ()
    obstacles: tuple[str, ...] = ()


def probe(family: Family, ident: Ident) -> Declaration:
    """The declaration with which an object is read: nothing is declared but what the read itself depends on."""
    return Declaration(ident=ident, values=family.export.probe)


def declared(family: Family, ident: Ident, live: Live, wishes: Wishes) -> Exported:
    """The declaration of a live object."""
    asked = probe(family, ident)
    kinds = kinds_of(family, asked, live)
    values: t.Mapping[str, Canon]
    extras: t.Mapping[str, t.Any] = {}
    values, left_out = _values(family, asked, live, kinds, wishes)
    if family.export.retell:
        told = family.export.retell(values, wishes)
        if told is None:
            return Exported(None)
        values, extras = told
    if stands(family, ident) and not _says_more(family, values, section_type(family, asked, live)):
        return Exported(None)
    shown = {key: _show(kinds[key], canon, wishes) for key, canon in values.items()}
    return _proven(family, ident, live, shown, _merged(_defaults(family, ident, wishes), extras), left_out)


def stands(family: Family, ident: Ident) -> bool:
    """Whether every cluster has this object."""
    standing = family.export.standing
    return bool(standing) and all(re.fullmatch(pattern, str(ident.get(name))) for name, pattern in standing.items())


def _says_more(family: Family, values: t.Mapping[str, Canon], kind_of_section: str | None) -> bool:
    return any(not family.keys[key].is_required(kind_of_section) for key in values)


# ---- values


def _values(
    family: Family, asked: Declaration, live: Live, kinds: t.Mapping[str, Kind], wishes: Wishes
) -> tuple[dict[str, Canon], list[tuple[str | None, str]]]:
    """The canonical values that are worth telling, and the keys whose values no declaration could hold."""
    kind_of_section = section_type(family, asked, live)
    values: dict[str, Canon] = {}
    left_out: list[tuple[str | None, str]] = []
    for name, key in family.keys.items():
        if not _is_told(name, key, kind_of_section, wishes):
            continue
        raw, default = live.values.get(key.live or name), default_of(key, kinds[name], live)
        always = name in family.export.stated or key.is_required(kind_of_section)
        try:
            canon = default if raw is None else kinds[name].canon(raw)
            fault = None if canon is NOTHING or canon == default else kinds[name].fault(canon)
        except SpellingError as error:
            canon, fault = NOTHING, str(error)
        if fault:
            left_out.append((family.option_of(name), fault))
        elif canon is not NOTHING and (always or canon != default) and (always or canon not in ("", (), {})):
            values[name] = canon
    return values, left_out


def _is_told(name: str, key: Key, kind_of_section: str | None, wishes: Wishes) -> bool:
    if key.internal or key.secret or not has_key(key, kind_of_section):
        return False
    return wishes.descriptions if name == DESCRIPTION else not key.hidden


def _show(kind: Kind, canon: Canon, wishes: Wishes) -> t.Any:
    """The value as a person writes it; a property string that is only its default key as that alone."""
    if isinstance(kind, PropertyMap):
        made_up = () if wishes.generated else [key for key, sub in kind.subs.items() if sub.carried]
        canon = {key: part for key, part in canon.items() if key not in made_up}
        if set(canon) == {kind.default_key}:
            return _plain(kind.form(canon))
    return _plain(kind.show(canon))


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _defaults(family: Family, ident: Ident, wishes: Wishes) -> dict[str, t.Any]:
    """The caller's options for the family; ``{name}`` stands for a part of the object's name."""
    return {name: _filled(value, ident) for name, value in wishes.defaults.get(family.name, {}).items()}


def _filled(value: t.Any, ident: Ident) -> t.Any:
    if isinstance(value, str):
        for name, part in ident.items():
            value = value.replace(f"{{{name}}}", str(part))
        return value
    if isinstance(value, t.Mapping):
        return {key: _filled(part, ident) for key, part in value.items()}
    return [_filled(part, ident) for part in value] if isinstance(value, list) else value


def _merged(under: t.Mapping[str, t.Any], over: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Dicts of both sides are one (``create``); else ``over`` wins."""
    both = {name: {**under[name], **over[name]} for name in over if _are_dicts(under.get(name), over[name])}
    return {**under, **over, **both}


def _are_dicts(*values: t.Any) -> bool:
    return all(isinstance(value, t.Mapping) for value in values)


# ---- proof


def _proven(
    family: Family,
    ident: Ident,
    live: Live,
    shown: dict[str, t.Any],
    extras: t.Mapping[str, t.Any],
    left_out: list[tuple[str | None, str]],
) -> Exported:
    """Judged against what it was made of, until nothing differs or nothing is left to leave out."""
    while True:
        options = _options(family, ident, shown, extras)
        wrong, declaration = _wrong(family, options, live)
        if not wrong:
            break
        removable = [key for key in wrong if key is not None and key in shown]
        if not removable:
            return Exported(None, (*left_out, (None, " ".join(wrong.values()))))
        for key in removable:
            del shown[key]
            left_out.append((family.option_of(key), wrong[key]))
    obstacles: tuple[str, ...] = ()
    if declaration is not None and not stands(family, ident):
        again = judge(family, declaration, Live(present=False, facts=live.facts))
        obstacles = tuple(refusal.msg for refusal in again.refusals)
    return Exported(options, tuple(left_out), obstacles)


def _options(
    family: Family, ident: Ident, shown: t.Mapping[str, t.Any], extras: t.Mapping[str, t.Any]
) -> dict[str, t.Any]:
    named = {name: kind.show(kind.canon(ident[name])) for name, kind in family.identity.items() if name in ident}
    own = {family.config: dict(shown)} if family.config else {family.option_of(key): v for key, v in shown.items()}
    return {**named, **own, **{name: value for name, value in extras.items() if name not in own}}


def _wrong(
    family: Family, options: t.Mapping[str, t.Any], live: Live
) -> tuple[dict[str | None, str], Declaration | None]:
    """Keys that make the declaration unclean, with why; under None what is no single key's fault."""
    spec = argument_spec(family)
    params = {**{name: option.get("default") for name, option in spec.items()}, **options}
    try:
        declaration = declaration_of(family, params)
    except DeclarationError as error:
        return {_key_of(family, error.option): str(error)}, None
    judged = judge(family, declaration, live)
    wrong: dict[str | None, str] = {refusal.key: refusal.msg for refusal in judged.refusals}
    wrong.update({item.key: "has no spelling that equals the live value." for item in judged.drift})
    return wrong, declaration


def _key_of(family: Family, option: str | None) -> str | None:
    named = (option or "").removeprefix(f"{family.config}.")
    return next((name for name in family.keys if named in (name, family.option_of(name))), None)


# ---- which, and in which order


def chosen(family: Family, ident: Ident, patterns: t.Sequence[str]) -> bool:
    """Whether a name, or one part of it, fits a pattern; one that begins with ``!`` leaves out."""
    names = [family.handle(ident), *map(str, ident.values())]

    def fits(pattern: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for name in names)

    asked = [pattern for pattern in patterns if not pattern.startswith("!")]
    return (not asked or any(map(fits, asked))) and not any(fits(p[1:]) for p in patterns if p.startswith("!"))


def in_order(objects: t.Iterable[tuple[Family, Ident]], families: t.Iterable[Family]) -> list[tuple[Family, Ident]]:
    """What is needed first, then by family, then by name as a person sorts: 9 before 10."""
    rank = ranks({family.name: family for family in families})
    return sorted(objects, key=lambda pair: (rank[pair[0].name], pair[0].name, natural(pair[0].handle(pair[1]))))


def natural(text: str) -> list[tuple[int, int, str]]:
    """A sort key that takes digits as numbers."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"([0-9]+)", text) if part]
