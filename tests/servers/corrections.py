# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where fakepve answers otherwise than PVE does. First the plain way there and back."""

from __future__ import annotations

from .sections.table import Call
from .wire import Answer


def path_of(call: Call) -> str:
    return call.template.format_map({name: str(value) for name, value in call.values.items()})


def ask(call: Call) -> Answer:
    names = {part[1:-1] for part in call.template.split("/") if part.startswith("{")}
    values = {name: value for name, value in call.values.items() if name not in names}
    return call.world.backend.ask(call.method, path_of(call), values)
