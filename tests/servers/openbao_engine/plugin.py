# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The engine as an OpenBao plugin: go-plugin's handshake and gRPC services around engine.py.

Five things that cost time to find out:
1. The handshake line is `1|5|unix|SOCKET|grpc|CERTIFICATE` (base64 DER without padding), after the cookie in
   VAULT_BACKEND_PLUGIN was looked at.
2. The certificate is a self-signed P-256 CA for localhost, and no client certificate is asked for: go-plugin's own is
   of a curve that gRPC for Python does not take.
3. Every request comes first as operation `resolve-path`; "unsupported operation" is the right answer.
4. An empty answer still carries data "null"; a lease carries its issue time; times are nanoseconds.
5. Health, GRPCController.Shutdown and blocking GRPCBroker and GRPCStdio streams must be there.
OpenBao's storage is not used: what was configured is kept in memory.
"""

from __future__ import annotations

import base64
import datetime
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from .engine import Engine, Lease, Refused
from .messages import CLASSES

COOKIE_NAME, NANOSECONDS, TYPE_LOGICAL, SERVING = "VAULT_BACKEND_PLUGIN", 1_000_000_000, 1, b"\x08\x01"


def certificate() -> tuple[bytes, bytes, bytes]:
    """Key and certificate as PEM, and the certificate as DER."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return pem, made.public_bytes(serialization.Encoding.PEM), made.public_bytes(serialization.Encoding.DER)


class Plugin:
    def __init__(self) -> None:
        self.engine = Engine()
        self.over = threading.Event()

    def handle_request(self, args: Any, _context: Any) -> Any:
        request, reply = args.request, CLASSES["HandleRequestReply"]()
        data = json.loads(request.data) if request.data else {}
        internal = json.loads(request.secret.internal_data) if request.secret.internal_data else {}
        try:
            result = self.engine.handle(request.operation, request.path, data or {}, internal or {})
        except Refused as why:
            reply.response.data = "null"
            reply.err.err_type, reply.err.err_msg, reply.err.err_code = why.kind, str(why), why.code
            return reply
        if result is None and request.operation == "read":
            return reply  # no response at all is a 404
        reply.response.data = "null"
        if isinstance(result, Lease):
            reply.response.data = json.dumps(dict(result.data))
            options = reply.response.secret.lease_options
            options.TTL = options.MaxTTL = result.seconds * NANOSECONDS
            options.issue_time.GetCurrentTime()
            reply.response.secret.internal_data = json.dumps(dict(result.internal))
        elif result is not None:
            reply.response.data = json.dumps(result)
        return reply

    def services(self) -> list[grpc.GenericRpcHandler]:
        empty = b""
        make: Callable[..., Any] = grpc.method_handlers_generic_handler

        def constant(answer: bytes) -> Any:
            return grpc.unary_unary_rpc_method_handler(lambda _request, _context: answer)

        reply = CLASSES["TypeReply"](type=TYPE_LOGICAL).SerializeToString()
        backend = {
            "HandleRequest": grpc.unary_unary_rpc_method_handler(
                self.handle_request,
                request_deserializer=CLASSES["HandleRequestArgs"].FromString,
                response_serializer=CLASSES["HandleRequestReply"].SerializeToString,
            ),
            "Type": constant(reply),
            **{name: constant(empty) for name in ("SpecialPaths", "HandleExistenceCheck", "Initialize")},
            **{name: constant(empty) for name in ("Cleanup", "InvalidateKey", "Setup")},
        }
        return [
            make("pb.Backend", backend),
            make("grpc.health.v1.Health", {"Check": constant(SERVING)}),
            make("plugin.GRPCController", {"Shutdown": grpc.unary_unary_rpc_method_handler(self._shutdown)}),
            make("plugin.GRPCBroker", {"StartStream": grpc.stream_stream_rpc_method_handler(self._silent)}),
            make("plugin.GRPCStdio", {"StreamStdio": grpc.unary_stream_rpc_method_handler(self._silent)}),
        ]

    def _shutdown(self, _request: bytes, _context: Any) -> bytes:
        self.over.set()
        return b""

    def _silent(self, _request: Any, context: Any) -> Iterator[bytes]:
        """A stream that says nothing and stays open."""
        ended = threading.Event()
        context.add_callback(ended.set)
        while not (ended.wait(0.5) or self.over.is_set()):
            pass
        yield from ()


def main() -> int:
    if not os.environ.get(COOKIE_NAME):
        print("This is a plugin, which OpenBao starts.", file=sys.stderr)
        return 1
    plugin = Plugin()
    key, pem, der = certificate()
    with tempfile.TemporaryDirectory(prefix="bao-plugin-") as folder:
        path = os.path.join(folder, "plugin.sock")
        # Each open stream (broker, stdio) keeps a thread.
        server = grpc.server(futures.ThreadPoolExecutor(max_workers=24))
        server.add_generic_rpc_handlers(plugin.services())
        server.add_secure_port(f"unix:{path}", grpc.ssl_server_credentials([(key, pem)]))
        server.start()
        encoded = base64.b64encode(der).decode().rstrip("=")
        print(f"1|5|unix|{path}|grpc|{encoded}", flush=True)
        parent = os.getppid()
        while not plugin.over.wait(0.5):
            if os.getppid() != parent:
                break  # OpenBao was killed
        server.stop(0.2)
        time.sleep(0.05)
    return 0


if __name__ == "__main__":
    sys.exit(main())
