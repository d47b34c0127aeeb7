# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
import socket
import ssl
import typing as t
from pathlib import Path

import pytest
import requests
import urllib3.exceptions as inner
from ansible_collections.homeflare.proxmox.plugins.module_utils.api import members, transport
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import Member
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.lease_cell import Cell
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.session import Session
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    DeclarationError,
    TransportError,
)

from .conftest import SECRET, Opener
from .loopback import Answering, Cert, Reply, Request, Server, closed_port, data, full_port, make_cert, raw_server

# A pool or a connection that is only named in a text.
ANY: t.Any = None

Serve = t.Callable[[Answering], Server]


def ok(_request: Request) -> Reply:
    return data("fine")


def failing(session: Session, method: str = "POST") -> TransportError:
    def ask() -> t.Any:
        return session.get("version") if method == "GET" else session.write(method, "pools", {"poolid": "x"})

    with pytest.raises(TransportError) as caught:
        ask()
    return caught.value


# What each situation proves.


def test_a_refused_connection_proves_that_nothing_left(session: Opener) -> None:
    error = failing(session(closed_port()))
    assert not error.sent
    assert "connection refused" in str(error)


def test_a_name_that_does_not_resolve_proves_that_nothing_left(session: Opener) -> None:
    error = failing(session(members=(Member("no-such-host.invalid", 8006),)))
    assert not error.sent
    assert "does not resolve" in str(error)


def test_a_connect_timeout_proves_that_nothing_left(session: Opener) -> None:
    with full_port() as port:
        error = failing(session(port, api_timeout=0.3))
    assert not error.sent
    assert "no connection in time" in str(error)


@pytest.mark.parametrize("kind", ["untrusted", "expired", "name"])
def test_a_certificate_that_is_not_accepted_proves_that_nothing_left(folder: Path, session: Opener, kind: str) -> None:
    cert = make_cert(
        folder, "bad", expired=kind == "expired", names=["other.example"] if kind == "name" else ["localhost"]
    )
    ca: dict[str, t.Any] = {} if kind == "untrusted" else {"ca_path": cert.ca}
    with Server(ok, cert=cert) as server:
        error = failing(session(server.port, **ca))
        assert not error.sent
        assert "certificate not accepted" in str(error)
        assert server.requests == []


def test_other_tls_failures_prove_nothing(session: Opener) -> None:
    with raw_server(lambda stream: stream.sendall(b"HTTP/1.0 200 OK\r\n\r\n")) as port:
        error = failing(session(port))
    assert error.sent
    assert "outcome is unknown" in str(error)


def test_a_handshake_that_hangs_proves_nothing(session: Opener) -> None:
    def hang(stream: socket.socket) -> None:
        stream.settimeout(3)
        while stream.recv(4096):
            pass

    with raw_server(hang) as port:
        error = failing(session(port, api_timeout=0.3))
    assert error.sent


def test_no_answer_in_time_proves_nothing_and_nothing_is_sent_again(serve: Serve, session: Opener) -> None:
    first, second = serve(lambda _: Reply(hang=5)), serve(ok)
    client = session(first.port, second.port, api_timeout=0.3)
    error = failing(client)
    assert error.sent
    assert "outcome is unknown" in str(error)
    assert (first.sent(), second.sent()) == ([("POST", "pools")], [])
    assert (client.requests, client.writes) == (1, 1)


def test_a_closed_connection_proves_nothing_and_nothing_is_sent_again(serve: Serve, session: Opener) -> None:
    first, second = serve(lambda _: Reply(drop=True)), serve(ok)
    error = failing(session(first.port, second.port), "PUT")
    assert error.sent
    assert len(first.requests) == 1
    assert second.requests == []


def test_an_answer_that_breaks_off_proves_nothing_for_a_write(serve: Serve, session: Opener) -> None:
    first, second = serve(lambda _: Reply(body={"data": 1}, cut=True)), serve(ok)
    error = failing(session(first.port, second.port), "DELETE")
    assert error.sent
    assert "broke off" in str(error)
    assert second.requests == []


def test_a_reset_proves_nothing(cert: Cert, session: Opener) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert.chain)

    def reset(stream: socket.socket) -> None:
        with context.wrap_socket(stream, server_side=True) as wrapped:
            wrapped.recv(4096)
            wrapped.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    with raw_server(reset) as port:
        assert failing(session(port)).sent


@pytest.mark.parametrize(
    ("error", "sent", "fatal"),
    [
        (
            requests.exceptions.ProxyError(inner.MaxRetryError(ANY, "/", inner.NewConnectionError(ANY, "x"))),
            True,
            False,
        ),
        (
            requests.exceptions.SSLError(inner.MaxRetryError(ANY, "/", inner.SSLError(ssl.SSLEOFError("x")))),
            True,
            False,
        ),
        (requests.exceptions.InvalidURL("x"), False, True),
        (requests.exceptions.InvalidSchema("x"), False, True),
        (requests.exceptions.InvalidHeader("x"), False, True),
        (UnicodeEncodeError("latin-1", "x", 0, 1, "x"), False, True),
        (OSError(24, "too many open files"), True, True),
        (requests.exceptions.ContentDecodingError(inner.DecodeError("x")), True, False),
        (requests.exceptions.ConnectionError("Connection refused [Errno 111] NewConnectionError"), True, False),
        (requests.exceptions.ConnectionError(inner.ReadTimeoutError(ANY, "/", "x")), True, False),
        (requests.exceptions.ConnectionError(inner.ProtocolError("x", TimeoutError())), True, False),
    ],
)
def test_classification_goes_by_type_and_never_by_text(error: BaseException, sent: bool, fatal: bool) -> None:
    failure = transport.classify(error)
    assert (failure.sent, failure.fatal) == (sent, fatal)


def test_a_bad_header_is_not_quoted() -> None:
    with pytest.raises(requests.exceptions.InvalidHeader) as caught:
        requests.Request("GET", "http://x.example", headers={"A": f"{SECRET}\n"}).prepare()
    assert SECRET in str(caught.value)
    assert SECRET not in transport.classify(caught.value).why


# Which member is asked.


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_every_method_goes_on_when_the_first_member_refuses_the_connection(
    serve: Serve, session: Opener, method: str
) -> None:
    server, told = serve(ok), list[str]()
    client = session(closed_port(), server.port, warn=told.append)
    assert (client.get("version") if method == "GET" else client.write(method, "version")) == "fine"
    assert server.sent() == [(method, "version")]
    assert [text for text in told if "connection refused" in text] == told != []


def test_a_first_member_that_does_not_resolve_is_skipped(serve: Serve, session: Opener) -> None:
    server = serve(ok)
    client = session(members=(Member("no-such-host.invalid", 8006), Member("127.0.0.1", server.port)))
    assert client.get("version") == "fine"


def test_a_read_goes_on_after_any_transport_failure(serve: Serve, session: Opener) -> None:
    for reply in (Reply(hang=5), Reply(drop=True), Reply(body={"data": 1}, cut=True)):
        first, second = serve(lambda _, reply=reply: reply), serve(ok)  # type: ignore[misc]
        assert session(first.port, second.port, api_timeout=0.3).get("version") == "fine"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 501, 503])
def test_a_status_is_the_answer_of_a_live_member(serve: Serve, session: Opener, status: int) -> None:
    first, second = serve(lambda _: Reply(status, reason="no")), serve(ok)
    with pytest.raises(ApiError):
        session(first.port, second.port).get("version")
    assert second.requests == []


@pytest.mark.parametrize("status", [595, 596, 597, 599])
def test_a_read_that_the_proxy_could_not_do_is_asked_of_one_other_member(
    serve: Serve, session: Opener, status: int
) -> None:
    first, second, third = (serve(lambda _: Reply(status, reason="No route to host")) for _server in range(3))
    with pytest.raises(ApiError) as caught:
        session(first.port, second.port, third.port).get("version")
    assert caught.value.status == status
    assert [len(server.requests) for server in (first, second, third)] == [1, 1, 0]
    good = serve(ok)
    assert session(first.port, good.port).get("version") == "fine"


def test_a_write_that_the_proxy_could_not_do_is_not_repeated(serve: Serve, session: Opener) -> None:
    first, second = serve(lambda _: Reply(596, reason="timeout")), serve(ok)
    with pytest.raises(ApiError):
        session(first.port, second.port).write("POST", "pools")
    assert second.requests == []


def test_the_last_good_member_is_asked_first_and_by_later_sessions_too(serve: Serve, session: Opener) -> None:
    answering = [False]
    first = serve(lambda _: data("first") if answering[0] else Reply(drop=True))
    second = serve(lambda _: data("second"))
    assert session(first.port, second.port).get("version") == "second"
    asked = len(first.requests)
    answering[0] = True
    assert session(first.port, second.port).get("version") == "second"
    assert len(first.requests) == asked


def test_when_all_are_down_every_member_is_named_with_its_reason(session: Opener) -> None:
    one, other = closed_port(), closed_port()
    text = str(failing(session(one, other)))
    assert f"127.0.0.1:{one} (connection refused)" in text
    assert f"127.0.0.1:{other} (connection refused)" in text


def test_only_a_member_after_which_another_is_asked_is_told_on_the_way(session: Opener) -> None:
    one, other, told = closed_port(), closed_port(), list[str]()
    failing(session(one, other, warn=told.append))
    assert told == [f"127.0.0.1:{one} does not answer (connection refused); the next member is asked"]


def test_what_to_do_about_a_certificate_is_said_once(serve: Serve, session: Opener) -> None:
    text = str(failing(session(serve(ok).port, serve(ok).port, ca_path=None)))
    assert text.count("certificate not accepted") == 2
    assert text.endswith(
        "(ca_path names the authority that vouches for the members, tls_fingerprint their certificates)"
    )
    assert "ca_path" not in str(failing(session(closed_port())))


# Connections.


def test_reads_reuse_a_connection_and_a_write_has_its_own(serve: Serve, session: Opener) -> None:
    server = serve(ok)
    client = session(server.port)
    client.get("a")
    client.get("b")
    client.write("POST", "c")
    client.write("POST", "d")
    peers = [request.peer for request in server.requests]
    assert peers[0] == peers[1]
    assert len(set(peers)) == 3


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced(serve: Serve, session: Opener) -> None:
    count = [0]

    def answer(_request: Request) -> Reply:
        count[0] += 1
        return Reply(drop=True) if count[0] == 2 else data(count[0])

    client = session(serve(answer).port)
    assert (client.get("a"), client.get("b")) == (1, 3)


def test_redirects_are_not_followed(serve: Serve, session: Opener) -> None:
    target = serve(ok)
    server = serve(lambda _: Reply(301, headers={"Location": f"https://127.0.0.1:{target.port}/"}))
    with pytest.raises(ApiError, match="never followed"):
        session(server.port).get("version")
    assert target.requests == []


def test_netrc_and_proxies_of_the_environment_are_ignored(
    serve: Serve, session: Opener, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "netrc").write_text("machine 127.0.0.1 login me password other\n")
    monkeypatch.setenv("NETRC", str(folder / "netrc"))
    for name in ("https_proxy", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nonexistent")
    server = serve(ok)
    assert session(server.port).get("version") == "fine"
    assert server.requests[0].headers["Authorization"] == f"PVEAPIToken=ops@pve!deploy={SECRET}"


def test_cookies_are_not_kept(serve: Serve, session: Opener) -> None:
    server = serve(lambda _: Reply(200, {"data": 1}, headers={"Set-Cookie": "PVEAuthCookie=x; Path=/"}))
    client = session(server.port)
    client.get("a")
    client.get("b")
    assert "Cookie" not in server.requests[1].headers


def test_a_write_has_the_form_type_even_when_it_is_empty(serve: Serve, session: Opener) -> None:
    server = serve(ok)
    client = session(server.port)
    client.write("POST", "a")
    client.write("PUT", "b", {"x": "1"})
    client.write("DELETE", "c", {"purge": "1"})
    kinds = [request.headers.get("Content-Type") for request in server.requests]
    assert kinds == ["application/x-www-form-urlencoded"] * 2 + [None]
    assert server.requests[0].headers["Content-Length"] == "0"
    assert (server.requests[2].query, server.requests[2].body) == ("purge=1", "")
    assert all("Transfer-Encoding" not in request.headers for request in server.requests)


# Trust.


def test_a_pin_accepts_a_self_signed_member_of_any_name(folder: Path, session: Opener) -> None:
    cert = make_cert(folder, "pinned", names=["other.example"])
    with Server(ok, cert=cert) as server:
        client = session(server.port, ca_path=None, fingerprints=("0" * 64, cert.sha256))
        assert client.get("version") == "fine"
        assert client.write("POST", "pools") == "fine"


def test_another_certificate_than_the_pinned_one_gets_no_request(serve: Serve, session: Opener) -> None:
    server, other = serve(ok), serve(ok)
    error = failing(session(server.port, other.port, fingerprints=("0" * 64,)))
    assert not error.sent
    assert "tls_fingerprint" in str(error)
    assert server.requests == other.requests == []


def test_without_ca_path_a_private_authority_is_not_trusted(serve: Serve, session: Opener) -> None:
    assert "certificate not accepted" in str(failing(session(serve(ok).port, ca_path=None)))


def test_a_folder_of_authorities_is_taken(cert: Cert, folder: Path, serve: Serve, session: Opener) -> None:
    (folder / "ca.pem").write_bytes(Path(cert.ca).read_bytes())
    # OpenSSL looks a folder up by a hash of the authority's name: SHA-1 over its canonical (lower case) form.
    text = b"ca good"
    value = b"\x06\x03\x55\x04\x03\x0c" + bytes([len(text)]) + text
    name = b"\x31" + bytes([len(value) + 2]) + b"\x30" + bytes([len(value)]) + value
    digest = int.from_bytes(hashlib.sha1(name).digest()[:4], "little")
    (folder / f"{digest:08x}.0").symlink_to(folder / "ca.pem")
    assert session(serve(ok).port, ca_path=str(folder)).get("version") == "fine"


def test_a_ca_file_that_is_gone_is_a_configuration_error(session: Opener) -> None:
    with pytest.raises(DeclarationError, match="ca_path"):
        session(closed_port(), ca_path="/nonexistent/ca.pem").get("version")


def test_the_last_good_member_is_remembered_in_the_cell_only_when_it_changes(serve: Serve, session: Opener) -> None:
    def put(_self: Cell, key: str, _entry: t.Any) -> bool:
        raise AssertionError(key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cell, "put", put)
        session(serve(ok).port).get("version")
    two = session(serve(ok).port, closed_port())
    two.get("version")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cell, "put", put)
        two.get("version")


def test_reason_phrases_are_utf_8() -> None:
    assert members._reason("gr\xc3\xbcn") == "grün"
    assert members._reason("gr\xfcn") == "gr\xfcn"
