# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks as a client sees them: whose they are, and how they end when a fault says so.

fakepve runs the tasks as root@pam, whose ticket the front uses. Here the UPID gets the name of the token that started
the task, as on PVE, and only that token (or its user, or whoever holds Sys.Audit on the node, when privileges are
checked) may look at it (pve-manager API2/Tasks.pm check_task_user).
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import privileges
from .faults import Fault
from .wire import forbid, refuse

if TYPE_CHECKING:
    from .world import World

UPID = re.compile(r"UPID:[^:\s]+:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:[0-9A-Fa-f]{8}:[^:\s]+:[^:\s]*:[^:\s]+:")
# The worker type of a call that a fault makes a task of without doing it.
TYPES = {
    ("POST", "/nodes/{node}/lxc"): "vzcreate",
    ("DELETE", "/nodes/{node}/lxc/{vmid}"): "vzdestroy",
    ("PUT", "/nodes/{node}/lxc/{vmid}/resize"): "resize",
    ("POST", "/nodes/{node}/lxc/{vmid}/status/start"): "vzstart",
    ("POST", "/nodes/{node}/lxc/{vmid}/status/stop"): "vzstop",
}


@dataclass
class Task:
    upid: str
    owner: str
    # The task's name at fakepve; empty for one that exists only here.
    backend: str = ""
    exitstatus: str | None = None
    polls: int = 0
    log: list[str] = field(default_factory=list)

    @property
    def fields(self) -> list[str]:
        return self.upid.split(":")

    def status(self) -> dict[str, Any]:
        """The status of a task that exists only here."""
        _, node, pid, pstart, start, kind, what, user, _ = self.fields
        user, _, token = user.partition("!")
        shown: dict[str, Any] = {"upid": self.upid, "node": node, "type": kind, "id": what, "user": self.owner}
        shown |= {"pid": int(pid, 16), "pstart": int(pstart, 16), "starttime": int(start, 16), "status": "stopped"}
        if token:
            shown["tokenid"] = token
        return shown


class Tasks:
    def __init__(self) -> None:
        self.known: dict[str, Task] = {}
        self._pids = itertools.count(0x4000)

    def started(self, backend_upid: str, owner: str) -> Task:
        """A task that fakepve started for us, under its owner's name."""
        parts = backend_upid.split(":")
        parts[7] = owner
        task = Task(":".join(parts), owner, backend_upid)
        self.known[task.upid] = task
        return task

    def pretend(self, node: str, kind: str, what: str, owner: str) -> Task:
        pid = next(self._pids)
        upid = f"UPID:{node}:{pid:08X}:{pid * 7:08X}:{int(time.time()):08X}:{kind}:{what}:{owner}:"
        self.known[upid] = Task(upid, owner)
        return self.known[upid]

    @staticmethod
    def spoil(task: Task, fault: Fault) -> None:
        task.exitstatus, task.polls, task.log = fault.exitstatus, fault.polls, list(fault.log)


def find(world: World, upid: str, node: str, who: str) -> Task:
    """The task, or PVE's refusals (measured 10): unknown, malformed, not the caller's."""
    if not UPID.fullmatch(upid):
        raise refuse(upid="unable to parse worker upid")
    task = world.tasks.known.get(upid)
    if task is None or task.fields[1] != node:
        raise refuse(upid="no such task")
    owns = who == task.owner or who == task.owner.partition("!")[0]
    audits = world.config.privileges and "Sys.Audit" in privileges.held(world, who, f"/nodes/{node}")
    if not owns and not audits and who != privileges.ROOT:
        raise forbid(f"/nodes/{node}, Sys.Audit")
    return task


def show_status(task: Task, backend: Mapping[str, Any] | None) -> dict[str, Any]:
    """The status answer: fakepve's under the owner's name, with what a fault makes of it."""
    shown = dict(backend) if backend is not None else task.status()
    user, _, token = task.owner.partition("!")
    shown.update(upid=task.upid, user=user if token else task.owner)
    if token:
        shown["tokenid"] = token
    if task.polls > 0:
        task.polls -= 1
        shown["status"] = "running"
        shown.pop("exitstatus", None)
    elif task.exitstatus is not None and shown["status"] == "stopped":
        shown["exitstatus"] = task.exitstatus
    return shown


def show_log(task: Task, backend: list[dict[str, Any]] | None) -> list[dict[str, Any]]:
    if task.exitstatus is None and backend is not None:
        return backend
    lines = [str(line["t"]) for line in backend or [] if not str(line["t"]).startswith("TASK ")] + task.log
    if task.exitstatus == "OK":
        lines.append("TASK OK")
    elif task.exitstatus and task.exitstatus.startswith("WARNINGS"):
        lines.append(f"TASK {task.exitstatus}")
    elif task.exitstatus and task.exitstatus != "unexpected status":
        lines.append(f"TASK ERROR: {task.exitstatus}")
    return [{"n": number, "t": line} for number, line in enumerate(lines, 1)]
