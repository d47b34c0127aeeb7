# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups: a comment, and a delete that takes grants along."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.group import GROUP
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

ITEM = "access/groups/ops"
ABSENT = error(500, "group 'ops' does not exist")


def run(expect: list[t.Any], **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(GROUP, {"groupid": "ops", **params})
    script = Script(expect)
    outcome = converge(GROUP, wanted, script, check_mode=False)
    script.done()
    return outcome.result(GROUP, wanted)


def read(comment: str | None = None, *members: str) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", ITEM, None, {"members": list(members), **({"comment": comment} if comment else {})})


def test_members_are_not_the_groups_business() -> None:
    assert not run([read("c", "b@pve", "a@pve")], comment="c")["changed"]


def test_a_comment_changes_and_is_cleared_by_an_empty_text() -> None:
    run([read("old"), ("PUT", ITEM, {"comment": "new"}, None), read("new")], comment="new")
    run([read("old"), ("PUT", ITEM, {"comment": ""}, None), read()], delete=["comment"])


def test_a_comment_of_zero_is_no_comment() -> None:
    assert not run([read()], comment="0")["changed"]
    run([("GET", ITEM, None, ABSENT), ("POST", "access/groups", {"groupid": "ops"}, None), read()], comment="0")


def test_a_group_is_created_once_even_when_somebody_else_is_faster() -> None:
    taken = error(500, "create group failed: group 'ops' already exists")
    post = ("POST", "access/groups", {"groupid": "ops", "comment": "c"}, taken)
    run([("GET", ITEM, None, ABSENT), post, read("c"), read("c")], comment="c")


def test_a_group_is_deleted_only_by_its_name() -> None:
    with pytest.raises(RefusedError, match='confirm_destroy: "ops"'):
        run([read()], state="absent")
    run([read(), ("DELETE", ITEM, {}, None), ("GET", ITEM, None, ABSENT)], state="absent", confirm_destroy="ops")


def test_a_refused_read_is_no_absent_group() -> None:
    with pytest.raises(ApiError):
        run([("GET", ITEM, None, error(403, "Permission check failed (/access/groups, Sys.Audit)"))])


def test_bad_input_is_refused_before_any_request() -> None:
    with pytest.raises(DeclarationError, match=r"^groupid: "):
        run([], groupid="a b")
