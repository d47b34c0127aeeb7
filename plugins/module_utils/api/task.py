# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of PVE and PBS: what a UPID says, and how to wait for one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TaskResult:
    """A task that succeeded. ``warnings`` when it ended as ``WARNINGS: n``; then ``log`` is the tail of its log."""

    upid: str
    warnings: bool = False
    log: tuple[str, ...] = ()
