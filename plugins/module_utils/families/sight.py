# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a credential may see: several lists leave out, without a word, what the asking user has no privilege on."""

from __future__ import annotations

import typing as t

from ..engine.family import Reader
from ..errors import ServerError


def sees(path: str, privileges: t.Collection[str], reader: Reader) -> bool:
    """Whether the credential that reads has one of these privileges at an ACL path.

    Asking about oneself needs no privilege (pve-access-control PVE/API2/AccessControl.pm, ``permissions``).
    """
    data = reader.get("access/permissions", {"path": path}, shared=True)
    granted = data.get(path) if isinstance(data, dict) else None
    return isinstance(granted, dict) and not granted.keys().isdisjoint(privileges)


def prove_sight(title: str, listing: str, path: str, privileges: t.Sequence[str], reader: Reader) -> None:
    """An object that is not in a list is absent only for a credential that would see it. Raises ServerError."""
    if not sees(path, privileges, reader):
        raise ServerError(
            f"{title} is not in the answer of GET {listing}, but this credential would not see it there either: "
            f"that needs {' or '.join(privileges)} on {path}. Nothing is known, so nothing was written.",
            method="GET",
            path=listing,
        )
