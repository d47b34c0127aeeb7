# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of many values: sets and ordered lists."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .kind import Canon, Form, Kind, SpellingError

_ELEMENTS = {"str": "str", "int": "int", "float": "float", "bool": "bool"}


def split_list(text: str) -> list[str]:
    """ParseUtils.pm split_list: a text with a NUL is split there only; else ``,`` ``;`` and white space separate."""
    if "\0" in text:
        return [part for part in text.split("\0") if part]
    return [part for part in re.split(r"[,;\s]+", text) if part]


def _split(text: str, separators: str | None) -> list[str]:
    if separators is None:
        return split_list(text)
    return re.split("[" + re.escape(separators) + "]", text) if separators else [text]


def _parts(value: object, separators: str | None) -> list[object]:
    """The elements of a list, of a separated text, or of a lone value; empty ones dropped."""
    if value is None:
        return []
    if isinstance(value, str):
        texts = _split(value, separators)
        return [text.strip() for text in texts if text.strip()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [part for item in value for part in ([item] if not isinstance(item, str) else _parts(item, separators))]
    if isinstance(value, dict):
        raise SpellingError("expected a list")
    return [value]


@dataclass(frozen=True)
class ListOf(Kind):
    """An ordered list.

    separators   the characters that separate in a text; None: PVE's own rule (split_list); "": a text is one element
    joiner       how the form is joined
    array        the API takes the key repeated (``type: array``) instead of one text
    """

    item: Kind
    separators: str | None = None
    joiner: str = ","
    array: bool = False
    min_items: int = 0

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "list", "elements": _ELEMENTS.get(str(self.item.option.get("type")), "raw")}

    def canon(self, value: object) -> Canon:
        return tuple(self.item.canon(part) for part in _parts(value, self.separators))

    def fault(self, canon: Canon) -> str | None:
        if len(canon) < self.min_items:
            return f"must have at least {self.min_items} element{'s' if self.min_items > 1 else ''}"
        for position, part in enumerate(canon, start=1):
            fault = self.item.fault(part)
            if fault is not None:
                return f"element {position} {fault}"
        return None

    def form(self, canon: Canon) -> Form:
        parts = tuple(_one(self.item.form(part)) for part in canon)
        return parts if self.array else self.joiner.join(parts)

    def same(self, declared: Canon, live: Canon) -> bool:
        return len(declared) == len(live) and all(map(self.item.same, declared, live))

    def show(self, canon: Canon) -> t.Any:
        return [self.item.show(part) for part in canon]


@dataclass(frozen=True)
class SetOf(ListOf):
    """A set: order and repetition do not count. The canonical form is sorted, numbers by value."""

    def canon(self, value: object) -> Canon:
        unique = {repr(part): part for part in super().canon(value)}
        return tuple(sorted(unique.values(), key=_order))

    def same(self, declared: Canon, live: Canon) -> bool:
        return bool(declared == live)


@dataclass(frozen=True)
class AtLeast(Kind):
    """A set of which only the declared members matter: live may hold more, and a write keeps them."""

    whole: SetOf

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return self.whole.option

    def canon(self, value: object) -> Canon:
        return self.whole.canon(value)

    def fault(self, canon: Canon) -> str | None:
        return self.whole.fault(canon)

    def form(self, canon: Canon) -> Form:
        return self.whole.form(canon)

    def same(self, declared: Canon, live: Canon) -> bool:
        return all(part in live for part in declared)

    def carry(self, declared: Canon, live: Canon) -> Canon:
        return self.whole.canon([*declared, *(live if isinstance(live, tuple) else ())])

    def show(self, canon: Canon) -> t.Any:
        return self.whole.show(canon)


def _order(part: Canon) -> Canon:
    """Maps have no order of their own."""
    return repr(part) if isinstance(part, (dict, tuple)) else part


def _one(form: Form) -> str:
    if isinstance(form, str):
        return form
    raise TypeError("an element of a list has one text")
