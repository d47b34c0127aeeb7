# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``./dev bench``: what a task costs in the controller and as a module, on an estate where nothing differs."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from devtools import estate
from devtools.estate import Count

OBJECTS = 50
FIRST = 500
#: A task inside the controller may take at most this part of what the same task takes as a module.
RATIO = 8
#: What ansible-playbook takes without any of our tasks is in both times, and is no cost of a task.
EMPTY = [{"hosts": "localhost", "gather_facts": False, "tasks": []}]


def tasks() -> list[dict[str, object]]:
    """Fifty pools and fifty containers, a task each."""
    pools: list[dict[str, object]] = [
        {"homeflare.proxmox.pool": {"poolid": f"bench{number:02}", "comment": f"Pool {number}"}}
        for number in range(OBJECTS)
    ]
    guests: list[dict[str, object]] = [{"homeflare.proxmox.lxc": _container(number)} for number in range(OBJECTS)]
    return pools + guests


def _container(number: int) -> dict[str, object]:
    return {
        "node": "pve1",
        "vmid": FIRST + number,
        "config": {
            "hostname": f"ct-bench{number}",
            "cores": 2,
            "memory": 1024,
            "swap": 0,
            "unprivileged": True,
            "features": {"nesting": True},
            "rootfs": "local-zfs:4",
            "net0": {"name": "eth0", "bridge": "vmbr0", "ip": f"192.0.2.{number + 100}/24"},
        },
        "create": {"ostemplate": "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"},
    }


def main() -> int:
    with TemporaryDirectory(prefix="homeflare-bench-") as folder, estate.lab() as lab:
        playbook, empty = Path(folder) / "bench.yml", Path(folder) / "empty.yml"
        play = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks()}]
        playbook.write_text(yaml.safe_dump(play, sort_keys=False))
        empty.write_text(yaml.safe_dump(EMPTY))
        runs = {
            "create": estate.play(lab, playbook, show=False),
            "in the controller": estate.play(lab, playbook, show=False),
            "as modules": estate.play(lab, playbook, "-e", "homeflare_in_process=false", show=False),
        }
        start = min(estate.play(lab, empty, show=False).seconds for _ in range(3))
    return _report(runs, start)


def _report(runs: dict[str, Count], start: float) -> int:
    count = 2 * OBJECTS
    print(f"{count} tasks, {OBJECTS} pools and {OBJECTS} containers; ansible-playbook itself takes {start:.2f} s\n")
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
