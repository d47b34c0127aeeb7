# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks' part of ``./dev bench``: what a task costs in the controller and as a module, where nothing differs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from devtools import estate
from devtools.bench import mix
from devtools.estate import Count

#: So many pools, and as many containers.
OBJECTS = 50
QUICK_OBJECTS = 10
#: A task inside the controller may take at most this part of what the same task takes as a module.
RATIO = 8


def playbook(objects: int) -> str:
    resources: list[mix.Resource] = [{"pool": mix.pool(number)} for number in range(objects)]
    resources += [{"lxc": mix.container(number)} for number in range(objects)]
    return yaml.safe_dump(mix.as_tasks(resources), sort_keys=False)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.tasks")
    parser.add_argument("--quick", action="store_true")
    objects = QUICK_OBJECTS if parser.parse_args(words).quick else OBJECTS
    with TemporaryDirectory(prefix="homeflare-bench-") as folder, estate.lab() as lab:
        book, empty = Path(folder) / "bench.yml", Path(folder) / "empty.yml"
        book.write_text(playbook(objects))
        empty.write_text(yaml.safe_dump(mix.play([])))
        runs = {
            "create": estate.play(lab, book, show=False),
            "in the controller": estate.play(lab, book, show=False),
            "as modules": estate.play(lab, book, "-e", "homeflare_in_process=false", show=False),
        }
        # What ansible-playbook takes without any of our tasks is in all of them, and is no cost of a task.
        start = min(estate.play(lab, empty, show=False).seconds for _ in range(3))
    return _report(runs, start, objects)


def _report(runs: dict[str, Count], start: float, objects: int) -> int:
    count = 2 * objects
    print(f"{count} tasks, {objects} pools and {objects} containers; ansible-playbook itself takes {start:.2f} s\n")
    for title, run in runs.items():
        print(f"{title:<18} {1000 * (run.seconds - start) / count:7.1f} ms a task   {run.line()}")
    inside, modules = runs["in the controller"], runs["as modules"]
    ratio = (modules.seconds - start) / max(inside.seconds - start, 0.001)
    print(f"\na task in the controller takes 1/{ratio:.1f} of the same task as a module")
    problems = [f"{title}: {problem}" for title, run in runs.items() for problem in estate.wrong(run, [])]
    problems += estate.wrong(
        inside,
        [
            (inside.changed == 0, "something changed though nothing differed"),
            (inside.writes == 0, "something was written though nothing differed"),
            (inside.minted == 1, f"{inside.minted} tokens were minted, not one"),
            (ratio >= RATIO, f"a task in the controller takes more than 1/{RATIO} of one as a module"),
        ],
    )
    print("\n".join(problems))
    failed = next((run for run in runs.values() if run.code), None)
    if failed:
        print(failed.output[-4000:])
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
