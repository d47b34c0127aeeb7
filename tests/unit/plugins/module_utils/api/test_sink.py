# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sinks are proven before there is a secret, and keep it where it was said."""

from __future__ import annotations

import os
import stat
import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import BaoAccess
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.options import Options
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.redact import Secrets
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.sink import FileSink, Sink, make_sink
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    DeclarationError,
    HomeflareError,
    MintError,
    RefusedError,
)

from .loopback import Answering, Reply, Request, Server

SECRET = "5e3c7e1a-0000-4000-8000-00000000d00d"
HANDLE = "ops@pve!deploy"
TOKEN = "s.0123456789abcdefABCDEF42"

Serve = t.Callable[[Answering], Server]


def test_a_file_is_its_owners_alone_and_holds_the_secret(tmp_path: Path) -> None:
    sink = FileSink(str(tmp_path / "secret"))
    sink.prepare()
    sink.put(HANDLE, SECRET)
    sink.close()
    assert (tmp_path / "secret").read_text() == f"{SECRET}\n"
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["secret"]


def test_a_file_that_is_there_is_replaced_with_its_mode(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o644)
    sink = FileSink(str(tmp_path / "secret"))
    sink.prepare()
    assert (tmp_path / "secret").read_text() == "old"
    sink.put(HANDLE, SECRET)
    sink.close()
    assert (tmp_path / "secret").read_text() == f"{SECRET}\n"
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_sink_that_was_not_used_leaves_nothing(tmp_path: Path) -> None:
    sink = FileSink(str(tmp_path / "secret"))
    sink.prepare()
    sink.close()
    assert os.listdir(tmp_path) == []


def test_a_place_that_takes_no_file_is_found_before_there_is_a_secret(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for path in (tmp_path / "nowhere" / "secret", tmp_path / "folder", tmp_path / "link"):
        with pytest.raises(RefusedError, match=r"^secret_sink: .*nothing was written"):
            FileSink(str(path)).prepare()


def test_a_file_that_cannot_be_kept_is_an_error_without_the_secret(tmp_path: Path) -> None:
    sink = FileSink(str(tmp_path / "secret"))
    sink.prepare()
    (tmp_path / "secret").mkdir()
    with pytest.raises(HomeflareError, match="could not be written") as caught:
        sink.put(HANDLE, SECRET)
    assert SECRET not in str(caught.value)
    sink.close()
    assert os.listdir(tmp_path) == ["secret"]


def sink_for(given: dict[str, str], url: str = "http://127.0.0.1:9") -> Sink:
    access = BaoAccess(url=url, method="token", mount="c1", token=TOKEN, timeout=5.0)
    return make_sink(given, Options({"secret_sink": given}, {}), lambda: access, Secrets())


@pytest.mark.parametrize("given", [{"file": "relative"}, {"bao_path": "kv/../sys"}, {"bao_path": "kv/a b"}, {}])
def test_bad_input_names_the_option(given: dict[str, str]) -> None:
    with pytest.raises(DeclarationError, match=r"^secret_sink: "):
        sink_for(given)


def answers(version: str | None, held: list[str], kind: str = "kv", stored: int = 204) -> Answering:
    def answer(request: Request) -> Reply:
        if request.target.startswith("/v1/sys/internal/ui/mounts/"):
            options = None if version is None else {"version": version}
            return Reply(200, {"data": {"path": "kv/", "type": kind, "options": options}})
        if request.target == "/v1/sys/capabilities-self":
            (path,) = request.json()["paths"]
            return Reply(200, {"data": {"capabilities": held, path: held}})
        return Reply(stored, {"errors": []} if stored >= 400 else None)

    return answer


def kept(server: Server, path: str) -> Request:
    sink = sink_for({"bao_path": path}, f"http://127.0.0.1:{server.port}")
    sink.prepare()
    assert all(request.method == "GET" or "capabilities" in request.target for request in server.requests)
    sink.put(HANDLE, SECRET)
    sink.close()
    return server.requests[-1]


@pytest.mark.parametrize(
    ("version", "path", "target"),
    [
        ("1", "kv/house/token", "/v1/kv/house/token"),
        (None, "kv/house/token", "/v1/kv/house/token"),
        ("2", "kv/house/token", "/v1/kv/data/house/token"),
        ("2", "kv/data/house/token", "/v1/kv/data/house/token"),
    ],
)
def test_a_kv_path_is_written_in_the_way_of_its_version(bao: Serve, version: str, path: str, target: str) -> None:
    request = kept(bao(answers(version, ["create", "read", "update"])), path)
    fields = {"token_id": HANDLE, "secret": SECRET}
    assert (request.method, request.target) == ("POST", target)
    assert request.json() == ({"data": fields} if version == "2" else fields)
    assert request.headers.get("X-Vault-Token") == TOKEN


@pytest.mark.parametrize("held", [["deny"], ["read", "list"], ["create"]])
def test_a_path_that_the_login_may_not_write_is_found_before_there_is_a_secret(bao: Serve, held: list[str]) -> None:
    sink = sink_for({"bao_path": "kv/x"}, f"http://127.0.0.1:{bao(answers('2', held)).port}")
    with pytest.raises(RefusedError, match="may not write kv/data/x"):
        sink.prepare()


def test_a_path_outside_of_a_kv_engine_is_refused(bao: Serve) -> None:
    sink = sink_for({"bao_path": "kv/x"}, f"http://127.0.0.1:{bao(answers(None, ['root'], kind='transit')).port}")
    with pytest.raises(RefusedError, match=r"is in no KV engine; nothing was written"):
        sink.prepare()


def test_a_write_that_fails_is_an_error_without_the_secret(bao: Serve) -> None:
    with pytest.raises(MintError, match="-> 403") as caught:
        kept(bao(answers("1", ["root"], stored=403)), "kv/x")
    assert SECRET not in str(caught.value)
