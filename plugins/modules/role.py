#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: role
short_description: Manage roles of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one role and its privileges.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
notes:
  - "PRIVILEGES: reading needs none; to delete a role, or to take C(Permissions.Modify) or C(Sys.Modify) from one,
    C(Sys.Audit) on C(/access)."
  - "PRIVILEGES: writing needs C(Sys.Modify) on C(/access)."
  - Roles that PVE makes itself, such as C(PVEAuditor), may be declared as they are, and are never changed.
  - Which privileges there are is read from the role C(Administrator) of the cluster; another one is a refusal.
options:
  roleid:
    description:
      - Name of the role. It must not begin with C(PVE).
    type: str
    required: true
  privs:
    description:
      - Privileges of the role, such as C(VM.Audit). Needed to create it; an empty list is a role without privileges.
      - The order does not matter.
    type: list
    elements: str
  exact:
    description:
      - Whether privileges that O(privs) does not list are taken away.
      - When V(false), those in O(privs) are added and others are left alone.
    type: bool
    default: true
  confirm_destroy:
    description:
      - A role that is still bound takes its grants along when it is deleted. It is deleted only when this repeats its
        name.
      - A role that is bound nowhere needs no confirmation.
    type: str
  allow_self_lockout:
    description:
      - Whether C(Permissions.Modify) or C(Sys.Modify) may be taken from a role that is bound at C(/) or C(/access).
      - Without them nobody may be left who can take the edit back, the credential of this run included.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: A role for those who run the guests
  homeflare.proxmox.role:
    roleid: Ops
    privs: [VM.Audit, VM.Console, VM.PowerMgmt]

- name: At least these privileges
  homeflare.proxmox.role:
    roleid: Ops
    privs: [VM.Backup]
    exact: false

- name: No such role, though it may still be bound
  homeflare.proxmox.role:
    roleid: Ops
    state: absent
    confirm_destroy: Ops
"""

RETURN = r"""
action:
  description: What was done, or in check mode would be done.
  returned: success
  type: str
  choices: [none, create, update, delete]
  sample: update
drift:
  description: Names of the declared keys that differed, in PVE's spelling.
  returned: success, refusal
  type: list
  elements: str
  sample: [privs]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for a role.
  returned: success
  type: list
  elements: str
  sample: []
tasks:
  description: UPIDs of the PVE tasks that were started.
  returned: success
  type: list
  elements: str
  sample: []
object:
  description: The live values of the declared keys after the task.
  returned: success
  type: dict
  sample: {roleid: Ops, privs: [VM.Audit, VM.Console, VM.PowerMgmt]}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.role import ROLE
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(ROLE)


if __name__ == "__main__":
    main()
