# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a container is known by: its hostname, a MAC, a volume, its tags."""

from __future__ import annotations

import functools
import re
import typing as t

from ...engine.family import Declaration, Family, Live
from ...wire.kind import Canon, Kind, SpellingError
from ...wire.network import MAC
from ...wire.volumes import parse_volume
from ..guest import Marks
from .mounts import MOUNT_KEY
from .nets import NET_KEY

_MARKED = re.compile(rf"hostname|tags|{NET_KEY.pattern}|{MOUNT_KEY.pattern}")


@functools.cache  # asked of every key of the table, for every container
def is_marked(key: str) -> bool:
    """Whether the value of this key may identify a container."""
    return _MARKED.fullmatch(key) is not None


def mark_of(key: str, canon: Canon) -> str | None:
    """The identifying part of a canonical value, or None: no MAC, or a volume that is yet to be allocated."""
    if key == "hostname":
        return str(canon)
    if key == "tags":
        return ";".join(canon) or None
    if NET_KEY.fullmatch(key):
        mac = canon.get("hwaddr")
        return None if mac is None else str(mac)
    volume = canon.get("volume")
    return volume if volume is not None and parse_volume(volume).kind == "volume" else None


def marks_of(family: Family, kinds: t.Mapping[str, Kind], declaration: Declaration, live: Live) -> Marks:
    """The marks of both sides, by key."""
    names = [key for key in family.keys if is_marked(key)]
    return Marks(
        declared={key: mark for key in names for mark in [_mark(kinds[key], key, declaration.values)] if mark},
        live={key: mark for key in names for mark in [_mark(kinds[key], key, live.values)] if mark},
    )


def _mark(kind: Kind, key: str, values: t.Mapping[str, t.Any]) -> str | None:
    if values.get(key) is None:
        return None
    try:
        return mark_of(key, kind.canon(values[key]))
    except SpellingError:
        return None


def expected_mark(kinds: t.Mapping[str, Kind], key: str, value: object) -> str | None:
    """The mark that the option ``identity`` expects: a whole value as PVE shows it, or a MAC alone."""
    if NET_KEY.fullmatch(key) and isinstance(value, str) and "=" not in value:
        return str(MAC.canon(value))
    return mark_of(key, kinds[key].canon(value))
