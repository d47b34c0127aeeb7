#!/usr/bin/python
# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: api_token
short_description: Manage API tokens of a Proxmox VE cluster
version_added: 0.1.0
description:
  - Declares one API token of a user. Its secret is shown by PVE once, when it is made; O(secret_sink) says where it
    goes, and without it no token is made.
  - Only declared keys are compared and written. When nothing differs, nothing is written. Tokens that are not declared
    are never touched.
  - The secret is in no result, diff or message.
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
  - "PRIVILEGES: writing needs C(User.Modify) on C(/access/groups/{group}) of one of the user's groups, or on
    C(/access/groups), unless the credential is the user's own."
  - When the secret was made and could not be kept, the task fails; run it once more with O(rotate=true) to get another.
options:
  userid:
    description:
      - The user that the token belongs to, as C(name@realm).
    type: str
    required: true
  tokenid:
    description:
      - Name of the token. It begins with a letter.
    type: str
    required: true
  comment:
    description:
      - Comment of the token. An empty text clears it, and so does C(0), which PVE does not store.
    type: str
  expire:
    description:
      - When the token ends, in seconds since 1970. V(0) is never, and what PVE stores when it is not declared.
    type: int
  privsep:
    description:
      - Whether the token can do only what ACL rows of its own give it. PVE's default is true.
      - When V(false), it can do what its user can do.
    type: bool
  secret_sink:
    description:
      - Where the secret of a new token goes. Needed to create a token and for O(rotate).
      - It is proven that the secret can be kept before the token is made, and it is kept as soon as it is known.
      - What is there already is replaced.
    type: dict
    suboptions:
      file:
        description:
          - Absolute path of a file, on the host where the task runs. It holds the secret alone, with mode 0600.
        type: path
      bao_path:
        description:
          - Path in a KV engine of OpenBao, of version 1 or 2, as C(bao kv put) takes it, such as C(kv/house/deploy). It
            gets the fields C(token_id) and C(secret), and loses others.
          - Written with the task's own access to OpenBao (O(bao_url) and so on), which must be allowed to create and
            update the path.
        type: str
  rotate:
    description:
      - Whether a token that is there gets a new secret. The old one stops working at once.
      - When V(true), every run does so and reports C(changed).
    type: bool
    default: false
  minted_prefix:
    description:
      - Tokens whose names begin with this belong to a secrets engine, which ends them; they are neither made, changed
        nor deleted here.
      - An empty text means that there are none.
    type: str
    default: hf-
"""

EXAMPLES = r"""
- name: A token whose secret goes to OpenBao
  homeflare.proxmox.api_token:
    userid: deploy@pve
    tokenid: ci
    comment: For the pipeline
    privsep: true
    expire: 0
    secret_sink:
      bao_path: kv/house/ci

- name: A new secret, into a file
  homeflare.proxmox.api_token:
    userid: deploy@pve
    tokenid: ci
    rotate: true
    secret_sink:
      file: /etc/house/ci.secret

- name: No such token
  homeflare.proxmox.api_token:
    userid: deploy@pve
    tokenid: ci
    state: absent
    confirm_destroy: deploy@pve!ci
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
  description: Keys that wait for a restart; never any for a token.
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
  sample: {userid: deploy@pve, tokenid: ci, comment: For the pipeline, privsep: true, expire: 0}
"""

from ansible_collections.homeflare.proxmox.plugins.module_utils.families.api_token import API_TOKEN
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.module import run


def main() -> None:
    run(API_TOKEN)


if __name__ == "__main__":
    main()
