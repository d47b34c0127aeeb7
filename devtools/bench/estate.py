# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The estate's part of ``./dev bench``: an estate where nothing differs, read in four ways, and docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from devtools import estate
from devtools.bench import measure, mix, page
from devtools.bench.measure import BenchError, Cost, Program
from devtools.bench.page import Row
from tests.servers.lab import Lab

SIZES = (10, 100, 500)
LATENCIES = (0.0, 0.04)
RUNS = 5
#: A cell that has taken so many seconds is not run again.
PATIENCE = 45.0
#: A cell that would take longer, going by the next smaller estate, is left out, and the page says so.
TOO_LONG = 240.0

#: The promises, at the largest size.
REQUESTS_RATIO = 1.5
SECONDS_RATIO = 2.0


@dataclass(frozen=True)
class Way:
    """A way to read the estate; its program with ``idle`` does all but the reading, and that is no cost of the way."""

    name: str
    program: Callable[[Sequence[mix.Resource], bool], Program]


class Bench:
    """The lab, and the programs that are run on it."""

    def __init__(self, lab: Lab, folder: Path, community: Path | None, runs: int) -> None:
        self.lab, self.folder, self.community, self.runs = lab, folder, community, runs
        self.left_out: list[str] = []

    def ways(self) -> Iterator[Way]:
        yield Way(page.FLOOR, self.floor)
        yield Way(page.ESTATE, lambda items, idle: self.ours(mix.as_estate(list(items)), idle))
        yield Way(page.TASKS, lambda items, idle: self.ours(mix.as_tasks(items), idle))
        if self.community:
            yield Way(page.COMMUNITY, lambda items, idle: self.theirs(mix.as_community(items), idle))

    def floor(self, items: Sequence[mix.Resource], idle: bool) -> Program:
        command = [sys.executable, str(Path(__file__).with_name("floor.py")), self.lab.hosts[0], self.lab.ca_path]
        token = {"PROXMOX_TOKEN": f"{self.lab.token_id}={self.lab.token_secret}"}
        return Program(command, {**os.environ, **token}, "" if idle else " ".join(mix.reads(items)))

    def ours(self, play: list[dict[str, Any]], idle: bool = False) -> Program:
        return self._playbook(Path(sys.executable).parent, play, estate.environment(self.lab), idle)

    def theirs(self, play: list[dict[str, Any]], idle: bool) -> Program:
        assert self.community is not None
        user, _, token = self.lab.token_id.partition("!")
        host, _, port = self.lab.hosts[0].partition(":")
        kept = {name: value for name, value in os.environ.items() if name != "ANSIBLE_COLLECTIONS_PATH"}
        told = {
            "PROXMOX_HOST": host,
            "PROXMOX_PORT": port,
            "PROXMOX_USER": user,
            "PROXMOX_TOKEN_ID": token,
            "PROXMOX_TOKEN_SECRET": self.lab.token_secret,
            "PROXMOX_CA_PATH": self.lab.ca_path,
            "PROXMOX_API_TIMEOUT": "60",
            "ANSIBLE_NOCOLOR": "1",
        }
        return self._playbook(self.community / "bin", play, {**kept, **told}, idle)

    def _playbook(self, programs: Path, play: list[dict[str, Any]], environment: dict[str, str], idle: bool) -> Program:
        book = self.folder / "play.yml"
        book.write_text(yaml.safe_dump(play, sort_keys=False))
        command = [str(programs / "ansible-playbook"), "-i", str(estate.INVENTORY), str(book)]
        return Program([*command, *(mix.IDLE if idle else ())], environment)

    def measured(self, program: Program) -> Cost:
        return measure.often(program, self.lab, self.folder, runs=self.runs, patience=PATIENCE)

    def prepare(self, items: list[mix.Resource]) -> None:
        """Have the servers hold the estate and nothing else of ours, and see that all ways ask what they should."""
        self.lab.reset()
        self.ours(mix.as_estate(items)).run(self.folder)
        measure.once(self.ours(mix.as_estate(items)), self.lab, self.folder)
        asked = measure.gets(self.lab)
        if asked != sorted(mix.reads(items)):
            other = sorted(set(asked) ^ set(mix.reads(items)))
            raise BenchError(f"the estate and the floor do not send the same GETs: {', '.join(other) or 'some twice'}")

    def too_long(self, size: int, smaller: Row | None) -> bool:
        """Whether the cell would take longer than anybody waits; it is then noted."""
        if smaller is None:
            return False
        expected = smaller.cost.seconds * size / smaller.objects
        if expected <= TOO_LONG:
            return False
        self.left_out.append(
            f"{size} objects at {smaller.latency * 1000:.0f} ms by {smaller.way} (about {expected:.0f} s a run, "
            f"going by {smaller.objects} objects)"
        )
        return True

    def rows(self, sizes: Sequence[int]) -> Iterator[Row]:
        smaller: dict[tuple[str, float], Row] = {}
        for size in sizes:
            items = mix.estate(size)
            self.prepare(items)
            starts = {way.name: self.measured(way.program(items, True)).seconds for way in self.ways()}
            for latency in LATENCIES:
                self.lab.configure(latency=latency)
                floor: Row | None = None
                for way in self.ways():
                    if self.too_long(size, smaller.get((way.name, latency))):
                        continue
                    row = Row(
                        size, latency, way.name, self.measured(way.program(items, False)), starts[way.name], floor
                    )
                    floor = floor or row
                    smaller[way.name, latency] = row
                    yield row


def broken(rows: Sequence[Row]) -> list[str]:
    """A sentence for each promise that did not hold."""
    largest = max(row.objects for row in rows)
    said = [f"{row.title}: {row.cost.writes} writes, though nothing differed" for row in rows if row.cost.writes]
    for row in rows:
        if (row.way, row.objects) != (page.ESTATE, largest):
            continue
        if row.requests_ratio > REQUESTS_RATIO:
            said.append(f"{row.title}: {row.requests_ratio:.2f} times the requests of the floor, not {REQUESTS_RATIO}")
        allowed = 1.0 if row.latency else SECONDS_RATIO
        if row.objects >= SIZES[-1] and row.seconds_ratio > allowed:
            said.append(f"{row.title}: {row.seconds_ratio:.2f} times as long as the floor, not {allowed}")
    return said


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.estate")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--community", type=Path, help="an environment that has community.proxmox")
    given = parser.parse_args(words)
    sizes, runs = (SIZES[:2], 1) if given.quick else (SIZES, RUNS)
    with TemporaryDirectory(prefix="homeflare-bench-") as folder, estate.lab() as lab:
        bench = Bench(lab, Path(folder), given.community, runs)
        try:
            print("\n".join(page.HEAD), flush=True)
            rows: list[Row] = []
            for row in bench.rows(sizes):
                rows.append(row)
                print(row.line(), flush=True)
        except BenchError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
    problems = broken(rows)
    print("\n".join(["", *problems]))
    if not given.quick:
        path = estate.ROOT / "docs/benchmarks.md"
        path.write_text(page.text(rows, bench.left_out, given.community, PATIENCE, RUNS))
        print(f"written to {path.relative_to(estate.ROOT)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
