# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family and lookup by its module's name. Imports are spelled out: a payload is found by reading them."""

from __future__ import annotations

import typing as t

from ..engine.declare import near
from ..engine.family import Family
from ..engine.info import Info
from ..errors import DeclarationError
from ..families.acl import ACL
from ..families.api_token import API_TOKEN
from ..families.backup_job import BACKUP_JOB
from ..families.firewall_alias import FIREWALL_ALIAS
from ..families.group import GROUP
from ..families.ha_resource import HA_RESOURCE
from ..families.ha_rule import HA_RULE
from ..families.lxc.table import LXC
from ..families.metric_server import METRIC_SERVER
from ..families.pool import POOL
from ..families.realm import REALM
from ..families.replication_job import REPLICATION_JOB
from ..families.role import ROLE
from ..families.storage.table import STORAGE
from ..families.user import USER
from ..infos.cluster import CLUSTER_INFO
from ..infos.storage import STORAGE_INFO

FAMILIES: t.Final[t.Mapping[str, Family]] = {
    family.name: family
    for family in (
        ACL,
        API_TOKEN,
        BACKUP_JOB,
        FIREWALL_ALIAS,
        GROUP,
        HA_RESOURCE,
        HA_RULE,
        LXC,
        METRIC_SERVER,
        POOL,
        REALM,
        REPLICATION_JOB,
        ROLE,
        STORAGE,
        USER,
    )
}

INFOS: t.Final[t.Mapping[str, Info]] = {info.name: info for info in (CLUSTER_INFO, STORAGE_INFO)}


def family_named(name: object, option: str, *, besides: t.Sequence[str] = ()) -> Family:
    """The family of this name, with or without the collection's before it. Raises DeclarationError naming the option.

    ``besides`` are other words that may have been meant.
    """
    family = FAMILIES.get(str(name).rpartition(".")[2])
    if family is None:
        raise DeclarationError(f"there is no family {name}.{near(str(name), [*besides, *FAMILIES])}", option=option)
    return family
