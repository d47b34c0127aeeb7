# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgement of a family that is nothing but its table."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import NOTHING, Clear
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.steps import fill
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE
from hypothesis import given
from hypothesis import strategies as st

LIVE = {"type": "house", "server": "a.example", "comment": "old", "groups": "b,a", "digest": "d1"}


def declare(values: t.Mapping[str, t.Any], **more: t.Any) -> Declaration:
    return Declaration(ident={"id": "home"}, values=values, **more)


def live(**changes: t.Any) -> Live:
    return Live(present=True, values={**LIVE, **changes})


def test_what_is_equal_has_no_steps() -> None:
    same = declare({"comment": "old", "enable": True, "groups": ["a", "b", "a"], "type": "house"})
    judgement = judge(PLACE, same, live())
    assert (judgement.action, judgement.drift, judgement.steps) == ("none", (), ())


def test_an_update_sends_what_differs_what_must_be_resent_and_the_digest() -> None:
    judgement = judge(PLACE, declare({"comment": "new", "enable": True}), live())
    (step,) = judgement.steps
    assert (step.method, step.path, step.digest) == ("PUT", "places/home", "d1")
    assert step.form == {"server": "a.example", "comment": "new"}


def test_a_key_that_is_not_declared_is_never_sent() -> None:
    judgement = judge(PLACE, declare({"enable": False}), live(**{"max-rooms": 3}))
    assert judgement.steps[0].form == {"server": "a.example", "enable": "0"}


def test_the_default_of_an_absent_key_equals_the_declared_default() -> None:
    assert judge(PLACE, declare({"enable": True, "note": "", "groups": []}), live(groups=None)).drift == ()


def test_an_absent_key_without_a_default_equals_no_value() -> None:
    (item,) = judge(PLACE, declare({"max-rooms": 3}), live()).drift
    assert (item.key, item.live, item.want) == ("max-rooms", NOTHING, 3)


def test_delete_clears_a_key_that_is_set_and_only_that() -> None:
    judgement = judge(PLACE, declare({}, delete=("comment", "max-rooms")), live())
    assert judgement.steps[0].form == {"server": "a.example", "delete": "comment"}
    assert judge(PLACE, declare({}, delete=("max-rooms",)), live()).steps == ()


def test_an_endpoint_with_an_array_gets_delete_as_one() -> None:
    family = dataclasses.replace(PLACE, delete_array=True)
    judgement = judge(family, declare({}, delete=("comment", "groups")), live())
    assert judgement.steps[0].form["delete"] == ("comment", "groups")


def test_an_empty_text_is_cleared_in_the_way_of_the_key() -> None:
    judgement = judge(PLACE, declare({"comment": "", "note": ""}), live(note="x"))
    assert judgement.steps[0].form == {"server": "a.example", "note": "", "delete": "comment"}


def test_exact_clears_what_is_not_declared_and_may_go() -> None:
    found = live(**{"max-rooms": 3, "enable": 1, "password": "shown by mistake"})
    judgement = judge(PLACE, declare({"comment": "old"}, exact=True), found)
    assert [item.key for item in judgement.drift] == ["max-rooms", "groups"]
    assert judgement.steps[0].form == {"server": "a.example", "delete": "max-rooms,groups"}


def test_a_full_replace_sends_the_undeclared_live_keys_again() -> None:
    keys = {**PLACE.keys, "comment": dataclasses.replace(PLACE.keys["comment"], clear=Clear.OMIT)}
    family = dataclasses.replace(PLACE, keys=keys)
    assert judge(family, declare({"enable": False}), live()).steps[0].form["comment"] == "old"
    assert "comment" not in judge(family, declare({}, delete=("comment",)), live()).steps[0].form


def test_a_fixed_key_that_differs_is_refused_with_both_values_and_the_way_out() -> None:
    judgement = judge(PLACE, declare({"type": "ship", "comment": "new"}), live())
    assert judgement.steps == ()
    (refusal,) = judgement.refusals
    assert refusal.msg == (
        "Place home: type is fixed at creation (live house, declared ship). Declare the live value, "
        "or delete the object and create it anew."
    )


def test_a_create_sends_what_is_declared_and_not_empty() -> None:
    values = {"type": "house", "server": "a.example", "comment": "", "enable": False, "password": "s3"}
    judgement = judge(PLACE, declare(values), Live(present=False))
    (step,) = judgement.steps
    assert (step.method, step.path) == ("POST", "places")
    assert step.form == {"id": "home", "type": "house", "server": "a.example", "enable": "0", "password": "s3"}
    assert judgement.action == "create"


def test_a_create_without_a_required_key_is_refused() -> None:
    judgement = judge(PLACE, declare({"type": "house"}), Live(present=False))
    assert [item.msg for item in judgement.refusals] == ["Place home does not exist, and creating it needs server."]
    assert judgement.steps == ()


def test_a_secret_is_compared_with_nothing_and_written_only_on_request() -> None:
    assert judge(PLACE, declare({"password": "s3"}), live()).drift == ()
    judgement = judge(PLACE, declare({"password": "s3"}, rewrite_secrets=True), live())
    assert judgement.steps[0].form == {"server": "a.example", "password": "s3"}
    assert judgement.drift[0].hidden


def test_absent_deletes_what_is_there_and_nothing_else() -> None:
    gone = declare({}, state="absent")
    (step,) = judge(PLACE, gone, live()).steps
    assert (step.method, step.path, step.form) == ("DELETE", "places/home", {})
    assert judge(PLACE, gone, Live(present=False)).action == "none"


def test_what_cannot_be_rebuilt_is_deleted_only_by_its_name() -> None:
    family = dataclasses.replace(PLACE, retain=True)
    refused = judge(family, declare({}, state="absent", confirm_destroy="hom"), live())
    assert (refused.steps, [item.id for item in refused.refusals]) == ((), ["retain"])
    assert judge(family, declare({}, state="absent", confirm_destroy="home"), live()).steps


def test_a_live_value_that_cannot_be_read_is_drift_and_no_crash() -> None:
    (item,) = judge(PLACE, declare({"max-rooms": 3}), live(**{"max-rooms": "many"})).drift
    assert item.live == {"unreadable": "many"}


@pytest.mark.parametrize(
    ("name", "segment"), [("a b", "a%20b"), ("u@pve!t", "u@pve!t"), ("192.0.2.0/24", "192.0.2.0%2F24")]
)
def test_a_path_takes_one_segment_a_value(name: str, segment: str) -> None:
    assert fill("places/{id}", {"id": name}) == f"places/{segment}"


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "comment": st.text("abc ", max_size=5),
        "note": st.text("abc", max_size=3),
        "enable": st.booleans(),
        "max-rooms": st.integers(1, 9),
        "groups": st.lists(st.sampled_from(["a", "b", "c"]), max_size=4),
    },
)


@given(VALUES, VALUES, st.booleans())
def test_set_and_delete_share_no_key_and_the_update_closes_the_drift(
    values: dict[str, t.Any], stored: dict[str, t.Any], exact: bool
) -> None:
    wanted = declare(values, exact=exact)
    before = live(**{name: _stored(value) for name, value in stored.items()})
    judgement = judge(PLACE, wanted, before)
    assert bool(judgement.drift) == bool(judgement.steps)
    if not judgement.steps:
        return
    form = dict(judgement.steps[0].form)
    cleared = [name for name in str(form.pop("delete", "")).split(",") if name]
    assert not set(cleared) & set(form)
    after = {name: value for name, value in {**before.values, **form}.items() if name not in cleared and value != ""}
    assert judge(PLACE, wanted, Live(present=True, values=after)).steps == ()


def _stored(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return ",".join(value) if isinstance(value, list) else value


BERTHS = dataclasses.replace(PLACE.keys["max-rooms"], required=("ship",), types=("house", "ship"))
BERTHED = dataclasses.replace(PLACE, keys={**PLACE.keys, "max-rooms": BERTHS})


def test_a_key_may_be_required_for_some_types_only() -> None:
    def refused(kind: str) -> list[str | None]:
        found = judge(BERTHED, declare({"type": kind, "server": "a.example"}), Live(present=False))
        return [item.key for item in found.refusals]

    assert (refused("house"), refused("ship")) == ([], ["max-rooms"])


def test_a_required_key_is_never_cleared() -> None:
    ship = live(type="ship", **{"max-rooms": 3})
    named = judge(BERTHED, declare({}, delete=("max-rooms",)), ship)
    assert [item.id for item in named.refusals] == ["required"]
    assert named.steps == ()
    exact = judge(BERTHED, declare({"server": "a.example", "comment": "old", "groups": "a,b"}, exact=True), ship)
    assert exact.drift == ()


def test_a_key_that_the_live_type_has_not_is_refused_where_the_type_is_not_declared() -> None:
    (refusal,) = judge(PLACE, declare({"sails": 2}), live()).refusals
    assert refusal.id == "not-of-type"
    assert "of type house, which has no sails" in refusal.msg


def test_a_fixed_key_that_the_live_type_has_not_is_refused_once() -> None:
    sails = dataclasses.replace(PLACE.keys["sails"], create_only=True)
    family = dataclasses.replace(PLACE, keys={**PLACE.keys, "sails": sails})
    refusals = judge(family, declare({"type": "ship", "sails": 2}), live()).refusals
    assert [(item.id, item.key) for item in refusals] == [("not-of-type", "sails"), ("create-only", "type")]
