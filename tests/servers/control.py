# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The control interface: plain HTTP on a port of its own, JSON in and out. Only for the test that owns the lab.

GET  /control/log            the requests since the last reset
POST /control/log/reset
POST /control/reset          everything as at the start
POST /control/fault          a fault (faults.py); POST /control/faults/clear; GET /control/faults: how often each hit
POST /control/edit           {"method", "path", "values"}: a change by hand, as root@pam by ticket, not logged
POST /control/store          {"state", "key", "data"}: put (or, with data null, remove) an object of the section store
GET  /control/store          the section store
GET  /control/secrets        every token secret that a request was let in with
POST /control/config         {"latency", "auth_delay", "privileges", "without": names of corrections to leave out}
POST /control/node           {"node", "online"}
POST /control/member         {"member", "up"}: listen, or refuse connections
POST /control/stop
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import router
from .privileges import ROOT
from .wire import Request, decode_pairs

if TYPE_CHECKING:
    from .front import Member
    from .world import World

SETTINGS = ("latency", "auth_delay", "privileges", "without")
Route = Callable[[dict[str, Any]], Any]


class Control:
    def __init__(self, world: World, members: Sequence[Member], stop: threading.Event) -> None:
        self.world, self.members, self.stop = world, members, stop
        self.routes: dict[tuple[str, str], Route] = {
            ("GET", "/control/log"): lambda _: world.log.entries(),
            ("POST", "/control/log/reset"): lambda _: world.log.reset(),
            ("POST", "/control/reset"): self.reset,
            ("POST", "/control/fault"): lambda body: world.faults.add(**body),
            ("POST", "/control/faults/clear"): lambda _: world.faults.clear(),
            ("GET", "/control/faults"): lambda _: world.faults.hits(),
            ("POST", "/control/edit"): self.edit,
            ("POST", "/control/store"): self.put,
            ("GET", "/control/store"): lambda _: self.store(),
            ("GET", "/control/secrets"): lambda _: sorted(world.secrets),
            ("POST", "/control/config"): self.configure,
            ("POST", "/control/node"): self.node,
            ("POST", "/control/member"): self.member,
            ("POST", "/control/stop"): lambda _: stop.set(),
        }

    def reset(self, _body: dict[str, Any]) -> None:
        for member in self.members:
            member.start()
        self.world.reset()

    def edit(self, body: dict[str, Any]) -> dict[str, Any]:
        """Form values are texts on the wire, so they are here; a list is a repeated key."""
        path, _, query = str(body["path"]).partition("?")
        given = {name: _text(value) for name, value in (body.get("values") or {}).items()}
        in_query = body["method"] in ("GET", "DELETE")
        request = Request(body["method"], path, decode_pairs(query), {}, identity=ROOT, by_hand=True)
        (request.query if in_query else request.form).update(given)
        answer, _template = router.handle(self.world, request)
        return {"status": answer.status, "data": answer.data, "message": answer.message, "errors": dict(answer.errors)}

    def put(self, body: dict[str, Any]) -> None:
        key = tuple(body["key"]) if isinstance(body["key"], list) else body["key"]
        with self.world.lock:
            objects = self.world.store.setdefault(body["state"], {})
            if body["data"] is None:
                objects.pop(key, None)
            else:
                objects[key] = body["data"]

    def store(self) -> dict[str, list[Any]]:
        with self.world.lock:
            return {state: [[key, data] for key, data in rows.items()] for state, rows in self.world.store.items()}

    def configure(self, body: dict[str, Any]) -> None:
        for name, value in body.items():
            if name not in SETTINGS:
                raise ValueError(f"no setting {name!r}; there are {', '.join(SETTINGS)}")
            setattr(self.world.config, name, value)

    def node(self, body: dict[str, Any]) -> None:
        (self.world.offline.discard if body["online"] else self.world.offline.add)(str(body["node"]))

    def member(self, body: dict[str, Any]) -> None:
        member = self.members[int(body["member"])]
        (member.start if body["up"] else member.stop)()


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(item) for item in value]
    if isinstance(value, bool):
        return "1" if value else "0"
    return None if value is None else str(value)


def start(world: World, members: Sequence[Member], stop: threading.Event) -> int:
    """Serve the control interface; returns its port."""
    control = Control(world, members, stop)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            route = control.routes.get((self.command, self.path))
            status, data = (200, None) if route else (404, f"no {self.command} {self.path}")
            if route:
                try:
                    data = route(body)
                except Exception as problem:  # told to the test, which raises it
                    status, data = 400, f"{type(problem).__name__}: {problem}"
            out = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(out)))
            self.end_headers()
            self.wfile.write(out)

        do_GET = do_POST = _serve

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])
