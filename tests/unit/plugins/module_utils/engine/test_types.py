# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that are another thing for another section type: fixed for some, with a default of their own."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import DefaultBy, Key
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.report import result
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Integer, Text
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE

TYPED = dataclasses.replace(
    PLACE,
    keys={
        **PLACE.keys,
        "keel": Key(kind=Text(), create_only=("ship",)),
        "rooms": Key(kind=Integer(), default=DefaultBy("type", {"house": 4})),
    },
)


def judged(live: t.Mapping[str, t.Any], values: t.Mapping[str, t.Any], **more: t.Any) -> t.Any:
    found = Live(present=True, values={"server": "a", **live})
    return judge(TYPED, Declaration(ident={"id": "home"}, values=values, **more), found)


def test_a_key_is_fixed_for_the_types_that_say_so() -> None:
    assert [item.id for item in judged({"type": "ship", "keel": "a"}, {"keel": "b"}).refusals] == ["create-only"]
    assert judged({"type": "house", "keel": "a"}, {"keel": "b"}).steps[0].form == {"server": "a", "keel": "b"}


def test_a_key_that_is_fixed_for_some_types_may_be_cleared_for_the_others() -> None:
    wanted = declaration_of(TYPED, {"id": "home", "delete": ["keel"]})
    assert wanted.delete == ("keel",)
    assert judged({"type": "house", "keel": "a"}, {}, delete=("keel",)).steps[0].form["delete"] == "keel"
    assert judged({"type": "ship", "keel": "a"}, {}, delete=("keel",)).refusals


def test_exact_does_not_clear_what_is_fixed_for_the_type() -> None:
    assert judged({"type": "ship", "keel": "a"}, {}, exact=True).drift == ()
    assert [item.key for item in judged({"type": "house", "keel": "a"}, {}, exact=True).drift] == ["keel"]


@pytest.mark.parametrize(("kind", "drifts"), [("house", False), ("ship", True)])
def test_a_default_depends_on_the_type(kind: str, drifts: bool) -> None:
    assert bool(judged({"type": kind}, {"rooms": 4}).drift) is drifts
    assert bool(judged({"type": kind, "rooms": 4}, {}, delete=("rooms",)).drift) is drifts


def test_an_optional_part_of_the_identity_is_shown_only_where_it_is_declared() -> None:
    family = dataclasses.replace(PLACE, identity={**PLACE.identity, "room": Integer()}, optional=("room",))
    for ident in ({"id": "home"}, {"id": "home", "room": "3"}):
        declaration = Declaration(ident=ident)
        live = Live(present=True, values={"type": "house"})
        shown = result(family, declaration, judge(family, declaration, live), live)["object"]
        assert shown == {"id": "home", **({"room": 3} if "room" in ident else {})}
