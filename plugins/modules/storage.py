#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: storage
short_description: Manage the storages of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one storage of a cluster, of any type that Proxmox VE 9 brings along.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - The type and what locates the storage (a path, a server, a volume group) are fixed when it is created. When they
    differ, the task fails and nothing is written.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
  - homeflare.proxmox.family.exact
  - homeflare.proxmox.family.secret
  - homeflare.proxmox.family.retain
notes:
  - "PRIVILEGES: reading needs C(Datastore.Audit) or C(Datastore.AllocateSpace) on C(/storage/{storage})."
  - "PRIVILEGES: writing needs C(Datastore.Allocate) on C(/storage). Deleting also reads the configuration of every
    guest, with C(VM.Audit) on C(/vms)."
  - PVE leaves a storage that the credential may not see out of its list. A storage that is not listed counts as
    absent only after the credential has been found able to see it.
  - PVE tries a new storage at once, on the node that answers, if that is one of O(nodes). A storage that cannot be
    reached is then not created.
  - Deleting a storage never deletes data. It takes along the ACL rows at C(/storage/{storage}) and the membership in
    pools.
  - The storage C(local) is always there; its O(nodes) cannot be restricted.
options:
  storage:
    description:
      - ID of the storage.
    type: str
    required: true
  type:
    description:
      - Type of the storage. Needed to create it, and fixed from then on. V(zfs) is ZFS over iSCSI, V(zfspool) a local
        pool.
    type: str
    choices: [btrfs, cephfs, cifs, dir, esxi, iscsi, iscsidirect, lvm, lvmthin, nfs, pbs, rbd, zfs, zfspool]
  path:
    description:
      - The folder. Needed to create a V(dir) or V(btrfs) storage, and fixed from then on.
      - For V(nfs), V(cifs) and V(cephfs) PVE takes C(/mnt/pve/{storage}) when it is not declared.
    type: str
  server:
    description:
      - Host name or IP address of the server. Needed to create a V(nfs), V(cifs), V(pbs) or V(esxi) storage, and
        fixed from then on but for V(esxi).
    type: str
  export:
    description:
      - Only for V(nfs).
      - The exported path. Needed to create the storage, and fixed from then on.
    type: str
  share:
    description:
      - Only for V(cifs).
      - Name of the share. Needed to create the storage, and fixed from then on.
    type: str
  pool:
    description:
      - Only for V(rbd), V(zfs), V(zfspool).
      - Name of the pool. Needed to create a V(zfs) or V(zfspool) storage, and fixed from then on. For V(rbd) it may
        change, and PVE's default is V(rbd).
    type: str
  portal:
    description:
      - Only for V(iscsi), V(iscsidirect), V(zfs).
      - The iSCSI portal, a host with or without a port. Needed to create the storage, and fixed from then on.
    type: str
  target:
    description:
      - Only for V(iscsi), V(iscsidirect), V(zfs).
      - The iSCSI target. Needed to create the storage, and fixed from then on.
    type: str
  iscsiprovider:
    description:
      - Only for V(zfs).
      - Implementation of the target. Needed to create the storage, and fixed from then on.
    type: str
    choices: [comstar, iet, istgt, LIO]
  blocksize:
    description:
      - Only for V(zfs), V(zfspool).
      - Block size of volumes, for example V(16k). Needed to create a V(zfs) storage, and fixed from then on.
    type: str
  vgname:
    description:
      - Only for V(lvm), V(lvmthin).
      - The volume group. Needed to create the storage, and fixed from then on.
    type: str
  thinpool:
    description:
      - Only for V(lvmthin).
      - The thin pool. Needed to create the storage, and fixed from then on.
    type: str
  base:
    description:
      - Only for V(lvm).
      - Volume of an V(iscsi) storage on which PVE makes the volume group. Fixed at creation.
    type: str
  datastore:
    description:
      - Only for V(pbs).
      - The datastore on the backup server. Needed to create the storage, and fixed from then on.
    type: str
  content:
    description:
      - What the storage may hold, as a set out of V(images), V(rootdir), V(vztmpl), V(iso), V(backup), V(snippets),
        V(import), or V(none) alone. PVE has a default for each type.
      - Content that the type does not offer is refused, because PVE would drop it without a word.
    type: list
    elements: str
  nodes:
    description:
      - The nodes that may use the storage, as a set. When the key is not set, all may.
    type: list
    elements: str
  disable:
    description:
      - Whether the storage is not used for now. PVE's default is V(false).
    type: bool
  shared:
    description:
      - Whether every node finds the same contents. It does not share anything by itself.
      - Storages on a network are always shared; only V(true) is then a possible value. Only V(btrfs), V(dir), V(esxi)
        and V(lvm) have the choice.
    type: bool
  prune_backups:
    description:
      - "How many backups are kept: a property string or a dict of V(keep-last), V(keep-hourly), V(keep-daily),
        V(keep-weekly), V(keep-monthly), V(keep-yearly), or V(keep-all) alone."
      - A count of 0 is as good as none, and no count at all means to keep all.
    type: raw
  max_protected_backups:
    description:
      - How many protected backups a guest may have; V(-1) for any number.
    type: int
  bwlimit:
    description:
      - "Limits in KiB/s: a property string or a dict of V(clone), V(default), V(migration), V(move) and V(restore)."
      - Not for V(btrfs), V(esxi) and V(pbs).
    type: raw
  format:
    description:
      - Only for V(btrfs), V(cifs), V(dir), V(nfs).
      - Format of new images. PVE's default is V(raw).
    type: str
    choices: [raw, qcow2, vmdk, subvol]
  preallocation:
    description:
      - Only for V(btrfs), V(cifs), V(dir), V(nfs).
      - How new images are allocated. PVE's default is V(metadata).
    type: str
    choices: ["off", metadata, falloc, full]
  snapshot_as_volume_chain:
    description:
      - Only for V(cifs), V(dir), V(lvm), V(nfs).
      - Whether snapshots are chains of volumes. Fixed at creation but for V(lvm). PVE's default is V(false).
    type: bool
  content_dirs:
    description:
      - Only for V(cephfs), V(cifs), V(dir), V(nfs).
      - "Folders for content, below the storage's own: a dict such as C({iso: templates/iso}), or a list or a text of
        V(iso=templates/iso)."
    type: raw
  create_base_path:
    description:
      - Only for V(btrfs), V(dir), V(cephfs), V(cifs), V(nfs).
      - Whether PVE creates the folder when it is missing. PVE's default is V(true).
    type: bool
  create_subdirs:
    description:
      - Only for V(btrfs), V(dir), V(cephfs), V(cifs), V(nfs).
      - Whether PVE creates the folders for content. PVE's default is V(true).
    type: bool
  mkdir:
    description:
      - Only for V(btrfs), V(dir), V(cephfs), V(cifs), V(nfs).
      - Old form of O(create_base_path) and O(create_subdirs) in one, deprecated by PVE.
    type: bool
  is_mountpoint:
    description:
      - Only for V(btrfs), V(dir).
      - "Whether the storage counts as offline until something is mounted at its path: a flag, or the path of the
        mount point. PVE's default is V(false)."
    type: raw
  nocow:
    description:
      - Only for V(btrfs).
      - Whether files are written without copy on write and without checksums. PVE's default is V(false).
    type: bool
  options:
    description:
      - Only for V(cephfs), V(cifs), V(nfs).
      - Mount options, as for C(mount -o).
    type: str
  subdir:
    description:
      - Only for V(cephfs), V(cifs).
      - Folder of the share or file system that is mounted.
    type: str
  domain:
    description:
      - Only for V(cifs).
      - Domain of the user.
    type: str
  smbversion:
    description:
      - Only for V(cifs).
      - Version of the protocol. PVE's default is V(default), the highest from 2 on that both sides speak.
    type: str
    choices: [default, "2.0", "2.1", "3", "3.0", "3.11"]
  fuse:
    description:
      - Only for V(cephfs).
      - Whether to mount through FUSE. PVE's default is V(false).
    type: bool
  fs_name:
    description:
      - Only for V(cephfs).
      - Name of the Ceph file system.
    type: str
  mountpoint:
    description:
      - Only for V(zfspool).
      - Where the pool is mounted. PVE fills it in when it creates the storage; it is never cleared here.
    type: str
  sparse:
    description:
      - Only for V(zfs), V(zfspool).
      - Whether volumes are thin. PVE's default is V(false).
    type: bool
  zfs_base_path:
    description:
      - Only for V(zfs).
      - Where the block devices are found. PVE fills it in when it creates the storage; it is never cleared here.
    type: str
  nowritecache:
    description:
      - Only for V(zfs).
      - Whether the target's write cache is off. PVE's default is V(false).
    type: bool
  comstar_hg:
    description:
      - Only for V(zfs).
      - Host group of comstar views.
    type: str
  comstar_tg:
    description:
      - Only for V(zfs).
      - Target group of comstar views.
    type: str
  lio_tpg:
    description:
      - Only for V(zfs).
      - Target portal group of a Linux LIO target.
    type: str
  saferemove:
    description:
      - Only for V(lvm).
      - Whether a volume is overwritten with zeros when it is removed. PVE's default is V(false).
    type: bool
  saferemove_stepsize:
    description:
      - Only for V(lvm).
      - How many MiB are overwritten in one step. PVE's default is V(32).
    type: str
    choices: ["1", "2", "4", "8", "16", "32"]
  saferemove_throughput:
    description:
      - Only for V(lvm).
      - How fast volumes are overwritten, as C(cstream -t) takes it.
    type: str
  tagged_only:
    description:
      - Only for V(lvm).
      - Whether only volumes with the tag C(pve-vm-{vmid}) are listed. PVE's default is V(false).
    type: bool
  monhost:
    description:
      - Only for V(cephfs), V(rbd).
      - Addresses of the monitors of an external cluster, in order.
    type: list
    elements: str
  data_pool:
    description:
      - Only for V(rbd).
      - Pool for the data of erasure-coded pools.
    type: str
  krbd:
    description:
      - Only for V(rbd).
      - Whether the kernel module is always used. PVE's default is V(false).
    type: bool
  namespace:
    description:
      - Only for V(pbs), V(rbd).
      - Namespace in the datastore or pool.
    type: str
  port:
    description:
      - Only for V(esxi), V(pbs).
      - Port of the server. PVE's default is V(8007) for V(pbs) and V(443) for V(esxi).
    type: int
  username:
    description:
      - Only for V(cephfs), V(cifs), V(esxi), V(pbs), V(rbd).
      - User, for V(pbs) with the realm or the token's name. Needed to create a V(esxi) storage. PVE's default is
        V(root@pam) for V(pbs) and V(admin) for Ceph.
    type: str
  fingerprint:
    description:
      - Only for V(pbs).
      - SHA-256 fingerprint of the server's certificate.
    type: str
  skip_cert_verification:
    description:
      - Only for V(esxi).
      - Whether the server's certificate is not verified. PVE's default is V(false).
    type: bool
  password:
    description:
      - Only for V(cifs), V(esxi), V(pbs).
      - Password, or for V(pbs) the secret of a token. Needed to create a V(esxi) or V(pbs) storage.
      - Write-only, see O(update_secret), and never cleared here.
    type: str
  keyring:
    description:
      - Only for V(cephfs), V(rbd).
      - Contents of the keyring of an external cluster. Write-only, see O(update_secret), and never cleared here.
    type: str
  encryption_key:
    description:
      - Only for V(pbs).
      - Key for the backups, as JSON in the form of C(proxmox-backup-client key create), or V(autogen) to have PVE
        make one when the storage is created; O(secret_sink) then says where it goes.
      - "It is compared by its fingerprint. Another key than the one in place is refused unless
        O(update_secret=always), and clearing it needs O(confirm_destroy): the backups made so far can be read only
        with the old key."
    type: raw
  master_pubkey:
    description:
      - Only for V(pbs).
      - Public RSA key in PEM, base64-encoded, with which PVE stores the encryption key in each backup. PVE takes it
        only together with O(encryption_key).
      - Only its presence is compared; O(update_secret=always) sends it again.
    type: str
  secret_sink:
    description:
      - Where the key goes that PVE makes for O(encryption_key=autogen). PVE shows it once, and it is in no result.
      - Exactly one of the two is given. It is proven that the key can be kept before the storage is created.
    type: dict
    suboptions:
      file:
        description:
          - Absolute path of a file, on the host where the task runs. It holds the key alone, with mode 0600.
        type: path
      bao_path:
        description:
          - Path in a KV engine of OpenBao, of version 1 or 2, as C(bao kv put) takes it. It gets the fields
            C(token_id), with the ID of the storage, and C(secret), and loses others.
        type: str
  unencrypted:
    description:
      - "Says that a new V(pbs) storage has no encryption key. Without this or O(encryption_key) it is not created:
        PVE deletes a key that an earlier storage of this name left behind on the cluster, and nothing tells whether
        there is one."
    type: bool
    default: false
  force:
    description:
      - Whether to delete a storage although the configuration of a guest names it, without reading the guests.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: A folder for templates and backups
  homeflare.proxmox.storage:
    storage: tank
    type: dir
    path: /srv/tank
    content: [vztmpl, iso, backup]
    prune_backups: {keep-last: 3, keep-weekly: 4}

- name: An export of a file server, only on two of the nodes
  homeflare.proxmox.storage:
    storage: media
    type: nfs
    server: 192.0.2.30
    export: /export/media
    content: [iso]
    nodes: [pve1, pve2]

- name: A backup server with client-side encryption; PVE makes the key, OpenBao keeps it
  homeflare.proxmox.storage:
    storage: pbs
    type: pbs
    server: pbs.example
    datastore: house
    username: pve@pbs!backup
    password: "{{ pbs_token_secret }}"
    fingerprint: "{{ pbs_fingerprint }}"
    encryption_key: autogen
    secret_sink: {bao_path: kv/house/pbs}

- name: A new password for the backup server
  homeflare.proxmox.storage:
    storage: pbs
    password: "{{ pbs_token_secret }}"
    update_secret: always

- name: All nodes may use it again
  homeflare.proxmox.storage:
    storage: media
    delete: [nodes]

- name: No such storage; its data stays
  homeflare.proxmox.storage:
    storage: media
    state: absent
    confirm_destroy: media
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
  sample: [content]
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
  sample: {storage: tank, content: [backup, iso, vztmpl]}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.storage.table import STORAGE
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(STORAGE)


if __name__ == "__main__":
    main()
