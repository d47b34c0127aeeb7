# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The live object, by the table. A failed read is a failure; absent is only what the family's signature says."""

from __future__ import annotations

import typing as t

from ..errors import ApiError, ServerError
from ..wire.kind import Canon, Kind, SpellingError
from .family import Declaration, Family, Live, Reader
from .steps import fill


def read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    """The live object. Raises ApiError, TransportError, or ServerError for an answer of another shape."""
    return (family.read_hook or read_table)(family, declaration, reader)


def read_table(family: Family, declaration: Declaration, reader: Reader) -> Live:
    """One GET as ``Family.read`` says."""
    row = read_row(family, declaration.ident, reader)
    if row is None:
        return Live(present=False)
    return Live(present=True, values=family.shape(row) if family.shape else row)


def read_row(family: Family, ident: t.Mapping[str, t.Any], reader: Reader) -> t.Mapping[str, t.Any] | None:
    """The object's row as PVE gave it, or None when it is absent by the family's signature."""
    source = family.read
    path = fill(source.path, ident)
    query = {name: str(value).format(**ident) for name, value in source.query.items()} or None
    try:
        data = reader.get(path, query, shared=source.shared)
    except ApiError as error:
        if any(absence.matches(error) for absence in source.absence):
            return None
        raise
    if source.rows is None:
        return as_object(data, path)
    return _pick(family, ident, _as_rows(data, path), source.rows, path)


def rows_of(
    reader: Reader, path: str, query: t.Mapping[str, t.Any] | None = None, *, shared: bool = True
) -> list[t.Mapping[str, t.Any]]:
    """The rows of a list. Raises ApiError, TransportError, or ServerError for an answer that is none."""
    return _as_rows(reader.get(path, query, shared=shared), path)


def as_object(data: object, path: str) -> t.Mapping[str, t.Any]:
    """The answer of ``GET path`` as an object. Raises ServerError where it is none."""
    if not isinstance(data, dict):
        raise ServerError(f"GET {path}: the answer is not an object, so nothing is known.", method="GET", path=path)
    return data


def _as_rows(data: object, path: str) -> list[t.Mapping[str, t.Any]]:
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise ServerError(f"GET {path}: the answer is not a list, so nothing is known.", method="GET", path=path)
    return [_Row(row, path) for row in data]


class _Row(dict[str, t.Any]):
    """A row of a list. ``row[name]`` is for a column that PVE always gives: without it the answer is not understood."""

    def __init__(self, row: t.Mapping[str, t.Any], path: str) -> None:
        super().__init__(row)
        self._path = path

    def __getitem__(self, name: str) -> t.Any:
        value = self.get(name)
        if value is None:
            raise unknown_row(self._path, name)
        return value


def unknown_row(path: str, column: str) -> ServerError:
    """A row from which not even the object's name can be told may be any object."""
    return ServerError(
        f"GET {path}: the answer has a row with no usable {column}, so nothing is known.", method="GET", path=path
    )


def _pick(
    family: Family,
    ident: t.Mapping[str, t.Any],
    rows: list[t.Mapping[str, t.Any]],
    names: t.Mapping[str, str],
    path: str,
) -> t.Mapping[str, t.Any] | None:
    """The object's row, or None where every row is another's. Raises ServerError where that cannot be told."""
    wanted = {column: family.identity[name].canon(ident[name]) for name, column in names.items()}
    unnamed: str | None = None
    for row in rows:
        found = {column: _canon(family.identity[name], row.get(column)) for name, column in names.items()}
        if found == wanted:
            return row
        unnamed = next((column for column, canon in found.items() if canon is None), unnamed)
    if unnamed is not None:
        raise unknown_row(path, unnamed)
    return None


def _canon(kind: Kind, value: object) -> Canon | None:
    """None where it is no name."""
    try:
        canon = kind.canon(value)
    except SpellingError:
        return None
    return None if canon == "" else canon
