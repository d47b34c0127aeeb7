# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import contextlib
import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import Connection, Member
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.lease_cell import Cell
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.session import Session

from .loopback import Answering, Cert, Server, make_cert

SECRET = "5e3c7e1a-0000-4000-8000-00000000beef"
TOKEN_ID = "ops@pve!deploy"


@pytest.fixture(scope="session")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Cert:
    return make_cert(tmp_path_factory.mktemp("certs"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def cell() -> Cell:
    return Cell()


@pytest.fixture
def serve(cert: Cert) -> t.Iterator[t.Callable[[Answering], Server]]:
    """Start a TLS server that answers by a function; it stops with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda answer: stack.enter_context(Server(answer, cert=cert))


@pytest.fixture
def bao(cert: Cert) -> t.Iterator[t.Callable[[Answering], Server]]:
    """The same without TLS, for OpenBao."""
    with contextlib.ExitStack() as stack:
        yield lambda answer: stack.enter_context(Server(answer))


class Opener(t.Protocol):
    def __call__(self, *ports: int, read_only: bool = ..., **changes: t.Any) -> Session:
        """A session on these ports."""


@pytest.fixture
def session(cert: Cert, cell: Cell) -> t.Iterator[Opener]:
    """A session with a static token on the given ports of loopback."""
    with contextlib.ExitStack() as stack:

        def open_session(*ports: int, read_only: bool = False, **changes: t.Any) -> Session:
            extra = {key: changes.pop(key) for key in ("warn", "progress", "clock", "sleep") if key in changes}
            settings: dict[str, t.Any] = {
                "product": "pve",
                "members": tuple(Member("127.0.0.1", port) for port in ports),
                "ca_path": cert.ca,
                "api_timeout": 5.0,
                "token_id": TOKEN_ID,
                "token_secret": SECRET,
                **changes,
            }
            return stack.enter_context(Session(Connection(**settings), read_only=read_only, cell=cell, **extra))

        yield open_session
