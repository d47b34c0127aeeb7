# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All objects of some families, listed and read side by side. What could not be read is told, never dropped."""

from __future__ import annotations

import functools
import re
import typing as t
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ..errors import ApiError, HomeflareError
from ..wire.kind import SpellingError
from . import export
from .export import Exported, Ident
from .family import Family, Live, Reader
from .index import Index, Wishes
from .read import read, rows_of, unknown_row
from .sight import sees_all
from .steps import fill

ReaderOf = t.Callable[[Family], Reader]
Row = t.Mapping[str, t.Any]
#: Which objects are asked for.
Choose = t.Callable[[Family, Ident], bool]


@dataclass(frozen=True, order=True)
class Gap:
    """Something that could not be told. ``name`` is empty where it is the whole family, ``key`` where the object."""

    family: str
    name: str
    key: str
    why: str

    def told(self) -> dict[str, str | None]:
        return {"family": self.family, "name": self.name or None, "key": self.key or None, "why": self.why}


@dataclass
class Census:
    """``resources`` are in the order of needs; the rest says what is not among them."""

    resources: list[dict[str, t.Any]] = field(default_factory=list)
    unseen: list[Gap] = field(default_factory=list)
    unread: list[Gap] = field(default_factory=list)
    obstacles: list[Gap] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Page:
    """One list to ask for, under a row of another where the index says so."""

    family: Family
    index: Index
    outer: Row = field(default_factory=dict)


@dataclass
class _Listed:
    found: list[tuple[Family, Ident]] = field(default_factory=list)
    skipped: list[tuple[Family, Ident]] = field(default_factory=list)
    unseen: list[Gap] = field(default_factory=list)
    unread: list[Gap] = field(default_factory=list)


def take(families: t.Sequence[Family], reader_of: ReaderOf, *, parallel: int, choose: Choose, wishes: Wishes) -> Census:
    """The census of these families."""
    census = Census()
    with ThreadPoolExecutor(max_workers=max(1, parallel)) as pool:
        listed = _all_lists(families, reader_of, pool)
        found = _distinct(listed.found, choose)
        ordered = export.in_order(found, families)
        tell = functools.partial(_told, reader_of=reader_of, wishes=wishes)
        for (family, ident), exported in zip(ordered, pool.map(tell, ordered), strict=True):
            _enter(census, family, ident, exported)
    census.unseen = sorted(set(listed.unseen))
    census.unread = sorted({*listed.unread, *census.unread})
    for family, ident in export.in_order(_distinct(listed.skipped, choose), families):
        census.skipped.setdefault(family.name, []).append(family.handle(ident))
    return census


def _distinct(objects: t.Iterable[tuple[Family, Ident]], choose: Choose) -> list[tuple[Family, Ident]]:
    named = {(family.name, family.handle(ident)): (family, ident) for family, ident in objects}
    return [pair for pair in named.values() if choose(*pair)]


def _enter(census: Census, family: Family, ident: Ident, exported: Exported | HomeflareError) -> None:
    name = family.handle(ident)
    if isinstance(exported, HomeflareError):
        census.unread.append(Gap(family.name, name, "", str(exported)))
        return
    census.unread += [Gap(family.name, name, key or "", why) for key, why in exported.left_out]
    if exported.options is not None:
        census.resources.append({family.name: exported.options})
        census.obstacles += [Gap(family.name, name, "", why) for why in exported.obstacles]


# ---- lists


def _all_lists(families: t.Sequence[Family], reader_of: ReaderOf, pool: ThreadPoolExecutor) -> _Listed:
    """The lists that stand under rows of another come after it, all at once as well."""
    total = _Listed()
    pages = [_Page(family, index) for family in families for index in family.index]
    inner: list[_Page] = []
    outer = [page for page in pages if page.index.under]
    for page, rows in zip(outer, pool.map(functools.partial(_outer_rows, reader_of=reader_of), outer), strict=True):
        if isinstance(rows, HomeflareError):
            _fail(total, page, rows)
        else:
            inner += [_Page(page.family, page.index, row) for row in rows]
    flat = [page for page in pages if not page.index.under]
    for part in pool.map(functools.partial(_one_list, reader_of=reader_of), [*flat, *inner]):
        for name in ("found", "skipped", "unseen", "unread"):
            getattr(total, name).extend(getattr(part, name))
    for page in pages:
        _look(total, page, reader_of)
    return total


def _outer_rows(page: _Page, reader_of: ReaderOf) -> list[Row] | HomeflareError:
    index = page.index.under
    if index is None:
        return []
    try:
        rows = rows_of(reader_of(page.family), index.path, dict(index.query) or None)
    except HomeflareError as error:
        return error
    return [row for row in rows if _fits(row, index.where)]


def _one_list(page: _Page, reader_of: ReaderOf) -> _Listed:
    listed, index = _Listed(), page.index
    try:
        path = _path(page)
        found = rows_of(reader_of(page.family), path, dict(index.query) or None)
        rows = [{**page.outer, **row} for row in found]
        if index.inside:
            rows = [{**row, **inner} for row in rows for inner in _inner(row, index.inside, path)]
    except HomeflareError as error:
        _fail(listed, page, error)
        return listed
    for row in rows:
        _sort(listed, page, row)
    return listed


def _path(page: _Page) -> str:
    try:
        return fill(page.index.path, page.outer)
    except KeyError as error:
        raise unknown_row(page.index.under.path if page.index.under else page.index.path, str(error.args[0])) from None


def _inner(row: Row, name: str, path: str) -> list[Row]:
    found = row.get(name) or []
    if not isinstance(found, list) or not all(isinstance(inner, dict) for inner in found):
        raise unknown_row(path, name)
    return found


def _sort(listed: _Listed, page: _Page, row: Row) -> None:
    index, family = page.index, page.family
    if not _fits(row, index.where):
        return
    try:
        ident = _ident(family, {**(index.under.columns if index.under else {}), **index.columns}, row)
    except SpellingError as error:
        listed.unread.append(
            Gap(family.name, "", "", f"GET {index.path} lists a name that is no {family.noun}'s: {error}")
        )
        return
    skipped = any(_matches(row, column, pattern) for column, pattern in index.skip.items())
    (listed.skipped if skipped else listed.found).append((family, ident))


def _ident(family: Family, columns: t.Mapping[str, str], row: Row) -> Ident:
    named: dict[str, str] = {}
    for name, kind in family.identity.items():
        if name in columns:
            canon = kind.canon(row.get(columns[name]))
            fault = kind.fault(canon)
            if fault:
                raise SpellingError(f"{name} {fault}")
            named[name] = str(kind.form(canon))
    return named


def _fits(row: Row, where: t.Mapping[str, str]) -> bool:
    return all(_matches(row, column, pattern) for column, pattern in where.items())


def _matches(row: Row, column: str, pattern: str) -> bool:
    value = row.get(column)
    text = "1" if value is True else str(value)
    return value is not None and re.fullmatch(pattern, text) is not None


def _fail(listed: _Listed, page: _Page, error: HomeflareError) -> None:
    lacks = isinstance(error, ApiError) and error.status == 403
    (listed.unseen if lacks else listed.unread).append(Gap(page.family.name, "", "", str(error)))


def _look(listed: _Listed, page: _Page, reader_of: ReaderOf) -> None:
    """Whether the lists that leave out what the credential may not see were whole."""
    for sight, path in ((index.sight, index.path) for index in (page.index, page.index.under) if index):
        if sight is None:
            continue
        try:
            seen = sees_all(sight, reader_of(page.family))
        except HomeflareError as error:
            _fail(listed, page, error)
            continue
        if not seen:
            needed, where = " or ".join(sight.privileges), " and below" if sight.below else ""
            why = (
                f"GET {path} leaves out what this credential may not see; to see all it needs {needed} on "
                f"{sight.path}{where}."
            )
            listed.unseen.append(Gap(page.family.name, "", "", why))


# ---- objects


def _told(pair: tuple[Family, Ident], *, reader_of: ReaderOf, wishes: Wishes) -> Exported | HomeflareError:
    family, ident = pair
    try:
        live = read(family, export.probe(family, ident), reader_of(family))
        if not live.present:
            return HomeflareError(_why_absent(live))
        return export.declared(family, ident, live, wishes)
    except HomeflareError as error:
        return error


def _why_absent(live: Live) -> str:
    refusals = live.facts.get("refusals") or ()
    return " ".join(refusal.msg for refusal in refusals) or "It was listed, and when it was read it was gone."
