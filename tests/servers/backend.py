# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""fakepve behind the front: started with a seed, asked as root@pam, replaced by a fresh one on a reset.

It runs as a process of its own through its own command line. A second one is kept ready from the first write on, so
that a reset costs no start.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import ssl
import sys
import threading
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import procs
from .seed import Seed, backend_guests, backend_steps
from .wire import API, Answer, Values

PASSWORD = "backend-only"
# A guest that exists only to make fakepve know a node.
PLACEHOLDER_VMID = 999999000


class Process:
    """One fakepve with the seed in it."""

    def __init__(self, folder: Path, number: int, seed: Seed, time_scale: float, cert: Path, key: Path) -> None:
        self._context = ssl.create_default_context(cafile=str(cert.parent / "ca.pem"))
        self._local = threading.local()
        guests = folder / f"fakepve-{number}.json"
        guests.write_text(json.dumps({"guests": backend_guests(seed, PLACEHOLDER_VMID)}), encoding="utf-8")
        command = [sys.executable, "-m", "fakepve", str(guests), "--host", "127.0.0.1", "--port", "0"]
        command += ["--user", "root@pam", "--password", PASSWORD, "--time-scale", str(time_scale)]
        command += ["--cert", str(cert), "--key", str(key)]
        self._guarded = procs.start(command, folder / f"fakepve-{number}.log")
        self._seed = seed
        self._ready = threading.Event()
        self.problem: Exception | None = None
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        try:
            found = self._guarded.wait_for(r"listening on https://127\.0\.0\.1:(\d+)")
            self._port = int(found[1])
            ticket = self._call("POST", "/access/ticket", {"username": "root@pam", "password": PASSWORD}, {})
            self._headers = {
                "Cookie": f"PVEAuthCookie={ticket.data['ticket']}",
                "CSRFPreventionToken": ticket.data["CSRFPreventionToken"],
            }
            for method, path, values in backend_steps(self._seed, PLACEHOLDER_VMID):
                answer = self._call(method, path, values, self._headers)
                if answer.status != 200:
                    raise RuntimeError(f"seed: {method} {path} answered {answer.status} {answer.message}")
        except Exception as problem:  # kept for the thread that waits, which raises it
            self.problem = problem
        self._ready.set()

    def ask(self, method: str, path: str, values: Values) -> Answer:
        self._ready.wait()
        if self.problem:
            raise self.problem
        return self._call(method, path, values, self._headers)

    def _call(self, method: str, path: str, values: Values, headers: Mapping[str, str]) -> Answer:
        url = API + urllib.parse.quote(path, safe="/:@!,=")
        body: bytes | None = None
        sent = dict(headers)
        given = {name: "" if value is None else value for name, value in values.items()}
        if method in ("POST", "PUT"):
            # JSON, for fakepve drops a form's `k=`.
            body = json.dumps(given).encode()
            sent["Content-Type"] = "application/json"
        elif given:
            url += "?" + urllib.parse.urlencode(given, doseq=True)
        for attempt in (1, 2):
            connection = self._connection(fresh=attempt > 1)
            try:
                connection.request(method, url, body, sent)
                response = connection.getresponse()
                return _answer(response.status, response.reason, response.read())
            except (http.client.RemoteDisconnected, ConnectionError):
                # The keep-alive connection had ended; nothing was handled.
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def _connection(self, fresh: bool) -> http.client.HTTPSConnection:
        connection: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if connection is None or fresh:
            connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=60)
            self._local.connection = connection
        return connection

    def stop(self) -> None:
        self._guarded.stop()


def _answer(status: int, reason: str, body: bytes) -> Answer:
    try:
        loaded = json.loads(body) if body else {}
    except ValueError:
        return Answer(status, None, reason)
    message = str(loaded.get("message") or reason).rstrip("\n")
    return Answer(status, loaded.get("data"), "" if status == 200 else message, loaded.get("errors") or {})


class Backend:
    """The fakepve that serves now, and the one that waits for the next reset."""

    def __init__(self, folder: Path, seed: Seed, time_scale: float, cert: Path, key: Path) -> None:
        self._folder, self._seed, self._time_scale, self._cert, self._key = folder, seed, time_scale, cert, key
        self._number = 0
        self._lock = threading.Lock()
        self._spare: Process | None = None
        self._dirty = False
        self._current = self._next()

    def _next(self) -> Process:
        self._number += 1
        return Process(self._folder, self._number, self._seed, self._time_scale, self._cert, self._key)

    def ask(self, method: str, path: str, values: Values | None = None) -> Answer:
        if method != "GET":
            self._note_write()
        return self._current.ask(method, path, values or {})

    def get(self, path: str, values: Values | None = None) -> Any:
        """The data of a GET, or None when it is refused."""
        answer = self.ask("GET", path, values)
        return answer.data if answer.status == 200 else None

    def _note_write(self) -> None:
        with self._lock:
            self._dirty = True
            if self._spare is None:
                self._spare = self._next()

    def reset(self) -> None:
        """The state of the seed again; free when nothing was written."""
        with self._lock:
            if not self._dirty:
                return
            old, self._current = self._current, self._spare or self._next()
            self._spare, self._dirty = None, False
        threading.Thread(target=old.stop, daemon=True).start()
        self._current.ask("GET", "/version", {})

    def wait(self) -> None:
        self._current.ask("GET", "/version", {})

    def stop(self) -> None:
        with self._lock:
            for process in (self._current, self._spare):
                if process:
                    with contextlib.suppress(OSError):
                        process.stop()
