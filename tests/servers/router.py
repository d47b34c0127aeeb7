# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request, from authentication to answer: the lab's own sections, tasks, or fakepve behind its corrections."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any

from . import auth, corrections, privileges, schema, tasks
from .faults import Fault
from .sections.table import Call
from .tasks import TYPES
from .wire import Answer, Die, Request, Values

if TYPE_CHECKING:
    from .world import World

TASK = "/nodes/{node}/tasks/{upid}"
# What fakepve keeps. It makes up an answer for everything else in the schema, which no test may take for PVE's.
LXC = "/nodes/{node}/lxc/{vmid}"
KEPT = frozenset({"/nodes/{node}/lxc", LXC, "/cluster/nextid", "/cluster/resources", "/nodes/{node}/tasks"})
KEPT_BELOW = (
    *(f"{LXC}/{part}" for part in ("status", "config", "pending", "clone", "template", "migrate", "resize")),
    *(f"{LXC}/{part}" for part in ("interfaces", "snapshot", "firewall")),
    "/nodes/{node}/qemu",
    "/nodes/{node}/storage",
    "/nodes/{node}/firewall",
    "/cluster/firewall",
    "/pools",
)


def handle(world: World, request: Request) -> tuple[Answer, str]:
    """The answer, and the endpoint's template for the log."""
    route = _route(world, request.path)
    template = route.template if route else ""
    try:
        if not request.by_hand:
            request.identity = auth.identify(world, request.headers.get("Authorization", ""))
        if route is None or request.method not in route.methods:
            raise Die(f"Method '{request.method} {request.path}' not implemented", 501)
        return _handle(world, request, route), template
    except Die as problem:
        return Answer.of(problem), template


def _route(world: World, path: str) -> schema.Route | None:
    segments = [urllib.parse.unquote(part) for part in path.strip("/").split("/")]
    # A volume's name may hold slashes: the rest of the path is one parameter.
    if len(segments) > 6 and segments[0] == "nodes" and segments[2] == "storage" and segments[4] == "content":
        segments = [*segments[:5], "/".join(segments[5:])]
    return world.schema.match(segments)


def _handle(world: World, request: Request, route: schema.Route) -> Answer:
    method = route.methods[request.method]
    given: Values = {**request.values, **route.parameters}
    # PVE checks permissions before it looks at the parameters.
    with world.lock:
        privileges.check(world, request.identity, method, given)
    declared = schema.declared(method, given)
    # Some path parameters are missing from the schema; they are handed on unchecked.
    unchecked = {name: value for name, value in route.parameters.items() if name not in declared}
    values, errors = schema.validate(method, {name: given[name] for name in given if name not in unchecked})
    if errors:
        raise Die("Parameter verification failed.", 400, errors)
    values.update(unchecked)
    _check_node(world, route)
    call = Call(world, request.method, route.template, values, given, request.identity)
    fault = world.faults.take(request, "task")
    if fault and not fault.forward:
        return Answer(data=_pretended(world, call, fault))
    handler = world.handlers.get((request.method, route.template))
    if handler:
        with world.lock:
            return Answer(data=handler(call))
    if route.template.startswith(TASK):
        return _task(world, call)
    if not _kept(route.template):
        raise Die(f"the lab keeps no {route.template}: add a row to tests/servers/sections", 501)
    answer = corrections.ask(call)
    return _named(world, call, answer, fault)


def _kept(template: str) -> bool:
    return template in KEPT or any(template == below or template.startswith(below + "/") for below in KEPT_BELOW)


def _check_node(world: World, route: schema.Route) -> None:
    node = route.parameters.get("node")
    if node is None:
        return
    if node not in world.config.nodes:
        raise Die(
            f"hostname lookup '{node}' failed - failed to get address info for: {node}: Name or service not known"
        )
    if node in world.offline:
        raise Die("No route to host", 595)


def _pretended(world: World, call: Call, fault: Fault) -> str:
    kind = TYPES.get((call.method, call.template), call.template.rsplit("/", 1)[-1].strip("{}"))
    node = str(call.values.get("node") or world.config.nodes[0])
    task = world.tasks.pretend(node, kind, str(call.values.get("vmid") or ""), call.identity)
    world.tasks.spoil(task, fault)
    return task.upid


def _named(world: World, call: Call, answer: Answer, fault: Fault | None) -> Answer:
    """A UPID in the answer gets its owner's name."""
    if answer.status == 200 and isinstance(answer.data, str) and answer.data.startswith("UPID:"):
        task = world.tasks.started(answer.data, call.identity)
        if fault:
            world.tasks.spoil(task, fault)
        answer.data = task.upid
    elif answer.status == 200 and call.template == "/nodes/{node}/tasks":
        answer.data = [_list_row(world, row) for row in answer.data]
    return answer


def _list_row(world: World, row: dict[str, Any]) -> dict[str, Any]:
    for task in world.tasks.known.values():
        if task.backend == row["upid"]:
            user, _, token = task.owner.partition("!")
            return {**row, "upid": task.upid, "user": user, **({"tokenid": token} if token else {})}
    return row


def _task(world: World, call: Call) -> Answer:
    task = tasks.find(world, str(call.values["upid"]), str(call.values["node"]), call.identity)
    part = call.template.removeprefix(TASK).strip("/")
    backend: Answer | None = None
    if task.backend:
        node = task.fields[1]
        extra = {name: value for name, value in call.values.items() if name in ("start", "limit")}
        backend = world.backend.ask(call.method, f"/nodes/{node}/tasks/{task.backend}/{part}".rstrip("/"), extra)
        if backend.status != 200:
            return backend
    data = backend.data if backend else None
    if part == "status":
        return Answer(data=tasks.show_status(task, data))
    if part == "log":
        lines = tasks.show_log(task, data)
        return Answer(data=lines, extra={"total": len(lines)})
    return Answer(data=data)
