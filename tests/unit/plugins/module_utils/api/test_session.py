# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import threading
import time
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import BaoAccess, Connection, Member
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.lease_cell import Cell
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.session import Session
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    MintError,
    ReadOnlyError,
    TaskFailed,
    TaskUnknown,
)

from .conftest import SECRET, TOKEN_ID, Opener
from .loopback import Answering, Cert, Reply, Request, Server, data

UPID = f"UPID:pve1:0000C530:001C9BEC:66A5B3C4:vzcreate:100:{TOKEN_ID}:"

Serve = t.Callable[[Answering], Server]


class Engine:
    """An OpenBao whose every read makes another token, and a PVE that knows which of them live."""

    def __init__(self) -> None:
        self.minted: list[str] = []
        self.dead: set[str] = set()
        self.duration = 300
        self.lock = threading.Lock()

    def answer(self, request: Request) -> Reply:
        role = request.target.rsplit("/", 1)[1]
        with self.lock:
            name = f"{role}{len(self.minted) + 1}"
            self.minted.append(name)
        body = {"token_id": f"mint@pve!{name}", "secret": f"secret-of-{name}"}
        return Reply(200, {"lease_id": "", "lease_duration": self.duration, "data": body})

    def name(self, request: Request) -> str:
        return request.headers["Authorization"].partition("!")[2].partition("=")[0]

    def guarded(self, answer: Answering) -> Answering:
        return lambda request: Reply(401, reason="No ticket") if self.name(request) in self.dead else answer(request)


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def leased(engine: Engine, bao: Serve, cert: Cert, cell: Cell) -> t.Callable[..., Session]:
    server = bao(engine.answer)

    def open_session(port: int, *, read_only: bool = False, **extra: t.Any) -> Session:
        access = BaoAccess(url=f"http://127.0.0.1:{server.port}", method="token", mount="c1", token="s.given")
        members = (Member("127.0.0.1", port),)
        connection = Connection(product="pve", members=members, ca_path=cert.ca, bao=access, api_timeout=5)
        return Session(connection, read_only=read_only, cell=cell, **extra)

    return open_session


def test_get_gives_data_and_envelope_gives_all(serve: Serve, session: Opener) -> None:
    server = serve(lambda _: data([1], changes="diff", total=1))
    client = session(server.port)
    assert client.get("nodes/pve1/network", {"type": "any", "full": True}) == [1]
    assert client.envelope("nodes/pve1/network") == {"data": [1], "changes": "diff", "total": 1}
    assert server.requests[0].query == "type=any&full=1"
    assert (client.requests, client.writes, client.mints) == (2, 0, 0)


def test_pbs_gets_its_own_header(serve: Serve, session: Opener) -> None:
    server = serve(lambda _: data(1))
    session(server.port, product="pbs").get("version")
    assert server.requests[0].headers["Authorization"] == f"PBSAPIToken={TOKEN_ID}:{SECRET}"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_read_only_session_sends_no_write_and_mints_nothing_for_it(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine, method: str
) -> None:
    server = serve(lambda _: data(1))
    with leased(server.port, read_only=True) as client:
        with pytest.raises(ReadOnlyError, match="nothing is written in check mode"):
            client.write(method, "pools", {"poolid": "x"})
        client.get("pools")
    assert server.sent() == [("GET", "pools")]
    assert engine.minted == ["read1"]


def test_a_read_only_session_mints_provision_only_for_a_read_that_asks_for_it(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    with leased(serve(lambda _: data(1)).port, read_only=True) as client:
        client.get("storage", role="provision")
    assert engine.minted == ["provision1"]


def test_nothing_is_minted_before_it_is_used(leased: t.Callable[..., Session], engine: Engine) -> None:
    leased(1).close()
    assert engine.minted == []


def test_reads_and_writes_use_their_roles_and_mint_once(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    server = serve(lambda _: data(None))
    with leased(server.port) as client:
        for _turn in range(3):
            client.get("a")
            client.write("PUT", "a", {"x": "1"})
        assert client.mints == 2
    with leased(server.port) as other:
        other.get("a")
        assert other.mints == 0
    assert sorted(engine.minted) == ["provision2", "read1"]


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_401_drops_the_lease_mints_once_and_asks_once_more(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine, method: str
) -> None:
    server = serve(engine.guarded(lambda _: data("ok")))

    def call(client: Session) -> t.Any:
        return client.get("a") if method == "GET" else client.write("PUT", "a", {"x": "1"})

    with leased(server.port) as client:
        call(client)
        engine.dead = set(engine.minted)
        assert call(client) == "ok"
        assert (len(engine.minted), len(server.requests)) == (2, 3)
    with leased(server.port) as other:
        call(other)
    assert len(engine.minted) == 2


def test_a_401_on_the_new_credential_too_is_the_answer(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    server = serve(lambda _: Reply(401, reason="Authentication failed!"))
    with leased(server.port) as client, pytest.raises(ApiError, match="minted just now is refused as well"):
        client.get("a")
    assert (len(engine.minted), len(server.requests)) == (2, 2)


def test_a_401_on_a_static_token_fails_with_what_to_look_at(serve: Serve, session: Opener) -> None:
    server = serve(lambda _: Reply(401, reason="No ticket"))
    with pytest.raises(ApiError, match=r"401: No ticket \(wrong secret, expired token or disabled user"):
        session(server.port).get("a")
    assert len(server.requests) == 1


def test_a_403_mints_nothing_new(serve: Serve, leased: t.Callable[..., Session], engine: Engine) -> None:
    server = serve(lambda _: Reply(403, reason="Permission check failed (/vms/150, VM.Audit)"))
    with leased(server.port) as client, pytest.raises(ApiError, match=r"\(/vms/150, VM.Audit\)"):
        client.get("a")
    assert engine.minted == ["read1"]


def test_a_lease_with_too_little_life_left_is_replaced_before_a_call(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    now = [1000.0]
    with leased(serve(lambda _: data(1)).port, clock=lambda: now[0]) as client:
        client.get("a")
        now[0] += 239
        client.get("a")
        assert len(engine.minted) == 1
        now[0] += 2
        client.get("a")
    assert len(engine.minted) == 2


def test_a_task_starts_with_a_lease_that_has_half_its_life_left(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    now = [1000.0]
    with leased(serve(lambda _: data(UPID)).port, clock=lambda: now[0]) as client:
        client.write("PUT", "a")
        now[0] += 149
        client.write("POST", "a", task=True)
        assert len(engine.minted) == 1
        now[0] += 2
        client.write("PUT", "a")
        assert len(engine.minted) == 1
        client.write("POST", "a", task=True)
    assert len(engine.minted) == 2


def test_a_task_is_polled_with_the_credential_that_started_it(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    now = [1000.0]
    seen: list[str] = []

    def answer(request: Request) -> Reply:
        if request.method != "GET":
            return data(UPID if request.method == "POST" else None)
        seen.append(engine.name(request))
        return data({"status": "stopped", "exitstatus": "OK"})

    with leased(serve(answer).port, clock=lambda: now[0]) as client:
        upid = client.write("POST", "nodes/pve1/lxc", task=True)
        now[0] += 250
        client.write("PUT", "pools")
        assert engine.minted == ["provision1", "provision2"]
        assert client.wait(upid).upid == UPID
    assert seen == ["provision1"]


def test_a_poll_whose_credential_has_ended_goes_on_with_a_new_one(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    states = [Reply(200, {"data": {"status": "stopped", "exitstatus": "OK"}})]
    server = serve(engine.guarded(lambda request: data(UPID) if request.method == "POST" else states[0]))
    with leased(server.port, sleep=lambda _: None) as client:
        upid = client.write("POST", "nodes/pve1/lxc", task=True)
        engine.dead = {"provision1"}
        assert client.wait(upid).warnings is False
        engine.dead |= {"provision2"}
        states[0] = Reply(403, reason="Permission check failed (/nodes/pve1, Sys.Audit)")
        with pytest.raises(TaskUnknown, match=r"Sys.Audit"):
            client.wait(upid)


def test_a_read_only_session_watches_a_task_with_the_read_role(
    serve: Serve, leased: t.Callable[..., Session], engine: Engine
) -> None:
    server = serve(lambda _: data({"status": "stopped", "exitstatus": "OK"}))
    with leased(server.port, read_only=True) as client:
        client.wait(UPID)
    assert engine.minted == ["read1"]


@pytest.mark.parametrize("answer", [None, "", "OK", 7])
def test_a_task_call_that_names_no_task_is_no_success(serve: Serve, session: Opener, answer: t.Any) -> None:
    with pytest.raises(TaskUnknown, match="named no task"):
        session(serve(lambda _: data(answer)).port).write("POST", "nodes/pve1/lxc", task=True)
    with pytest.raises(TaskUnknown, match="names no task"):
        session(1).wait(str(answer))


def test_secrets_are_masked_in_what_a_task_says(serve: Serve, session: Opener) -> None:
    def answer(request: Request) -> Reply:
        if request.path.endswith("/log"):
            return data([{"n": 1, "t": f"used {SECRET}"}], total=1)
        return data({"status": "stopped", "exitstatus": f"failed with {SECRET}"})

    with pytest.raises(TaskFailed) as caught:
        session(serve(answer).port).wait(UPID)
    assert "********" in str(caught.value)
    assert SECRET not in str(caught.value) + str(caught.value.details())


def test_a_shared_read_is_asked_once_by_all_threads(serve: Serve, session: Opener) -> None:
    def slow(_request: Request) -> Reply:
        time.sleep(0.1)
        return data([1])

    server = serve(slow)
    client = session(server.port)
    shared: dict[str, t.Any] = {"args": ("cluster/resources",), "kwargs": {"shared": True}}
    threads = [threading.Thread(target=client.get, **shared) for _thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.get("cluster/resources", shared=True)
    assert len(server.requests) == 1
    client.get("cluster/resources", {"type": "vm"}, shared=True)
    client.get("cluster/resources")
    assert len(server.requests) == 3


def test_a_write_and_a_task_clear_what_is_shared(serve: Serve, session: Opener) -> None:
    server = serve(lambda r: data({"status": "stopped", "exitstatus": "OK"} if r.path.endswith("status") else 1))
    client = session(server.port)
    client.get("a", shared=True)
    client.write("PUT", "b")
    client.get("a", shared=True)
    client.wait(UPID)
    client.get("a", shared=True)
    assert [path for _method, path in server.sent()].count("a") == 3


def test_a_write_that_fails_clears_what_is_shared_too(serve: Serve, session: Opener) -> None:
    server = serve(lambda r: data(1) if r.method == "GET" else Reply(596, reason="timeout"))
    client = session(server.port)
    client.get("a", shared=True)
    with pytest.raises(ApiError):
        client.write("PUT", "b")
    client.get("a", shared=True)
    assert server.sent().count(("GET", "a")) == 2


def test_a_shared_read_that_fails_is_asked_again(serve: Serve, session: Opener) -> None:
    replies = [Reply(500, reason="got timeout"), data(1)]
    client = session(serve(lambda _: replies.pop(0)).port)
    with pytest.raises(ApiError):
        client.get("a", shared=True)
    assert client.get("a", shared=True) == 1


def test_every_secret_is_told_for_masking(serve: Serve, leased: t.Callable[..., Session], session: Opener) -> None:
    server = serve(lambda _: data(1))
    with leased(server.port) as client:
        client.get("a")
        minted = "secret-of-read1"
        assert {minted, f"mint@pve!read1={minted}", "s.given"} <= client.secrets()
    static = session(server.port)
    static.get("a")
    assert {SECRET, f"{TOKEN_ID}={SECRET}"} <= static.secrets()


def test_eight_threads_read_at_once(serve: Serve, leased: t.Callable[..., Session], engine: Engine) -> None:
    server = serve(lambda request: data(request.path))
    results: list[str] = []
    with leased(server.port) as client:

        def read(number: int) -> None:
            results.extend(client.get(f"a/{number}/{step}") for step in range(5))

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (client.requests, client.mints) == (40, 1)
    assert sorted(results) == sorted(f"a/{number}/{step}" for number in range(8) for step in range(5))
    assert len({request.peer for request in server.requests}) <= 8
    assert engine.minted == ["read1"]


def test_only_writes_may_be_written(session: Opener) -> None:
    with pytest.raises(ValueError, match="GET is no write"):
        session(1).write("GET", "a")


def test_a_mint_failure_reaches_the_caller_and_pve_is_not_asked(
    bao: Serve, serve: Serve, cert: Cert, cell: Cell
) -> None:
    server, sealed = serve(lambda _: data(1)), bao(lambda _: Reply(503, {"errors": ["Vault is sealed"]}))
    access = BaoAccess(url=f"http://127.0.0.1:{sealed.port}", method="none", mount="c1")
    connection = Connection(product="pve", members=(Member("127.0.0.1", server.port),), ca_path=cert.ca, bao=access)
    with (
        Session(connection, read_only=True, cell=cell) as client,
        pytest.raises(MintError, match="503: Vault is sealed"),
    ):
        client.get("a")
    assert server.requests == []
