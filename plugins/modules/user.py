#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: user
short_description: Manage users of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one user, and the groups that it is a member of.
  - Only declared keys are compared and written. When nothing differs, nothing is written. API tokens of the user are
    another module's (M(homeflare.proxmox.api_token)) and are never touched here.
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
  - "PRIVILEGES: reading needs C(Sys.Audit) on C(/access/groups), or C(User.Modify)."
  - "PRIVILEGES: writing needs C(User.Modify) on C(/access/groups/{group}) of every old and new group, or on
    C(/access/groups); creating also needs C(Realm.AllocateUser) on C(/access/realm/{realm})."
  - C(root@pam) is PVE's own and is not managed.
  - Deleting a user takes its tokens, ACL rows and second factors along, which is why O(confirm_destroy) is asked for.
options:
  userid:
    description:
      - The user as C(name@realm).
    type: str
    required: true
  enable:
    description:
      - Whether the user may log in. PVE's default is true.
    type: bool
  expire:
    description:
      - When the account ends, in seconds since 1970; V(0) is never, and PVE's default.
    type: int
  firstname:
    description:
      - First name.
    type: str
  lastname:
    description:
      - Last name.
    type: str
  email:
    description:
      - Email address.
    type: str
  comment:
    description:
      - Comment of the user. An empty text clears it, and so does C(0), which PVE does not store.
    type: str
  groups:
    description:
      - Groups that the user is a member of, as a whole; others are left.
      - A group must be there when the task runs.
    type: list
    elements: str
  keys:
    description:
      - Keys for two-factor authentication of the old sort (yubico). Compared, and never shown.
    type: str
  password:
    description:
      - Password of a user that is created, of 8 to 64 characters. It is never changed or compared afterwards.
      - Only the realm types C(pve) and C(pam) store one; in C(pam) the user must exist on the node.
    type: str
"""

EXAMPLES = r"""
- name: A user
  homeflare.proxmox.user:
    userid: bob@pve
    firstname: Bob
    email: bob@example.test
    groups: [ops]

- name: Not for now
  homeflare.proxmox.user:
    userid: bob@pve
    enable: false

- name: In no group
  homeflare.proxmox.user:
    userid: bob@pve
    groups: []

- name: No such user
  homeflare.proxmox.user:
    userid: bob@pve
    state: absent
    confirm_destroy: bob@pve
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
  sample: [groups]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for a user.
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
  description: The live values of the declared keys after the task, without O(password) and O(keys).
  returned: success
  type: dict
  sample: {userid: bob@pve, groups: [ops], enable: true}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.user import USER
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(USER)


if __name__ == "__main__":
    main()
