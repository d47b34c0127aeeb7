# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools: members additive and exact, moves, nesting, deletes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.pool import POOL
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

ABSENT = error(500, "pool 'house' does not exist")
HOUSE = {"poolid": "house"}


def pool(*members: t.Any, comment: str | None = None, poolid: str = "house") -> list[dict[str, t.Any]]:
    rows = [
        {"type": "storage", "storage": name, "id": f"storage/pve1/{name}"}
        if isinstance(name, str)
        else {"type": "lxc", "vmid": name, "id": f"lxc/{name}"}
        for name in members
    ]
    return [{"poolid": poolid, "members": rows, **({"comment": comment} if comment else {})}]


def run(expect: list[t.Any], **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(POOL, {"poolid": "house", "members": "additive", **params})
    script = Script(expect)
    outcome = converge(POOL, wanted, script, check_mode=False)
    script.done()
    return outcome.result(POOL, wanted)


def read(answer: t.Any, poolid: str = "house") -> tuple[str, str, t.Any, t.Any]:
    return ("GET", "pools", {"poolid": poolid}, answer)


def resources(*rows: tuple[int, str | None]) -> tuple[str, str, t.Any, t.Any]:
    found = [{"vmid": vmid, "type": "lxc", **({"pool": name} if name else {})} for vmid, name in rows]
    return ("GET", "cluster/resources", {"type": "vm"}, found)


def test_c14_a_changed_comment_is_one_put_of_the_comment() -> None:
    result = run(
        [read(pool(comment="old")), ("PUT", "pools", {**HOUSE, "comment": "new"}, None), read(pool(comment="new"))],
        comment="new",
    )
    assert result["drift"] == ["comment"]


def test_the_create_form_is_poolid_and_comment_and_members_come_after() -> None:
    run(
        [
            read(ABSENT),
            resources((900, None)),
            ("POST", "pools", {**HOUSE, "comment": "c"}, None),
            ("PUT", "pools", {**HOUSE, "vms": "900", "storage": "tank"}, None),
            read(pool(900, "tank", comment="c")),
        ],
        comment="c",
        vms=[900],
        storage=["tank"],
    )


def test_a_comment_of_zero_is_no_comment() -> None:
    assert not run([read(pool())], comment="0")["changed"]


def test_an_empty_comment_is_cleared_by_an_empty_value() -> None:
    run([read(pool(comment="old")), ("PUT", "pools", {**HOUSE, "comment": ""}, None), read(pool())], comment="")


def test_additive_members_leave_others_alone() -> None:
    assert not run([read(pool(100, 900, "tank"))], vms=[900])["changed"]


def test_exact_members_are_removed_first_and_the_comment_rides_along() -> None:
    run(
        [
            read(pool(100, 101)),
            resources((100, "house"), (102, None)),
            ("PUT", "pools", {**HOUSE, "comment": "c", "vms": "100", "delete": "1"}, None),
            ("PUT", "pools", {**HOUSE, "vms": "102"}, None),
            read(pool(101, 102, comment="c")),
        ],
        comment="c",
        vms=[101, 102],
        members="exact",
    )


def test_a_guest_of_another_pool_is_refused_unless_it_may_move() -> None:
    with pytest.raises(RefusedError, match="guest 900 is in pool barn"):
        run([read(pool()), resources((900, "barn"))], vms=[900])
    run(
        [
            read(pool()),
            resources((900, "barn")),
            ("PUT", "pools", {**HOUSE, "vms": "900", "allow-move": "1"}, None),
            read(pool(900)),
        ],
        vms=[900],
        allow_move=True,
    )


def test_a_missing_parent_is_a_note_because_a_plan_may_create_it() -> None:
    absent = error(500, "pool 'house/cellar' does not exist")
    wanted = declaration_of(POOL, {"poolid": "house/cellar"})
    script = Script([read(absent, "house/cellar"), read(ABSENT)], read_only=True)
    outcome = converge(POOL, wanted, script, check_mode=True)
    assert "its parent house is not there yet" in outcome.progress.warnings[0]
    assert outcome.judgement.action == "create"


def test_a_pool_that_holds_something_is_not_deleted() -> None:
    below = ("GET", "pools", None, [{"poolid": "house"}, {"poolid": "house/cellar"}])
    with pytest.raises(RefusedError, match="still holds 900, tank, house/cellar"):
        run([read(pool(900, "tank")), below], state="absent")


def test_deleting_a_nested_pool_takes_its_acl_rows_along() -> None:
    name = "house/cellar"
    row = {"path": f"/pool/{name}", "type": "group", "ugid": "ops", "roleid": "PVEAdmin", "propagate": 1}
    run(
        [
            read(pool(poolid=name), name),
            ("GET", "pools", None, [{"poolid": name}]),
            ("GET", "access/acl", None, [row, {**row, "path": "/pool/house"}]),
            ("DELETE", "pools", {"poolid": name}, None),
            (
                "PUT",
                "access/acl",
                {"path": f"/pool/{name}", "roles": "PVEAdmin", "groups": "ops", "delete": "1"},
                None,
            ),
            read(error(500, f"pool '{name}' does not exist"), name),
        ],
        poolid=name,
        state="absent",
    )


@pytest.mark.parametrize("params", [{"poolid": "a//b"}, {"poolid": "a/b/c/d"}, {"vms": [99]}, {"storage": ["a b/"]}])
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)


def test_a_guest_that_is_not_seen_is_a_note_because_a_plan_may_create_it() -> None:
    wanted = declaration_of(POOL, {"poolid": "house", "vms": [900, 901]})
    script = Script([read(pool()), resources((900, None))], read_only=True)
    outcome = converge(POOL, wanted, script, check_mode=True)
    assert outcome.progress.warnings == ["Pool house: no guest 901 is seen, and PVE lists only members that are there."]


@pytest.mark.parametrize("poolid", ["123", "_a", "a/1b"])
def test_a_new_pool_starts_with_a_letter_and_one_that_is_there_is_managed(poolid: str) -> None:
    parent = [read(pool(poolid="a"), "a")] if "/" in poolid else []
    with pytest.raises(RefusedError, match="the name of a new pool must start with a letter"):
        run([read(ABSENT, poolid), *parent], poolid=poolid)
    run([read(pool(poolid=poolid), poolid)], poolid=poolid)
