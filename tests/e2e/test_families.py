# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family through its whole life: create, again, drift, clear, refusal, absent; planned before each write."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping, Sequence

import pytest

from tests.e2e import rows
from tests.e2e.play import Player, Row
from tests.e2e.target import Target

Options = Mapping[str, t.Any]


class Life:
    """One family's row against one target."""

    def __init__(self, row: Mapping[str, t.Any], player: Player, target: Target) -> None:
        self.row, self.player, self.target = row, player, target
        self.name = str(row["family"])

    def by_hand(self, changes: Sequence[Mapping[str, t.Any]]) -> None:
        for change in changes:
            path = str(change["path"])
            self.target.edit(change["method"], path if path.startswith("/") else f"/{path}", change.get("form"))

    def run(self, options: Options, **how: t.Any) -> Row:
        """One task; the log then holds only what it sent."""
        self.target.start_counting()
        return self.player.module(self.name, options, **how).one

    def expect_ok(self, options: Options, **how: t.Any) -> Row:
        row = self.run(options, **how)
        assert row.status == "ok", row.msg
        return row

    def nothing(self, options: Options, **how: t.Any) -> None:
        """Nothing differs, so nothing is written."""
        row = self.expect_ok(options, **how)
        assert not row.changed, row.result
        assert row.result["drift"] == []
        self.target.assert_no_writes()

    def planned(self, options: Options, action: str) -> Row:
        """Check mode says what the apply will do, and writes nothing."""
        row = self.expect_ok(options, check=True)
        assert row.changed, row.result
        assert row.result["action"] == action
        self.target.assert_no_writes()
        return row

    def applied(self, options: Options, planned: Row) -> Row:
        """The apply does what was planned, and a run after it has nothing to do."""
        row = self.expect_ok(options)
        assert row.changed
        for key in ("action", "drift"):
            assert row.result[key] == planned.result[key]
        return row

    def changed(self, case: Mapping[str, t.Any], options: Options) -> None:
        """A drift: named exactly, closed by one write that carries exactly what is needed."""
        planned = self.planned(options, "update")
        assert sorted(planned.result["drift"]) == sorted(case["keys"])
        self.applied(options, planned)
        self.sent(case)
        self.nothing(options)

    def refused(self, cases: Sequence[Mapping[str, t.Any]]) -> None:
        """Each fails in its own words, all in one play, and nothing is written."""
        if not cases:
            return
        self.target.start_counting()
        tasks = [{f"homeflare.proxmox.{self.name}": dict(case["options"]), "ignore_errors": True} for case in cases]
        for case, failed in zip(cases, self.player.tasks(*tasks).rows, strict=True):
            assert failed.status == "failed", failed.result
            assert re.search(case["msg"], failed.msg), failed.msg
        self.target.assert_no_writes()

    def sent(self, case: Mapping[str, t.Any]) -> None:
        writes = self.target.writes()
        if writes is None:
            return
        if "writes" in case:
            assert [[row["method"], row["path"]] for row in writes] == case["writes"]
        if "sent" in case:
            (write,) = writes
            form = {**write["query"], **write["form"]}
            form.pop("digest", None)
            assert form == case["sent"]


@pytest.fixture
def life(request: pytest.FixtureRequest, player: Player, target: Target) -> Iterator[Life]:
    row = rows.load(request.param, target)
    if row.get("lab_only"):
        target.needs_lab(row["lab_only"])
    found = Life(row, player, target)
    if target.lab is not None:
        found.by_hand(row.get("lab_seed", ()))
    found.by_hand(row.get("seed", ()))
    yield found
    if target.lab is None:
        player.module(found.name, {**row["absent"], "state": "absent"})
    found.by_hand(row.get("unseed", ()))


@pytest.mark.parametrize("life", rows.names(), indirect=True)
def test_a_family_through_its_whole_life(life: Life) -> None:
    row = life.row
    create = row["create"]
    life.applied(create, life.planned(create, "create"))
    life.nothing(create)
    life.nothing(create, in_process=False)
    for case in row.get("drifts", ()):
        life.by_hand(case["edit"])
        life.changed(case, case.get("options", create))
    for case in row.get("clears", ()):
        life.changed(case, case["options"])
    life.refused(row.get("refused", ()))
    absent = {**row["absent"], "state": "absent"}
    life.applied(absent, life.planned(absent, "delete"))
    life.nothing(absent)
