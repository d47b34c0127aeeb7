#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: firewall_alias
short_description: Manage firewall aliases of a Proxmox VE cluster or guest
version_added: 0.1.0
description:
  - "Declares one firewall alias: a name for an address or a network, of the cluster or of one guest."
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
  - "PRIVILEGES: reading needs C(Sys.Audit) on C(/), for the alias of a guest C(VM.Audit) on C(/vms/{vmid})."
  - "PRIVILEGES: writing needs C(Sys.Modify) on C(/), for the alias of a guest C(VM.Config.Network) on
    C(/vms/{vmid})."
  - PVE replaces an alias as a whole. A comment that is not declared is sent along, so it stays.
  - An alias cannot be renamed. Rules keep the old name, and the firewall skips a rule whose alias is gone.
options:
  name:
    description:
      - Name of the alias, 2 to 64 characters. Case does not count, but PVE shows the case that was written.
    type: str
    required: true
  vmid:
    description:
      - The guest (container or virtual machine) whose alias it is. When it is left out, the alias is the cluster's.
      - The node is found by looking where the guest is now.
    type: int
  cidr:
    description:
      - The address or the network, for example V(192.0.2.7) or V(192.0.2.0/24). Needed to create the alias.
      - C(/32) of an IPv4 address and C(/128) of an IPv6 address are the same as none.
    type: str
  comment:
    description:
      - Comment of the alias. White space around it is not stored, and neither is V(0).
    type: str
  force:
    description:
      - Whether to delete an alias that is still named by a rule, a security group or an IP set of its scope.
      - Rules of nodes, and of guests where the alias is the cluster's, are not looked at.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: A network of the cluster
  homeflare.proxmox.firewall_alias:
    name: office
    cidr: 192.0.2.0/24
    comment: The office

- name: An address that only the rules of one guest use
  homeflare.proxmox.firewall_alias:
    name: peer
    vmid: 900
    cidr: 2001:db8::7

- name: Clear the comment
  homeflare.proxmox.firewall_alias:
    name: office
    delete: [comment]

- name: No such alias
  homeflare.proxmox.firewall_alias:
    name: office
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
  sample: [cidr]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for this object.
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
  description: The live values of the declared keys after the task, without anything secret.
  returned: success
  type: dict
  sample: {name: office, cidr: 192.0.2.0/24}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.firewall_alias import FIREWALL_ALIAS
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(FIREWALL_ALIAS)


if __name__ == "__main__":
    main()
