# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result and a diff show, and what they never show."""

from __future__ import annotations

import json

from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Live, Refusal
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.report import reasons, result
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE

LIVE = Live(present=True, values={"type": "house", "server": "a.example", "comment": "old", "otp-key": "seed-1"})
WANTED = Declaration(
    ident={"id": "home"},
    values={"comment": "new", "otp-key": "seed-2", "password": "s3cret", "max-rooms": 3},
    rewrite_secrets=True,
)


def shown(values: bool) -> dict[str, object]:
    return result(PLACE, WANTED, judge(PLACE, WANTED, LIVE), LIVE, diff_values=values)


def test_the_diff_names_keys_and_no_values() -> None:
    diff = shown(False)["diff"]
    assert diff["before"]["comment"] == "(live value)"
    assert diff["after"]["comment"] == "(declared value)"
    assert diff["before"]["max_rooms"] == "(not set)"


def test_diff_values_shows_both_but_never_what_is_hidden() -> None:
    told = shown(True)
    assert (told["diff"]["before"]["comment"], told["diff"]["after"]["comment"]) == ("old", "new")
    assert told["diff"]["after"]["max_rooms"] == 3
    for text in ("seed-1", "seed-2", "s3cret"):
        assert text not in json.dumps(told)


def test_the_object_holds_declared_keys_only() -> None:
    assert shown(False)["object"] == {"id": "home", "comment": "old"}


def test_refusals_in_one_message_are_counted_when_there_are_several() -> None:
    root = Refusal(id="root-only", msg="hookscript: run pct set 101 --hookscript local:snippets/x.sh")
    shrink = Refusal(id="shrink", msg="rootfs: volumes only grow.")
    assert reasons([shrink]) == "rootfs: volumes only grow."
    assert reasons([root, shrink]) == f"(1) {root.msg} (2) {shrink.msg}"
