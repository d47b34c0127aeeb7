# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of one value: flag, integer, number, text, enum."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field, replace
from decimal import Decimal

from .kind import Canon, Form, Kind, SpellingError

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})

# JSONSchema.pm is_integer and is_number.
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.[0-9]+|[0-9]+\.|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]{1,3})?")

Bounds = tuple[t.Union[int, None], t.Union[int, None]]


@dataclass(frozen=True)
class Flag(Kind):
    """A boolean. The API takes only 1 and 0 (JSONSchema.pm check_type); property strings and files hold words too."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "bool"}

    def canon(self, value: object) -> Canon:
        if isinstance(value, (str, int)):
            word = str(value).strip().lower()
            if word in _TRUE:
                return True
            if word in _FALSE:
                return False
        raise SpellingError("expected a flag: true or false (also 1/0, yes/no, on/off)")

    def form(self, canon: Canon) -> Form:
        return "1" if canon else "0"


def _clamp(value: int, bounds: Bounds) -> int:
    low, high = bounds
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number.

    clamps: what the server may make of a value before it stores it, one (low, high) for each way that a server has.
    A live value that is the clamped declared value is the same.
    """

    minimum: int | None = None
    maximum: int | None = None
    clamps: tuple[Bounds, ...] = ()

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "int"}

    def canon(self, value: object) -> Canon:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
            return int(value)
        raise SpellingError("expected a whole number")

    def fault(self, canon: Canon) -> str | None:
        return _bounds_fault(canon, self.minimum, self.maximum)

    def form(self, canon: Canon) -> Form:
        return str(canon)

    def same(self, declared: Canon, live: Canon) -> bool:
        return bool(declared == live) or any(_clamp(declared, bounds) == live for bounds in self.clamps)


def _bounds_fault(
    value: int | Decimal, minimum: int | float | Decimal | None, maximum: int | float | Decimal | None
) -> str | None:
    if minimum is not None and value < minimum:
        return f"must be at least {minimum}"
    if maximum is not None and value > maximum:
        return f"must be at most {maximum}"
    return None


def plain_decimal(value: Decimal) -> str:
    """Without exponent and trailing zeros: the file parser knows only digits and one point."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


@dataclass(frozen=True)
class Number(Kind):
    """A decimal number; 1, 1.0 and "1.00" are the same. The canonical form is its shortest plain text."""

    minimum: int | float | None = None
    maximum: int | float | None = None

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "float"}

    def canon(self, value: object) -> Canon:
        text = str(value).strip() if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
        if not _NUMBER.fullmatch(text):
            raise SpellingError("expected a number")
        return plain_decimal(Decimal(text))

    def fault(self, canon: Canon) -> str | None:
        return _bounds_fault(Decimal(canon), self.minimum, self.maximum)

    def form(self, canon: Canon) -> Form:
        return str(canon)

    def show(self, canon: Canon) -> t.Any:
        number = Decimal(canon)
        return int(number) if number == number.to_integral_value() else float(number)


def read_text(value: object) -> str:
    """A text, or a number that YAML or JSON made of one. A boolean is refused: ``yes`` and ``"yes"`` differ."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise SpellingError("expected a text (put it into quotes if YAML makes something else of it)")


_STRIP: t.Mapping[str, t.Callable[[str], str]] = {
    "none": lambda text: text,
    "trailing-newlines": lambda text: text.rstrip("\n"),
    "all-trailing": lambda text: text.rstrip(),
    "ends": lambda text: text.strip(),
}


@dataclass(frozen=True)
class Text(Kind):
    """A text.

    min_length, max_length   in characters, not bytes
    pattern                  matches the whole text; ``expected`` says in words what it asks for
    strip                    "none", "trailing-newlines", "all-trailing" or "ends": what a text may carry besides
    zero_is_empty            stored by Perl's truth: "0" is lost
    no_linefeed              section files refuse a line feed in any value
    fold                     compared without regard to case
    """

    max_length: int | None = None
    min_length: int | None = None
    pattern: str | None = None
    expected: str | None = None
    strip: str = "none"
    zero_is_empty: bool = False
    no_linefeed: bool = True
    fold: bool = False

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str"}

    def canon(self, value: object) -> Canon:
        text = _STRIP[self.strip](read_text(value))
        if self.zero_is_empty and text == "0":
            return ""
        return text.lower() if self.fold else text

    def fault(self, canon: Canon) -> str | None:
        if self.no_linefeed and ("\n" in canon or "\r" in canon):
            return "must not hold a line feed"
        if self.max_length is not None and len(canon) > self.max_length:
            return f"must be at most {self.max_length} characters long"
        if self.min_length is not None and len(canon) < self.min_length:
            return f"must be at least {self.min_length} characters long"
        if self.pattern is not None and not re.fullmatch(self.pattern, canon):
            return f"must be {self.expected}" if self.expected else f"must match the pattern {self.pattern}"
        return None

    def form(self, canon: Canon) -> Form:
        return str(canon)


@dataclass(frozen=True)
class AnyText(Text):
    """A text that says nothing about what is wanted: whatever is live is as declared."""

    def same(self, declared: Canon, live: Canon) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True)
class CheckedText(Kind):
    """A text with a check of its own, which says what is wrong with it, or nothing."""

    check: t.Callable[[str], str | None]

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str"}

    def canon(self, value: object) -> Canon:
        return read_text(value)

    def fault(self, canon: Canon) -> str | None:
        return "must not hold a line feed" if "\n" in canon or "\r" in canon else self.check(canon)

    def form(self, canon: Canon) -> Form:
        return str(canon)


@dataclass(frozen=True)
class Enum(Kind):
    """One of a list of words. ``aliases`` maps a spelling to the choice that it stands for."""

    choices: tuple[str, ...]
    aliases: t.Mapping[str, str] = field(default_factory=dict)

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str", "choices": [*self.choices, *self.aliases]}

    def canon(self, value: object) -> Canon:
        text = read_text(value)
        return self.aliases.get(text, text)

    def fault(self, canon: Canon) -> str | None:
        return None if canon in self.choices else f"must be one of {', '.join(self.choices)}"

    def form(self, canon: Canon) -> Form:
        return str(canon)


#: A guest's or a node's description: the read appends a newline (LXC/Config.pm parse_pct_config).
DESCRIPTION: t.Final = Text(max_length=8192, strip="trailing-newlines", no_linefeed=False)

#: A description of a container: "0" is lost when the file is written (LXC/Config.pm write_pct_config).
DESCRIPTION0: t.Final = replace(DESCRIPTION, zero_is_empty=True)

#: A comment in user.cfg, which is written by Perl's truth: "0" is not stored.
COMMENT0: t.Final = Text(zero_is_empty=True, no_linefeed=False)
