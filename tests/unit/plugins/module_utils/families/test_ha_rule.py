# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HA rules: what goes along with every update, affinity by type and version, flags and comments as PVE stores them."""

from __future__ import annotations

import typing as t
from urllib.parse import unquote

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import Outcome, converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.ha_rule import HA_RULE, DecodedText
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error
from hypothesis import given
from hypothesis import strategies as st

PATH = "cluster/ha/rules/r1"
ABSENT = error(500, "no such ha rule 'r1'")
NODE = {"type": "node-affinity", "resources": "ct:100", "nodes": "pve1:2,pve2"}
AWAY = {"type": "resource-affinity", "resources": "ct:100,ct:101", "affinity": "negative"}


def run(expect: list[t.Any], **params: t.Any) -> Outcome:
    wanted = declaration_of(HA_RULE, {"rule": "r1", **params})
    script = Script(expect)
    outcome = converge(HA_RULE, wanted, script, check_mode=False)
    script.done()
    return outcome


def read(live: t.Any, **more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    if isinstance(live, Exception):
        return ("GET", PATH, None, live)
    return ("GET", PATH, None, {"rule": "r1", "order": 1, "digest": "d1", **live, **more})


def put(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", PATH, {**form, "digest": "d1"}, None)


def post(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("POST", "cluster/ha/rules", {"rule": "r1", **form}, None)


def test_sets_have_no_order_and_priority_zero_is_none() -> None:
    run([read(NODE)], type="node-affinity", resources=["ct:100"], nodes=["pve2:0", "pve1:02"])
    run([read(AWAY)], resources=["ct:101", "ct:100"])


def test_order_and_errors_are_never_compared() -> None:
    run([read(NODE, errors={"nodes": "x"}, order=7)], nodes=["pve1:2", "pve2"])


def test_type_resources_and_nodes_go_along_with_every_update() -> None:
    outcome = run([read(NODE), put(**NODE, strict="1"), read(NODE, strict=1)], strict=True)
    assert [item.key for item in outcome.judgement.drift] == ["strict"]
    run(
        [read(AWAY), put(type=AWAY["type"], resources=AWAY["resources"], comment="x"), read(AWAY, comment="x")],
        comment="x",
    )


def test_a_change_of_type_is_refused_with_the_way_out() -> None:
    with pytest.raises(RefusedError, match=r"type is fixed at creation.*delete the object and create it anew"):
        run([read(NODE)], type="resource-affinity", resources=["ct:100", "ct:101"], affinity="negative")


def test_a_key_of_the_other_type_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"^strict: is not a key of type resource-affinity"):
        run([], type="resource-affinity", strict=True)
    with pytest.raises(RefusedError, match="which has no nodes"):
        run([read(AWAY)], nodes=["pve1"])


def test_positive_node_affinity_is_never_said_to_a_pve_that_may_not_know_it() -> None:
    run([read(NODE)], affinity="positive")
    run([read(ABSENT), post(**NODE), read(NODE)], **{**NODE, "nodes": ["pve1:2", "pve2"]}, affinity="positive")


def test_negative_node_affinity_is_sent_and_taken_back_where_the_rule_carries_it() -> None:
    run([read(NODE), put(**NODE, affinity="negative"), read(NODE, affinity="negative")], affinity="negative")
    run(
        [read(NODE, affinity="negative"), put(**NODE, affinity="positive"), read(NODE, affinity="positive")],
        affinity="positive",
    )


def test_resource_affinity_is_said_and_needed() -> None:
    form = {"type": "resource-affinity", "resources": "ct:100,ct:101"}
    alike = {**form, "affinity": "positive"}
    run([read(ABSENT), post(**alike), read(alike)], **alike)
    with pytest.raises(RefusedError, match="creating it needs affinity"):
        run([read(ABSENT)], **form)


def test_disable_is_cleared_by_name_because_pve_drops_a_false_one() -> None:
    run([read(NODE, disable=1), put(**NODE, delete="disable"), read(NODE)], disable=False)
    run([read(NODE), put(**NODE, disable="1"), read(NODE, disable=1)], disable=True)
    run([read(ABSENT), post(**NODE), read(NODE)], **NODE, disable=False)


def test_strict_false_is_sent_as_it_is() -> None:
    run([read(NODE, strict=1), put(**NODE, strict="0"), read(NODE, strict=0)], strict=False)


def test_exact_clears_what_may_be_cleared_and_only_that() -> None:
    run(
        [read(NODE, strict=1, comment="x", affinity="negative"), put(**NODE, delete="strict,comment"), read(NODE)],
        exact=True,
    )


def test_a_comment_is_sent_percent_encoded_because_pve_decodes_it() -> None:
    run(
        [read(NODE), put(**NODE, comment="50%25 off%3A %25A1 %E2%82%AC"), read(NODE, comment="50% off: %A1 \u20ac")],
        comment="50% off: %A1 \u20ac",
    )


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_what_pve_decodes_is_what_was_declared(text: str) -> None:
    sent = DecodedText().form(text)
    assert isinstance(sent, str)
    assert sent.isascii()
    assert unquote(sent) == text


def test_deleting_is_one_call_and_absent_is_fine() -> None:
    run([read(NODE), ("DELETE", PATH, {}, None), read(ABSENT)], state="absent")
    run([read(ABSENT)], state="absent")


@pytest.mark.parametrize("failure", [error(403, "Permission check failed (/, Sys.Audit)"), error(595), error(500, "x")])
def test_a_failed_read_is_no_absence(failure: ApiError) -> None:
    with pytest.raises(ApiError):
        run([read(failure)], **NODE)


@pytest.mark.parametrize(
    "params",
    [
        {"resources": ["100"]},
        {"resources": ["ct:100"], "type": "resource-affinity", "affinity": "positive"},
        {"nodes": ["pve1:high"]},
        {"nodes": ["pve1", "pve1:2"]},
        {"nodes": ["-pve"]},
        {"comment": "%" * 1400},
        {"rule": "1r"},
        {"affinity": "none"},
    ],
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)


def test_what_is_required_cannot_be_cleared() -> None:
    with pytest.raises(DeclarationError, match=r"^nodes: PVE does not let this key be deleted"):
        run([], delete=["nodes"])
