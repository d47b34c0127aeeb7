# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers on loopback that answer as a test says, and certificates for them."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import http.server
import ipaddress
import json
import socket
import socketserver
import ssl
import threading
import time
import typing as t
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]
    body: str
    peer: t.Any

    @property
    def path(self) -> str:
        return self.target.partition("?")[0].removeprefix("/api2/json/")

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @property
    def form(self) -> list[tuple[str, str]]:
        return urllib.parse.parse_qsl(self.body, keep_blank_values=True)

    def json(self) -> t.Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: t.Any = None
    reason: str | None = None
    headers: t.Mapping[str, str] = field(default_factory=dict)
    hang: float = 0.0
    drop: bool = False  # close without an answer
    cut: bool = False  # announce more body than is sent


Answering = t.Callable[[Request], Reply]


def data(value: t.Any, **more: t.Any) -> Reply:
    return Reply(200, {"data": value, **more})


def _handler(server: Server) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 20

        def log_message(self, format: str, *args: t.Any) -> None:
            pass

        def address_string(self) -> str:
            return "loopback"

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode()
            request = Request(self.command, self.path, dict(self.headers.items()), body, self.client_address)
            with server.lock:
                server.requests.append(request)
            self._give(server.answer(request))

        do_POST = do_PUT = do_DELETE = do_GET

        def _give(self, reply: Reply) -> None:
            if reply.hang:
                server.released.wait(reply.hang)
                self.close_connection = True
                return
            if reply.drop:
                self.close_connection = True
                return
            text = reply.body if isinstance(reply.body, str) else "" if reply.body is None else json.dumps(reply.body)
            kind = "text/plain" if isinstance(reply.body, str) else "application/json"
            payload = text.encode()
            self.send_response_only(reply.status, reply.reason)
            headers = {"Content-Type": kind, "Content-Length": str(len(payload) + (50 if reply.cut else 0))}
            for name, value in {**headers, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)
            if reply.cut:
                self.close_connection = True

    return Handler


class _Quiet(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: t.Any, client_address: t.Any) -> None:
        pass


class _UnixServer(_Quiet):
    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", 0

    def get_request(self) -> tuple[socket.socket, t.Any]:
        return self.socket.accept()[0], ("unix", 0)


class Server:
    """HTTP, HTTPS with a certificate, or a unix socket. ``requests`` is what arrived."""

    def __init__(self, answer: Answering, *, cert: Cert | None = None, unix: str = "") -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self.released = threading.Event()
        self._http: _Quiet
        if unix:
            self._http = _UnixServer(unix, _handler(self))  # type: ignore[arg-type]
        else:
            self._http = _Quiet(("127.0.0.1", 0), _handler(self))
        self.port = 0 if unix else int(self._http.server_address[1])
        if cert is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(cert.chain)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def sent(self) -> list[tuple[str, str]]:
        return [(request.method, request.path) for request in self.requests]


@contextlib.contextmanager
def raw_server(serve: t.Callable[[socket.socket], None]) -> t.Iterator[int]:
    """A TCP port whose every connection is given to ``serve``."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            try:
                stream, _peer = listener.accept()
            except OSError:
                return
            with stream, contextlib.suppress(OSError):
                serve(stream)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        stop.set()
        with contextlib.suppress(OSError):
            socket.create_connection(listener.getsockname(), 1).close()
        listener.close()
        thread.join(5)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def full_port() -> t.Iterator[int]:
    """A port that takes no more connections, so that connecting times out."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    fillers = []
    for _filler in range(8):
        filler = socket.socket()
        filler.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            filler.connect(listener.getsockname())
        fillers.append(filler)
    time.sleep(0.05)
    try:
        yield int(listener.getsockname()[1])
    finally:
        for filler in fillers:
            filler.close()
        listener.close()


@dataclass(frozen=True)
class Cert:
    """``chain`` holds key and certificate of a server, ``ca`` what vouches for it."""

    chain: str
    ca: str
    sha256: str


def make_cert(
    folder: Path, name: str = "good", *, expired: bool = False, names: t.Sequence[str] = ("localhost",)
) -> Cert:
    """An authority of PVE's form (no key usage extension) and a server certificate of it."""
    now = datetime.datetime.now(datetime.timezone.utc)
    ca_key, ca_name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"CA {name}")]),
    )
    ca = _builder(ca_name, ca_name, ca_key, now, False)
    ca_cert = ca.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(
        ca_key, hashes.SHA256()
    )
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    general: list[x509.GeneralName] = [x509.DNSName(item) for item in names]
    if "localhost" in names:
        general.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    leaf = _builder(subject, ca_name, key, now, expired)
    cert = leaf.add_extension(x509.SubjectAlternativeName(general), critical=False).sign(ca_key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem = serialization.Encoding.PEM
    chain, authority = folder / f"{name}.pem", folder / f"{name}-ca.pem"
    chain.write_bytes(private + cert.public_bytes(pem))
    authority.write_bytes(ca_cert.public_bytes(pem))
    digest = hashlib.sha256(cert.public_bytes(serialization.Encoding.DER)).hexdigest()
    return Cert(str(chain), str(authority), digest)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime.datetime, expired: bool
) -> x509.CertificateBuilder:
    days = datetime.timedelta(days=1)
    end = now - days if expired else now + 30 * days
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    return builder.serial_number(x509.random_serial_number()).not_valid_before(now - 10 * days).not_valid_after(end)
