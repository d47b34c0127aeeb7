# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a lookup is: options, and what is read for them. The counterpart of a family for modules that only ask."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .family import Reader

Gather = t.Callable[[t.Mapping[str, t.Any], Reader], t.Mapping[str, t.Any]]


@dataclass(frozen=True, kw_only=True)
class Info:
    """A lookup.

    gather   options and a reader -> the keys of the result; pure but for GETs
    options  argument spec beside the connection
    returns  the keys of the result, for the documentation
    """

    name: str
    product: str
    gather: Gather
    read: str
    returns: tuple[str, ...]
    options: t.Mapping[str, t.Mapping[str, t.Any]] = field(default_factory=dict)
