#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: Look at a Proxmox VE cluster
version_added: 0.1.0
description:
  - Reads the version, the nodes, the quorum, the resources and the tag style of a cluster.
  - It only reads, in check mode as well, and never mints a credential for writing.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.info.attributes
notes:
  - "PRIVILEGES: nodes and quorum need C(Sys.Audit) on C(/). Of the resources PVE gives those that the credential may
    audit. Version and tag style need nothing."
options:
  subset:
    description:
      - What to read. What is not named is not in the result.
    type: list
    elements: str
    choices: [version, nodes, quorum, resources, tag_style]
    default: [version, nodes, quorum, resources, tag_style]
  type:
    description:
      - Only resources of this type; V(vm) are containers and virtual machines.
    type: str
    choices: [vm, storage, node, sdn]
"""

EXAMPLES = r"""
- name: Is there a quorum
  homeflare.proxmox.cluster_info:
    subset: [quorum]
  register: found

- name: Stop without one
  ansible.builtin.assert:
    that: found.quorum.quorate

- name: Every guest
  homeflare.proxmox.cluster_info:
    subset: [resources]
    type: vm
"""

RETURN = r"""
version:
  description: The version of the member that answered.
  returned: when in O(subset)
  type: dict
  sample: {version: 9.2.11, release: "9.2", repoid: 0a1b2c3d}
nodes:
  description: The nodes, by name.
  returned: when in O(subset)
  type: list
  elements: dict
  sample: [{name: pve1, nodeid: 1, ip: 192.0.2.11, online: true, local: true}]
quorum:
  description:
    - Whether the cluster has a quorum, its name, how many nodes it has and how many are online.
    - A node that is in no cluster has no name there, and can always write.
  returned: when in O(subset)
  type: dict
  sample: {cluster: house, quorate: true, nodes: 3, online: 3}
resources:
  description: Rows of C(GET /cluster/resources), as PVE gives them.
  returned: when in O(subset)
  type: list
  elements: dict
  sample: [{id: lxc/900, type: lxc, vmid: 900, node: pve1, status: running}]
tag_style:
  description: How the cluster spells tags, with PVE's defaults where nothing is set.
  returned: when in O(subset)
  type: dict
  sample: {case_sensitive: false, color_map: "", ordering: alphabetical, shape: circle}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import look
from ansible_collections.homeflare.proxmox.plugins.module_utils.infos.cluster import CLUSTER_INFO


def main() -> None:
    look(CLUSTER_INFO)


if __name__ == "__main__":
    main()
