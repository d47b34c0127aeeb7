# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the API is and with what credential: the options of plugins/module_utils/api/options.py, in words."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments C(connection) and C(connection.attributes)."""

    DOCUMENTATION = r"""
options:
  api_hosts:
    description:
      - Members of the Proxmox VE cluster, each as C(host) or C(host:port). The port defaults to V(8006).
      - The member that answered last is asked first, then the others in this order. A read goes on to the next member
        after any failure to get an answer; a write only when it is proven that nothing of it was sent.
      - Falls back to E(PROXMOX_API_HOSTS), separated by commas.
    type: list
    elements: str
    aliases: [api_host]
  pbs_hosts:
    description:
      - The Proxmox Backup Server, as C(host) or C(host:port). The port defaults to V(8007).
      - Only used by modules for Proxmox Backup Server, which do not use O(api_hosts).
      - Falls back to E(PBS_API_HOSTS).
    type: list
    elements: str
  ca_path:
    description:
      - File or folder with the certificate authorities that vouch for the members; nothing else is trusted then.
      - When neither this nor O(tls_fingerprint) is given, the authorities of the system are trusted.
      - Certificates are always verified.
      - Falls back to E(PROXMOX_CA_PATH).
    type: path
  tls_fingerprint:
    description:
      - SHA-256 fingerprints of the certificates that the members may present, for a cluster whose certificates no
        authority vouches for. Chain and name are then not looked at, and O(ca_path) is not used.
      - Each member of a cluster has a certificate of its own.
      - Falls back to E(PROXMOX_TLS_FINGERPRINT), separated by commas.
    type: list
    elements: str
  api_timeout:
    description:
      - Seconds to wait for the answer to a read. A write may take half as long again. Connecting takes at most 10 seconds.
    type: int
    default: 60
  task_timeout:
    description:
      - Seconds to wait for a task of Proxmox, such as the creation of a container.
      - The outcome of a task that takes longer is unknown; it is not stopped.
    type: int
    default: 600
  lock_wait:
    description:
      - Seconds to wait for a guest that is locked, for example by a backup, before the task fails.
    type: int
    default: 0
  api_token_id:
    description:
      - Id of a static API token, such as V(ops@pve!deploy), instead of a mount.
      - Falls back to E(PROXMOX_TOKEN_ID).
    type: str
  api_token_secret:
    description:
      - Secret of the static API token.
      - Falls back to E(PROXMOX_TOKEN_SECRET).
    type: str
  bao_mount:
    description:
      - Mount of the OpenBao secrets engine that mints API tokens of this cluster, such as V(proxmox-c1).
      - One token is minted for reading and one for writing, when they are first needed. All tasks of a run that
        execute on the controller share them, and they are revoked when the run ends.
      - A static token and a mount exclude each other. What a task or C(module_defaults) names counts before the
        environment.
      - Falls back to E(PROXMOX_BAO_MOUNT).
    type: str
  pbs_bao_mount:
    description:
      - The same as O(bao_mount), for modules for Proxmox Backup Server.
      - Falls back to E(PBS_BAO_MOUNT).
    type: str
  bao_read_role:
    description:
      - Role of the secrets engine for reading. Check mode mints no other, except where a module says so.
    type: str
    default: read
  bao_write_role:
    description:
      - Role of the secrets engine for writing.
    type: str
    default: provision
  bao_path:
    description:
      - Path that is read for a credential. C({mount}) and C({role}) stand for the mount and the role.
      - For an engine that keeps its credentials elsewhere, for example V({mount}/data/{role}) for KV version 2.
    type: str
    default: "{mount}/creds/{role}"
  bao_url:
    description:
      - Address of OpenBao, of an agent or of a proxy, as C(https://host:8200) or C(unix:///path). There is no default.
      - Falls back to E(BAO_AGENT_ADDR) or E(VAULT_AGENT_ADDR), then to E(BAO_ADDR) or E(VAULT_ADDR). For this and
        the other options, a variable of OpenBao that is present counts before the one of Vault, even when it is empty.
    type: str
    aliases: [bao_addr]
  bao_namespace:
    description:
      - Namespace of OpenBao.
      - Falls back to E(BAO_NAMESPACE) or E(VAULT_NAMESPACE).
    type: str
  bao_ca_cert:
    description:
      - File or folder with the certificate authorities that vouch for OpenBao.
      - When not given, the authorities of the system are trusted.
      - Falls back to E(BAO_CACERT) or E(VAULT_CACERT), then to E(BAO_CAPATH) or E(VAULT_CAPATH).
    type: path
  bao_timeout:
    description:
      - Seconds to wait for an answer of OpenBao.
    type: int
    default: 60
  bao_auth_method:
    description:
      - How to log in to OpenBao.
      - V(none) is for an agent or a proxy that adds its own token.
      - When not given, it is V(token) if a token is found, else V(approle) if a role id is found, else V(jwt) if a JWT
        is found, else V(none) if the address is that of an agent or a socket, or the token is given and empty.
      - Falls back to E(BAO_AUTH_METHOD).
    type: str
    choices: [token, approle, jwt, none]
  bao_auth_mount_point:
    description:
      - Mount of the auth method. Defaults to the name of the method.
    type: str
  bao_token:
    description:
      - Token of OpenBao. It is never revoked.
      - Falls back to E(BAO_TOKEN) or E(VAULT_TOKEN). The token files of the command line tools are not read.
    type: str
  bao_token_file:
    description:
      - File that holds the token, for when there is no O(bao_token).
    type: path
  bao_role_id:
    description:
      - Role id of an AppRole login.
      - Falls back to E(BAO_ROLE_ID).
    type: str
  bao_secret_id:
    description:
      - Secret id of an AppRole login.
      - Falls back to E(BAO_SECRET_ID).
    type: str
  bao_secret_id_file:
    description:
      - File that holds the secret id, for when there is no O(bao_secret_id).
    type: path
  bao_jwt:
    description:
      - Token of a JWT login.
      - Falls back to E(BAO_JWT).
    type: str
  bao_jwt_role:
    description:
      - Role of a JWT login. When not given, the default role of the mount is used.
    type: str
  bao_token_id_field:
    description:
      - Name of the field that holds the token id. When not given, it is C(token_id_full), else C(token_id).
    type: str
  bao_secret_field:
    description:
      - Name of the field that holds the secret. When not given, it is C(secret), else C(token_secret).
    type: str
requirements:
  - requests
  - hvac (when credentials are minted from OpenBao)
"""

    ATTRIBUTES = r"""
attributes:
  check_mode:
    description: Can run in check mode and return what it would change, without changing anything.
    support: full
    details:
      - No request but GET is sent, and no credential for writing is minted unless the module says that reading needs it.
  diff_mode:
    description: Returns what differs, or would differ in check mode.
    support: full
    details:
      - Names the keys that differ. Their values are shown with C(diff_values=true).
  idempotent:
    description: Run again with the same options it changes nothing and sends no write.
    support: full
  action:
    description: Runs inside the controller process where the connection is local.
    support: full
    details:
      - On other connections, with C(become) and with C(async) it runs as a module on the managed host, which then needs
        the Python libraries and the connection options. The environment variables are those of the host where it runs.
  async:
    description: Can be used with the C(async) keyword.
    support: full
  action_group:
    description: Use C(group/homeflare.proxmox.all) in C(module_defaults) to set the connection once for all modules.
    support: full
    membership:
      - homeflare.proxmox.all
      - homeflare.proxmox.pve
"""
