# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of rootfs and mpN (pve-container LXC/Config.pm: rootfs_desc, mp_desc)."""

from __future__ import annotations

import itertools
import re
import typing as t
from dataclasses import dataclass

from ...wire.kind import Canon, Form, Kind, SpellingError
from ...wire.lists import SetOf
from ...wire.propstr import PropertyMap, Sub
from ...wire.scalars import CheckedText, Enum, Flag, read_text
from ...wire.sizes import Size
from ...wire.volumes import parse_volume

FLAG: t.Final = Flag()
_OFF: t.Final = Sub(FLAG, default=False)

MOUNT_OPTIONS: t.Final = SetOf(
    Enum(("discard", "lazytime", "noatime", "nodev", "noexec", "nosuid")), separators=";", joiner=";", min_items=1
)


def _mount_path(text: str) -> str | None:
    """LXC/Config.pm verify_lxc_mp_string."""
    if re.search(r"/\.\.?(/|$)|^\.\./", text):
        return "must not hold . or .. as a part of the path"
    return None if text else "must not be empty"


def _volume(text: str) -> str | None:
    """PVE takes any text that is no path for a volume, and fails only when it looks for its storage."""
    volume = parse_volume(text)
    if volume.kind == "volume" and (volume.name is None or volume.name.startswith("-")):
        return "must be storage:GiB, storage:volume or an absolute path"
    return _mount_path(text)


_RANGE = re.compile(r"([ug]):([0-9]{1,10}):([0-9]{1,10}):([0-9]{1,10})")
_Range = tuple[str, int, int, int]


@dataclass(frozen=True)
class IdMap(Kind):
    """``passthrough``, or ``u|g:container:disk:count`` in order."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "list", "elements": "str"}

    def canon(self, value: object) -> Canon:
        if isinstance(value, (list, tuple)):
            texts = [read_text(item).strip() for item in value]
        else:
            texts = read_text(value).strip().split(";")
        if texts == ["passthrough"]:
            return "passthrough"
        matches = [_RANGE.fullmatch(text) for text in texts]
        if not matches or None in matches:
            raise SpellingError(
                "expected passthrough, or u:container:disk:count and g:container:disk:count, joined by ;"
            )
        return tuple(":".join([m[1], *(str(int(n)) for n in m.groups()[1:])]) for m in matches if m is not None)

    def fault(self, canon: Canon) -> str | None:
        if canon == "passthrough":
            return None
        ranges = [(kind, int(inside), int(disk), int(count)) for kind, inside, disk, count in map(_colons, canon)]
        if any(count < 1 for *_range, count in ranges):
            return "must have a count of at least 1 in each range"
        sides = ((kind, side) for kind in "ug" for side in (1, 2))
        return "must not map an id twice" if any(_overlap(ranges, kind, side) for kind, side in sides) else None

    def form(self, canon: Canon) -> Form:
        return canon if isinstance(canon, str) else ";".join(canon)

    def show(self, canon: Canon) -> t.Any:
        return canon if isinstance(canon, str) else list(canon)


def _colons(text: str) -> list[str]:
    return text.split(":")


def _overlap(ranges: t.Iterable[_Range], kind: str, side: int) -> bool:
    """LXC.pm validate_id_maps: of one kind, on one side, no id may be in two ranges."""
    spans = sorted((entry[1] if side == 1 else entry[2], entry[3]) for entry in ranges if entry[0] == kind)
    return any(start + count > following for (start, count), (following, _count) in itertools.pairwise(spans))


_MOUNT_SUBS: t.Mapping[str, Sub] = {
    "volume": Sub(CheckedText(_volume), required=True),
    "acl": Sub(FLAG),  # neither 0 nor 1 is what absence means
    "idmap": Sub(IdMap()),
    "mountoptions": Sub(MOUNT_OPTIONS),
    "quota": _OFF,
    "replicate": Sub(FLAG, default=True),
    "ro": _OFF,
    "shared": _OFF,
    "size": Sub(Size(), filled=True, carried=True),
}

ROOTFS: t.Final = PropertyMap(_MOUNT_SUBS, default_key="volume")

MOUNT: t.Final = PropertyMap(
    {
        **_MOUNT_SUBS,
        "mp": Sub(CheckedText(_mount_path), required=True),
        "backup": _OFF,
        "keepattrs": _OFF,
    },
    default_key="volume",
)


def mount_options(mount: t.Mapping[str, Canon]) -> dict[str, Canon]:
    """A mount without its volume and size, which have verdicts of their own."""
    return {key: part for key, part in mount.items() if key not in ("volume", "size")}
