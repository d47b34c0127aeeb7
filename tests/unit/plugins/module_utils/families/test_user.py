# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users: minimal updates, groups as a set, secrets that are never compared or shown."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.user import USER
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

ITEM = "access/users/bob@pve"
ABSENT = ("GET", ITEM, None, error(500, "no such user ('bob@pve')"))
REALMS = ("GET", "access/domains", None, [{"realm": "pve", "type": "pve"}, {"realm": "corp", "type": "ldap"}])
TOKENS = {"a": {"expire": 0, "privsep": 1}, "b": {"expire": 0, "privsep": 0}}


def run(expect: list[t.Any], **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(USER, {"userid": "bob@pve", **params})
    script = Script(expect)
    outcome = converge(USER, wanted, script, check_mode=False)
    script.done()
    result = outcome.result(USER, wanted, diff_values=True)
    return {**result, "warnings": outcome.progress.warnings}


def read(**more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", ITEM, None, {"enable": 1, "expire": 0, "groups": [], "tokens": None, **more})


def put(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", ITEM, form, None)


@pytest.mark.parametrize("groups", [["b", "a"], "b,a", "a b", "b;a", ["a", "b", "a"]])
@pytest.mark.parametrize("live", [["a", "b"], "a,b"])
def test_c11_groups_are_a_set_and_tokens_are_never_touched(groups: t.Any, live: t.Any) -> None:
    assert not run([read(groups=live, tokens=TOKENS)], groups=groups)["changed"]


def test_c11_a_change_of_the_user_sends_no_token() -> None:
    run([read(tokens=TOKENS, comment="o"), put(comment="n"), read(tokens=TOKENS, comment="n")], comment="n")


def test_groups_replace_as_a_whole_and_are_emptied_by_an_empty_text() -> None:
    run([read(groups=["a", "c"]), put(groups="a,b"), read(groups=["a", "b"])], groups=["b", "a"])
    run([read(groups=["a"]), put(groups=""), read()], groups=[])


@pytest.mark.parametrize("key", ["firstname", "lastname", "email", "comment"])
def test_texts_are_cleared_by_an_empty_text_and_zero_is_none(key: str) -> None:
    run([read(**{key: "x@y"}), put(**{key: ""}), read()], delete=[key])
    if key != "email":
        assert not run([read()], **{key: "0"})["changed"]


def test_enable_and_expire_are_sent_as_numbers_and_equal_their_defaults() -> None:
    assert not run([read()], enable=True, expire=0)["changed"]
    assert not run([read()], enable="yes", expire="0")["changed"]
    run([read(), put(enable="0", expire="9"), read(enable=0, expire=9)], enable=False, expire=9)


def test_exact_clears_what_is_not_declared() -> None:
    live = read(comment="c", groups=["a"], email="a@b.example")
    run([live, put(comment="", groups=""), read(email="a@b.example")], email="a@b.example", exact=True)


def test_a_password_goes_with_the_creation_and_is_never_shown_or_sent_again() -> None:
    post = ("POST", "access/users", {"userid": "bob@pve", "password": "correct horse"}, None)
    result = run([ABSENT, REALMS, post, read()], password="correct horse")
    assert "correct horse" not in repr(result)
    assert not run([read()], password="correct horse")["changed"]


def test_a_password_in_a_realm_that_stores_none_is_refused() -> None:
    absent = ("GET", "access/users/bob@corp", None, error(500, "no such user ('bob@corp')"))
    with pytest.raises(RefusedError, match="realm corp is of type ldap and stores no passwords"):
        run([absent, REALMS], userid="bob@corp", password="correct horse")


def test_a_realm_that_is_not_there_is_a_note_because_a_plan_may_create_it() -> None:
    absent = ("GET", "access/users/bob@new", None, error(500, "no such user ('bob@new')"))
    post = ("POST", "access/users", {"userid": "bob@new"}, None)
    live = ("GET", "access/users/bob@new", None, read()[3])
    assert run([absent, REALMS, post, live], userid="bob@new")["warnings"] == [
        "User bob@new: there is no realm new yet."
    ]


def test_second_factor_keys_are_compared_and_never_shown() -> None:
    assert not run([read(keys="x!abc")], keys="x!abc")["changed"]
    result = run([read(keys="x!abc"), put(keys="x!def"), read(keys="x!def")], keys="x!def")
    assert result["drift"] == ["keys"]
    assert "x!" not in repr(result)


def test_root_is_left_alone() -> None:
    live = ("GET", "access/users/root@pam", None, read(comment="c")[3])
    assert not run([live], userid="root@pam", comment="c")["changed"]
    with pytest.raises(RefusedError, match="root@pam is PVE's own"):
        run([live], userid="root@pam", comment="d")
    with pytest.raises(RefusedError, match="root@pam is PVE's own"):
        run([live], userid="root@pam", state="absent", confirm_destroy="root@pam")


def test_a_user_is_deleted_only_by_its_name() -> None:
    with pytest.raises(RefusedError, match='confirm_destroy: "bob@pve"'):
        run([read()], state="absent")
    run([read(), ("DELETE", ITEM, {}, None), ABSENT], state="absent", confirm_destroy="bob@pve")
    assert not run([ABSENT], state="absent")["changed"]


@pytest.mark.parametrize("status", [401, 403, 500, 595])
def test_a_failed_read_is_no_absent_user(status: int) -> None:
    with pytest.raises(ApiError):
        run([("GET", ITEM, None, error(status, "no such thing"))])


@pytest.mark.parametrize(
    "params",
    [
        {"userid": "bob"},
        {"userid": "a b@pve"},
        {"userid": f"{'a' * 61}@pve"},
        {"email": "nobody"},
        {"comment": "x" * 2049},
        {"expire": -1},
        {"password": "short"},
        {"keys": "no spaces"},
        {"groups": ["a b/"]},
    ],
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: ") as caught:
        run([], **params)
    assert "short" not in str(caught.value)


def test_what_pve_does_not_let_go_is_not_cleared() -> None:
    for key in ("enable", "expire", "password"):
        with pytest.raises(DeclarationError, match="give it a value instead"):
            run([], delete=[key])
