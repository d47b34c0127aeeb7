# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds that the access families share (pve-access-control PVE/AccessControl.pm, PVE/Auth/Plugin.pm)."""

from __future__ import annotations

from ..wire.lists import SetOf
from ..wire.scalars import Text

#: user.cfg is written by Perl truthiness: a comment "0" is not stored.
COMMENT = Text(zero_is_empty=True, no_linefeed=False)
GROUPID = Text(pattern=r"[A-Za-z0-9\.\-_]+")
ROLEID = Text(pattern=r"[A-Za-z0-9\.\-_]+")
REALM = Text(pattern=r"[A-Za-z][A-Za-z0-9\.\-_]+", max_length=32)
USERID = Text(pattern=r"[^\s:/]+@[A-Za-z][A-Za-z0-9\.\-_]+", min_length=3, max_length=64)
TOKENID = Text(pattern=r"[A-Za-z][A-Za-z0-9\.\-_]+")
GROUPS = SetOf(GROUPID)
#: How the names of tokens begin that an engine mints: they come and go, and are nobody's declaration.
MINTED = "hf-"
