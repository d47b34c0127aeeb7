#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ha_rule
short_description: Manage rules of the HA manager of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one HA rule, of which there are two types. V(node-affinity) says on which nodes resources run,
    V(resource-affinity) whether resources stay together or apart.
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
  - "PRIVILEGES: reading needs C(Sys.Audit) on C(/)."
  - "PRIVILEGES: writing needs C(Sys.Console) on C(/), which also opens the shell of every node."
  - Every resource must be under HA already (M(homeflare.proxmox.ha_resource)); PVE refuses a rule that it cannot fulfil.
  - With O(exact=true), O(strict), O(disable) and O(comment) are cleared when they are not declared.
options:
  rule:
    description:
      - Name of the rule. It starts with a letter, and letters, digits, C(_) and C(-) follow.
    type: str
    required: true
  type:
    description:
      - Type of the rule. Needed to create it, and fixed from then on.
    type: str
    choices: [node-affinity, resource-affinity]
  resources:
    description:
      - The resources, each C(vm:{vmid}) or C(ct:{vmid}), as a whole set. Needed to create the rule.
      - A rule of type V(resource-affinity) needs at least two.
    type: list
    elements: str
  nodes:
    description:
      - The nodes, each C(node) or C(node:priority), as a whole set; a higher number is preferred, and no number is 0.
      - Only for type V(node-affinity), which needs it.
    type: list
    elements: str
  affinity:
    description:
      - For type V(resource-affinity), which needs it, V(positive) keeps the resources on one node and V(negative) on
        different nodes.
      - For type V(node-affinity) only newer PVE has this key. There a rule without it is V(positive), and it is sent
        only when it is V(negative) or the rule carries it already.
    type: str
    choices: [positive, negative]
  strict:
    description:
      - Whether resources are stopped rather than run on a node that is not listed. PVE's default is false.
      - Only for type V(node-affinity).
    type: bool
  disable:
    description:
      - Whether the rule is switched off. PVE's default is false.
    type: bool
  comment:
    description:
      - Comment in one line. An empty text clears it.
    type: str
"""

EXAMPLES = r"""
- name: Two guests prefer the first node
  homeflare.proxmox.ha_rule:
    rule: web-nodes
    type: node-affinity
    resources: ["ct:100", "vm:200"]
    nodes: ["pve1:2", pve2]
    comment: The web servers

- name: Two guests never share a node
  homeflare.proxmox.ha_rule:
    rule: dns-apart
    type: resource-affinity
    resources: ["ct:101", "ct:102"]
    affinity: negative

- name: Switch a rule off
  homeflare.proxmox.ha_rule:
    rule: web-nodes
    disable: true

- name: No such rule
  homeflare.proxmox.ha_rule:
    rule: dns-apart
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
  sample: [nodes]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for a rule.
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
  sample: {rule: web-nodes, type: node-affinity, nodes: ["pve1:2", pve2]}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.ha_rule import HA_RULE
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(HA_RULE)


if __name__ == "__main__":
    main()
