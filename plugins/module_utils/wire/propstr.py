# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property strings: ``name=eth0,bridge=vmbr0,ip=dhcp``."""

from __future__ import annotations

import difflib
import re
import typing as t
from dataclasses import dataclass, field

from .kind import Canon, Form, Kind, SpellingError
from .scalars import Text

Check = t.Callable[[t.Mapping[str, Canon]], t.Union[str, None]]

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,30}")


@dataclass(frozen=True)
class Sub:
    """One sub-key.

    default    the spelling that absence is equal to; None: absence equals no value
    required   must be there
    filled     PVE fills it in: not compared where it is not declared
    carried    PVE would generate it anew: the live value goes along where it is not declared
    alias      other names of this sub-key
    """

    kind: Kind
    default: object = None
    required: bool = False
    filled: bool = False
    carried: bool = False
    alias: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """``virtio=<mac>``: a key out of ``names`` is itself the value of ``name_key``, its value that of ``value_key``."""

    names: tuple[str, ...]
    name_key: str
    value_key: str


@dataclass(frozen=True)
class PropertyMap(Kind):
    """A property string, read from a text or a dict. The canonical form is a dict without the defaults.

    default_key   a part without ``=`` is its value; printed first, bare
    check         looks at the whole map and says what is wrong with it, or None
    open          sub-keys that are not in the table are texts, not errors
    print_first   sub-keys printed before the others, after the default key
    repeat        the last of repeated sub-keys wins (formats with a parser of their own); else an error
    pair          keys that are values (qemu's ``virtio=<mac>``)
    """

    subs: t.Mapping[str, Sub]
    default_key: str | None = None
    check: Check | None = None
    open: bool = False
    print_first: tuple[str, ...] = ()
    bare_default: bool = True
    repeat: bool = False
    pair: Pair | None = None
    names: t.Mapping[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        names = {name: key for key, sub in self.subs.items() for name in (key, *sub.alias)}
        object.__setattr__(self, "names", names)

    def canon(self, value: object) -> Canon:
        if isinstance(value, t.Mapping):
            pairs: t.Iterable[tuple[str, object]] = ((str(key), part) for key, part in value.items())
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            pairs = self._parse(str(value))
        else:
            raise SpellingError("expected a property string or a dict")
        result = {}
        for key, raw in self._named(pairs).items():
            part = self._canon_part(key, raw)
            if not self._is_default(key, part):
                result[key] = part
        return dict(sorted(result.items()))

    def _parse(self, text: str) -> t.Iterator[tuple[str, object]]:
        """JSONSchema.pm parse_property_string, but that space around keys and values is forgiven: it is not sent."""
        bare = 0
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if equals and not (key and value):
                raise SpellingError("a part has no key or no value around its =")
            if equals:
                yield key, value
                continue
            bare += 1
            if self.default_key is None:
                raise SpellingError("a part has no key, and this format has no key that may be left out")
            if bare > 1 and not self.repeat:
                raise SpellingError(f"more than one part without a key (only {self.default_key} may be left out)")
            yield self.default_key, part

    def _named(self, pairs: t.Iterable[tuple[str, object]]) -> dict[str, object]:
        """By the sub-keys' own names."""
        result: dict[str, object] = {}
        for name, raw in pairs:
            for key, value in self._resolve(name, raw):
                if key in result and not self.repeat:
                    raise SpellingError(f"{key} is given twice")
                if value is None:
                    raise SpellingError(f"{key} has no value (leave it out)")
                result[key] = value
        return result

    def _resolve(self, name: str, raw: object) -> tuple[tuple[str, object], ...]:
        if self.pair is not None and name in self.pair.names:
            return ((self.pair.name_key, name), (self.pair.value_key, raw))
        key = self.names.get(name)
        if key is not None:
            return ((key, raw),)
        if self.open:
            return ((name, raw),)
        raise SpellingError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        what = f"unknown sub-key {name}" if _NAME.fullmatch(name) else "unknown sub-key"
        near = difflib.get_close_matches(name, self.subs, n=1)
        return f"{what} (did you mean {near[0]}?)" if near else f"{what}; known are {', '.join(sorted(self.subs))}"

    def _kind(self, key: str) -> Kind:
        sub = self.subs.get(key)
        return sub.kind if sub is not None else _FREE

    def _canon_part(self, key: str, raw: object) -> Canon:
        try:
            part = self._kind(key).canon(raw)
        except SpellingError as error:
            raise SpellingError(f"{key}: {error}") from None
        if "," in self._part_form(key, part):
            raise SpellingError(f"{key}: must not hold a comma")
        return part

    def _part_form(self, key: str, part: Canon) -> str:
        form = self._kind(key).form(part)
        return form if isinstance(form, str) else ";".join(form)

    def _is_default(self, key: str, part: Canon) -> bool:
        sub = self.subs.get(key)
        if sub is None or sub.default is None:
            return False
        return bool(part == sub.kind.canon(sub.default))

    def fault(self, canon: Canon) -> str | None:
        for key, sub in self.subs.items():
            if sub.required and key not in canon:
                return f"{key} is missing"
        for key, part in canon.items():
            fault = self._kind(key).fault(part)
            if fault is None and self._part_form(key, part) == "":
                fault = "must not be empty (leave it out)"
            if fault is not None:
                return f"{key} {fault}"
        return self.check(canon) if self.check is not None else None

    def form(self, canon: Canon) -> Form:
        """JSONSchema.pm print_property_string: the default key bare, required keys sorted, the rest sorted."""
        parts, done = self._first_parts(canon)
        keys = sorted((key for key in canon if key not in done), key=self._rank)
        return ",".join([*parts, *(f"{key}={self._part_form(key, canon[key])}" for key in keys)])

    def _first_parts(self, canon: t.Mapping[str, Canon]) -> tuple[list[str], set[str]]:
        """What stands in front without the key's own name, and the keys that this covers."""
        if self.pair is not None and self.pair.name_key in canon and self.pair.value_key in canon:
            value = self._part_form(self.pair.value_key, canon[self.pair.value_key])
            return [f"{canon[self.pair.name_key]}={value}"], {self.pair.name_key, self.pair.value_key}
        if self.default_key is not None and self.default_key in canon and self.bare_default:
            return [self._part_form(self.default_key, canon[self.default_key])], {self.default_key}
        return [], set()

    def _rank(self, key: str) -> tuple[int, bool, str]:
        first = self.print_first.index(key) if key in self.print_first else len(self.print_first)
        sub = self.subs.get(key)
        return first, not (sub is not None and sub.required), key

    def same(self, declared: Canon, live: Canon) -> bool:
        keys = {key for key in declared.keys() | live.keys() if key in declared or not self._filled(key)}
        return all(key in declared and key in live and self._kind(key).same(declared[key], live[key]) for key in keys)

    def _filled(self, key: str) -> bool:
        return key in self.subs and self.subs[key].filled

    def carry(self, declared: Canon, live: Canon) -> Canon:
        kept = {key: part for key, part in live.items() if key in self.subs and self.subs[key].carried}
        return dict(sorted({**kept, **declared}.items()))

    def show(self, canon: Canon) -> t.Any:
        return {key: self._kind(key).show(part) for key, part in canon.items()}


_FREE: t.Final = Text()
