# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API tokens: compared without their secret, never made without a place for it, and minted ones left alone.

Where the secret goes is in front/test_revealed.py.
"""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    DeclarationError,
    HomeflareError,
    RefusedError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.api_token import API_TOKEN
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

USER = "access/users/ops@pve"
TOKEN = f"{USER}/token/deploy"
SINK = {"secret_sink": {"file": "/run/secret"}}
ANSWER = {"full-tokenid": "ops@pve!deploy", "value": "s"}
NO_USER = error(500, "no such user ('ops@pve')")


def run(expect: list[t.Any], *, check_mode: bool = False, **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(API_TOKEN, {"userid": "ops@pve", "tokenid": "deploy", "minted_prefix": "hf-", **params})
    script = Script(expect, read_only=check_mode)
    outcome = converge(API_TOKEN, wanted, script, check_mode=check_mode)
    script.done()
    return {**outcome.result(API_TOKEN, wanted), "warnings": outcome.progress.warnings}


def read(name: str = "deploy", **token: t.Any) -> tuple[str, str, t.Any, t.Any]:
    other = {"other": {"expire": 0, "privsep": 1}}
    return ("GET", USER, None, {"enable": 1, "tokens": {name: {"expire": 0, "privsep": 1, **token}, **other}})


NONE = ("GET", USER, None, {"enable": 1, "tokens": None})


def put(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", TOKEN, form, {"privsep": "1"})


@pytest.mark.parametrize(
    ("declared", "live"),
    [
        ({}, {}),
        ({"comment": "c", "privsep": False}, {"comment": "c", "privsep": 0}),
        ({"comment": ""}, {}),
        ({"comment": "0"}, {}),
        ({"expire": 1999999999}, {"expire": 1999999999}),
        ({"expire": "1999999999"}, {"expire": 1999999999}),
        ({"expire": 0}, {"expire": "0"}),
        ({"privsep": True}, {"privsep": "1"}),
    ],
)
def test_adopting_what_is_equal_is_one_get_and_needs_no_sink(declared: t.Any, live: t.Any) -> None:
    assert not run([read(**live)], **declared)["changed"]


def test_a_flip_of_privsep_sends_privsep_alone() -> None:
    result = run(
        [read(privsep=0, comment="c"), put(privsep="1"), read(comment="c")], comment="c", expire=0, privsep=True
    )
    assert result["drift"] == ["privsep"]
    assert "only what ACL rows of its own give it" in result["warnings"][0]


def test_a_comment_is_cleared_by_an_empty_text() -> None:
    run([read(comment="c"), put(comment=""), read()], delete=["comment"])


@pytest.mark.parametrize("key", ["expire", "privsep"])
def test_only_the_comment_can_be_cleared(key: str) -> None:
    with pytest.raises(DeclarationError, match="give it a value instead"):
        run([], delete=[key])


@pytest.mark.parametrize("live", [NONE, read("another"), ("GET", USER, None, NO_USER)])
def test_a_token_is_not_made_without_a_place_for_its_secret(live: t.Any) -> None:
    for check_mode in (False, True):
        with pytest.raises(RefusedError, match="shows the secret of a new token once; say with secret_sink"):
            run([live], comment="c", check_mode=check_mode)


def test_a_token_is_posted_to_its_own_path_with_its_names_only_there() -> None:
    post = ("POST", TOKEN, {"comment": "c", "expire": "9", "privsep": "0"}, ANSWER)
    run([NONE, post, read(comment="c", expire=9, privsep=0)], comment="c", expire=9, privsep=False, **SINK)


def test_a_user_that_is_not_there_is_a_note_because_a_plan_may_create_it() -> None:
    result = run([("GET", USER, None, NO_USER)], check_mode=True, **SINK)
    assert result["action"] == "create"
    assert "its user is not there yet" in result["warnings"][0]


def test_a_token_that_appeared_meanwhile_is_no_success_because_its_secret_went_elsewhere() -> None:
    taken = error(400, "Parameter verification failed.", {"tokenid": "Token already exists."})
    with pytest.raises(RefusedError, match="appeared after it was read"):
        run([NONE, ("POST", TOKEN, {}, taken)], **SINK)


def test_a_lost_answer_to_a_creation_is_a_failure_even_when_the_token_is_there() -> None:
    with pytest.raises(HomeflareError, match="outcome is unknown"):
        run([NONE, ("POST", TOKEN, {}, error(596, "Connection timed out"))], **SINK)


def test_a_rotation_is_asked_for_by_name_and_needs_a_sink() -> None:
    with pytest.raises(RefusedError, match="rotate needs secret_sink"):
        run([read()], rotate=True)
    plan = run([read()], rotate=True, check_mode=True, **SINK)
    assert (plan["changed"], plan["action"], plan["drift"]) == (True, "update", [])


def test_a_rotation_and_a_drift_are_one_write() -> None:
    changed = [read(), put(comment="c", regenerate="1"), read(comment="c")]
    assert run(changed, comment="c", rotate=True, **SINK)["drift"] == ["comment"]


def test_rotating_what_is_not_there_creates_it_once() -> None:
    run([NONE, ("POST", TOKEN, {}, ANSWER), read()], rotate=True, **SINK)


@pytest.mark.parametrize(
    "params", [{"expire": 9}, {"state": "absent", "confirm_destroy": "ops@pve!hf-x"}, {"rotate": True, **SINK}]
)
def test_minted_tokens_are_left_to_their_engine(params: dict[str, t.Any]) -> None:
    with pytest.raises(RefusedError, match="names that begin with hf- belong to an engine"):
        run([read("hf-x")], tokenid="hf-x", **params)
    assert not run([read("hf-x")], tokenid="hf-x")["changed"]


def test_the_name_of_a_minted_token_is_not_taken() -> None:
    with pytest.raises(RefusedError, match="names that begin with hf- belong to an engine"):
        run([NONE], tokenid="hf-x", **SINK)
    item = f"{USER}/token/hf-x"
    run([NONE, ("POST", item, {}, ANSWER), read("hf-x")], tokenid="hf-x", minted_prefix="", **SINK)


def test_a_token_is_deleted_only_by_its_name() -> None:
    with pytest.raises(RefusedError, match='confirm_destroy: "ops@pve!deploy"'):
        run([read()], state="absent")
    run([read(), ("DELETE", TOKEN, {}, None), NONE], state="absent", confirm_destroy="ops@pve!deploy")
    gone = ("DELETE", TOKEN, {}, error(500, "no such token 'deploy' for user 'ops@pve'"))
    run([read(), gone, NONE], state="absent", confirm_destroy="ops@pve!deploy")
    assert not run([("GET", USER, None, NO_USER)], state="absent")["changed"]


@pytest.mark.parametrize("status", [401, 403, 500, 595])
def test_a_failed_read_is_no_absent_token(status: int) -> None:
    with pytest.raises(ApiError):
        run([("GET", USER, None, error(status, "no"))], **SINK)


@pytest.mark.parametrize("params", [{"userid": "ops"}, {"tokenid": "1st"}, {"tokenid": "a!b"}, {"expire": -1}])
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)
