# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a declaration of a container may not say, in words of its own. Nothing was read yet."""

from __future__ import annotations

import re
import typing as t

from ...engine.family import Declaration, Family
from ...errors import DeclarationError
from ...wire.kind import SpellingError
from ...wire.volumes import parse_volume
from ..guest import check_identity
from .create import CREATE_ONLY
from .kinds import LXC_KINDS, kind_of
from .marks import expected_mark, is_marked
from .mounts import MOUNT_KEY

_OWN_OPTION = "is a secret; give it by the option {option}, which Ansible does not log"
_UNUSED = "lists a detached volume, which PVE keeps itself; to delete the container with it, use absent_allow_unused"
_IS_OPTION = "is an option of this module, not a key of config"
_READ_ONLY = "is PVE's own record, not a setting; leave the line out"
_NEVER = "is not offered: it overwrites a container that is there"

#: Keys of PVE's that config does not take, and what to do instead.
_NOT_IN_CONFIG: t.Final[tuple[tuple[str, str], ...]] = (
    ("password", _OWN_OPTION.format(option="password")),
    ("ssh[-_]public[-_]keys|sshkeys", _OWN_OPTION.format(option="ssh_public_keys")),
    ("env", _OWN_OPTION.format(option="env")),
    (
        "|".join(name.replace("_", "[-_]") for name in CREATE_ONLY),
        "counts only when the container is created; give it under create",
    ),
    ("vmid|node|state|existing|identity|detach|delete|create", _IS_OPTION),
    ("lock", "is set and dropped by PVE's own tasks; it is not managed"),
    ("template", "is not managed: making a template of a container cannot be undone; leave the line out"),
    (r"unused\d+", _UNUSED),
    ("force|restore|unique", _NEVER),
    ("storage", "is not offered; name the storage in rootfs as storage:GiB"),
    ("ha[-_]managed", "is not offered; declare an HA resource"),
    (r"lxc|lxc\..+", "holds raw lines, which the API can only read; leave them out"),
    ("parent|snaptime|snapstate|pending|snapshots", _READ_ONLY),
)


def check(family: Family, declaration: Declaration) -> None:
    """Raises DeclarationError naming the option."""
    for key in (*declaration.values, *declaration.delete):
        _check_key(key)
    _check_node_options(declaration)
    _check_env(declaration)
    _check_sizes(declaration)
    declared = {*declaration.values, *(["env"] if declaration.extras.get("env") is not None else [])}
    for key in (*declaration.delete, *(declaration.extras.get("detach") or ())):
        if key in declared:
            raise DeclarationError(
                "declared both as a value and to be cleared (delete or detach); keep one of the two.", option=key
            )
    names = [key for key in family.keys if is_marked(key)]
    check_identity(declaration, names, declared)
    _check_expected(family, declaration)


def _check_key(key: str) -> None:
    if key == "env":
        return
    for pattern, why in _NOT_IN_CONFIG:
        if re.fullmatch(pattern, key):
            raise DeclarationError(f"{why}.", option=f"config.{key}")


def _check_env(declaration: Declaration) -> None:
    if "env" in declaration.values:
        raise DeclarationError(f"{_OWN_OPTION.format(option='env')}.", option="config.env")
    env = declaration.extras.get("env")
    if env is None:
        return
    if env in ("", [], {}):
        raise DeclarationError("an empty value is not sent to PVE; to clear it, use delete: [env].", option="env")
    kind = LXC_KINDS["env"]
    try:
        fault = kind.fault(kind.canon(env))
    except SpellingError as error:
        raise DeclarationError(f"{error}.", option="env") from None
    if fault:
        raise DeclarationError(f"{fault}.", option="env")


def _check_sizes(declaration: Declaration) -> None:
    """``storage:8,size=9G`` says two sizes; PVE would take the first and forget the second."""
    for key, value in declaration.values.items():
        kind = kind_of(key) if MOUNT_KEY.fullmatch(key) else None
        if kind is None or not value:
            continue
        try:
            mount = kind.canon(value)
        except SpellingError:
            continue
        volume = parse_volume(str(mount.get("volume", "")))
        if volume.kind == "new" and mount.get("size", volume.size) != volume.size:
            raise DeclarationError("names two sizes, by storage:GiB and by size=; keep one of the two.", option=key)
        if volume.kind == "new" and not volume.size:
            raise DeclarationError("storage:GiB must be at least 1 MiB.", option=key)


def _check_node_options(declaration: Declaration) -> None:
    for option, pattern, what in (
        ("detach", r"mp(0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])", "mp0 to mp255"),
        ("absent_allow_unused", r"unused\d+", "keys such as unused0"),
    ):
        for name in declaration.extras.get(option) or ():
            if not re.fullmatch(pattern, str(name)):
                raise DeclarationError(f"takes only {what}.", option=option)
    password = declaration.extras.get("password")
    if password is not None and len(str(password)) < 5:
        raise DeclarationError("PVE wants at least 5 characters.", option="password")


def _check_expected(family: Family, declaration: Declaration) -> None:
    identity = declaration.extras.get("identity")
    if not isinstance(identity, t.Mapping):
        return
    kinds = {name: key.kind for name, key in family.keys.items()}
    for key, value in identity.items():
        if key == "vmid":
            if value not in (None, "") and str(value) != str(declaration.ident["vmid"]):
                raise DeclarationError("vmid is not the vmid of this task.", option="identity")
            continue
        if value in (None, ""):
            continue
        try:
            mark = expected_mark(kinds, str(key), value)
        except SpellingError as error:
            raise DeclarationError(f"{key}: {error}.", option="identity") from None
        if not mark:
            raise DeclarationError(f"{key}: the value holds nothing that identifies a guest.", option="identity")
