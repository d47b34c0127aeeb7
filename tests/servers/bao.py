# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real OpenBao in dev mode."""

from __future__ import annotations

from pathlib import Path


class Bao:
    def __init__(self, folder: Path, tls: bool = False) -> None:
        raise NotImplementedError
