#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: storage_info
short_description: Look at the storages of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Reads the storages of a cluster, in the spelling in which M(homeflare.proxmox.storage) declares them.
  - It only reads, in check mode as well, and never mints a credential for writing.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.info.attributes
notes:
  - "PRIVILEGES: reading needs C(Datastore.Audit) or C(Datastore.AllocateSpace) on C(/storage/{storage}); PVE leaves
    out the storages where the credential has neither. When O(storage) names such a one, the task fails."
options:
  storage:
    description:
      - Only this storage. The result is empty when there is none of that name.
    type: str
  type:
    description:
      - Only storages of this type.
    type: str
    choices: [btrfs, cephfs, cifs, dir, esxi, iscsi, iscsidirect, lvm, lvmthin, nfs, pbs, rbd, zfs, zfspool]
  node:
    description:
      - Also ask this node how full each storage is, and whether it is active there.
    type: str
"""

EXAMPLES = r"""
- name: Every storage
  homeflare.proxmox.storage_info:
  register: found

- name: How full the pools of one node are
  homeflare.proxmox.storage_info:
    type: zfspool
    node: pve1
"""

RETURN = r"""
storages:
  description:
    - The storages by name, each with the options of M(homeflare.proxmox.storage) that are set.
    - C(encrypted) says of a backup server whether there is an encryption key.
    - C(status) is what O(node) says, and null for a storage that it does not use.
  returned: success
  type: list
  elements: dict
  sample:
    - {storage: local, type: dir, path: /var/lib/vz, content: [backup, iso, vztmpl]}
    - storage: tank
      type: zfspool
      pool: tank
      content: [images, rootdir]
      status: {active: true, enabled: true, total: 1000000000, used: 1000000, avail: 999000000}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import look
from ansible_collections.homeflare.proxmox.plugins.module_utils.infos.storage import STORAGE_INFO


def main() -> None:
    look(STORAGE_INFO)


if __name__ == "__main__":
    main()
