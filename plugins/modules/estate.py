#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: estate
short_description: Plan, verify and apply many Proxmox objects in one task
version_added: 0.1.0
description:
  - Takes a list of declarations of any families of this collection and brings all of them to what is declared.
  - Everything is read first, several objects at a time, and judged as the module of each family does.
  - When anything is refused, nothing is written.
  - Otherwise what differs is written, one object after another in the order of what needs what (groups before users,
    storages before guests, guests before pools, and so on; deletes the other way round), and each is read back.
  - An object that could not be read is C(unknown), never absent. The others are still brought to their declarations,
    and the task fails at the end.
  - A write that fails ends the task; it says what was written and what was not, and is safe to run again.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
notes:
  - "PRIVILEGES: those of each family that is declared; see its module."
  - One credential for reading serves the whole task, and one for writing is minted only when something is written.
  - With C(--diff) the diff begins with a table of all objects.
options:
  resources:
    description:
      - The declarations, each a dictionary of one key. The key is the name of the family, which is the name of its
        module, and its value holds the options of that module but for the connection.
      - An object that is declared twice is an error.
    type: list
    elements: dict
    required: true
  mode:
    description:
      - V(apply) brings the objects to their declarations; in check mode it only says what it would do.
      - V(verify) never writes, also outside check mode, and fails unless every object is proven to be as declared.
    type: str
    choices: [apply, verify]
    default: apply
  parallel:
    description:
      - How many objects are read at a time, over connections that are kept alive. Writes are never side by side.
    type: int
    default: 8
  report:
    description:
      - File to write the rows, the summary and the verdict to, as JSON, or as a Markdown table when the name ends in
        C(.md). It names keys and shows no values.
      - It is written whether or not the task fails, on the host that runs the task.
    type: path
  allow_pending:
    description:
      - Whether keys that PVE holds until a guest restarts still count as declared with O(mode=verify).
    type: bool
    default: false
  diff_values:
    description:
      - Whether the diff shows the live and the declared value of each key that differs.
      - When V(false), the diff only names the keys. Values that may be sensitive are never shown.
    type: bool
    default: false
seealso:
  - module: homeflare.proxmox.estate_info
"""

EXAMPLES = r"""
- name: A small estate
  homeflare.proxmox.estate:
    resources:
      - group: {groupid: ops, comment: Operators}
      - user: {userid: kim@pve, groups: [ops]}
      - acl: {path: /vms, roleid: PVEVMUser, type: group, ugid: ops}
      - lxc:
          node: pve1
          vmid: 900
          config: {hostname: ct-example, memory: 2048, rootfs: "local-zfs:8"}
          create: {ostemplate: "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"}
      - pool: {poolid: house, vms: [900]}

- name: Is everything as declared?
  homeflare.proxmox.estate:
    resources: "{{ estate }}"
    mode: verify
    report: /var/tmp/estate.json

- name: Objects that are not to be there
  homeflare.proxmox.estate:
    resources:
      - pool: {poolid: old, state: absent}
      - user: {userid: sam@pve, state: absent, confirm_destroy: sam@pve}
"""

RETURN = r"""
verdict:
  description:
    - C(clean) when every object is as declared, C(drift) when one is not, C(unknown) when one could not be read.
    - After an apply, what was written and read back counts as declared.
  returned: always, once the objects were read
  type: str
  choices: [clean, drift, unknown]
  sample: clean
summary:
  description: How many rows ended in which status.
  returned: always, once the objects were read
  type: dict
  sample: {ok: 40, changed: 2}
rows:
  description: One row an object, in the order of the declarations.
  returned: always, once the objects were read
  type: list
  elements: dict
  contains:
    family:
      description: Name of the family.
      type: str
    name:
      description: Name of the object.
      type: str
    status:
      description:
        - C(ok) is as declared; C(planned) would be written; C(changed) was written and read back.
        - C(refused) cannot be changed so; C(unknown) could not be read; C(failed) failed while it was written; C(not
          reached) was not tried because another failed.
      type: str
    action:
      description: C(none), C(create), C(update) or C(delete).
      type: str
    read:
      description: C(found), C(absent), C(unreadable) or C(not read).
      type: str
    drift:
      description: Names of the declared keys that differed.
      type: list
    refusals:
      description: Why it was refused.
      type: list
    pending:
      description: Keys that wait for a restart of the guest.
      type: list
    tasks:
      description: UPIDs of the PVE tasks that were started.
      type: list
    written:
      description: The writes that were sent, also where a later one failed.
      type: list
    msg:
      description: Why it is not as declared, when it is not.
      type: str
  sample:
    - family: pool
      name: house
      status: changed
      action: update
      read: found
      drift: [comment]
      refusals: []
      pending: []
      tasks: []
      written: [update]
      msg: ""
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.front.estate import (
    ESTATE_OPTIONS,
    ESTATE_QUIET,
    run_estate,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run_job


def main() -> None:
    run_job(ESTATE_OPTIONS, run_estate, quiet=ESTATE_QUIET)


if __name__ == "__main__":
    main()
