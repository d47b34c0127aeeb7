# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer of another shape is a failure, never an empty list and never an absent object."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.read import as_object, rows_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ServerError
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
