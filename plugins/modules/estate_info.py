#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: estate_info
short_description: Tell a running Proxmox cluster as declarations
version_added: 0.1.0
description:
  - Lists and reads the objects of a cluster, and returns them as the RV(resources) that M(homeflare.proxmox.estate)
    takes. Applied to the same cluster they change nothing; applied to another they build the same estate, as far as it
    can be told.
  - Every declaration is judged against the object that it was made of before it is returned. A key whose live value no
    declaration can hold is left out and listed under RV(unread).
  - Left out are defaults, what PVE only reports, what PVE made up (MAC addresses, the names of volumes), secrets, and
    descriptions of guests. Volumes are told as C(storage:GiB), and equal the ones that are there.
  - The hostname of a container is told even when it is the one that PVE gave it, since the container is recognised by
    it.
  - The order is that of what needs what, then of names with numbers by value, and the same each time.
  - It only reads, in check mode as well, and never mints a credential for writing.
author:
  - homeflare.proxmox contributors (@homeflare)
extends_documentation_fragment:
  - homeflare.proxmox.connection
  - homeflare.proxmox.connection.attributes
notes:
  - "PRIVILEGES: C(PVEAuditor) on C(/) sees everything that is told here. With less, PVE leaves objects out of its
    lists without a word; RV(unseen) says of which families, and what would be needed."
  - "Not told are objects that cannot be managed: the user C(root@pam), the roles that are built in, containers that
    are templates, and API tokens whose names begin with C(hf-), which an engine mints. They are listed under
    RV(unmanaged). The rows of such tokens are left out of the ACL, which then says C(exact=false)."
  - The realms C(pam) and C(pve) and the storage C(local) are there in every cluster. They are told only when
    something about them is set, and never listed under RV(obstacles).
  - Secrets are never told. An object that is not created without one is listed under RV(obstacles); put a reference to
    a vault into its declaration.
options:
  families:
    description:
      - Only these families, by the names of their modules.
      - The default is every family of Proxmox VE.
    type: list
    elements: str
  only:
    description:
      - By family, a pattern or a list of patterns. An object of this family is told when its name, or one part of its
        name, fits one of them, as V(9??) fits the vmid 900 and V(pve1) a node.
      - A pattern that begins with C(!) leaves out what it fits. Families that are not named here are told in full.
    type: dict
    default: {}
  generated:
    description:
      - Also tell what PVE made up, such as MAC addresses and the names of volumes. Such declarations recognise their
        guests better, and no longer create them.
    type: bool
    default: false
  descriptions:
    description:
      - Also tell the descriptions of guests. People keep anything in them, passwords too.
    type: bool
    default: false
  defaults:
    description:
      - By family, options that are added to each of its declarations, for what cannot be read and is needed to create
        the object again.
      - C({name}) in a text stands for that part of the object's own name, such as C({vmid}) or C({userid}).
      - An option that was read wins; of a dictionary such as C(create), each key on its own. Secrets are not taken here.
    type: dict
    default: {}
  templates:
    description:
      - By C(ostype), the template from which a container is made again. It becomes C(create.ostemplate) of the
        declaration, and wins over O(defaults).
    type: dict
    default: {}
  parallel:
    description:
      - How many requests are under way at a time.
    type: int
    default: 8
seealso:
  - module: homeflare.proxmox.estate
  - plugin: homeflare.proxmox.to_declarations
    plugin_type: filter
"""

EXAMPLES = r"""
- name: The whole cluster
  homeflare.proxmox.estate_info:
    templates:
      debian: local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst
      alpine: local:vztmpl/alpine-3.22-default_20250617_amd64.tar.xz
    defaults:
      api_token:
        secret_sink: {bao_path: "kv/proxmox/{userid}/{tokenid}"}
  register: found

- name: Into a folder from which the estate role reads, a file a family
  ansible.builtin.copy:
    dest: "estate/{{ item }}.yml"
    mode: "0644"
    content: "{{ found.resources | selectattr(item, 'defined') | homeflare.proxmox.to_declarations }}"
  loop: "{{ found.resources | map('first') | unique }}"

- name: Some containers and the pools, as they are
  homeflare.proxmox.estate_info:
    families: [lxc, pool]
    only:
      lxc: ["9??", "!999"]
    generated: true
"""

RETURN = r"""
resources:
  description: The declarations, in the order of what needs what.
  returned: success
  type: list
  elements: dict
  sample:
    - pool: {poolid: house, comment: The house, vms: [900]}
    - lxc:
        node: pve1
        vmid: 900
        config:
          hostname: ct-example
          ostype: debian
          unprivileged: true
          memory: 2048
          swap: 512
          rootfs: local-zfs:8
          net0: {bridge: vmbr0, ip: dhcp, name: eth0}
unseen:
  description: What the credential cannot see all of, and the privilege that it lacks.
  returned: success
  type: list
  elements: dict
  sample:
    - family: storage
      why: >-
        GET storage leaves out what this credential may not see; to see all it needs Datastore.Audit or
        Datastore.AllocateSpace on /storage and below.
unread:
  description:
    - What could not be told. C(name) is null when it is a whole family, C(key) when it is a whole object.
  returned: success
  type: list
  elements: dict
  sample:
    - {family: lxc, name: 907 on pve3, key: null, why: "GET nodes/pve3/lxc/907/config -> 595: No route to host"}
obstacles:
  description: What would be refused if the object had to be created again from its declaration alone.
  returned: success
  type: list
  elements: dict
  sample:
    - family: lxc
      name: 900 on pve1
      why: Container 900 does not exist and no ostemplate is given, so there is nothing to create it from.
unmanaged:
  description: Names of objects that cannot be managed, by family.
  returned: success
  type: dict
  sample: {user: [root@pam]}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.front.estate_info import (
    ESTATE_INFO_OPTIONS,
    run_estate_info,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run_job


def main() -> None:
    run_job(ESTATE_INFO_OPTIONS, run_estate_info)


if __name__ == "__main__":
    main()
