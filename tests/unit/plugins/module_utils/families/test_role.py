# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles: exact and additive privileges, what is built in, what is bound."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.role import ROLE
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script

ALL = "Datastore.Audit,Permissions.Modify,Sys.Modify,VM.Allocate,VM.Audit,VM.PowerMgmt"
KEEPER = "Permissions.Modify,Sys.Modify,VM.Audit"


def run(expect: list[t.Any], **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(ROLE, {"roleid": "Ops", "exact": True, **params})
    script = Script(expect)
    outcome = converge(ROLE, wanted, script, check_mode=False)
    script.done()
    return outcome.result(ROLE, wanted, diff_values=True)


def index(privs: str | None = None, *, roleid: str = "Ops", special: int = 0) -> tuple[str, str, t.Any, t.Any]:
    rows = [{"roleid": "Administrator", "special": 1, "privs": ALL}]
    if privs is not None:
        rows.append({"roleid": roleid, "special": special, "privs": privs})
    return ("GET", "access/roles", None, rows)


def bound(*paths: str, roleid: str = "Ops") -> tuple[str, str, t.Any, t.Any]:
    rows = [{"path": path, "type": "group", "ugid": "ops", "roleid": roleid, "propagate": 1} for path in paths]
    return ("GET", "access/acl", None, [*rows, {**rows[0], "roleid": "Other"}] if rows else [])


def put(privs: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", "access/roles/Ops", {"privs": privs}, None)


def test_privileges_are_a_set_in_any_spelling() -> None:
    for spelling in (["VM.Audit", "Datastore.Audit"], "VM.Audit Datastore.Audit", "VM.Audit;Datastore.Audit,VM.Audit"):
        assert not run([index("Datastore.Audit,VM.Audit")], privs=spelling)["changed"]


def test_privileges_replace_as_a_whole() -> None:
    changed = [
        index("VM.Allocate,VM.Audit"),
        index("x"),
        put("Datastore.Audit,VM.Audit"),
        index("Datastore.Audit,VM.Audit"),
    ]
    assert run(changed, privs=["VM.Audit", "Datastore.Audit"])["drift"] == ["privs"]


def test_without_exact_privileges_are_added_and_none_is_taken() -> None:
    assert not run([index("VM.Allocate,VM.Audit")], privs=["VM.Audit"], exact=False)["changed"]
    changed = [index("VM.Allocate"), index("x"), put("VM.Allocate,VM.Audit"), index("VM.Allocate,VM.Audit")]
    run(changed, privs=["VM.Audit"], exact=False)


def test_an_empty_role_is_a_role_and_not_an_absent_one() -> None:
    assert not run([index("")], privs=[])["changed"]
    run([index("VM.Audit"), index("x"), put(""), index("")], privs=[])
    run([index(), index(), ("POST", "access/roles", {"roleid": "Ops"}, None), index("")], privs=[])


def test_what_is_built_in_may_be_declared_as_it_is_and_never_changed() -> None:
    assert not run([index("VM.Audit", roleid="PVEAuditor", special=1)], roleid="PVEAuditor", privs="VM.Audit")[
        "changed"
    ]
    live = index("VM.Audit", roleid="PVEAuditor", special=1)
    with pytest.raises(RefusedError, match=r"PVEAuditor is built in"):
        run([live, live], roleid="PVEAuditor", privs="VM.Allocate")
    with pytest.raises(RefusedError, match=r"PVEAuditor is built in"):
        run([live, bound()], roleid="PVEAuditor", state="absent")


@pytest.mark.parametrize("roleid", ["PVEOps", "pveops"])
def test_names_of_pve_are_not_created(roleid: str) -> None:
    with pytest.raises(RefusedError, match="begin with PVE"):
        run([index(), index()], roleid=roleid, privs="VM.Audit")


def test_a_privilege_that_this_pve_does_not_know_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"knows no privilege VM\.Monitor"):
        run([index("VM.Audit"), index("x")], privs=["VM.Audit", "VM.Monitor"])


def test_a_bound_role_is_deleted_only_by_its_name() -> None:
    with pytest.raises(RefusedError, match=r"still bound at /, /vms"):
        run([index(KEEPER), bound("/vms", "/")], state="absent")
    gone = ("DELETE", "access/roles/Ops", {}, None)
    run([index(KEEPER), bound("/vms"), gone, index()], state="absent", confirm_destroy="Ops")
    run([index(KEEPER), bound(), gone, index()], state="absent")


def test_an_edit_that_could_not_be_taken_back_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"bound at / and would lose Permissions\.Modify, Sys\.Modify"):
        run([index(KEEPER), bound("/", "/vms"), index("x")], privs=["VM.Audit"])
    changed = [index(KEEPER), bound("/"), index("x"), put("VM.Audit"), index("VM.Audit")]
    run(changed, privs=["VM.Audit"], allow_self_lockout=True)
    elsewhere = [index(KEEPER), bound("/vms"), index("x"), put("VM.Audit"), index("VM.Audit")]
    run(elsewhere, privs=["VM.Audit"])


def test_creating_needs_privileges_to_be_declared() -> None:
    with pytest.raises(RefusedError, match="creating it needs privs"):
        run([index()])


@pytest.mark.parametrize("params", [{"roleid": "a b"}, {"privs": ["VM Audit!"]}])
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)
