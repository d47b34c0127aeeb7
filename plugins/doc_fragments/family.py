# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that families share; which of them a family has follows from its table."""

from __future__ import annotations


class ModuleDocFragment:
    """Fragments C(family), C(family.clear), C(family.exact), C(family.secret) and C(family.retain)."""

    DOCUMENTATION = r"""
options:
  state:
    description:
      - Whether the object is to be there.
    type: str
    choices: [present, absent]
    default: present
  diff_values:
    description:
      - Whether the diff shows the live and the declared value of each key that differs.
      - When V(false), the diff only names the keys. Values that may be sensitive are never shown.
    type: bool
    default: false
"""

    CLEAR = r"""
options:
  delete:
    description:
      - Keys to clear, so that PVE falls back to its own default.
      - A key that is not set is no change. A key cannot be both declared and listed here.
    type: list
    elements: str
    default: []
"""

    EXACT = r"""
options:
  exact:
    description:
      - Whether keys that are not declared are cleared.
      - When V(false), a key that is not declared is not managed; it is neither sent, compared nor removed.
    type: bool
    default: false
"""

    SECRET = r"""
options:
  update_secret:
    description:
      - Secrets are write-only; what is stored cannot be compared.
      - V(on_create) sends them only when the object is created.
      - V(always) sends them on every run, which reports C(changed) every time.
    type: str
    choices: [on_create, always]
    default: on_create
"""

    RETAIN = r"""
options:
  confirm_destroy:
    description:
      - What the object holds cannot be rebuilt from its declaration.
      - With O(state=absent) it is deleted only when this repeats its name.
    type: str
"""
