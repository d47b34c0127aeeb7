# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one key of a family is."""

from __future__ import annotations

import enum
import typing as t
from dataclasses import dataclass

from ..wire.kind import Kind


class _Nothing:
    """Equal to no value: an absent key without a default."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: t.Final = _Nothing()


class Clear(enum.Enum):
    """How an endpoint is told to drop a key."""

    DELETE = "delete"  # delete=key
    EMPTY = "empty"  # key= (empty text)
    OMIT = "omit"  # a full replace: left out of the form
    NEVER = "never"  # PVE does not let it go


@dataclass(frozen=True)
class DefaultBy:
    """A default that depends on another live key: ``values`` by that key's value, NOTHING for any other."""

    key: str
    values: t.Mapping[str, object]

    def of(self, live: t.Mapping[str, t.Any]) -> object:
        return self.values.get(str(live.get(self.key)), NOTHING)


@dataclass(frozen=True, kw_only=True)
class Key:
    """One key of a family.

    default      the spelling that an absent live key is equal to; NOTHING where absence equals no value
    create_only  fixed at creation: drift is a refusal; a tuple: for these section types
    required     must be declared to create, and is never cleared; a tuple: for these section types
    resend       goes along with every update, whether it differs or not
    secret       write-only: never read back, never compared
    hidden       compared, but never shown in a result, a diff or a message
    types        the section types that have this key (families with ``selector``); empty means all
    option       name of the option; PVE's key with ``-`` written ``_`` where not given
    live         name of the key in an answer where it differs
    requires     PVE takes this key only together with that one (JSONSchema ``requires``): it then goes along again
    internal     no option: only the family's own judgement asks for it to be cleared
    """

    kind: Kind
    default: object = NOTHING
    clear: Clear = Clear.DELETE
    create_only: bool | tuple[str, ...] = False
    required: bool | tuple[str, ...] = False
    resend: bool = False
    secret: bool = False
    hidden: bool = False
    types: tuple[str, ...] = ()
    option: str | None = None
    live: str | None = None
    requires: str | None = None
    internal: bool = False

    def is_required(self, kind_of_section: str | None) -> bool:
        return _holds_for(self.required, kind_of_section)

    def is_create_only(self, kind_of_section: str | None) -> bool:
        return _holds_for(self.create_only, kind_of_section)

    def option_name(self, key: str) -> str:
        return self.option or key.replace("-", "_")


def _holds_for(said: bool | tuple[str, ...], kind_of_section: str | None) -> bool:
    return kind_of_section in said if isinstance(said, tuple) else said
