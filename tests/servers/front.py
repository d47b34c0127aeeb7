# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The members of the simulated cluster: TLS listeners that share one world, and the faults of connections.

Started by lab.py as `python -m tests.servers.front FILE`, the file being the Config as JSON. Prints one line of JSON
with the ports once it is ready, and ends when its standard input closes.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import signal
import socket
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any

from . import control, router
from .faults import Fault
from .wire import API, Answer, Die, Request, decode_body, decode_pairs
from .world import Config, World

IDLE_SECONDS = 5.0  # pveproxy closes an idle connection after that
BREAKING = ("status", "raw", "hang", "close")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")


class Gone(Exception):
    """The connection is to end without an answer."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS
    server: Any

    def log_message(self, format: str, *args: Any) -> None:
        """The request log says more."""

    def _serve(self) -> None:
        member: Member = self.server
        started = time.monotonic()
        request, problem = self._request(member.index)
        world, template = member.world, ""
        self.connection.settimeout(None)
        try:
            early = self._early(world, request)
            if early is not None:
                answer = early
            elif problem is not None:
                answer = problem
            else:
                answer, template = router.handle(world, request)
            answer = self._late(world, request, answer)
        except Gone as why:
            world.log.add(request, str(why), template, started, **_engine(world, request))
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        if answer.status == 401 and world.config.auth_delay:
            time.sleep(world.config.auth_delay)
        # Logged before it is sent: who has the answer finds the request in the log.
        world.log.add(request, answer.status, template, started, **_engine(world, request))
        self._send(answer, cut=world.faults.take(request, "cut") is not None)
        self.connection.settimeout(IDLE_SECONDS)

    def _request(self, member: int) -> tuple[Request, Answer | None]:
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        request = Request(self.command, path.removeprefix(API), decode_pairs(query), {}, member, dict(self.headers))
        if not path.startswith(API + "/"):
            return request, Answer(404, None, "no such file '" + path + "'", raw=b"", content_type="text/plain")
        if body and self.command in ("GET", "HEAD", "DELETE"):
            return request, Answer.of(Die(f"Unexpected content for method '{self.command}'", 501))
        try:
            request.form = decode_body(body, self.headers.get("Content-Type") or "")
        except Die as refusal:
            raw = refusal.message.encode()
            return request, Answer(refusal.status, None, refusal.message, raw=raw, content_type="text/plain")
        return request, None

    def _early(self, world: World, request: Request) -> Answer | None:
        if world.config.latency:
            time.sleep(world.config.latency)
        delay = world.faults.take(request, "delay")
        if delay:
            world.faults.cleared.wait(delay.seconds)
        fault = world.faults.take(request, *BREAKING)
        return _broken(world, fault) if fault else None

    def _late(self, world: World, request: Request, answer: Answer) -> Answer:
        fault = world.faults.take(request, *BREAKING, stage="after")
        return _broken(world, fault) if fault else answer

    def _send(self, answer: Answer, cut: bool) -> None:
        body = answer.body()
        reason = answer.reason().encode("utf-8", "replace").decode("latin-1")[:400].replace("\r", " ")
        head = [
            f"HTTP/1.1 {answer.status} {reason}",
            f"Content-Type: {answer.content_type}",
            f"Content-Length: {len(body)}",
            "Server: pve-api-daemon/3.0",
            "Cache-Control: max-age=0",
        ]
        if cut or answer.status == 401:
            self.close_connection = True
            head.append("Connection: close")
        data = "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + (body[: len(body) // 2] if cut else body)
        with contextlib.suppress(OSError):
            self.wfile.write(data)


for _method in METHODS:
    setattr(Handler, f"do_{_method}", Handler._serve)


def _engine(world: World, request: Request) -> dict[str, Any]:
    """Marks what OpenBao's engine asked, which is no write of a client."""
    mine = bool(world.config.engine_token) and request.identity == world.config.engine_token
    return {"engine": True} if mine else {}


def _broken(world: World, fault: Fault) -> Answer:
    """The answer that a fault gives, or Gone."""
    if fault.kind == "hang":
        world.faults.cleared.wait(fault.seconds)
        raise Gone("hung")
    if fault.kind == "close":
        raise Gone("closed")
    if fault.kind == "raw":
        return Answer(fault.status, message=fault.message, raw=fault.body.encode(), content_type=fault.content_type)
    return Answer(fault.status, None, fault.message, fault.errors)


class Member:
    """One listener. It can be stopped, which closes its connections, and started again on the same port."""

    def __init__(self, world: World, index: int, context: ssl.SSLContext) -> None:
        self.world, self.index, self._context = world, index, context
        self.port = 0
        self._socket: socket.socket | None = None
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.start()

    def start(self) -> None:
        if self._socket:
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(128)
        self._socket, self.port = listener, listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def stop(self) -> None:
        """Refuse connections from now on, and drop those that are open."""
        listener, self._socket = self._socket, None
        if listener is None:
            return
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, address = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._converse, args=(connection, address), daemon=True).start()

    def _converse(self, connection: socket.socket, address: tuple[str, int]) -> None:
        try:
            connection.settimeout(10)
            connection = self._context.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.add(connection)
            Handler(connection, address, self)  # type: ignore[arg-type]
        except (OSError, ValueError):
            pass
        finally:
            with self._lock:
                self._open.discard(connection)
            with contextlib.suppress(OSError):
                connection.close()


def main(argv: list[str]) -> int:
    config = Config.from_data(json.loads(Path(argv[0]).read_text(encoding="utf-8")))
    world = World(config)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(config.cert, config.key)
    members = [Member(world, index, context) for index in range(config.members)]
    stop = threading.Event()
    interface = control.start(world, members, stop)
    world.backend.wait()
    print(json.dumps({"ports": [member.port for member in members], "control": interface}), flush=True)

    def watch_parent() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        stop.set()

    threading.Thread(target=watch_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    stop.wait()
    world.faults.clear()
    for member in members:
        member.stop()
    world.backend.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
