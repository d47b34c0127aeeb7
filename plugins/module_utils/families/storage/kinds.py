# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each type of storage offers, and the kinds of its keys (pve-storage PVE/Storage/Plugin.pm, *Plugin.pm)."""

from __future__ import annotations

import json
import re
import typing as t
from dataclasses import dataclass

from ...wire.kind import Canon, Form, Kind, SpellingError
from ...wire.lists import ListOf, SetOf
from ...wire.propstr import PropertyMap, Sub
from ...wire.scalars import CheckedText, Enum, Flag, Number, Text, read_text
from ..cluster import NODE

CONTENT: t.Final = ("images", "rootdir", "vztmpl", "iso", "backup", "snippets", "import", "none")


@dataclass(frozen=True)
class Offer:
    """``plugindata`` of a type: the content that it can hold, what it holds when nothing is said, image formats."""

    content: tuple[str, ...]
    default: tuple[str, ...]
    formats: tuple[str, ...] = ()


_DISKS = ("images", "rootdir")
_FILES = ("images", "rootdir", "vztmpl", "iso", "backup", "snippets", "import")

OFFERS: t.Final[t.Mapping[str, Offer]] = {
    "btrfs": Offer((*_FILES, "none"), _DISKS, ("raw", "subvol")),
    "cephfs": Offer(("vztmpl", "iso", "backup", "snippets", "import"), ("backup",)),
    "cifs": Offer(_FILES, ("images",), ("raw", "qcow2", "vmdk")),
    "dir": Offer((*_FILES, "none"), _DISKS, ("raw", "qcow2", "vmdk", "subvol")),
    "esxi": Offer(("import",), ("import",)),
    "iscsi": Offer(("images", "none"), ("images",)),
    "iscsidirect": Offer(("images", "none"), ("images",)),
    "lvm": Offer(_DISKS, ("images",)),
    "lvmthin": Offer(_DISKS, _DISKS),
    "nfs": Offer(_FILES, ("images",), ("raw", "qcow2", "vmdk")),
    "pbs": Offer(("backup", "none"), ("backup",)),
    "rbd": Offer(_DISKS, ("images",)),
    "zfs": Offer(("images",), ("images",)),
    "zfspool": Offer(_DISKS, _DISKS),
}
TYPES: t.Final = tuple(OFFERS)

#: Plugin.pm @SHARED_STORAGE: read as shared=1 whatever is stored, and the key itself is not one of theirs.
ALWAYS_SHARED: t.Final = ("cephfs", "cifs", "iscsi", "iscsidirect", "nfs", "pbs", "rbd", "zfs")


@dataclass(frozen=True)
class ContentSet(SetOf):
    """What a storage may hold. The order of a read is random (encode_value takes it out of a hash)."""

    def fault(self, canon: Canon) -> str | None:
        if "none" in canon and len(canon) > 1:
            return "none cannot be combined with other content"
        return super().fault(canon)


def _relative_path(text: str) -> str | None:
    """Plugin.pm verify_dir_override."""
    if re.search(r"[\s;]", text):
        return "must not hold white space or a semicolon"
    if not re.fullmatch(r"\.?[^.]+(\.[^.]+)*", text):
        return "must be a path without .. that does not end with a dot"
    return "is too long" if len(text) >= 1023 or any(len(part) >= 255 for part in text.split("/")) else None


@dataclass(frozen=True)
class ContentDirs(PropertyMap):
    """``iso=templates/images,backup=dumps``. A read gives an object (it is not encoded again)."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "raw"}

    def canon(self, value: object) -> Canon:
        if isinstance(value, (list, tuple)):
            value = ",".join(read_text(part) for part in value)
        return super().canon(value)


@dataclass(frozen=True)
class AbsolutePath(Text):
    """A path that PVE stores without trailing or doubled slashes (DirPlugin.pm check_config, canonpath)."""

    pattern: str | None = r"/[^;()]+"
    expected: str | None = "an absolute path"

    def canon(self, value: object) -> Canon:
        text = read_text(value)
        parts = [part for part in text.split("/") if part not in ("", ".")]
        return "/" + "/".join(parts) if text.startswith("/") else text


@dataclass(frozen=True)
class IsMountpoint(Kind):
    """A flag, or the path of the mount point (DirPlugin.pm parse_is_mountpoint)."""

    def canon(self, value: object) -> Canon:
        try:
            return "yes" if Flag().canon(value) else "no"
        except SpellingError:
            return read_text(value)

    def fault(self, canon: Canon) -> str | None:
        return None if canon in ("yes", "no") or canon.startswith("/") else "must be yes, no or an absolute path"

    def form(self, canon: Canon) -> Form:
        return str(canon)


AUTOGEN: t.Final = "autogen"


@dataclass(frozen=True)
class EncryptionKey(Kind):
    """A key of proxmox-backup-client as JSON, or ``autogen``.

    A read gives the fingerprint of the stored key, or 1 where the key has none (PBSPlugin.pm on_add_hook).
    """

    def canon(self, value: object) -> Canon:
        return json.dumps(value, sort_keys=True) if isinstance(value, dict) else read_text(value).strip()

    def fault(self, canon: Canon) -> str | None:
        known = canon == AUTOGEN or "data" in _parsed(canon)
        return None if known else "must be autogen, or an encryption key in JSON as proxmox-backup-client makes it"

    def form(self, canon: Canon) -> Form:
        return str(canon)

    def same(self, declared: Canon, live: Canon) -> bool:
        return bool(declared == AUTOGEN or str(_parsed(declared).get("fingerprint") or "1") == live)


def _parsed(text: str) -> t.Mapping[str, t.Any]:
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


@dataclass(frozen=True)
class Marked(Text):
    """A secret of which a read tells only that it is there; ``rewrite``: take what is there for another."""

    rewrite: bool = False

    def same(self, declared: Canon, live: Canon) -> bool:  # noqa: ARG002
        return not self.rewrite


def _host_and_port(text: str) -> str | None:
    return None if re.fullmatch(r"[^\s,;/]+", text) else "must be a host, with :port where it has another"


NODES: t.Final = SetOf(NODE)
CONTENTS: t.Final = ContentSet(Enum(CONTENT))
CONTENT_DIRS: t.Final = ContentDirs({name: Sub(CheckedText(_relative_path)) for name in CONTENT})
BWLIMIT: t.Final = PropertyMap(
    {name: Sub(Number(minimum=0)) for name in "clone default migration move restore".split()}
)
NAME: t.Final = Text(pattern=r"[A-Za-z0-9][A-Za-z0-9\-_.]*[A-Za-z0-9]", expected="a name of letters, digits and -_.")
PORTAL: t.Final = CheckedText(_host_and_port)
MONITORS: t.Final = ListOf(PORTAL)
SUBDIR: t.Final = Text(pattern=r"/[^;()].*", expected="an absolute path")
SERVER: t.Final = Text(pattern=r"[A-Za-z0-9.:\-]+", expected="a host name or an IP address")
FINGERPRINT: t.Final = Text(
    pattern=r"([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}", expected="a SHA-256 fingerprint (32 pairs of hex digits)", fold=True
)
