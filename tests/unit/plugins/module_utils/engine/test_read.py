# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer of another shape is a failure, never an empty list and never an absent object."""

from __future__ import annotations

import typing as t
from dataclasses import replace

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Read
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.read import as_object, read_row, rows_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ServerError
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script


@pytest.mark.parametrize("answer", [None, {}, "rows", ["a"], [{}, None]])
def test_what_is_no_list_of_rows_is_a_failure(answer: t.Any) -> None:
    with pytest.raises(ServerError, match=r"GET pools: the answer is not a list"):
        rows_of(Script([("GET", "pools", None, answer)]), "pools")


@pytest.mark.parametrize("answer", [None, [], "object"])
def test_what_is_no_object_is_a_failure(answer: t.Any) -> None:
    with pytest.raises(ServerError, match=r"GET pools/a: the answer is not an object"):
        as_object(answer, "pools/a")


def test_rows_are_given_as_they_came() -> None:
    rows: list[dict[str, t.Any]] = [{"poolid": "a"}, {}]
    session = Script([("GET", "pools", {"type": "x"}, rows)])
    assert rows_of(session, "pools", {"type": "x"}) == rows
    session.done()


def test_a_row_without_what_pve_always_gives_is_a_failure_in_words() -> None:
    (row,) = rows_of(Script([("GET", "pools", None, [{"poolid": None, "comment": "x"}])]), "pools")
    assert (row["comment"], row.get("poolid"), row.get("vms")) == ("x", None, None)
    for column in ("poolid", "vms"):
        with pytest.raises(ServerError, match=rf"GET pools: the answer has a row with no usable {column}"):
            row[column]


LISTED = replace(PLACE, read=Read(path="places", rows={"id": "id"}))


@pytest.mark.parametrize("odd", [{}, {"id": None}, {"id": []}, {"id": ""}])
def test_a_nameless_row_may_be_the_object_that_was_not_found(odd: dict[str, t.Any]) -> None:
    answer = [odd, {"id": "b", "comment": "x"}]
    assert read_row(LISTED, {"id": "b"}, Script([("GET", "places", None, answer)])) == answer[1]
    with pytest.raises(ServerError, match=r"GET places: the answer has a row with no usable id"):
        read_row(LISTED, {"id": "a"}, Script([("GET", "places", None, answer)]))


def test_an_object_is_absent_when_every_row_has_another_name() -> None:
    assert read_row(LISTED, {"id": "a"}, Script([("GET", "places", None, [{"id": "b"}])])) is None
    assert read_row(LISTED, {"id": "a"}, Script([("GET", "places", None, [])])) is None
