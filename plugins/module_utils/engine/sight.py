# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a credential may see: several lists leave out, without a word, what the asking user has no privilege on."""

from __future__ import annotations

import typing as t

from ..errors import ServerError
from .family import Reader
from .index import Sight


def held(path: str, reader: Reader, *, role: str = "read") -> dict[str, bool]:
    """The privileges at an ACL path of the credential that reads, each with whether it propagates to what is below.

    Asking about oneself needs no privilege (pve-access-control PVE/API2/AccessControl.pm, ``permissions``).
    """
    data = reader.get("access/permissions", {"path": path}, shared=True, role=role)
    granted = data.get(path) if isinstance(data, dict) else None
    return {name: str(value) == "1" for name, value in granted.items()} if isinstance(granted, dict) else {}


def sees(path: str, privileges: t.Collection[str], reader: Reader) -> bool:
    """Whether the credential that reads has one of these privileges at an ACL path."""
    return not held(path, reader).keys().isdisjoint(privileges)


def sees_all(sight: Sight, reader: Reader) -> bool:
    """Whether a list holds everything for the credential that reads."""
    granted = held(sight.path, reader)
    return any(name in granted and (granted[name] or not sight.below) for name in sight.privileges)


def prove_sight(title: str, listing: str, path: str, privileges: t.Sequence[str], reader: Reader) -> None:
    """An object that is not in a list is absent only for a credential that would see it. Raises ServerError."""
    if not sees(path, privileges, reader):
        raise ServerError(
            f"{title} is not in the answer of GET {listing}, but this credential would not see it there either: "
            f"that needs {' or '.join(privileges)} on {path}. Nothing is known, so nothing was written.",
            method="GET",
            path=listing,
        )
