# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HA resources: the default of every key, what moves power, error state, purge, and that ct:100 is not vm:100."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import Outcome, converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.ha_resource import HA_RESOURCE
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

SID = "ct:100"
PATH = f"cluster/ha/resources/{SID}"
ABSENT = error(500, f"no such resource '{SID}'")


def run(expect: list[t.Any], *, check: bool = False, **params: t.Any) -> Outcome:
    wanted = declaration_of(HA_RESOURCE, {"sid": SID, **params})
    script = Script(expect, read_only=check)
    outcome = converge(HA_RESOURCE, wanted, script, check_mode=check)
    script.done()
    return outcome


def read(answer: t.Any = None, **live: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", PATH, None, answer or {"sid": SID, "type": "ct", "digest": "d1", **live})


def guest(status: str = "stopped", **more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    rows = [{"vmid": 100, "type": "lxc", "node": "pve1", "status": status, **more}] if status else []
    return ("GET", "cluster/resources", {"type": "vm"}, rows)


def put(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", PATH, {**form, "digest": "d1"}, None)


def test_declared_defaults_equal_a_resource_that_stores_nothing() -> None:
    outcome = run([read()], hastate="started", failback=True, max_restart=1, max_relocate=1, comment="")
    assert not outcome.judgement.steps


def test_enabled_is_started_on_both_sides() -> None:
    run([read(state="enabled")], hastate="started")
    run([read(state="started")], hastate="enabled")
    run([read()], hastate="enabled")


def test_auto_rebalance_is_sent_only_when_declared() -> None:
    run([read(**{"auto-rebalance": 0})], comment="")
    run(
        [read(), guest(), put(**{"auto-rebalance": "0"}), read(**{"auto-rebalance": 0})],
        auto_rebalance=False,
    )


def test_an_update_carries_what_differs_and_the_digest() -> None:
    outcome = run([read(), guest(), put(failback="0"), read(failback=0)], failback=False, max_restart=1)
    assert [item.key for item in outcome.judgement.drift] == ["failback"]


def test_a_comment_is_cleared_by_name_and_never_by_an_empty_value() -> None:
    run([read(comment="x"), guest(), put(delete="comment"), read()], comment="")


@pytest.mark.parametrize("stored", ["100 \u20ac", "100 \u20ac".encode().decode("latin-1")])
def test_a_comment_is_the_same_read_as_bytes(stored: str) -> None:
    run([read(comment=stored)], comment="100 \u20ac")


def test_a_percent_in_a_comment_is_a_percent() -> None:
    run([read(comment="%41")], comment="%41")
    run([read(comment="A"), guest(), put(comment="%41"), read(comment="%41")], comment="%41")


@pytest.mark.parametrize(
    ("hastate", "status", "verb"),
    [("started", "stopped", "start"), ("stopped", "running", "stop"), ("disabled", "running", "stop")],
)
def test_a_state_that_moves_power_wants_allow_power(hastate: str, status: str, verb: str) -> None:
    other = {"started": "ignored"}.get(hastate, "started")
    with pytest.raises(RefusedError, match=f"would {verb} guest 100 .*allow_power: true"):
        run([read(state=other), guest(status)], hastate=hastate)
    run(
        [read(state=other), guest(status), put(state=hastate), read(state=hastate)],
        hastate=hastate,
        allow_power=True,
    )


@pytest.mark.parametrize(
    ("hastate", "status"), [("started", "running"), ("stopped", "stopped"), ("ignored", "running")]
)
def test_a_state_that_the_guest_has_already_moves_nothing(hastate: str, status: str) -> None:
    other = "disabled" if hastate != "ignored" else "started"
    run([read(state=other), guest(status), put(state=hastate), read(state=hastate)], hastate=hastate)


def test_other_keys_move_no_power_whatever_the_guest_does() -> None:
    run([read(state="started"), guest("stopped"), put(max_restart="3"), read(max_restart=3)], max_restart=3)


def test_clearing_the_state_starts() -> None:
    with pytest.raises(RefusedError, match="would start guest 100"):
        run([read(state="stopped"), guest("stopped")], delete=["hastate"])


def test_a_guest_whose_state_is_unknown_wants_allow_power() -> None:
    with pytest.raises(RefusedError, match="what it does now is unknown"):
        run([read(state="ignored"), guest("unknown")], hastate="stopped")
    with pytest.raises(RefusedError, match="what it does now is unknown"):
        run([read(state="ignored"), guest("")], hastate="stopped")


def test_a_new_resource_starts_a_stopped_guest_unless_it_says_otherwise() -> None:
    with pytest.raises(RefusedError, match="would start guest 100"):
        run([read(ABSENT), guest("stopped")])
    run(
        [
            read(ABSENT),
            guest("stopped"),
            ("POST", "cluster/ha/resources", {"sid": SID, "state": "stopped"}, None),
            read(state="stopped"),
        ],
        hastate="stopped",
    )


def test_an_error_state_is_left_by_disabled_only() -> None:
    with pytest.raises(RefusedError, match=r"error state.*hastate: disabled"):
        run([read(), guest("stopped", hastate="error")], comment="x")
    run(
        [read(), guest("stopped", hastate="error"), put(state="disabled"), read(state="disabled")],
        hastate="disabled",
    )


def test_c13_another_guest_type_under_the_same_number_is_no_match() -> None:
    rows = ("GET", "cluster/resources", {"type": "vm"}, [{"vmid": 100, "type": "qemu", "status": "running"}])
    outcome = run([read(ABSENT), rows], check=True, hastate="stopped")
    assert (outcome.judgement.action, outcome.live.present) == ("create", False)
    assert "guest 100 is a VM" in outcome.progress.warnings[0]
    assert run([read(ABSENT)], state="absent").judgement.action == "none"


def test_a_guest_that_is_not_there_is_a_note_because_a_plan_may_create_it() -> None:
    outcome = run([read(ABSENT), guest("")], check=True)
    assert outcome.judgement.action == "create"
    assert "no such guest is seen" in outcome.progress.warnings[0]


def rules(*members: str) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", "cluster/ha/rules", None, [{"rule": f"r{at}", "resources": each} for at, each in enumerate(members)])


@pytest.mark.parametrize(("purge", "sent"), [(False, "0"), (True, "1")])
def test_a_delete_says_whether_it_purges(purge: bool, sent: str) -> None:
    run(
        [read(), rules("ct:100,ct:101"), ("DELETE", PATH, {"purge": sent}, None), read(ABSENT)],
        state="absent",
        purge=purge,
    )


def test_the_last_member_of_a_rule_is_not_deleted_without_purge() -> None:
    with pytest.raises(RefusedError, match=r"only member of rule r1.*purge: true"):
        run([read(), rules("ct:101,ct:100", "ct:100")], state="absent")
    run(
        [read(), rules("ct:100"), ("DELETE", PATH, {"purge": "1"}, None), read(ABSENT)],
        state="absent",
        purge=True,
    )


@pytest.mark.parametrize("failure", [error(403, "Permission check failed (/, Sys.Audit)"), error(596), error(500, "x")])
def test_a_failed_read_is_no_absence(failure: ApiError) -> None:
    with pytest.raises(ApiError):
        run([read(failure)], hastate="stopped")


@pytest.mark.parametrize(
    "params", [{"sid": "100"}, {"sid": "ct:99"}, {"sid": "lxc:100"}, {"max_restart": -1}, {"hastate": "running"}]
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)
