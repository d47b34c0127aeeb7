#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: replication_job
short_description: Manage storage replication jobs of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one job that replicates the volumes of a guest to another node.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - O(state=absent) marks the job for removal; the node of the guest removes it in its own time. A marked job is as good
    as absent unless O(wait=true), and O(state=present) takes the mark away (C(remove_job) in the drift).
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
  - homeflare.proxmox.family.exact
notes:
  - "PRIVILEGES: reading needs C(VM.Audit) on C(/vms/{vmid})."
  - "PRIVILEGES: writing needs C(VM.Replicate) on C(/vms/{vmid})."
  - The guest needs volumes on a storage that replicates (ZFS), and has one job for each target.
options:
  id:
    description:
      - The job, C({vmid}-{number}), such as C(100-0).
    type: str
    required: true
  target:
    description:
      - The node that is replicated to. Needed to create the job, and fixed from then on.
    type: str
  follow_migration:
    description:
      - When a guest migrates to the target of its job, PVE turns the job round, so that it then replicates to the node
        that the guest came from.
      - When V(true), such a job is left as it is, with a warning. When V(false), it is a refusal like any other target.
    type: bool
    default: true
  schedule:
    description:
      - When the job runs, a calendar event. PVE's default is V(*/15). It is compared as it was typed.
    type: str
  rate:
    description:
      - Limit in megabytes a second, at least 1.
    type: float
  disable:
    description:
      - Whether the job is switched off. PVE's default is false.
    type: bool
  comment:
    description:
      - Comment, up to 4096 characters in one line. An empty text clears it.
    type: str
  keep:
    description:
      - With O(state=absent), whether the replicated data stays on the target.
    type: bool
    default: false
  force:
    description:
      - With O(state=absent), whether the job is dropped at once and nothing is cleaned up, for a job whose node is gone.
      - It cannot go with O(keep=true).
    type: bool
    default: false
  wait:
    description:
      - With O(state=absent), whether to wait until the job is gone.
    type: bool
    default: false
  wait_timeout:
    description:
      - How many seconds to wait at most.
    type: int
    default: 300
"""

EXAMPLES = r"""
- name: Replicate a container every five minutes
  homeflare.proxmox.replication_job:
    id: 100-0
    target: pve2
    schedule: "*/5"
    rate: 50

- name: No limit any more
  homeflare.proxmox.replication_job:
    id: 100-0
    delete: [rate]

- name: No such job, and wait until it is gone
  homeflare.proxmox.replication_job:
    id: 100-0
    state: absent
    wait: true
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
  sample: [schedule]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for a job.
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
  sample: {id: 100-0, target: pve2, schedule: "*/5"}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.replication_job import REPLICATION_JOB
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(REPLICATION_JOB)


if __name__ == "__main__":
    main()
