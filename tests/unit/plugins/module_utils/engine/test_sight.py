# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a credential may see, by what PVE answers about it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.index import Sight
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.sight import held, prove_sight, sees, sees_all
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ServerError
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script


def answer(privileges: t.Any, path: str = "/vms") -> Script:
    return Script([("GET", "access/permissions", {"path": path}, privileges)])


@pytest.mark.parametrize("nothing", [None, [], {}, {"/vms": None}, {"/": {"VM.Audit": 1}}])
def test_an_answer_that_does_not_name_the_path_grants_nothing(nothing: t.Any) -> None:
    assert held("/vms", answer(nothing)) == {}


@pytest.mark.parametrize(("value", "propagates"), [(1, True), ("1", True), (0, False), ("0", False)])
def test_a_privilege_is_held_whether_or_not_it_propagates(value: object, propagates: bool) -> None:
    granted = {"/vms": {"VM.Audit": value}}
    assert held("/vms", answer(granted)) == {"VM.Audit": propagates}
    assert sees("/vms", ("VM.Audit", "VM.Allocate"), answer(granted))
    assert not sees("/vms", ("VM.Allocate",), answer(granted))


@pytest.mark.parametrize(
    ("below", "value", "whole"), [(True, 1, True), (True, 0, False), (False, 1, True), (False, 0, True)]
)
def test_a_list_of_what_lies_below_is_whole_only_by_what_propagates(below: bool, value: int, whole: bool) -> None:
    sight = Sight(path="/vms", privileges=("VM.Audit",), below=below)
    assert sees_all(sight, answer({"/vms": {"VM.Audit": value}})) is whole


def test_what_is_not_listed_is_absent_only_for_who_would_see_it() -> None:
    prove_sight("Guest 100", "cluster/resources", "/vms", ("VM.Audit",), answer({"/vms": {"VM.Audit": 0}}))
    with pytest.raises(ServerError, match=r"Guest 100 .* needs VM\.Audit on /vms\. Nothing is known"):
        prove_sight("Guest 100", "cluster/resources", "/vms", ("VM.Audit",), answer({}))
