# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds that the access families share (pve-access-control PVE/AccessControl.pm, PVE/Auth/Plugin.pm)."""

from __future__ import annotations

from ..wire.lists import SetOf
from ..wire.scalars import COMMENT0, Text

COMMENT = COMMENT0
_NAME = "a name of letters, digits, - _ and ."
_LETTER_FIRST = "a letter, then at least one letter, digit, - _ or ."
GROUPID = Text(pattern=r"[A-Za-z0-9\.\-_]+", expected=_NAME)
ROLEID = Text(pattern=r"[A-Za-z0-9\.\-_]+", expected=_NAME)
REALM = Text(pattern=r"[A-Za-z][A-Za-z0-9\.\-_]+", max_length=32, expected=_LETTER_FIRST)
USERID = Text(
    pattern=r"[^\s:/]+@[A-Za-z][A-Za-z0-9\.\-_]+",
    min_length=3,
    max_length=64,
    expected="a user with a realm, such as kim@pve",
)
TOKENID = Text(pattern=r"[A-Za-z][A-Za-z0-9\.\-_]+", expected=_LETTER_FIRST)
GROUPS = SetOf(GROUPID)
#: How the names of tokens begin that an engine mints: they come and go, and are nobody's declaration.
MINTED = "hf-"
