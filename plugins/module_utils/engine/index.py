# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a family's objects are listed, who sees all of the list, and what an export is asked for."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..wire.kind import Canon


@dataclass(frozen=True, kw_only=True)
class Sight:
    """What a credential needs to see all that a list holds: PVE leaves out the rest without a word.

    below   it counts for what lies below the path, so it has to propagate
    """

    path: str
    privileges: tuple[str, ...]
    below: bool = True


@dataclass(frozen=True, kw_only=True)
class Index:
    """Where the objects of a family are named: a GET whose answer is a list.

    columns  {identity option: column of a row}
    inside   the column of a row that holds the objects, each a row of its own; columns of the outer row count too
    under    an index whose rows fill the ``{column}`` of the path, one GET a row; what it names counts too
    where    {column: pattern}: the rows that are meant, where the list holds others
    skip     {column: pattern}: rows that are PVE's own, or that cannot be managed
    sight    None: whoever may ask sees all
    """

    path: str
    columns: t.Mapping[str, str]
    query: t.Mapping[str, str] = field(default_factory=dict)
    inside: str | None = None
    under: Index | None = None
    where: t.Mapping[str, str] = field(default_factory=dict)
    skip: t.Mapping[str, str] = field(default_factory=dict)
    sight: Sight | None = None


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What an export is asked for.

    generated     also what PVE made up: MACs, volume ids
    descriptions  also descriptions, which may hold anything
    defaults      by family: options that cannot be read and that a creation needs
    templates     by ostype: the template of a container
    """

    generated: bool = False
    descriptions: bool = False
    defaults: t.Mapping[str, t.Mapping[str, t.Any]] = field(default_factory=dict)
    templates: t.Mapping[str, str] = field(default_factory=dict)


#: Canonical values by key -> those to tell, and options beside the keys; None where nothing is left to tell.
Retell = t.Callable[[t.Mapping[str, Canon], Wishes], "tuple[t.Mapping[str, Canon], t.Mapping[str, t.Any]] | None"]


@dataclass(frozen=True, kw_only=True)
class Export:
    """How a family's objects are told.

    probe     values of the declaration with which they are read, where a read depends on what is declared
    standing  {identity option: pattern}: objects that every cluster has, and that nobody creates
    stated    keys that are always told: what a creation fills in is not what absence means
    retell    what is told otherwise than the table says
    """

    probe: t.Mapping[str, t.Any] = field(default_factory=dict)
    standing: t.Mapping[str, str] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    retell: Retell | None = None


BY_TABLE: t.Final = Export()
