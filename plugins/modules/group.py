#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: group
short_description: Manage groups of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one group and its comment. Who is a member is declared with the user (M(homeflare.proxmox.user)).
  - Only declared keys are compared and written. When nothing differs, nothing is written.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
  - homeflare.proxmox.family.exact
  - homeflare.proxmox.family.retain
notes:
  - "PRIVILEGES: reading needs C(Sys.Audit) or C(Group.Allocate) on C(/access/groups)."
  - "PRIVILEGES: writing needs C(Group.Allocate) on C(/access/groups)."
  - Deleting a group takes its members' membership and all its ACL rows along, which is why O(confirm_destroy) is asked
    for.
  - Groups that a realm syncs are named C({group}-{realm}), and a sync may write them anew.
options:
  groupid:
    description:
      - Name of the group.
    type: str
    required: true
  comment:
    description:
      - Comment of the group. An empty text clears it, and so does C(0), which PVE does not store.
    type: str
"""

EXAMPLES = r"""
- name: A group
  homeflare.proxmox.group:
    groupid: ops
    comment: Who runs the guests

- name: Clear the comment
  homeflare.proxmox.group:
    groupid: ops
    delete: [comment]

- name: No such group
  homeflare.proxmox.group:
    groupid: ops
    state: absent
    confirm_destroy: ops
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
  description: Keys that wait for a restart; never any for a group.
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
  sample: {groupid: ops, comment: Who runs the guests}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.group import GROUP
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(GROUP)


if __name__ == "__main__":
    main()
