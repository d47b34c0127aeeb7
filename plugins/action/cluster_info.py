# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action of the module of the same name; the files of this folder are all the same.

They are no links to one: to the tools that make documentation a link is another name of what it leads to.
"""

from __future__ import annotations

from ansible_collections.homeflare.proxmox.plugins.plugin_utils.action import ActionModule

__all__ = ["ActionModule"]
