# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container as a declaration from which it can be made again: volumes by storage and size, not by name."""

from __future__ import annotations

import typing as t
from fractions import Fraction

from ...engine.index import Wishes
from ...wire.kind import Canon
from ...wire.sizes import GIB, MIB
from ...wire.volumes import parse_volume
from .mounts import MOUNT_KEY


def retell(canons: t.Mapping[str, Canon], wishes: Wishes) -> tuple[dict[str, Canon], dict[str, t.Any]]:
    """The hostname stays even where it is PVE's own ``CT<vmid>``: a container is recognised by it."""
    values = {
        key: canon if wishes.generated or not MOUNT_KEY.fullmatch(key) else anew(canon) for key, canon in canons.items()
    }
    template = wishes.templates.get(str(canons.get("ostype")))
    return values, {"create": {"ostemplate": template}} if template else {}


def anew(mount: t.Mapping[str, Canon]) -> dict[str, Canon]:
    """``storage:GiB`` in place of a volume of known size; what the host mounts, and what has no size, as it is."""
    volume, size = parse_volume(mount["volume"]), mount.get("size")
    if volume.kind != "volume" or volume.storage is None or not isinstance(size, int) or size < MIB:
        return dict(mount)
    rest = {key: part for key, part in mount.items() if key != "size"}
    return {**rest, "volume": f"{volume.storage}:{_gib(size)}"}


def _gib(size: int) -> str:
    """In whole MiB, as create allocates them; a share of a GiB has at most ten digits."""
    number = Fraction(size // MIB * MIB, GIB)
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.10f}".rstrip("0")
