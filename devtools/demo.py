# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``./dev demo``: the estate of examples/demo on test servers, as a plan, applied, and applied again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from devtools import estate
from devtools.estate import Count

PLAYBOOK = estate.ROOT / "examples/demo/site.yml"


@dataclass(frozen=True)
class Run:
    """One run of the playbook and what has to hold of it."""

    title: str
    options: tuple[str, ...]
    expected: Callable[[Count], Sequence[tuple[bool, str]]]


def _planned(count: Count) -> Sequence[tuple[bool, str]]:
    return [(count.changed > 0, "the plan shows no change"), (count.writes == 0, "the plan wrote"), _few_tokens(count)]


def _applied(count: Count) -> Sequence[tuple[bool, str]]:
    return [(count.changed > 0, "nothing was applied"), (count.writes > 0, "nothing was written"), _few_tokens(count)]


def _again(count: Count) -> Sequence[tuple[bool, str]]:
    return [
        (count.changed == 0, "the second apply changed something"),
        (count.writes == 0, "the second apply wrote"),
        _few_tokens(count),
    ]


def _few_tokens(count: Count) -> tuple[bool, str]:
    return count.minted <= 2, "more than two tokens were minted in one run"


RUNS = (
    Run("Plan (--check --diff)", ("--check", "--diff"), _planned),
    Run("Apply", ("--diff",), _applied),
    Run("Apply again", ("--diff",), _again),
)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="show Ansible's output only of a run that went wrong")
    quiet: bool = parser.parse_args(arguments).quiet
    with estate.lab() as lab:
        print(f"PVE (two members) at {', '.join(lab.hosts)}, OpenBao at {lab.bao_addr}", flush=True)
        counts: list[tuple[str, Count]] = []
        for run in RUNS:
            print(f"\n== {run.title}\n", flush=True)
            count = estate.play(lab, PLAYBOOK, *run.options, show=not quiet)
            counts.append((run.title, count))
            problems = estate.wrong(count, run.expected(count))
            if problems:
                print(count.output if quiet else "", f"{run.title}: {'; '.join(problems)} ({count.line()})", sep="")
                return 1
            print(f"-- {count.line()}", flush=True)
    print("\n== All runs\n")
    width = max(len(title) for title, _count in counts)
    print("\n".join(f"{title:<{width}}  {count.line()}" for title, count in counts))
    print("\nNothing changed the second time. All servers are stopped.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("\nStopped, and all servers with it.")
        sys.exit(130)
