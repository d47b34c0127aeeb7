# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups (pve-access-control PVE/API2/Group.pm). Members are written from the user's side."""

from __future__ import annotations

from ..engine.family import Absence, Endpoint, Family, Privileges, Read
from ..engine.index import Index, Sight
from ..engine.key import Clear, Key
from .access import COMMENT, GROUPID

GROUP = Family(
    name="group",
    product="pve",
    noun="Group",
    identity={"groupid": GROUPID},
    read=Read(path="access/groups/{groupid}", absence=(Absence(status=500, message=r"group '.*' does not exist"),)),
    index=(
        Index(
            path="access/groups",
            columns={"groupid": "groupid"},
            sight=Sight(path="/access/groups", privileges=("Group.Allocate", "Sys.Audit", "User.Modify")),
        ),
    ),
    create=Endpoint(method="POST", path="access/groups", identity=("groupid",)),
    update=Endpoint(method="PUT", path="access/groups/{groupid}"),
    delete=Endpoint(method="DELETE", path="access/groups/{groupid}"),
    keys={"comment": Key(kind=COMMENT, default="", clear=Clear.EMPTY)},
    retain=True,
    privileges=Privileges(read="Sys.Audit on /access/groups", write="Group.Allocate on /access/groups"),
)
