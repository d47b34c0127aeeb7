# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``prune-backups``: how many backups are kept (pve-storage PVE/Storage/Plugin.pm validate_prune_backups)."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..wire.kind import Canon
from ..wire.propstr import PropertyMap, Sub
from ..wire.scalars import Flag, Integer

KEEP: t.Final = tuple(f"keep-{name}" for name in ("last", "hourly", "daily", "weekly", "monthly", "yearly"))


@dataclass(frozen=True)
class Retention(PropertyMap):
    """A count of 0 is as good as none, and no count at all means to keep everything."""

    def canon(self, value: object) -> Canon:
        return super().canon(value) or {"keep-all": True}


def _check(canon: t.Mapping[str, Canon]) -> str | None:
    both = canon.get("keep-all") and len(canon) > 1
    return "keep-all cannot be combined with the other keys" if both else None


RETENTION: t.Final = Retention(
    subs={
        "keep-all": Sub(Flag(), default=False),
        **{name: Sub(Integer(minimum=0), default=0) for name in KEEP},
    },
    check=_check,
)
