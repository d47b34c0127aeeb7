#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ha_resource
short_description: Put guests of a Proxmox VE cluster under high availability
version_added: 0.1.0
description:
  - Declares one HA resource, that is a container or virtual machine that the HA manager keeps in a requested state.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - A change that would start or stop the guest is refused unless O(allow_power=true).
  - HA groups are gone in PVE 9; declare a rule of type V(node-affinity) with M(homeflare.proxmox.ha_rule).
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
  - homeflare.proxmox.family.exact
notes:
  - "PRIVILEGES: reading needs C(Sys.Audit) on C(/), and when something differs C(VM.Audit) on C(/vms/{vmid}), to see
    whether the guest runs."
  - "PRIVILEGES: writing needs C(Sys.Console) on C(/), which also opens the shell of every node."
  - PVE needs a quorate cluster to write.
  - A resource in error state takes no change but V(disabled) as O(hastate).
options:
  sid:
    description:
      - The resource, C(vm:{vmid}) for a virtual machine or C(ct:{vmid}) for a container. C(ct:100) is never taken for
        C(vm:100).
    type: str
    required: true
  hastate:
    description:
      - The requested state, PVE's key C(state). PVE's default is V(started).
      - V(enabled) is another word for V(started).
      - V(stopped) and V(disabled) shut the guest down; V(disabled) also takes a resource out of its error state.
      - V(ignored) takes the guest out of the hands of HA and leaves it as it is.
    type: str
    choices: [started, stopped, disabled, ignored, enabled]
  failback:
    description:
      - Whether the guest goes back to the node of the highest priority when that comes online. PVE's default is true.
    type: bool
  auto_rebalance:
    description:
      - Whether HA may move the guest to balance load. Only newer PVE has this key; it is sent only when declared.
    type: bool
  max_restart:
    description:
      - How often a start is tried on one node. PVE's default is 1.
    type: int
  max_relocate:
    description:
      - How often the guest is moved to another node when it does not start. PVE's default is 1.
    type: int
  comment:
    description:
      - Comment, up to 4096 characters in one line. An empty text clears it.
    type: str
  allow_power:
    description:
      - Whether a change of O(hastate), or a new resource, may start or stop the guest.
      - When V(false), a change that would do so is a refusal. A resource without O(hastate) is V(started).
    type: bool
    default: false
  purge:
    description:
      - With O(state=absent), whether the resource is also taken out of the HA rules that name it. A rule left without
        members is deleted.
      - When V(false), a resource that is the only member of a rule is not deleted.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Keep a container running
  homeflare.proxmox.ha_resource:
    sid: ct:100
    hastate: started
    max_restart: 3
    comment: The web server

- name: Take a virtual machine under HA and let HA start it
  homeflare.proxmox.ha_resource:
    sid: vm:200
    hastate: started
    failback: false
    allow_power: true

- name: Back to PVE's defaults for restarts
  homeflare.proxmox.ha_resource:
    sid: ct:100
    delete: [max_restart, max_relocate]

- name: No longer under HA; the guest keeps running
  homeflare.proxmox.ha_resource:
    sid: ct:100
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
  sample: [max_restart]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for an HA resource.
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
  sample: {sid: "ct:100", hastate: started, max_restart: 3}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.ha_resource import HA_RESOURCE
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(HA_RESOURCE)


if __name__ == "__main__":
    main()
