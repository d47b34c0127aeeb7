#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: acl
short_description: Manage access control rows of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one binding of a role to a user, group or API token at an object path, or, with O(bindings), all bindings
    of a path as a set.
  - When nothing differs, nothing is written.
  - PVE leaves rows out of its answer that the credential may not see. An empty answer is believed only from a
    credential that would see them.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
notes:
  - "PRIVILEGES: reading needs C(Sys.Audit) on C(/access), or what writing needs."
  - "PRIVILEGES: writing needs C(Permissions.Modify) on the path. For a role that holds no more than the caller,
    C(Datastore.Allocate) on C(/storage/{storage}), C(VM.Allocate) on C(/vms/{vmid}) or C(Pool.Allocate) on
    C(/pool/{pool}) is enough."
  - Another role or another subject is another binding. To replace one, declare O(bindings), or declare the new one and
    then the old one with O(state=absent).
  - Rows of C(root@pam) are refused, since PVE accepts and never stores them.
options:
  path:
    description:
      - Object path, such as C(/), C(/vms/100), C(/storage/local) or C(/pool/house).
    type: str
    required: true
  type:
    description:
      - What O(ugid) is. Needed unless O(bindings) is declared.
    type: str
    choices: [user, group, token]
  ugid:
    description:
      - The user (C(name@realm)), group, or API token (C(name@realm!token)). Needed unless O(bindings) is declared.
    type: str
  roleid:
    description:
      - The role. Needed unless O(bindings) is declared.
    type: str
  propagate:
    description:
      - Whether the binding also holds below the path. A new one does unless this is V(false).
    type: bool
  bindings:
    description:
      - The bindings of the path. A list without elements is none at all.
      - What is new is written before anything is removed.
    type: list
    elements: dict
    suboptions:
      type:
        description:
          - What O(bindings[].ugid) is.
        type: str
        required: true
        choices: [user, group, token]
      ugid:
        description:
          - The user, group or API token.
        type: str
        required: true
      roleid:
        description:
          - The role.
        type: str
        required: true
      propagate:
        description:
          - Whether the binding also holds below the path.
        type: bool
        default: true
  exact:
    description:
      - Whether rows of the path that O(bindings) does not list are removed.
      - Does nothing for one binding.
    type: bool
    default: true
  allow_self_lockout:
    description:
      - Whether a binding at C(/) or C(/access) whose role holds C(Permissions.Modify) may be removed, or kept from
        holding below the path.
      - Without it nobody may be left who can write ACL rows, the credential of this run included.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: One binding
  homeflare.proxmox.acl:
    path: /vms
    type: group
    ugid: ops
    roleid: PVEVMUser

- name: Just these bindings at a path
  homeflare.proxmox.acl:
    path: /pool/house
    bindings:
      - {type: group, ugid: ops, roleid: PVEVMAdmin}
      - {type: token, ugid: "deploy@pve!ci", roleid: PVEVMUser, propagate: false}

- name: At least these
  homeflare.proxmox.acl:
    path: /storage/local
    exact: false
    bindings:
      - {type: group, ugid: ops, roleid: PVEDatastoreUser}

- name: No such binding
  homeflare.proxmox.acl:
    path: /vms
    type: group
    ugid: ops
    roleid: PVEVMUser
    state: absent
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
  sample: [propagate]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for an ACL row.
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
  sample: {path: /vms, type: group, ugid: ops, roleid: PVEVMUser, propagate: true}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.acl import ACL
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(ACL)


if __name__ == "__main__":
    main()
