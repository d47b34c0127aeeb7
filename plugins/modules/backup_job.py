#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: backup_job
short_description: Manage scheduled backup jobs of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one scheduled backup (vzdump) job of the cluster.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - A job selects its guests in one of three ways, which are O(all) (with or without O(exclude)), O(vmid) and O(pool).
    To declare another way changes the job to it.
  - Deleting a job keeps its backups.
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
  - "PRIVILEGES: writing needs C(Sys.Modify) on C(/), C(Datastore.Allocate) on C(/storage/{storage}) of the old and the
    new storage (C(local) where none is set), C(VM.Backup) on C(/pool/{pool}) and C(Datastore.AllocateSpace) on the
    storage of O(fleecing)."
  - The endpoint takes no digest, so that an edit between read and write is not noticed by PVE.
  - A key that a job does not set falls to C(/etc/vzdump.conf) of the node first. The defaults told here are PVE's own.
  - PVE lets only root@pam, never a token, set O(tmpdir), O(dumpdir) and O(script), or change a job that has a O(dumpdir).
    Declared as they are they are no change; another value is a refusal that names the command.
options:
  id:
    description:
      - Name of the job. It starts with a letter, and letters, digits, C(_) and C(-) follow.
    type: str
    required: true
  schedule:
    description:
      - When the job runs, a calendar event such as V(02:30) or V(sat 03:00). Needed to create the job.
      - It is compared as it was typed; V(2:30) is not V(02:30).
    type: str
  enabled:
    description:
      - Whether the job runs. PVE's default is true. PVE does not let this key be deleted.
    type: bool
  repeat_missed:
    description:
      - Whether a run that was missed is made up for. PVE's default is false.
    type: bool
  comment:
    description:
      - Comment, up to 512 characters in one line. An empty text clears it.
    type: str
  all:
    description:
      - Whether all guests are backed up, but for O(exclude). V(false) goes only with O(vmid) or O(pool).
    type: bool
  vmid:
    description:
      - VMIDs of the guests that are backed up.
    type: list
    elements: int
  pool:
    description:
      - The pool whose guests are backed up.
    type: str
  exclude:
    description:
      - VMIDs of guests that are left out of O(all), which it implies.
    type: list
    elements: int
  node:
    description:
      - The only node that runs the job. Without it every node does.
    type: str
  storage:
    description:
      - The storage that the backups go to.
    type: str
  mode:
    description:
      - How a guest is treated while it is backed up. PVE's default is V(snapshot).
    type: str
    choices: [snapshot, suspend, stop]
  compress:
    description:
      - Compression. PVE's default is V(0), which is none. V(1) is V(lzo).
    type: str
    choices: ['0', gzip, lzo, zstd, '1']
  pigz:
    description:
      - Threads of pigz, used in place of gzip when above 0; 1 is half of the cores. PVE's default is 0.
    type: int
  zstd:
    description:
      - Threads of zstd; 0 is half of the cores. PVE's default is 1.
    type: int
  bwlimit:
    description:
      - Limit in KiB a second. PVE's default is 0, which is none.
    type: int
  ionice:
    description:
      - I/O priority from 0 to 8. PVE's default is 7.
    type: int
  lockwait:
    description:
      - Minutes to wait for the global lock. PVE's default is 180.
    type: int
  stopwait:
    description:
      - Minutes to wait until a guest has stopped. PVE's default is 10.
    type: int
  prune_backups:
    description:
      - How many backups are kept, a property string or a dict of C(keep-last), C(keep-hourly), C(keep-daily),
        C(keep-weekly), C(keep-monthly), C(keep-yearly) or C(keep-all).
      - Without it the retention of the storage applies, so V(keep-all=1) is not the same as none.
    type: raw
  remove:
    description:
      - Whether older backups are pruned. PVE's default is true.
    type: bool
  protected:
    description:
      - Whether the backups are marked as protected. PVE's default is false. Needs a O(storage).
    type: bool
  stdexcludes:
    description:
      - Whether temporary files and logs are left out. PVE's default is true.
    type: bool
  quiet:
    description:
      - Whether the job is quiet. PVE's default is false.
    type: bool
  stop:
    description:
      - Whether running backup jobs of the node are stopped. PVE's default is false.
    type: bool
  fleecing:
    description:
      - Backup fleecing of virtual machines, a property string or a dict of C(enabled) and C(storage).
    type: raw
  performance:
    description:
      - A property string or a dict of C(max-workers) (1 to 256) and C(pbs-entries-max).
    type: raw
  exclude_path:
    description:
      - Globs of files and directories that are left out, in order. A leading C(/) anchors at the container's root.
    type: list
    elements: str
  notes_template:
    description:
      - Template of the notes of each backup, one line, with C({{cluster}}), C({{guestname}}), C({{node}}) and
        C({{vmid}}). Needs a O(storage).
    type: str
  notification_mode:
    description:
      - How one is told. PVE's default is V(auto).
    type: str
    choices: [auto, legacy-sendmail, notification-system]
  mailto:
    description:
      - Addresses or user names that get mail. PVE calls it deprecated.
    type: list
    elements: str
  mailnotification:
    description:
      - When mail is sent. PVE's default is V(always); PVE calls it deprecated.
    type: str
    choices: [always, failure]
  pbs_change_detection_mode:
    description:
      - How changed files of containers are found when the storage is a Proxmox Backup Server.
    type: str
    choices: [legacy, data, metadata]
  tmpdir:
    description:
      - Directory for temporary files. Only root@pam may set it.
    type: str
  dumpdir:
    description:
      - Directory for the backups in place of a storage. Only root@pam may set it.
    type: str
  script:
    description:
      - Hook script. Only root@pam may set it.
    type: str
"""

EXAMPLES = r"""
- name: Every night, all guests but one
  homeflare.proxmox.backup_job:
    id: nightly
    schedule: "02:30"
    all: true
    exclude: [105]
    storage: nas
    mode: snapshot
    compress: zstd
    prune_backups: {keep-daily: 7, keep-weekly: 4}
    notes_template: "{{ '{{guestname}}' }}"

- name: The guests of a pool instead
  homeflare.proxmox.backup_job:
    id: nightly
    pool: house

- name: Leave retention to the storage
  homeflare.proxmox.backup_job:
    id: nightly
    delete: [prune_backups]

- name: No such job
  homeflare.proxmox.backup_job:
    id: nightly
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
  sample: {id: nightly, schedule: "02:30", storage: nas, all: true}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.backup_job import BACKUP_JOB
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(BACKUP_JOB)


if __name__ == "__main__":
    main()
