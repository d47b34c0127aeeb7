# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ACL rows: one binding or a set, what an empty answer proves, the order of writes, lockouts."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    DeclarationError,
    NotStoredError,
    RefusedError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.acl import ACL
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

ONE = {"path": "/vms", "type": "group", "ugid": "ops", "roleid": "PVEAuditor"}
PUT = ("PUT", "access/acl")


def row(
    ugid: str = "ops", roleid: str = "PVEAuditor", *, path: str = "/vms", type: str = "group", propagate: int = 1
) -> dict[str, t.Any]:
    return {"path": path, "type": type, "ugid": ugid, "roleid": roleid, "propagate": propagate}


ELSEWHERE = row(path="/vms/100")


def read(*rows: dict[str, t.Any]) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", "access/acl", None, [ELSEWHERE, *rows])


def held(path: str, *privs: str) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", "access/permissions", {"path": path}, {path: dict.fromkeys(privs, 0)})


AUDITOR = held("/access", "Sys.Audit")
ROLES = (
    "GET",
    "access/roles",
    None,
    [{"roleid": "Keeper", "privs": "Permissions.Modify,VM.Audit"}, {"roleid": "PVEAuditor", "privs": "VM.Audit"}],
)


def add(roles: str, propagate: str = "1", path: str = "/vms", **subjects: str) -> tuple[str, str, t.Any, t.Any]:
    return (*PUT, {"path": path, "roles": roles, **subjects, "propagate": propagate}, None)


def remove(roles: str, path: str = "/vms", **subjects: str) -> tuple[str, str, t.Any, t.Any]:
    return (*PUT, {"path": path, "roles": roles, **subjects, "delete": "1"}, None)


def run(expect: list[t.Any], *, check_mode: bool = False, **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(ACL, params)
    script = Script(expect, read_only=check_mode)
    outcome = converge(ACL, wanted, script, check_mode=check_mode)
    script.done()
    return outcome.result(ACL, wanted, diff_values=True)


# one binding


@pytest.mark.parametrize("path", ["/vms", "vms", "/vms/", "//vms", "vms/"])
def test_an_equal_binding_costs_one_get_in_any_spelling_of_its_path(path: str) -> None:
    assert not run([read(row())], **{**ONE, "path": path}, propagate=True)["changed"]
    assert not run([read(row())], **{**ONE, "path": path})["changed"]


@pytest.mark.parametrize(("declared", "live"), [(False, 1), (True, 0)])
def test_c12_another_propagate_is_different_and_one_put(declared: bool, live: int) -> None:
    want = str(int(declared))
    changed = [read(row(propagate=live)), add("PVEAuditor", want, groups="ops"), read(row(propagate=int(declared)))]
    result = run(changed, **ONE, propagate=declared)
    assert (result["action"], result["drift"]) == ("update", ["propagate"])


def test_propagate_that_is_not_declared_is_not_compared() -> None:
    assert not run([read(row(propagate=0))], **ONE)["changed"]


@pytest.mark.parametrize(
    ("kind", "ugid", "many"),
    [("user", "a@pve", "users"), ("group", "ops", "groups"), ("token", "a@pve!t1", "tokens")],
)
def test_a_binding_is_added_for_each_type_of_subject(kind: str, ugid: str, many: str) -> None:
    one = {**ONE, "type": kind, "ugid": ugid}
    new = row(ugid, type=kind)
    assert run([read(row("x")), add("PVEAuditor", **{many: ugid}), read(new)], **one)["action"] == "create"


def test_other_roles_and_other_subjects_are_other_bindings() -> None:
    others = [row("ops", "PVEAdmin"), row("dev"), row("ops", type="user"), row("OPS")]
    run([read(*others), add("PVEAuditor", groups="ops"), read(row(), *others)], **ONE)


def test_a_role_that_was_not_added_is_a_failure() -> None:
    with pytest.raises(NotStoredError):
        run([read(row("x")), add("PVEAuditor", groups="ops"), read(row("x"))], **ONE)


def test_removing_a_binding() -> None:
    result = run([read(row(), row("x")), remove("PVEAuditor", groups="ops"), read(row("x"))], **ONE, state="absent")
    assert result["action"] == "delete"
    assert not run([read(row("x"))], **ONE, state="absent")["changed"]


@pytest.mark.parametrize(
    "text",
    [
        "ACL update failed: group 'ops' does not exist",
        "ACL update failed: role 'PVEAuditor' does not exist",
        "ACL update failed: no such token 't1' for user 'a@pve'",
    ],
)
def test_removing_from_who_is_gone_is_done(text: str) -> None:
    gone = (*remove("PVEAuditor", groups="ops")[:3], error(500, text))
    assert run([read(row(), row("x")), gone, read(row("x"))], **ONE, state="absent")["changed"]
    with pytest.raises(NotStoredError):
        run([read(row(), row("x")), gone, read(row(), row("x"))], **ONE, state="absent")


def test_adding_for_who_is_not_there_is_pves_error() -> None:
    failed = (*add("PVEAuditor", groups="ops")[:3], error(500, "ACL update failed: group 'ops' does not exist"))
    with pytest.raises(ApiError, match="group 'ops' does not exist"):
        run([read(row("x")), failed], **ONE)


# what an empty answer proves


def test_an_empty_answer_is_believed_of_an_auditor() -> None:
    run([read(), AUDITOR, add("PVEAuditor", groups="ops"), read(row())], **ONE)
    assert not run([read(), AUDITOR], **ONE, state="absent")["changed"]
    assert run([read(), AUDITOR], **ONE, check_mode=True)["action"] == "create"


@pytest.mark.parametrize(
    ("path", "priv"),
    [
        ("/vms/100", "Permissions.Modify"),
        ("/vms/100", "VM.Allocate"),
        ("/storage/tank", "Datastore.Allocate"),
        ("/pool/house", "Pool.Allocate"),
        ("/pool/house/cellar", "Pool.Allocate"),
        ("/vms", "Permissions.Modify"),
    ],
)
def test_an_empty_answer_is_believed_of_who_may_change_the_path(path: str, priv: str) -> None:
    rows = ("GET", "access/acl", None, [])
    seen = [rows, held("/access"), held(path, "VM.Audit", priv)]
    assert not run(seen, **{**ONE, "path": path}, state="absent")["changed"]


@pytest.mark.parametrize("params", [{}, {"state": "absent"}])
@pytest.mark.parametrize(("path", "priv"), [("/vms", "VM.Allocate"), ("/vms/100", "Pool.Allocate"), ("/", "VM.Audit")])
def test_an_empty_answer_to_who_may_not_see_is_no_answer(path: str, priv: str, params: dict[str, t.Any]) -> None:
    blind = [("GET", "access/acl", None, []), held("/access", "Pool.Audit"), held(path, priv)]
    with pytest.raises(RefusedError, match=r"may not see the rows .* Sys\.Audit on /access"):
        run([*blind], **{**ONE, "path": path}, **params)
    with pytest.raises(RefusedError, match="may not see the rows"):
        run([*blind], path=path, bindings=[], exact=True)


def test_a_visible_row_proves_its_path() -> None:
    assert run([read(row("x"))], **ONE, check_mode=True)["action"] == "create"


@pytest.mark.parametrize("status", [401, 403, 500, 595])
def test_a_failed_read_is_no_empty_answer(status: int) -> None:
    with pytest.raises(ApiError):
        run([("GET", "access/acl", None, error(status, "no"))], **ONE)
    with pytest.raises(ApiError):
        run([read(), ("GET", "access/permissions", {"path": "/access"}, error(status, "no"))], **ONE)


# a set


def binding(ugid: str, roleid: str = "PVEAuditor", type: str = "group", **more: t.Any) -> dict[str, t.Any]:
    return {"type": type, "ugid": ugid, "roleid": roleid, **more}


def test_an_equal_set_is_equal_in_any_order() -> None:
    want = [binding("b"), binding("a", propagate=False), binding("b")]
    assert not run([read(row("a", propagate=0), row("b"))], path="/vms", bindings=want, exact=True)["changed"]


def test_a_set_adds_first_and_then_removes() -> None:
    want = [binding("b"), binding("a", "PVEAdmin")]
    expect = [
        read(row("a"), row("b")),
        add("PVEAdmin", groups="a"),
        remove("PVEAuditor", groups="a"),
        read(row("a", "PVEAdmin"), row("b")),
    ]
    result = run(expect, path="/vms", bindings=want, exact=True)
    assert (result["action"], result["drift"]) == ("update", ["bindings"])


def test_only_subjects_with_the_same_roles_share_a_put() -> None:
    want = [
        binding("a"),
        binding("a", "PVEAdmin"),
        binding("u@pve", type="user"),
        binding("u@pve", "PVEAdmin", type="user"),
        binding("b"),
        binding("c", propagate=False),
    ]
    after = [
        row("a"),
        row("a", "PVEAdmin"),
        row("u@pve", type="user"),
        row("u@pve", "PVEAdmin", type="user"),
        row("b"),
        row("c", propagate=0),
    ]
    expect = [
        read(),
        AUDITOR,
        add("PVEAdmin,PVEAuditor", groups="a", users="u@pve"),
        add("PVEAuditor", groups="b"),
        add("PVEAuditor", "0", groups="c"),
        read(*after),
    ]
    run(expect, path="/vms", bindings=want, exact=True)


def test_a_set_that_is_not_exact_leaves_other_rows_alone() -> None:
    assert not run([read(row("a"), row("x"))], path="/vms", bindings=[binding("a")], exact=False)["changed"]
    expect = [read(row("x")), add("PVEAuditor", groups="a"), read(row("x"), row("a"))]
    run(expect, path="/vms", bindings=[binding("a")], exact=False)


def test_an_empty_set_removes_every_row_of_the_path_and_no_other() -> None:
    expect = [read(row("a"), row("b", "PVEAdmin")), remove("PVEAuditor", groups="a"), remove("PVEAdmin", groups="b")]
    run([*expect, read(), AUDITOR], path="/vms", bindings=[], exact=True)
    assert not run([read(), AUDITOR], path="/vms", bindings=[], exact=True)["changed"]


def test_another_propagate_in_a_set_is_written_and_not_removed() -> None:
    expect = [read(row("a")), add("PVEAuditor", "0", groups="a"), read(row("a", propagate=0))]
    run(expect, path="/vms", bindings=[binding("a", propagate=False)], exact=True)


# refusals


KEEPER = {"path": "/", "type": "user", "ugid": "u@pve", "roleid": "Keeper"}


@pytest.mark.parametrize("path", ["/", "/access"])
def test_a_row_that_lets_write_rows_is_not_taken_where_it_could_lock_out(path: str) -> None:
    live = read(row("u@pve", "Keeper", type="user", path=path), row("x", path=path))
    for params in ({"state": "absent"}, {"propagate": False}):
        with pytest.raises(RefusedError, match=r"taking Keeper from user u@pve .* allow_self_lockout"):
            run([live, ROLES], **{**KEEPER, "path": path}, **params)
    with pytest.raises(RefusedError, match="allow_self_lockout"):
        run([live, ROLES], path=path, bindings=[binding("x")], exact=True)
    gone = [live, ROLES, remove("Keeper", path=path, users="u@pve"), read(row("x", path=path))]
    run(gone, **{**KEEPER, "path": path}, state="absent", allow_self_lockout=True)


def test_other_rows_of_the_root_go_without_asking() -> None:
    live, left = row("x", path="/"), row("u@pve", "Keeper", type="user", path="/")
    expect = [read(live, left), ROLES, remove("PVEAuditor", path="/", groups="x"), read(left)]
    run(expect, path="/", type="group", ugid="x", roleid="PVEAuditor", state="absent")


@pytest.mark.parametrize("path", ["/bogus", "/vms/abc", "/vms/99", "/pool/a/b/c/d", "/sdn/zones/z/v/0", "/nodes/a/b"])
def test_a_path_that_pve_does_not_know_takes_no_row_and_loses_one(path: str) -> None:
    with pytest.raises(RefusedError, match=f"knows no object path {path}"):
        run([("GET", "access/acl", None, []), AUDITOR], **{**ONE, "path": path})
    live = read(row(path=path), row("x", path=path))
    assert not run([live], **{**ONE, "path": path})["changed"]
    run(
        [live, remove("PVEAuditor", path=path, groups="ops"), read(row("x", path=path))],
        **{**ONE, "path": path},
        state="absent",
    )


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/access/realm/pve",
        "/nodes/pve1",
        "/pool/a/b/c",
        "/sdn/zones/z/v/9",
        "/storage/t",
        "/vms/100",
        "/mapping/pci/x",
    ],
)
def test_paths_that_pve_knows(path: str) -> None:
    run([("GET", "access/acl", None, []), AUDITOR], **{**ONE, "path": path}, check_mode=True)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({**ONE, "type": "user", "ugid": "root@pam"}, "^ugid: .*never stores them"),
        ({**ONE, "type": "user"}, "^ugid: "),
        ({**ONE, "type": "user", "ugid": "a@pve!t"}, "^ugid: a user is named"),
        ({**ONE, "type": "token", "ugid": "a@pve"}, "^ugid: a token is named"),
        ({**ONE, "type": "robot"}, "^type: "),
        ({**ONE, "roleid": "a b"}, "^roleid: "),
        ({**ONE, "path": "/vms/a b"}, "^path: "),
        ({"path": "/vms", "type": "group", "ugid": "ops"}, "^roleid: one binding needs"),
        ({"path": "/vms"}, "^type: one binding needs"),
        ({**ONE, "bindings": []}, "^type: belongs into each of bindings"),
        ({"path": "/vms", "bindings": [], "propagate": True}, "^propagate: belongs"),
        ({"path": "/vms", "bindings": [], "state": "absent"}, "^bindings: is a set as a whole"),
        ({"path": "/vms", "bindings": [binding("root@pam", type="user")]}, "^bindings: .*never stores them"),
        ({"path": "/vms", "bindings": [binding("a", propagate=True), binding("a", propagate=False)]}, "declared twice"),
    ],
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        run([], **params)
