# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A family of the tests' own: one key of every sort that a table can hold."""

from __future__ import annotations

from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import (
    Absence,
    Endpoint,
    Family,
    Privileges,
    Read,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import Clear, Key
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.lists import SetOf
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Enum, Flag, Integer, Text

PLACE = Family(
    name="place",
    product="pve",
    noun="Place",
    identity={"id": Text(pattern=r"[a-z][a-z0-9@!-]*")},
    read=Read(path="places/{id}", absence=(Absence(status=500, message="no such place '.*'"),)),
    create=Endpoint(method="POST", path="places", identity=("id",)),
    update=Endpoint(method="PUT", path="places/{id}"),
    delete=Endpoint(method="DELETE", path="places/{id}"),
    keys={
        "type": Key(kind=Enum(("house", "ship")), create_only=True, required=True, clear=Clear.NEVER),
        "server": Key(kind=Text(), resend=True, required=True, clear=Clear.NEVER),
        "comment": Key(kind=Text(), default=""),
        "note": Key(kind=Text(), default="", clear=Clear.EMPTY),
        "enable": Key(kind=Flag(), default=True),
        "max-rooms": Key(kind=Integer(minimum=1, maximum=9)),
        "groups": Key(kind=SetOf(Text()), default=()),
        "password": Key(kind=Text(), secret=True),
        "otp-key": Key(kind=Text(), hidden=True),
        "sails": Key(kind=Integer(), types=("ship",)),
    },
    digest=True,
    selector="type",
    privileges=Privileges(read="Sys.Audit on /", write="Sys.Modify on /"),
)
