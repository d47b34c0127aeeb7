#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: pool
short_description: Manage resource pools of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one resource pool, its comment and its members.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
  - homeflare.proxmox.family.exact
notes:
  - "PRIVILEGES: reading needs C(Pool.Audit) on C(/pool/{poolid})."
  - "PRIVILEGES: writing needs C(Pool.Allocate) on C(/pool/{poolid}), and for each member that is added or removed
    C(VM.Allocate) on C(/vms/{vmid}) or C(Datastore.Allocate) on C(/storage/{storage})."
  - A pool that still holds guests, storages or pools below it is not deleted; O(state=absent) then fails.
options:
  poolid:
    description:
      - Name of the pool. Up to three levels, separated by C(/), such as C(house/cellar); the parent must be there.
    type: str
    required: true
  comment:
    description:
      - Comment of the pool. An empty text clears it, and so does C(0), which PVE does not store.
    type: str
  vms:
    description:
      - VMIDs of the guests (containers and virtual machines) that are members.
    type: list
    elements: int
  storage:
    description:
      - Names of the storages that are members.
    type: list
    elements: str
  members:
    description:
      - V(additive) adds the members in O(vms) and O(storage) and leaves others alone.
      - V(exact) also removes members that O(vms) or O(storage) do not list; a kind of member that is not declared is
        left alone.
      - With O(exact=true) members of both kinds are exact, declared or not.
    type: str
    choices: [additive, exact]
    default: additive
  allow_move:
    description:
      - Whether a guest may leave the pool that it is in now. A guest is in one pool at most.
      - When V(false), a guest that is in another pool is a refusal.
      - Moving needs C(Pool.Allocate) on the other pool as well.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: A pool with a comment
  homeflare.proxmox.pool:
    poolid: house
    comment: The house

- name: A pool below it, with at least these members
  homeflare.proxmox.pool:
    poolid: house/cellar
    vms: [900, 901]
    storage: [local-zfs]

- name: Exactly these guests, even if they are in another pool now
  homeflare.proxmox.pool:
    poolid: house
    vms: [100, 101]
    members: exact
    allow_move: true

- name: Clear the comment
  homeflare.proxmox.pool:
    poolid: house
    delete: [comment]

- name: No such pool
  homeflare.proxmox.pool:
    poolid: house/cellar
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
  sample: [comment]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for a pool.
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
  sample: {poolid: house, comment: The house}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.pool import POOL
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(POOL)


if __name__ == "__main__":
    main()
