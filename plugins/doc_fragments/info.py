# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules share that only look."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragment C(info.attributes)."""

    ATTRIBUTES = r"""
attributes:
  check_mode:
    description: Can run in check mode and return what it would change, without changing anything.
    support: full
    details:
      - No request but GET is ever sent, and no credential for writing is minted.
  diff_mode:
    description: Returns what differs, or would differ in check mode.
    support: N/A
    details:
      - It changes nothing.
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
