# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api import lease, lease_cell, openbao
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import BaoAccess
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.lease import Lease, Leases, give_back
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.lease_cell import Cell
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.redact import Secrets
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import MintError

from .loopback import Answering, Reply, Request, Server

Serve = t.Callable[[Answering], Server]
FORK = multiprocessing.get_context("fork")

# Forking with threads about is what Ansible does as well; Python 3.12 and newer say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


class Engine:
    """Every read is a new token, and a login is a new login; ``asked`` is the order in which they came."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked: list[str] = []
        self.duration: t.Any = 300
        self.login_seconds = 1200
        self.lease_id = True
        self.slow = 0.0
        self.refuse: Reply | None = None
        self.bad_tokens: set[str] = set()

    def answer(self, request: Request) -> Reply:
        with self.lock:
            self.asked.append(f"{request.method} {request.target.removeprefix('/v1/')}")
            number = len(self.asked)
        if request.target.endswith("/login"):
            return Reply(200, {"auth": {"client_token": f"s.login{number}", "lease_duration": self.login_seconds}})
        if request.method != "GET":
            return Reply(204)
        time.sleep(self.slow)
        if self.refuse is not None:
            return self.refuse
        if request.headers.get("X-Vault-Token") in self.bad_tokens:
            return Reply(403, {"errors": ["permission denied"]})
        lease_id = f"lease-{number}" if self.lease_id else ""
        data = {"token_id": f"mint@pve!t{number}", "secret": f"secret-{number}"}
        return Reply(200, {"lease_id": lease_id, "lease_duration": self.duration, "data": data})

    def count(self, what: str) -> int:
        return sum(what in entry for entry in self.asked)


class Opener(t.Protocol):
    def __call__(self, **changes: t.Any) -> Leases:
        """Leases with these settings changed."""


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openbao, "RETRY_PAUSES", ())


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def now() -> list[float]:
    return [1000.0]


@pytest.fixture
def leases(engine: Engine, bao: Serve, cell: Cell) -> Opener:
    server = bao(engine.answer)

    def open_leases(**changes: t.Any) -> Leases:
        extra = {name: changes.pop(name) for name in ("cell", "clock", "on_mint") if name in changes}
        settings: dict[str, t.Any] = {"url": f"http://127.0.0.1:{server.port}", "method": "token", "mount": "c1"}
        access = BaoAccess(**{**settings, "token": "s.given", "timeout": 5.0, **changes})
        return Leases(access, Secrets(), **{"cell": cell, **extra})

    return open_leases


APPROLE = {"method": "approle", "auth_mount": "approle", "token": "", "role_id": "r", "secret_id": "sid"}


@pytest.mark.parametrize(("duration", "kept"), [(300, 240), (61, 1), (60, 0), (30, 0), (0, 0), (None, 0)])
def test_a_lease_is_handed_out_only_while_more_than_60_seconds_remain(
    engine: Engine, leases: Opener, now: list[float], duration: int | None, kept: int
) -> None:
    engine.duration = duration

    def get() -> Lease:
        now[0] += 0.001  # later than the mint, so that this one did not wait for it
        return leases(clock=lambda: now[0]).get("read")

    first = get()
    again = get()
    assert (first == again) is (kept > 0)
    if kept:
        now[0] = 1000.0 + kept - 0.5
        assert get() == first
        now[0] = 1000.0 + kept + 0.5
        assert get() != first


def test_twenty_threads_make_one_mint(engine: Engine, leases: Opener) -> None:
    engine.slow = 0.1
    got: list[str] = []
    one = leases()
    threads = [threading.Thread(target=lambda: got.append(one.get("read").token_id)) for _thread in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == ["mint@pve!t1"] * 20
    assert engine.asked == ["GET c1/creds/read"]


def forked(count: int, work: t.Callable[[], t.Any]) -> list[t.Any]:
    """What ``work`` gives in so many processes that start together."""
    start, queue = FORK.Event(), FORK.SimpleQueue()

    def run() -> None:
        start.wait(10)
        try:
            queue.put(work())
        except MintError as error:
            queue.put(str(error))

    processes = [FORK.Process(target=run) for _process in range(count)]
    for process in processes:
        process.start()
    time.sleep(0.2)
    start.set()
    results = [queue.get() for _process in processes]
    for process in processes:
        process.join(10)
    queue.close()
    return results


def test_twenty_forked_processes_make_one_mint_and_one_login(engine: Engine, leases: Opener) -> None:
    engine.slow = 0.2
    one = leases(**APPROLE)
    assert len(set(forked(20, lambda: one.get("read").token_id))) == 1
    assert (engine.count("creds"), engine.count("login")) == (1, 1)
    assert one.get("read").token_id == "mint@pve!t2"
    assert len(engine.asked) == 2


@pytest.mark.parametrize("duration", [0, 30, 60])
def test_what_cannot_be_kept_is_shared_by_those_who_wait_only(engine: Engine, leases: Opener, duration: int) -> None:
    engine.slow, engine.duration = 0.5, duration
    one = leases()
    assert len(set(forked(8, lambda: one.get("read").token_id))) == 1
    assert len(engine.asked) == 1
    one.get("read")
    assert len(engine.asked) == 2


def test_a_failure_is_shared_by_those_who_wait_and_then_asked_again(engine: Engine, leases: Opener) -> None:
    engine.slow, engine.refuse = 0.5, Reply(503, {"errors": ["Vault is sealed"]})
    one = leases()
    results = forked(8, lambda: one.get("read").token_id)
    assert len(engine.asked) == 1
    assert set(results) == {"OpenBao GET /v1/c1/creds/read -> 503: Vault is sealed (sealed, or not ready)"}
    engine.refuse = None
    assert one.get("read").token_id == "mint@pve!t2"


def test_mounts_roles_and_logins_are_apart_and_the_same_way_is_shared(engine: Engine, leases: Opener) -> None:
    ways: list[dict[str, t.Any]] = [
        {},
        {"mount": "c2"},
        {"namespace": "a"},
        {"token": "s.other"},
        APPROLE,
        {**APPROLE, "secret_id": "x"},
    ]
    ids = [leases(**way).get(role).token_id for way in ways for role in ("read", "provision")]
    assert len(set(ids)) == 12
    assert [leases(**way).get(role).token_id for way in ways for role in ("read", "provision")] == ids


def test_a_dropped_lease_is_minted_anew_and_only_if_it_is_still_that_one(engine: Engine, leases: Opener) -> None:
    one, other = leases(), leases()
    first = one.get("read")
    one.drop(first)
    second = other.get("read")
    assert second != first
    one.drop(first)
    assert one.get("read") == second
    assert len(engine.asked) == 2


def test_a_lease_dies_with_the_login_that_minted_it(engine: Engine, leases: Opener, now: list[float]) -> None:
    engine.login_seconds = 100
    short = leases(**APPROLE, clock=lambda: now[0]).get("read")
    assert short.expires_at == 1100.0
    now[0] = 1050.0
    leases(**APPROLE, clock=lambda: now[0]).get("read")
    assert (engine.count("creds"), engine.count("login")) == (2, 2)


def test_a_login_of_an_earlier_task_that_is_gone_is_made_anew(engine: Engine, leases: Opener) -> None:
    leases(**APPROLE).get("read")
    engine.bad_tokens = {"s.login1"}
    assert leases(**APPROLE).get("provision").token_id == "mint@pve!t5"
    assert engine.asked[2:] == ["GET c1/creds/provision", "POST auth/approle/login", "GET c1/creds/provision"]


def test_a_given_token_that_is_refused_is_not_tried_twice(engine: Engine, leases: Opener) -> None:
    engine.bad_tokens = {"s.given"}
    with pytest.raises(MintError, match="403: permission denied"):
        leases().get("read")
    assert len(engine.asked) == 1


def test_for_a_long_task_a_lease_with_half_its_life_is_wanted(engine: Engine, leases: Opener, now: list[float]) -> None:
    one = leases(clock=lambda: now[0])
    first = one.get("provision", 600)
    now[0] += 149
    assert one.get("provision", 600) == first
    now[0] += 2
    assert one.get("provision") == first
    assert one.get("provision", 600) != first


def test_when_openbao_is_gone_a_living_lease_serves_on(engine: Engine, leases: Opener, now: list[float]) -> None:
    one = leases(clock=lambda: now[0])
    first = one.get("provision")
    now[0] += 200
    engine.refuse = Reply(503, {"errors": ["Vault is sealed"]})
    assert one.get("provision") == first
    assert one.get("provision", 600) == first
    assert one.get("provision") == first
    now[0] += 41
    with pytest.raises(MintError):
        one.get("provision")


def test_mints_are_counted_where_they_happen(leases: Opener) -> None:
    counted: list[int] = []
    for _run in range(3):
        leases(on_mint=lambda: counted.append(1)).get("read")
    assert counted == [1]


# The end of the run.


def test_a_login_of_ours_is_revoked_and_all_hangs_on_it(engine: Engine, leases: Opener, cell: Cell) -> None:
    leases(**APPROLE).get("read")
    leases(**APPROLE).get("provision")
    give_back(cell)
    assert engine.asked[3:] == ["POST auth/token/revoke-self"]
    assert cell.all() == {}


def test_leases_of_a_given_token_are_revoked_and_the_token_is_not(
    engine: Engine, bao: Serve, leases: Opener, cell: Cell
) -> None:
    leases().get("read")
    leases(method="none", token="").get("read")
    give_back(cell)
    assert engine.asked[2:] == ["PUT sys/leases/revoke"] * 2
    give_back(cell)
    assert len(engine.asked) == 4


def test_a_static_secret_and_an_agents_copy_are_not_revoked(engine: Engine, leases: Opener, cell: Cell) -> None:
    engine.lease_id = False
    leases().get("read")
    engine.refuse = Reply(
        200,
        {"lease_id": "l", "lease_duration": 300, "data": {"token_id": "a@pve!copy", "secret": "c"}},
        headers={"X-Cache": "HIT"},
    )
    leases().get("provision")
    give_back(cell)
    assert len(engine.asked) == 2


def test_what_workers_minted_is_revoked_by_the_process_that_made_the_cell(
    engine: Engine, leases: Opener, cell: Cell
) -> None:
    one = leases(**APPROLE)

    def work() -> str:
        token_id = one.get("read").token_id
        give_back(cell)
        return token_id

    forked(4, work)
    assert engine.count("revoke") == 0
    give_back(cell)
    assert engine.count("revoke-self") == 1


def test_giving_back_is_capped_in_time_and_quiet(bao: Serve, cell: Cell, capfd: pytest.CaptureFixture[str]) -> None:
    server = bao(lambda r: Reply(hang=30) if r.method == "PUT" else Engine().answer(r))
    access = BaoAccess(url=f"http://127.0.0.1:{server.port}", method="token", mount="c1", token="s.x")
    for role in ("read", "provision"):
        Leases(access, Secrets(), cell=cell).get(role)
    start = time.monotonic()
    give_back(cell, seconds=0.5)
    assert time.monotonic() - start < 2
    assert capfd.readouterr() == ("", "")


def test_the_process_gives_back_when_it_ends(engine: Engine, bao: Serve) -> None:
    server = bao(engine.answer)
    root = str(Path(lease.__file__).absolute().parents[6])
    base = "ansible_collections.homeflare.proxmox.plugins.module_utils.api"
    code = (
        f"from {base}.connection import BaoAccess\nfrom {base}.lease import Leases\nfrom {base}.redact import Secrets\n"
        f"access = BaoAccess(url='http://127.0.0.1:{server.port}', method='approle', mount='c1', auth_mount='approle',"
        " role_id='r', secret_id='s')\nLeases(access, Secrets()).get('read')\nraise SystemExit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    assert engine.asked[-1] == "POST auth/token/revoke-self"
    assert (done.stdout, done.stderr) == ("", "")


# The cell.


def test_an_entry_is_seen_by_other_processes_and_gone_when_wiped(cell: Cell) -> None:
    forked(1, lambda: cell.put("a", {"x": 1}))
    assert cell.get("a") == {"x": 1}
    cell.wipe()
    assert cell.get("a") is None
    assert bytes(cell._memory) == bytes(lease_cell.SIZE)


def test_a_shorter_content_leaves_nothing_of_a_longer_one(cell: Cell) -> None:
    cell.put("a", {"secret": "sentinel" * 50})
    cell.drop("a")
    assert b"sentinel" not in bytes(cell._memory)


def test_what_does_not_fit_stays_with_its_process(cell: Cell) -> None:
    big = {"x": "y" * lease_cell.SIZE}
    assert cell.put("small", {"x": 1})
    assert forked(1, lambda: (cell.put("big", big), cell.get("big") == big)) == [(False, True)]
    assert cell.get("big") is None
    assert cell.get("small") == {"x": 1}
    assert not cell.put("big", big)
    cell.drop("big")
    assert cell.get("big") is None


def test_a_full_cell_still_gives_everyone_a_lease(engine: Engine, leases: Opener) -> None:
    tiny = Cell(size=64)
    one = leases(cell=tiny)
    assert one.get("read") == one.get("read")
    assert engine.count("creds") == 1
    assert len(set(forked(2, lambda: leases(cell=tiny, mount="c2").get("read").token_id))) == 2


def test_a_torn_content_counts_as_empty(cell: Cell) -> None:
    cell.put("a", {"x": 1})
    cell._memory[20] ^= 0xFF
    assert cell.get("a") is None
    assert cell.put("b", {"x": 2})
    assert cell.get("b") == {"x": 2}


def test_a_worker_that_is_killed_while_it_holds_a_lock_blocks_nobody(cell: Cell) -> None:
    held = FORK.Event()

    def hold() -> None:
        with cell.flight("a", 5), cell._locked():
            held.set()
            time.sleep(60)

    process = FORK.Process(target=hold)
    process.start()
    assert held.wait(10)
    started = time.monotonic()
    with cell.flight("a", 0.1) as got:
        assert not got
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(10)
    with cell.flight("a", 5) as got:
        assert got
    assert cell.put("a", {"x": 1})
    assert time.monotonic() - started < 5


def test_one_key_does_not_wait_for_another(cell: Cell) -> None:
    held, done = FORK.Event(), FORK.Event()

    def hold() -> None:
        with cell.flight("a", 5):
            held.set()
            done.wait(10)

    process = FORK.Process(target=hold)
    process.start()
    assert held.wait(10)
    with cell.flight("b", 1) as got:
        assert got
    done.set()
    process.join(10)


def test_many_writers_lose_nothing(cell: Cell) -> None:
    def write() -> None:
        for number in range(20):
            cell.put(f"{os.getpid()} {number}", {"x": number})

    forked(4, write)
    assert len(cell.all()) == 80


def test_a_fork_while_a_thread_holds_a_lock_does_not_hang_the_child(cell: Cell) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with cell._data_lock:
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(5)
    assert forked(1, lambda: cell.put("a", {"x": 1})) == [True]
    leave.set()
    thread.join()


def test_the_cell_is_no_file(cell: Cell) -> None:
    cell.put("a", {"secret": "sentinel"})
    assert os.fstat(cell._file).st_size == 0
    assert json.dumps(cell.all())
