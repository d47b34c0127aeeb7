# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action of every family; the other files of this folder are links to this one."""

from __future__ import annotations

from ansible_collections.homeflare.proxmox.plugins.plugin_utils.action import ActionModule

__all__ = ["ActionModule"]
