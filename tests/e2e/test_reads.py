# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A read that failed is a failure, for every family, and never a create.

One play a failure: a task a family, each with the options that its row creates, while the API answers no read.
"""

from __future__ import annotations

import typing as t

import pytest

from tests.e2e import rows
from tests.e2e.play import Player
from tests.e2e.target import Target

HTML = "<html><head><title>502 Bad Gateway</title></head></html>"
#: How the answer to every GET is spoilt.
FAILURES: dict[str, dict[str, t.Any]] = {
    "401": {"kind": "status", "status": 401, "message": "No ticket"},
    "403": {"kind": "status", "status": 403, "message": "Permission check failed (/, Sys.Audit)"},
    "500": {"kind": "status", "status": 500, "message": "unable to read tail (got 0 bytes)"},
    "595": {"kind": "status", "status": 595, "message": "No route to host"},
    "596": {"kind": "status", "status": 596, "message": "Connection timed out"},
    "hang": {"kind": "hang"},
    "closed": {"kind": "close"},
    "cut": {"kind": "cut"},
    "html": {"kind": "raw", "status": 200, "body": HTML},
    "broken-json": {"kind": "raw", "status": 200, "body": '{"data":[', "content_type": "application/json"},
    "no-data": {"kind": "raw", "status": 200, "body": "[]", "content_type": "application/json"},
    "null": {"kind": "raw", "status": 200, "body": '{"data":null}', "content_type": "application/json"},
}


def tasks(target: Target) -> list[dict[str, t.Any]]:
    """A task of each family, named by it."""
    return [
        {
            "name": name,
            f"homeflare.proxmox.{name}": rows.load(name, target)["create"],
            "ignore_errors": True,
        }
        for name in rows.names()
    ]


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_no_family_takes_a_failed_read_for_an_absent_object(
    target: Target, player: Player, failure: dict[str, t.Any]
) -> None:
    _all_fail(target, player, failure, check=True)


@pytest.mark.parametrize("failure", [FAILURES["500"], FAILURES["html"]], ids=["500", "html"])
def test_nor_does_it_write_when_it_could(target: Target, player: Player, failure: dict[str, t.Any]) -> None:
    _all_fail(target, player, failure, check=False)


def _all_fail(target: Target, player: Player, failure: dict[str, t.Any], *, check: bool) -> None:
    lab = target.needs_lab("the faults")
    lab.fault(method="GET", **failure)
    run = player.tasks(*tasks(target), check=check, connection={"api_timeout": 1}, verbosity="").ok_but_ignored()
    assert [row.task for row in run.rows] == rows.names()
    passed = [row.task for row in run.rows if row.status != "failed"]
    assert not passed, f"these took a failed read for an answer: {passed}"
    broken = {row.task: row.msg for row in run.rows if "Internal error" in row.msg or not row.msg}
    assert not broken
    assert not any(row.changed for row in run.rows)
    target.assert_no_writes()
    assert lab.fault_hits()[0] > 0
