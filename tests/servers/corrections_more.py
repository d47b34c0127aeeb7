# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Corrections of pools and of the resource list. See corrections.py."""

from __future__ import annotations

from typing import Any

from .sections.table import Call
from .wire import Answer


def drop_falsy_comment(_call: Call, answer: Answer) -> Answer:
    rows: list[Any] = answer.data if isinstance(answer.data, list) else [answer.data]
    for row in rows:
        if isinstance(row, dict) and row.get("comment") in ("", "0"):
            del row["comment"]
    return answer


def mark_unknown(call: Call, answer: Answer) -> Answer:
    for row in answer.data or []:
        if row.get("node") in call.world.offline:
            row["status"] = "offline" if row["type"] == "node" else "unknown"
    return answer
