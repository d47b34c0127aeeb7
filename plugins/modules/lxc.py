#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: lxc
short_description: Manage containers of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one LXC container. It is created from a template, taken over as it runs, changed, or deleted.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - A change that PVE cannot make in place, or that could hurt what is not this container's, is a refusal. The task then
    fails before any write, in check mode too, and names every reason.
  - A container is never stopped, moved, replaced or shrunk.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
  - homeflare.proxmox.family
  - homeflare.proxmox.family.clear
notes:
  - "PRIVILEGES: reading needs C(VM.Audit) on C(/vms/{vmid})."
  - "PRIVILEGES: changing needs, on C(/vms/{vmid}), C(VM.Config.CPU) for C(cores), C(cpulimit) and C(cpuunits);
    C(VM.Config.Memory) for C(memory) and C(swap); C(VM.Config.Network) for C(hostname), C(nameserver), C(searchdomain)
    and C(netN), with C(SDN.Use) on the bridge; C(VM.Config.Disk) for C(rootfs) and C(mpN), with
    C(Datastore.AllocateSpace) on the storage; C(VM.Allocate) for C(nesting); C(VM.Config.Options) for the rest and for
    every resize."
  - "PRIVILEGES: creating needs C(VM.Allocate) on C(/vms/{vmid}) or on the pool, C(Datastore.AllocateSpace) on the storage
    of each volume, and C(Datastore.Audit) on the template's storage; a privileged container also needs C(Sys.Modify) on
    C(/). Deleting needs C(VM.Allocate) on C(/vms/{vmid})."
  - Some keys are for C(root@pam) alone, and an API token never is C(root@pam), not even one of root. For these the
    refusal holds the C(pct set) line to run as root on the node. They are C(devN), C(hookscript), mount points that name a
    path or a device of the node, feature flags other than C(nesting), and every feature flag of a privileged container.
  - The container is read with the pending changes that PVE keeps for its next start, so a change that waits is not made
    again. RV(pending) names what waits.
  - Every write carries the digest of the read that it was judged by. When somebody else edits the container meanwhile, it
    is read and judged once more, and written only if the same requests would be sent.
  - What only shows when a change is made, such as a full storage or a tag that the datacenter does not allow, is not seen
    in check mode.
options:
  vmid:
    description:
      - The container's number, from V(100) to V(999999999), unique in the cluster.
      - When a virtual machine, or a container on another node, holds it, the task fails.
    type: int
    required: true
  node:
    description:
      - Name of the cluster node that the container is on, or is created on.
      - A container on another node is not moved; a node that is no member of the cluster is an error.
    type: str
    required: true
  config:
    description:
      - What the container should be, in PVE's own keys and spellings. A paste of the live config works.
      - A key that is not declared is not managed. To clear one, list it under O(delete). An empty value is an error.
      - Property strings (C(netN), C(rootfs), C(mpN), C(devN), C(features), C(startup)) may be a text or a dict, lists a text
        or a list, flags C(true), C(false), C(1), C(0), C(yes) or C(no). Sub-keys that are not declared are off, but for
        those that PVE fills in.
      - B(hostname) is its name; PVE calls it C(CT<vmid>) when none is given.
      - B(memory) is its memory in MiB, at least 16, V(512) when created without. It cannot be cleared.
      - B(swap) is its swap in MiB. V(512) when created without; once absent, it is 0.
      - B(cores) is the number of cores, 1 to 8192; all cores of the node when absent.
      - B(cpulimit) is the most CPU time, in cores (V(0.5) is half a core); 0 is no limit, which is the default.
      - B(cpuunits) is its CPU weight, V(100) by default. Nodes with cgroup v2 store at most 10000.
      - "B(rootfs) is its root volume. C(storage:8) allocates 8 GiB when the container is created, and later equals any
        volume of that storage with 8 GiB, such as C(storage:subvol-900-disk-0,size=8G). A larger size is a resize; a
        smaller one, another storage or another volume is a refusal. Sub-keys are C(acl), C(idmap), C(mountoptions),
        C(quota), C(replicate), C(ro), C(shared) and C(size). It cannot be cleared."
      - B(mp0) to B(mp255) are mount points, like C(rootfs) with C(mp) (the path inside, required), C(backup) and
        C(keepattrs). A new C(storage:GiB) is allocated. See O(detach) and O(attach_existing).
      - B(net0) to B(net31) are interfaces. C(name) is required; the others are C(bridge), C(hwaddr), C(ip), C(gw), C(ip6),
        C(gw6), C(tag), C(trunks), C(mtu), C(rate), C(firewall), C(link_down) and C(host-managed). A MAC that is not
        declared stays as it is. A changed name or MAC makes the interface anew, so that the link drops for a moment.
      - B(dev0) to B(dev255) pass devices through; C(path), C(mode), C(uid), C(gid), C(deny-write). For C(root@pam) alone.
      - B(features) are flags, all off by default; C(nesting), C(keyctl), C(fuse), C(mknod), C(force_rw_sys), and C(mount), a
        list of file systems joined by C(;). A token may change C(nesting) of an unprivileged container, and nothing else.
      - B(unprivileged) maps its users to others on the node. On by default when created, and fixed then.
      - B(nameserver) and B(searchdomain) are lists in order; those of the node when both are absent.
      - B(tags) is a set of tags, compared as the datacenter option C(tag-style) says.
      - B(description) is the text of the Notes panel, up to 8192 characters. It is compared, but never shown in a result.
      - B(onboot) starts it with the node. Off by default.
      - B(startup) is its place in that order, C(order=N,up=N,down=N).
      - B(protection) forbids to delete the container and to change its volumes. Off by default. When it is declared off
        together with a changed volume, it is turned off first.
      - B(ostype) is the distribution, detected when created. B(arch) is V(amd64) by default. Neither can be cleared.
      - B(timezone) is C(host), C(UTC) or a name such as C(Europe/Vienna).
      - B(console), B(tty) and B(cmode) are its console, V(1), V(2) and V(tty) by default.
      - B(debug) makes its start log more. Off by default.
      - B(entrypoint) is the command that runs as init, C(/sbin/init) by default. It is compared, but never shown.
      - B(hookscript) is a volume with content C(snippets). For C(root@pam) alone.
      - A pasted C(digest) is ignored. C(lock), C(template), C(unusedN), raw C(lxc.*) lines and options of the create are
        refused by name, and so are secrets, which have options of their own.
    type: dict
    default: {}
  existing:
    description:
      - What to do with a container that is there already.
      - V(update) writes what differs, if the container is recognised (see O(identity)).
      - V(match) never changes it. When it equals the declaration, the task is C(ok); when it differs, the task fails and
        names the keys, and no value. Take over a running container with this first.
      - V(refuse) fails if one is there, even an equal one.
      - A container that is not there is created in all three cases.
    type: str
    choices: [update, match, refuse]
    default: update
  identity:
    description:
      - How to recognise the container, because a number is reused and a digit is mistyped. Asked only before a write.
      - When not given, every declared hostname, MAC and volume must equal the live one. When none of these is declared,
        the number alone tells the container, and a warning says so at each change.
      - "A dict maps keys to the live value that is expected, such as C({hostname: old-name}) for the one run that renames
        the container. Keys are C(hostname), C(netN) (a MAC), C(rootfs), C(mpN), C(tags) and C(vmid)."
      - A list names declared keys that must equal the live ones. C([vmid]) is satisfied by the number alone.
    type: raw
  create:
    description:
      - What counts only when the container is created. Later it is neither compared nor sent.
    type: dict
    suboptions:
      ostemplate:
        description:
          - The template, a volume such as C(local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst).
          - Without it, a container that is not there is an error.
        type: str
      start:
        description:
          - Whether to start the container when it is created. A start that fails is a warning.
        type: bool
        default: false
      pool:
        description:
          - Name of the pool that the container is put into.
        type: str
      bwlimit:
        description:
          - Limit for unpacking the template, in KiB/s; V(0) is no limit. The datacenter's or the storage's when not given.
        type: float
      ignore_unpack_errors:
        description:
          - Whether errors of unpacking the template are ignored.
        type: bool
        default: false
  password:
    description:
      - Password of root inside the container, at least 5 characters. Sent only when the container is created.
    type: str
  ssh_public_keys:
    description:
      - SSH keys of root inside the container, in the format of OpenSSH. Sent only when the container is created.
    type: list
    elements: str
  env:
    description:
      - Environment of the container, a list of C(NAME=value) in order, or a dict. It is compared, but never shown.
      - Reading it needs C(VM.Config.Options) on C(/vms/{vmid}), so a container that declares it is read with the role of
        O(bao_write_role). With a credential that does not see it, it is left alone, with a warning.
      - Ansible hides each value from all output; a list hides C(NAME=value) and not every C(value) alone.
    type: raw
  detach:
    description:
      - Mount points to detach. Their volumes are kept, as C(unusedN).
      - Without this a mount point of a volume is not removed by O(delete). A bind mount is.
    type: list
    elements: str
    default: []
  attach_existing:
    description:
      - Whether a new mount point may name a volume that exists. It must belong to this container.
    type: bool
    default: false
  absent_allow_unused:
    description:
      - Detached volumes (C(unused0) and so on) that O(state=absent) may destroy with the container.
    type: list
    elements: str
    default: []
  state:
    description:
      - V(present) creates the container or changes it.
      - V(absent) deletes the container with its volumes, snapshots, ACL entries and firewall rules, but only if every
        declared key equals the live one, and at least one of hostname, MAC, volume or tags is declared.
      - V(absent) refuses a container that runs, is protected, locked, under HA, replicated, or that has detached volumes
        which O(absent_allow_unused) does not list. Nothing is ever forced or purged.
    type: str
    choices: [present, absent]
    default: present
"""

EXAMPLES = r"""
- name: Take over a container as it runs, with its pasted config; fails and names the keys if anything differs
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 900
    existing: match
    config:
      arch: amd64
      cores: 2
      features: nesting=1
      hostname: ct-example
      memory: 1024
      net0: name=eth0,bridge=vmbr0,hwaddr=00:00:5E:00:53:04,ip=dhcp,type=veth
      ostype: debian
      rootfs: local-zfs:subvol-900-disk-0,size=8G
      swap: 512
      unprivileged: 1

- name: A container, created from a template when it is not there
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 901
    config:
      hostname: web.example
      cores: 4
      memory: 8192
      features: {nesting: true}
      rootfs: local-zfs:8
      mp0: local-zfs:32,mp=/srv,backup=1
      net0: {name: eth0, bridge: vmbr0, ip: 192.0.2.10/24, gw: 192.0.2.1}
      tags: [web, house]
      onboot: true
    create:
      ostemplate: "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
      start: true
      pool: house
    ssh_public_keys:
      - ssh-ed25519 AAAA admin@control.example

- name: More memory, a larger root volume, and all cores of the node again
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 901
    config:
      hostname: web.example
      memory: 16384
      rootfs: local-zfs:16
    delete: [cores]

- name: Rename it, in this one run
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 901
    config:
      hostname: www.example
    identity:
      hostname: web.example

- name: Refused, because volumes only grow and devices are for root; both reasons are told and nothing is written
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 901
    config:
      hostname: www.example
      rootfs: local-zfs:4
      dev0: /dev/fuse

- name: Detach a mount point and keep its volume
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 901
    config:
      hostname: www.example
    detach: [mp0]

- name: Delete it, if it still is what is declared here; the volume that was detached goes along
  homeflare.proxmox.lxc:
    node: pve1
    vmid: 901
    state: absent
    config:
      hostname: www.example
      memory: 16384
    absent_allow_unused: [unused0]
"""

RETURN = r"""
action:
  description: What was done, or in check mode would be done.
  returned: success, refusal
  type: str
  choices: [none, create, update, delete]
  sample: update
drift:
  description: Names of the declared keys that differed, in PVE's spelling.
  returned: success, refusal
  type: list
  elements: str
  sample: [memory, rootfs]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  contains:
    id:
      description: What kind of refusal it is; the same for the same reason.
      type: str
      sample: shrink
    key:
      description: The key that it is about, if it is about one.
      type: str
      sample: rootfs
    msg:
      description: What, why, and the way out.
      type: str
      sample: "rootfs: declared 4G is smaller than live 8G; volumes only grow."
  sample:
    - id: shrink
      key: rootfs
      msg: "rootfs: declared 4G is smaller than live 8G; volumes only grow."
    - id: root-only
      key: dev0
      msg: "dev0: only root@pam may set this, and an API token never is. Run on pve1: pct set 901 --dev0 /dev/fuse"
pending:
  description: Declared keys that PVE holds until the container starts again.
  returned: success
  type: list
  elements: str
  sample: [nameserver]
tasks:
  description: UPIDs of the PVE tasks that were started.
  returned: success
  type: list
  elements: str
  sample: ["UPID:pve1:0000A1B2:00C3D4E5:66F7A8B9:resize:901:automation@pve!ansible:"]
object:
  description:
    - The live values of the declared keys after the task.
    - Never a secret, the environment, the description or the entrypoint.
  returned: success
  type: dict
  sample:
    vmid: "901"
    node: pve1
    hostname: www.example
    memory: 16384
    rootfs: {size: 16G, volume: "local-zfs:subvol-901-disk-0"}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.table import LXC
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(LXC)


if __name__ == "__main__":
    main()
