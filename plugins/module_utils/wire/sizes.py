# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes: ``8G``, ``1536M``, and the new-disk spelling ``storage:8``."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass
from fractions import Fraction

from .kind import Canon, Form, Kind, SpellingError

_SIZE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)([KMGT](?:iB)?)?")
_POWER: t.Mapping[str, int] = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}

MIB: t.Final = 2**20
GIB: t.Final = 2**30


def parse_size(text: str) -> int:
    """Bytes (JSONSchema.pm parse_size): 1024-based, no suffix is bytes, a fraction of a byte is cut."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise SpellingError("expected a size such as 8G, 512M or 1.5T")
    number, suffix = match.groups()
    return int(Fraction(number) * 1024 ** _POWER[(suffix or "")[:1]])


def format_size(size: int) -> str:
    """JSONSchema.pm format_size: the largest unit that divides exactly. Also what resize takes (no ``iB``)."""
    for suffix in ("", "K", "M", "G"):
        if size % 1024:
            return f"{size}{suffix}"
        size //= 1024
    return f"{size}T"


def new_disk_bytes(gib: str) -> int:
    """What ``storage:N`` allocates: whole MiB (LXC.pm create_disks)."""
    return int(Fraction(gib) * 1024) * MIB


@dataclass(frozen=True)
class Size(Kind):
    """A size; the canonical form is bytes. A plain number is bytes too."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str"}

    def canon(self, value: object) -> Canon:
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return parse_size(str(value))
        raise SpellingError("expected a size such as 8G, 512M or 1.5T")

    def form(self, canon: Canon) -> Form:
        return format_size(canon)

    def show(self, canon: Canon) -> t.Any:
        return format_size(canon)
