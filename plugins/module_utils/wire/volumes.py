# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes: what the first part of a disk or mount point names."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .sizes import new_disk_bytes

#: LXC.pm NEW_DISK_RE.
_NEW = re.compile(r"([^:\s]+):([0-9]{1,12}(?:\.[0-9]{1,12})?)")
_VOLUME = re.compile(r"([a-zA-Z][a-zA-Z0-9._-]*[a-zA-Z0-9]):(\S.*)")
_OWNER = re.compile(r"(?:^|/)(?:vm|base|subvol|basevol)-([0-9]+)-[^/]*$")

VolumeKind = t.Literal["new", "volume", "bind", "device"]


@dataclass(frozen=True)
class Volume:
    """new: ``storage:GiB`` to allocate; volume: ``storage:name``; bind: a directory; device: under /dev."""

    kind: VolumeKind
    text: str
    storage: str | None = None
    name: str | None = None
    size: int | None = None  # bytes, of a new one

    @property
    def managed(self) -> bool:
        """Lies on a storage (or will): neither a directory nor a device of the host."""
        return self.kind in ("new", "volume")


def parse_volume(text: str) -> Volume:
    """LXC/Config.pm classify_mountpoint, with the new-disk spelling told apart."""
    if text.startswith("/"):
        return Volume("device" if text.startswith("/dev/") else "bind", text)
    new = _NEW.fullmatch(text)
    if new is not None:
        return Volume("new", text, storage=new[1], size=new_disk_bytes(new[2]))
    parts = split_volid(text)
    storage, name = parts if parts is not None else (None, None)
    return Volume("volume", text, storage=storage, name=name)


def classify(text: str) -> VolumeKind:
    return parse_volume(text).kind


def split_volid(text: str) -> tuple[str, str] | None:
    """(storage, name) of a volume id, or None."""
    match = _VOLUME.fullmatch(text)
    return (match[1], match[2]) if match is not None else None


def owner(text: str) -> int | None:
    """The vmid that a volume id carries in its name, or None."""
    parts = split_volid(text)
    match = _OWNER.search(parts[1]) if parts is not None else None
    return int(match[1]) if match is not None else None
