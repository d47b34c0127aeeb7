#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: realm
short_description: Manage authentication realms of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one realm, where users log in from.
  - Only declared keys are compared and written. When nothing differs, nothing is written.
  - The realms C(pam) and C(pve) always exist. Their O(comment), O(default) and O(tfa) can be declared.
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
  - "PRIVILEGES: reading needs C(Sys.Audit) or C(Realm.Allocate) on C(/access/realm)."
  - "PRIVILEGES: writing needs C(Realm.Allocate) on C(/access/realm). Deleting also needs C(Sys.Audit) on
    C(/access/groups), to see the realm's users."
  - Deleting a realm leaves its users, groups and ACL rows behind. O(confirm_destroy) is asked for, and users that are
    left are named.
  - Which options a realm has depends on its type. Options that a realm of that type must have are never cleared, though
    PVE would do it.
options:
  realm:
    description:
      - Name of the realm, at most 32 characters.
    type: str
    required: true
  type:
    description:
      - Type of the realm. Needed to create it, and fixed then.
      - V(pam) and V(pve) exist and cannot be created.
    type: str
    choices: [ldap, ad, openid, pam, pve]
  default:
    description:
      - Whether the realm is preselected where people log in. PVE takes this from the realm that had it.
    type: bool
  comment:
    description:
      - Comment of the realm.
    type: str
  tfa:
    description:
      - Two-factor authentication of the whole realm, as a property string or a dict, such as C(type=oath,digits=6).
      - It may hold a key, and is never shown. Not for V(openid).
    type: raw
  server1:
    description:
      - Address of the server. Needed to create such a realm.
      - Realms of type V(ldap) and V(ad).
    type: str
  server2:
    description:
      - Address of the server to fall back to.
      - Realms of type V(ldap) and V(ad).
    type: str
  port:
    description:
      - Port of the server.
      - Realms of type V(ldap) and V(ad).
    type: int
  base_dn:
    description:
      - Base of the directory. Needed to create a realm of type V(ldap).
      - Realms of type V(ldap) and V(ad).
    type: str
  user_attr:
    description:
      - Attribute that holds the name of a user. Needed to create a realm of type V(ldap).
      - Realms of type V(ldap) and V(ad).
    type: str
  domain:
    description:
      - Name of the domain. Needed to create a realm of type V(ad), which alone has it.
    type: str
  bind_dn:
    description:
      - Who binds to the directory.
      - Realms of type V(ldap) and V(ad).
    type: str
  password:
    description:
      - Password of O(bind_dn). Write-only, see O(update_secret).
      - Realms of type V(ldap) and V(ad).
    type: str
  mode:
    description:
      - How the server is spoken to. PVE's default is V(ldap).
      - Realms of type V(ldap) and V(ad).
    type: str
    choices: [ldap, ldaps, ldap+starttls]
  secure:
    description:
      - The old spelling of O(mode=ldaps).
      - Realms of type V(ldap) and V(ad).
    type: bool
  sslversion:
    description:
      - Version of TLS.
      - Realms of type V(ldap) and V(ad).
    type: str
    choices: [tlsv1, tlsv1_1, tlsv1_2, tlsv1_3]
  verify:
    description:
      - Whether the server's certificate is verified. PVE's default is false.
      - Realms of type V(ldap) and V(ad).
    type: bool
  capath:
    description:
      - Path of the certificates that are trusted, on the nodes.
      - Realms of type V(ldap) and V(ad).
    type: str
  cert:
    description:
      - Path of the client certificate, on the nodes.
      - Realms of type V(ldap) and V(ad).
    type: str
  certkey:
    description:
      - Path of the key of O(cert), on the nodes.
      - Realms of type V(ldap) and V(ad).
    type: str
  filter:
    description:
      - Filter for the sync of users.
      - Realms of type V(ldap) and V(ad).
    type: str
  group_dn:
    description:
      - Base for the sync of groups.
      - Realms of type V(ldap) and V(ad).
    type: str
  group_name_attr:
    description:
      - Attribute that holds the name of a group.
      - Realms of type V(ldap) and V(ad).
    type: str
  group_filter:
    description:
      - Filter for the sync of groups.
      - Realms of type V(ldap) and V(ad).
    type: str
  user_classes:
    description:
      - Object classes of users. The order does not matter.
      - Realms of type V(ldap) and V(ad).
    type: list
    elements: str
  group_classes:
    description:
      - Object classes of groups. The order does not matter.
      - Realms of type V(ldap) and V(ad).
    type: list
    elements: str
  sync_attributes:
    description:
      - Which attribute of the directory goes to which field of a user, as C(email=mail,firstname=gn) or as a dict.
      - Realms of type V(ldap) and V(ad).
    type: raw
  sync_defaults_options:
    description:
      - What a sync does when it is not told, as a property string or a dict with C(scope), C(enable-new) and
        C(remove-vanished).
      - Realms of type V(ldap) and V(ad).
    type: raw
  case_sensitive:
    description:
      - Whether upper and lower case are different in names of users. PVE's default is true.
      - Realms of type V(ldap) and V(ad).
    type: bool
  check_connection:
    description:
      - Whether PVE tries to bind to the server before it stores a change. It causes no write by itself.
      - Realms of type V(ldap) and V(ad).
    type: bool
    default: false
  issuer_url:
    description:
      - URL of the issuer. Needed to create such a realm.
      - Realms of type V(openid).
    type: str
  client_id:
    description:
      - ID of the client. Needed to create such a realm.
      - Realms of type V(openid).
    type: str
  client_key:
    description:
      - Key of the client. PVE shows it to who may read the realm, so that it is compared; it is never shown here.
      - Realms of type V(openid).
    type: str
  autocreate:
    description:
      - Whether users are created when they log in.
      - Realms of type V(openid).
    type: bool
  username_claim:
    description:
      - Claim that names a user. Fixed at creation; when absent it is V(subject).
      - Realms of type V(openid).
    type: str
  groups_claim:
    description:
      - Claim that names groups.
      - Realms of type V(openid).
    type: str
  groups_autocreate:
    description:
      - Whether groups are created when a user logs in.
      - Realms of type V(openid).
    type: bool
  groups_overwrite:
    description:
      - Whether a login replaces all groups of the user.
      - Realms of type V(openid).
    type: bool
  prompt:
    description:
      - Whether the issuer asks the user again, such as V(login) or V(consent).
      - Realms of type V(openid).
    type: str
  scopes:
    description:
      - Scopes that are asked for. PVE's default is C(email profile).
      - Realms of type V(openid).
    type: list
    elements: str
  acr_values:
    description:
      - Context classes that are asked for, the preferred one first.
      - Realms of type V(openid).
    type: list
    elements: str
  audiences:
    description:
      - Further audiences that are accepted.
      - Realms of type V(openid).
    type: list
    elements: str
  query_userinfo:
    description:
      - Whether claims are also asked of the userinfo endpoint. PVE's default is true.
      - Realms of type V(openid).
    type: bool
"""

EXAMPLES = r"""
- name: A directory
  homeflare.proxmox.realm:
    realm: house
    type: ldap
    server1: ldap.example
    base_dn: dc=house,dc=example
    user_attr: uid
    mode: ldaps
    verify: true
    bind_dn: cn=pve,dc=house,dc=example
    password: "{{ bind_password }}"
    sync_defaults_options: {scope: both, remove-vanished: [entry, acl]}

- name: Single sign-on
  homeflare.proxmox.realm:
    realm: sso
    type: openid
    issuer_url: https://id.example/realms/house
    client_id: pve
    client_key: "{{ client_key }}"
    username_claim: email
    default: true

- name: No second address any more
  homeflare.proxmox.realm:
    realm: house
    delete: [server2]

- name: No such realm
  homeflare.proxmox.realm:
    realm: house
    state: absent
    confirm_destroy: house
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
  sample: [mode]
refusals:
  description: Why the change was refused, a row each.
  returned: success, refusal
  type: list
  elements: dict
  sample: []
pending:
  description: Keys that wait for a restart; never any for a realm.
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
  description: The live values of the declared keys after the task, without O(password), O(client_key) and O(tfa).
  returned: success
  type: dict
  sample: {realm: house, type: ldap, mode: ldaps, verify: true}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.realm import REALM
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(REALM)


if __name__ == "__main__":
    main()
