# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an estate of 500 objects costs when nothing differs, beside the same GETs one after another.

``./dev bench`` measures more, and writes docs/benchmarks.md. Other tests run at the same time as these: so the best
run of each counts, they take turns, and there are more than two turns only until the promise is kept.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path

from devtools.bench import floor, measure, mix
from devtools.bench.measure import Program
from tests.e2e.play import Player
from tests.e2e.target import Target
from tests.servers.lab import Lab

OBJECTS = 500
TURNS = 6
REQUESTS_RATIO = 1.5
SECONDS_RATIO = 2.0
LATENCY = 0.04

RESOURCES = mix.estate(OBJECTS)
READS = mix.reads(RESOURCES)


def fill(lab: Lab) -> None:
    """Bring the servers to what is declared, by hand."""
    for item in RESOURCES:
        ((family, options),) = item.items()
        if family == "lxc":
            form = {"vmid": options["vmid"], **options["config"], **options["create"]}
            lab.edit("POST", f"/nodes/{options['node']}/lxc", form)
        elif family == "user":
            lab.edit("POST", "/access/users", {**options, "groups": ",".join(options["groups"])})
        elif family == "acl":
            form = {"path": options["path"], "roles": options["roleid"], "groups": options["ugid"]}
            lab.edit("PUT", "/access/acl", form)
        else:
            lab.edit("POST", {"pool": "/pools", "group": "/access/groups"}[family], options)


def seconds_of(what: Callable[[], object]) -> float:
    begin = time.monotonic()
    what()
    return time.monotonic() - begin


@dataclass
class Best:
    """The shortest time that each took."""

    start: float = inf
    estate: float = inf
    gets: float = inf
    no_gets: float = inf

    @property
    def ours(self) -> float:
        """ansible-playbook's own start, taken off, is what the same playbook takes when none of its tasks is run."""
        return self.estate - self.start

    @property
    def floor(self) -> float:
        return self.gets - self.no_gets

    def kept(self) -> bool:
        return self.ours <= SECONDS_RATIO * self.floor


def test_500_objects_as_declared_cost_little_more_than_their_gets(
    player: Player, target: Target, tmp_path: Path
) -> None:
    lab = target.needs_lab("a request log and latency")
    fill(lab)

    def gets(paths: list[str]) -> None:
        token = {"PROXMOX_TOKEN": f"{lab.token_id}={lab.token_secret}"}
        command = [sys.executable, str(floor.__file__), lab.hosts[0], lab.ca_path]
        Program(command, {**os.environ, **token}, " ".join(paths)).run(tmp_path)

    def idle() -> None:
        run = player.module("estate", {"resources": RESOURCES}, verbosity="", arguments=mix.IDLE).ok()
        assert not run.rows

    def estate() -> None:
        target.start_counting()
        row = player.module("estate", {"resources": RESOURCES}, verbosity="").ok().one
        assert (row.changed, row.result["verdict"], row.result["summary"]) == (False, "clean", {"ok": OBJECTS})
        target.assert_no_writes()

    best = Best()
    for turn in range(TURNS):
        best.start = min(best.start, seconds_of(idle))
        best.estate = min(best.estate, seconds_of(estate))
        assert len(lab.requests()) <= REQUESTS_RATIO * len(READS)
        assert measure.gets(lab) == sorted(READS)
        best.gets = min(best.gets, seconds_of(lambda: gets(READS)))
        best.no_gets = min(best.no_gets, seconds_of(lambda: gets([])))
        if turn and best.kept():
            break
    assert best.kept(), f"{best.ours:.2f} s for the estate, {best.floor:.2f} s for its GETs one by one"

    lab.configure(latency=LATENCY)
    ours = seconds_of(estate) - best.start
    # No need to wait for the GETs one by one: each would take the latency at least.
    assert ours < LATENCY * len(READS), f"{ours:.2f} s for the estate at {LATENCY} s a request"


def test_one_at_a_time_waits_for_every_answer(player: Player, target: Target) -> None:
    """Without reading side by side the test above would fail."""
    lab = target.needs_lab("latency")
    resources = mix.estate(10)
    player.module("estate", {"resources": resources}).ok()
    lab.configure(latency=0.2)
    taken = seconds_of(lambda: player.module("estate", {"resources": resources, "parallel": 1}, verbosity="").ok())
    assert taken >= 0.2 * len(mix.reads(resources))
