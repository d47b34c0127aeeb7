# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions of ``requests`` that verify always, follow nothing and take nothing from the environment."""

from __future__ import annotations

import hashlib
import http.cookiejar
import os
import socket
import ssl
import typing as t

from ..errors import DependencyError

try:
    import requests
    import requests.utils
    from requests.adapters import HTTPAdapter
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    HAS_REQUESTS = True
except ImportError:  # told when a session is made
    HAS_REQUESTS = False
    HTTPAdapter = HTTPConnection = HTTPSConnection = object  # type: ignore[assignment,misc]
    HTTPConnectionPool = HTTPSConnectionPool = object  # type: ignore[assignment,misc]

USER_AGENT: t.Final = "homeflare.proxmox"


class PinnedConnection(HTTPSConnection):
    """Compares the certificate with the pins before a byte of the request leaves."""

    pins: t.ClassVar[tuple[str, ...]] = ()

    def connect(self) -> None:
        super().connect()
        der = t.cast(ssl.SSLSocket, self.sock).getpeercert(binary_form=True)
        if der is None or hashlib.sha256(der).hexdigest() not in self.pins:
            self.close()
            raise ssl.SSLCertVerificationError("the certificate is not the one that tls_fingerprint names")
        self.is_verified = True


class UnixConnection(HTTPConnection):
    """HTTP over one socket file, whatever the URL's host says."""

    socket_path: t.ClassVar[str] = ""

    def _new_conn(self) -> socket.socket:
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            timeout = self.timeout
            stream.settimeout(timeout if isinstance(timeout, (int, float)) else None)
            stream.connect(self.socket_path)
        except TimeoutError as error:
            stream.close()
            raise ConnectTimeoutError(self, "no connection to the socket") from error
        except OSError as error:
            stream.close()
            raise NewConnectionError(self, "no connection to the socket") from error
        return stream


class Adapter(HTTPAdapter):
    """Connections of one SSL context, or of one unix socket. Never a retry of its own."""

    def __init__(self, *, context: ssl.SSLContext | None, pins: tuple[str, ...] = (), socket_path: str = "") -> None:
        self._context = context
        self._pins = pins
        self._socket_path = socket_path
        super().__init__(max_retries=0, pool_connections=8, pool_maxsize=8)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **kwargs: t.Any) -> None:
        if self._context is not None:
            kwargs["ssl_context"] = self._context
        super().init_poolmanager(connections, maxsize, block, **kwargs)
        scheme, pool = self._pool()
        if pool is not None:
            self.poolmanager.pool_classes_by_scheme = {**self.poolmanager.pool_classes_by_scheme, scheme: pool}

    def _pool(self) -> tuple[str, t.Any]:
        if self._pins:
            connection = type("Pinned", (PinnedConnection,), {"pins": self._pins})
            return "https", type("PinnedPool", (HTTPSConnectionPool,), {"ConnectionCls": connection})
        if self._socket_path:
            connection = type("Unix", (UnixConnection,), {"socket_path": self._socket_path})
            return "http", type("UnixPool", (HTTPConnectionPool,), {"ConnectionCls": connection})
        return "", None

    # requests would add its own bundle of public authorities to our context; the context alone decides.
    def build_connection_pool_key_attributes(self, request: t.Any, verify: t.Any, cert: t.Any = None) -> t.Any:  # noqa: ARG002
        host, _tls = super().build_connection_pool_key_attributes(request, not self._pins, None)
        return host, ({} if self._context is None else {"cert_reqs": self._cert_reqs})

    def cert_verify(self, conn: t.Any, url: t.Any, verify: t.Any, cert: t.Any) -> None:  # noqa: ARG002
        if self._context is not None:
            conn.cert_reqs, conn.ca_certs, conn.ca_cert_dir = self._cert_reqs, None, None

    @property
    def _cert_reqs(self) -> str:
        return "CERT_NONE" if self._pins else "CERT_REQUIRED"


def tls_context(ca_path: str | None, pinned: bool = False) -> ssl.SSLContext:
    """Trusts ``ca_path`` and nothing else, or the system's authorities; a pin stands for both chain and name."""
    require()
    if pinned:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if ca_path is None:
        context = ssl.create_default_context()
        if not context.cert_store_stats()["x509_ca"]:
            context.load_verify_locations(requests.utils.DEFAULT_CA_BUNDLE_PATH)
        return context
    directory = os.path.isdir(ca_path)
    context = ssl.create_default_context(cafile=None if directory else ca_path, capath=ca_path if directory else None)
    # Python 3.13 asks more of an authority's form than PVE's own has (no key usage extension). Trust is the same.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def require() -> None:
    if not HAS_REQUESTS:
        raise DependencyError("requests")


def new_session(adapter: Adapter) -> requests.Session:
    session = requests.Session()
    # No proxy, no CA bundle and no ~/.netrc from the environment: netrc would replace the Authorization header.
    session.trust_env = False
    session.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
    session.headers.clear()
    session.headers.update({"User-Agent": USER_AGENT, "Accept": "application/json"})
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session
