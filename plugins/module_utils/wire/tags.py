# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of a guest."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .kind import Canon, Kind
from .lists import ListOf
from .scalars import Text

#: JSONSchema.pm PVE_TAG_RE.
_TAG: t.Final = Text(pattern=r"[A-Za-z0-9_][A-Za-z0-9_+.-]*", expected="letters, digits, _ - + . (not - + . in front)")


@dataclass(frozen=True)
class Tags(ListOf):
    """GuestHelpers.pm get_unique_tags: what the datacenter option ``tag-style`` makes of a list of tags.

    case_sensitive   tag-style says case-sensitive=1; else tags are lower-cased
    ordered          tag-style says ordering=config; else tags are sorted
    """

    item: Kind = field(default=_TAG)
    joiner: str = ";"
    case_sensitive: bool = False
    ordered: bool = False

    def canon(self, value: object) -> Canon:
        tags: t.Iterable[str] = super().canon(value)
        if not self.case_sensitive:
            tags = (tag.lower() for tag in tags)
        unique = dict.fromkeys(tags)
        return tuple(unique) if self.ordered else tuple(sorted(unique))


TAGS: t.Final = Tags()
