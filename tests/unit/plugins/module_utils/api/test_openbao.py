# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api import openbao, tls
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import BaoAccess
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.openbao import Minted, OpenBao
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.redact import Secrets
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    DeclarationError,
    DependencyError,
    MintError,
)

from .loopback import Answering, Cert, Reply, Server, closed_port, raw_server

TOKEN = "s.0123456789abcdefABCDEF42"
MINTED_SECRET = "5e3c7e1a-0000-4000-8000-00000000cafe"
GOOD = {"token_id": "mint@pve!read1", "secret": MINTED_SECRET}

Serve = t.Callable[[Answering], Server]


def minted(**more: t.Any) -> Reply:
    lease = {"lease_id": "c1/creds/read/x", "lease_duration": 300, "renewable": False, "data": GOOD}
    return Reply(200, {**lease, **more})


def client(url: str, **changes: t.Any) -> OpenBao:
    settings: dict[str, t.Any] = {
        "url": url,
        "method": "token",
        "mount": "c1",
        "token": TOKEN,
        "timeout": 5.0,
        **changes,
    }
    return OpenBao(BaoAccess(**settings), Secrets())


def at(server: Server, **changes: t.Any) -> OpenBao:
    return client(f"http://127.0.0.1:{server.port}", **changes)


def failure(bao: OpenBao, token: str = TOKEN) -> str:
    with pytest.raises(MintError) as caught:
        bao.mint("c1/creds/read", token)
    text = str(caught.value)
    assert TOKEN not in text
    assert MINTED_SECRET not in text
    assert "\n" not in text
    return text


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openbao, "RETRY_PAUSES", (0.0, 0.0))


def test_path_and_headers_of_a_mint(bao: Serve) -> None:
    server = bao(lambda _: minted())
    assert at(server, namespace="team/a").mint("c1/creds/read", TOKEN) == Minted(
        "mint@pve!read1", MINTED_SECRET, "c1/creds/read/x", 300.0, False
    )
    request = server.requests[0]
    assert (request.method, request.target) == ("GET", "/v1/c1/creds/read")
    headers = {name: request.headers.get(name) for name in ("X-Vault-Token", "X-Vault-Namespace", "X-Vault-Request")}
    assert headers == {"X-Vault-Token": TOKEN, "X-Vault-Namespace": "team/a", "X-Vault-Request": "true"}


def test_agent_mode_sends_no_token_whatever_the_environment_and_home_hold(
    bao: Serve, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / ".vault-token").write_text("s.from-home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("VAULT_TOKEN", "s.from-environment")
    server = bao(lambda _: minted())
    at(server, method="none", token="").mint("c1/creds/read", "")
    assert "X-Vault-Token" not in server.requests[0].headers
    assert "X-Vault-Namespace" not in server.requests[0].headers


def test_a_missing_duration_is_0(bao: Serve) -> None:
    assert at(bao(lambda _: Reply(200, {"data": GOOD}))).mint("c1/creds/read", TOKEN).seconds == 0
    assert at(bao(lambda _: minted(lease_duration=None))).mint("c1/creds/read", TOKEN).seconds == 0


def test_the_age_of_an_agents_copy_is_taken_off(bao: Serve) -> None:
    reply = minted()
    server = bao(lambda _: Reply(200, reply.body, headers={"X-Cache": "HIT", "Age": "100"}))
    lease = at(server).mint("c1/creds/read", TOKEN)
    assert (lease.seconds, lease.cached) == (200.0, True)


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (403, {"errors": ["permission denied"]}, "403: permission denied"),
        (
            403,
            {"errors": ["1 error occurred:\n\t* permission denied\n\n"]},
            "403: 1 error occurred: * permission denied",
        ),
        (404, {"errors": []}, "404: no reason given (no such role (bao_read_role, bao_write_role), mount or namespace"),
        (404, {"errors": ['no handler for route "x". route entry not found.']}, "404: no handler for route"),
        (404, {"data": None, "warnings": ["Invalid path for a versioned K/V"]}, "404: not an OpenBao error body"),
        (503, {"errors": ["Vault is sealed"]}, "503: Vault is sealed"),
        (400, {"errors": ["no member of the cluster answers", "b"]}, "400: no member of the cluster answers; b"),
        (500, f"crash {TOKEN} {MINTED_SECRET}", "500: not an OpenBao error body"),
        (500, {"errors": [f"quoted {TOKEN}"]}, "500: quoted ********"),
        (500, {"errors": {"a": "b"}}, "500: not an OpenBao error body"),
    ],
)
def test_an_error_is_one_line_of_its_errors_and_nothing_else(bao: Serve, status: int, body: t.Any, text: str) -> None:
    assert failure(at(bao(lambda _: Reply(status, body)))).startswith(f"OpenBao GET /v1/c1/creds/read -> {text}")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"secret": MINTED_SECRET}, "no text under token_id_full or token_id"),
        ({"token_id": "mint@pve!read1"}, "no text under secret or token_secret"),
        ({"token_id": "", "secret": MINTED_SECRET}, "no text under token_id_full"),
        ({"token_id": 7, "secret": MINTED_SECRET}, "no text under token_id_full"),
        ({"token_id": "bao-1234", "secret": MINTED_SECRET}, "a token id looks like user@realm!name"),
        ({"token_id": "mint@pve!read1", "secret": f"{MINTED_SECRET}\n"}, "characters that no token secret has"),
        (None, "no text under"),
        ([], "no text under"),
    ],
)
def test_a_200_without_a_usable_credential_is_refused_and_not_quoted(bao: Serve, data: t.Any, text: str) -> None:
    assert text in failure(at(bao(lambda _: minted(data=data))))


def test_the_full_id_is_taken_where_an_engine_has_a_short_one_too(bao: Serve) -> None:
    data = {"token_id": "bao-1", "token_id_full": "mint@pve!bao-1", "token_secret": "x"}
    lease = at(bao(lambda _: minted(data=data))).mint("c1/creds/read", TOKEN)
    assert (lease.token_id, lease.secret) == ("mint@pve!bao-1", "x")


def test_other_fields_can_be_named(bao: Serve) -> None:
    server = bao(lambda _: minted(data={"username": "hf@pbs!1", "password": "y"}))
    lease = at(server, token_id_fields=("username",), secret_fields=("password",)).mint("c1/creds/read", TOKEN)
    assert (lease.token_id, lease.secret) == ("hf@pbs!1", "y")


def test_kv_version_2_is_unwrapped(bao: Serve) -> None:
    server = bao(lambda _: minted(data={"data": GOOD, "metadata": {"version": 1}}, lease_id="", lease_duration=0))
    lease = at(server).mint("kv/data/pve", TOKEN)
    assert (lease.token_id, lease.lease_id, lease.seconds) == ("mint@pve!read1", "", 0)


def test_a_unix_socket(folder: Path) -> None:
    path = str(folder / "bao.sock")
    with Server(lambda _: minted(), unix=path) as server:
        assert client(f"unix://{path}").mint("c1/creds/read", TOKEN).token_id == "mint@pve!read1"
        assert server.requests[0].headers["Host"] == "localhost"


def test_a_unix_socket_that_is_not_there(folder: Path) -> None:
    assert f"no response from unix://{folder}/none.sock: there is no such socket" in failure(
        client(f"unix://{folder}/none.sock")
    )


def test_tls_by_the_named_authority_only(cert: Cert) -> None:
    with Server(lambda _: minted(), cert=cert) as server:
        url = f"https://127.0.0.1:{server.port}"
        assert client(url, ca_cert=cert.ca).mint("c1/creds/read", TOKEN).seconds == 300
        assert "certificate not accepted" in failure(client(url))
        assert len(server.requests) == 1
    with pytest.raises(DeclarationError, match="bao_ca_cert"):
        client(url, ca_cert="/nonexistent").mint("c1/creds/read", TOKEN)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_gets_neither_the_token_nor_a_second_request(bao: Serve, status: int) -> None:
    target = bao(lambda _: minted())
    server = bao(lambda _: Reply(status, headers={"Location": f"http://127.0.0.1:{target.port}/v1/c1/creds/read"}))
    assert "redirects are not followed" in failure(at(server))
    assert target.requests == []


def test_proxies_and_netrc_of_the_environment_are_ignored(
    bao: Serve, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "netrc").write_text("machine 127.0.0.1 login me password other\n")
    monkeypatch.setenv("NETRC", str(folder / "netrc"))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port()}")
    server = bao(lambda _: minted())
    at(server).mint("c1/creds/read", TOKEN)
    assert "Authorization" not in server.requests[0].headers


def test_a_mint_is_not_repeated_after_a_read_timeout_or_a_5xx(bao: Serve) -> None:
    for reply in (Reply(hang=5), Reply(drop=True), Reply(500, {"errors": ["x"]}), Reply(503), Reply(502)):
        server = bao(lambda _, reply=reply: reply)  # type: ignore[misc]
        failure(at(server, timeout=0.3))
        assert len(server.requests) == 1


def test_a_412_is_asked_again_because_nothing_was_minted(bao: Serve) -> None:
    replies = [Reply(412, {"errors": ["missing required state"]}), minted()]
    assert at(bao(lambda _: replies.pop(0))).mint("c1/creds/read", TOKEN).seconds == 300


def test_a_refused_connection_is_tried_again_and_then_told() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    assert failure(client(url)) == f"OpenBao GET /v1/c1/creds/read -> no response from {url}: connection refused"


def test_what_is_no_http_is_told_without_its_text() -> None:
    with raw_server(lambda stream: stream.sendall(b"SSH-2.0-x\r\n")) as port:
        assert "-> no response from " in failure(client(f"http://127.0.0.1:{port}", timeout=1.0))


def test_an_approle_login(bao: Serve) -> None:
    server = bao(lambda _: Reply(200, {"auth": {"client_token": TOKEN, "lease_duration": 1200}}))
    login = at(server, method="approle", auth_mount="approle", token="", role_id="r", secret_id="sid").login()
    request = server.requests[0]
    assert (login.token, login.seconds) == (TOKEN, 1200.0)
    assert (request.method, request.target) == ("POST", "/v1/auth/approle/login")
    assert request.json() == {"role_id": "r", "secret_id": "sid"}
    assert "X-Vault-Token" not in request.headers


def test_a_jwt_login_at_another_mount(bao: Serve) -> None:
    server = bao(lambda _: Reply(200, {"auth": {"client_token": TOKEN, "lease_duration": 0}}))
    login = at(server, method="jwt", auth_mount="gitlab", token="", jwt="a.b.c", jwt_role="ci").login()
    assert login.seconds is None
    assert server.requests[0].target == "/v1/auth/gitlab/login"
    assert server.requests[0].json() == {"role": "ci", "jwt": "a.b.c"}


def test_a_login_that_is_refused_or_has_no_token(bao: Serve) -> None:
    for reply, text in (
        (Reply(400, {"errors": ["invalid role or secret ID"]}), "400: invalid role or secret ID"),
        (Reply(200, {"auth": None}), "200: the answer holds no token"),
        (Reply(200, {"auth": {"client_token": "s.a\nb"}}), "200: the answer holds no token"),
    ):
        server = bao(lambda _, reply=reply: reply)  # type: ignore[misc]
        with pytest.raises(MintError) as caught:
            at(server, method="approle", auth_mount="approle", token="", role_id="r", secret_id="sid").login()
        assert str(caught.value).startswith(f"OpenBao POST /v1/auth/approle/login -> {text}")
        assert "sid" not in str(caught.value)


def test_revoking(bao: Serve) -> None:
    server = bao(lambda _: Reply(204))
    at(server).revoke_self(TOKEN, 5)
    at(server).revoke("c1/creds/read/x", TOKEN, 5)
    assert [(r.method, r.target) for r in server.requests] == [
        ("POST", "/v1/auth/token/revoke-self"),
        ("PUT", "/v1/sys/leases/revoke"),
    ]
    assert server.requests[1].json() == {"lease_id": "c1/creds/read/x"}


def test_a_missing_library_is_named_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openbao, "hvac", None)
    with pytest.raises(DependencyError, match="pip install hvac"):
        client("http://127.0.0.1:1").mint("c1/creds/read", TOKEN)
    monkeypatch.setattr(tls, "HAS_REQUESTS", False)
    with pytest.raises(DependencyError, match="pip install requests"):
        client("http://127.0.0.1:1").mint("c1/creds/read", TOKEN)
