# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The roles that every PVE has."""

from __future__ import annotations

from ..formats import PRIVILEGES

AUDIT = frozenset(name for name in PRIVILEGES if name.endswith(".Audit"))


def _group(prefix: str) -> frozenset[str]:
    return frozenset(name for name in PRIVILEGES if name.startswith(prefix))


# The roles that PVE makes itself (AccessControl.pm create_roles).
SPECIAL_ROLES: dict[str, frozenset[str]] = {
    "NoAccess": frozenset(),
    "Administrator": PRIVILEGES,
    "PVEAdmin": PRIVILEGES
    - {
        "Mapping.Modify",
        "Permissions.Modify",
        "Sys.Modify",
        "Sys.PowerMgmt",
        "Sys.Incoming",
        "Sys.AccessNetwork",
        "Realm.Allocate",
    },
    "PVEAuditor": AUDIT,
    "PVEPoolAdmin": frozenset({"Pool.Allocate", "Pool.Audit"}),
    "PVEPoolUser": frozenset({"Pool.Audit"}),
    "PVEDatastoreAdmin": _group("Datastore."),
    "PVEDatastoreUser": frozenset({"Datastore.AllocateSpace", "Datastore.Audit"}),
    "PVEUserAdmin": frozenset({"Group.Allocate", "Realm.AllocateUser", "User.Modify"}),
    "PVESysAdmin": frozenset({"Sys.Audit", "Sys.Console", "Sys.Syslog"}),
    "PVEVMAdmin": _group("VM."),
    "PVEVMUser": frozenset(
        {
            "VM.Audit",
            "VM.Backup",
            "VM.Config.CDROM",
            "VM.Config.Cloudinit",
            "VM.Console",
            "VM.GuestAgent.Audit",
            "VM.PowerMgmt",
        }
    ),
    "PVETemplateUser": frozenset({"VM.Audit", "VM.Clone"}),
    "PVESDNAdmin": _group("SDN."),
    "PVESDNUser": frozenset({"SDN.Audit", "SDN.Use"}),
    "PVEMappingAdmin": _group("Mapping."),
    "PVEMappingUser": frozenset({"Mapping.Audit", "Mapping.Use"}),
}
