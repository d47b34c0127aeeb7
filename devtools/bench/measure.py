# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of a program: how long it took, the most memory that one of its processes held, and what the servers saw."""

from __future__ import annotations

import json
import subprocess
import sys
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.servers.lab import Lab

# A process counts what its parent held when it was forked as its own peak. So the program is started by a small
# interpreter, and not by this process, which is larger than some of the programs.
_LAUNCHER = """
import json, os, sys, time
begin = time.monotonic()
child = os.fork()
if not child:
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
told = [time.monotonic() - begin, usage.ru_maxrss, os.waitstatus_to_exitcode(status)]
with open(sys.argv[1], "w") as report:
    json.dump(told, report)
"""
# ru_maxrss is in KiB, but in bytes on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024


class BenchError(Exception):
    """A program that was measured failed, or did not do what it is measured for."""


@dataclass(frozen=True)
class Cost:
    """What a run took; several runs: the median of each."""

    seconds: float
    peak: float
    requests: int
    writes: int
    mints: int
    runs: int = 1

    @classmethod
    def of(cls, costs: Sequence[Cost]) -> Cost:
        def middle(name: str) -> float:
            return float(median(getattr(cost, name) for cost in costs))

        counted = {name: round(middle(name)) for name in ("requests", "writes", "mints")}
        return cls(seconds=middle("seconds"), peak=middle("peak"), runs=len(costs), **counted)


@dataclass(frozen=True)
class Program:
    """What is run, with its environment and what it reads."""

    command: Sequence[str]
    environment: Mapping[str, str]
    given: str = ""

    def run(self, folder: Path) -> tuple[float, float]:
        """Seconds, and the peak in bytes. Raises BenchError with the end of the output when it fails."""
        report, output = folder / "run.json", folder / "run.txt"
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(report), *self.command]
        with output.open("w") as log:
            subprocess.run(
                launcher, env=self.environment, input=self.given, stdout=log, stderr=log, text=True, check=True
            )
        seconds, peak, code = json.loads(report.read_text())
        if code:
            raise BenchError(f"{Path(self.command[0]).name} ended with {code}:\n{output.read_text()[-3000:]}")
        return float(seconds), float(peak) * _UNIT


def once(program: Program, lab: Lab, folder: Path) -> Cost:
    """One run, with the servers' log starting empty."""
    lab.reset_log()
    seconds, peak = program.run(folder)
    return Cost(seconds, peak, len(lab.requests()), len(lab.writes()), len(lab.mints()))


def often(program: Program, lab: Lab, folder: Path, *, runs: int, patience: float) -> Cost:
    """The median of ``runs`` runs; of fewer, but of one at least, where they take longer than ``patience`` seconds."""
    costs: list[Cost] = []
    spent = 0.0
    while len(costs) < runs and (not costs or spent + costs[-1].seconds <= patience):
        costs.append(once(program, lab, folder))
        spent += costs[-1].seconds
    return Cost.of(costs)


def gets(lab: Lab) -> list[str]:
    """The GETs of the last run as ``reads`` spells them, sorted."""
    return sorted(_spelled(entry) for entry in lab.requests() if entry["method"] == "GET")


def _spelled(entry: Mapping[str, t.Any]) -> str:
    query = "&".join(f"{name}={value}" for name, value in entry["query"].items())
    return f"{entry['path']}?{query}" if query else str(entry["path"])
