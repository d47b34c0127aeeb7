# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family by its module's name. Imports are spelled out: a module's payload is found by reading them."""

from __future__ import annotations

import typing as t

from ..engine.family import Family
from ..families.lxc.table import LXC
from ..families.pool import POOL

FAMILIES: t.Final[t.Mapping[str, Family]] = {family.name: family for family in (LXC, POOL)}
