# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds that the families of the cluster share: ids (pve-common JSONSchema.pm), HA ids, comments."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..wire.kind import Canon
from ..wire.lists import SetOf
from ..wire.scalars import Integer, Text

CONFIGID: t.Final = Text(
    pattern=r"[A-Za-z][A-Za-z0-9_-]+", max_length=50, expected="a letter, then at least one letter, digit, - or _"
)
NODE: t.Final = Text(pattern=r"[A-Za-z0-9]([A-Za-z0-9\-]*[A-Za-z0-9])?", expected="a node name")
STORAGE: t.Final = Text(pattern=r"[A-Za-z][A-Za-z0-9\-_.]*[A-Za-z0-9]", expected="a storage name")
SCHEDULE: t.Final = Text(max_length=128, min_length=1)
#: A guest's number (JSONSchema.pm pve-vmid).
VMID: t.Final = Integer(minimum=100, maximum=999_999_999)
GUESTS: t.Final = SetOf(VMID)
SID: t.Final = Text(pattern=r"(vm|ct):[1-9][0-9]{2,8}", expected="vm:<vmid> or ct:<vmid>")
SIDS: t.Final = SetOf(SID)


@dataclass(frozen=True)
class FileText(Text):
    """A text that PVE writes into a section file as it is.

    File.pm file_set_contents encodes a file with wide characters as UTF-8, and the file is read back as bytes: the
    answer then holds each byte as a character of its own. That is the same text.
    """

    def same(self, declared: Canon, live: Canon) -> bool:
        return bool(declared == live) or live == declared.encode("utf-8").decode("latin-1")
