# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family by its module's name. Imports are spelled out: a module's payload is found by reading them."""

from __future__ import annotations

import typing as t

from ..engine.family import Family
from ..families.acl import ACL
from ..families.api_token import API_TOKEN
from ..families.backup_job import BACKUP_JOB
from ..families.group import GROUP
from ..families.ha_resource import HA_RESOURCE
from ..families.ha_rule import HA_RULE
from ..families.lxc.table import LXC
from ..families.pool import POOL
from ..families.realm import REALM
from ..families.replication_job import REPLICATION_JOB
from ..families.role import ROLE
from ..families.user import USER

FAMILIES: t.Final[t.Mapping[str, Family]] = {
    family.name: family
    for family in (
        ACL,
        API_TOKEN,
        BACKUP_JOB,
        GROUP,
        HA_RESOURCE,
        HA_RULE,
        LXC,
        POOL,
        REALM,
        REPLICATION_JOB,
        ROLE,
        USER,
    )
}
