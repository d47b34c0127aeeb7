# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lookup reads only, closes what it opened and hides what it saw."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.info import Info
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError, HomeflareError
from ansible_collections.homeflare.proxmox.plugins.module_utils.front import info as front
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.caller import Caller
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.jobs import job_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES, INFOS

CONNECTION = {"api_hosts": ["pve1.example"], "api_token_id": "ops@pve!test", "api_token_secret": "s"}


class FakeSession:
    """What the runner asks of a session."""

    opened: t.ClassVar[list[FakeSession]] = []

    def __init__(self, connection: t.Any, *, read_only: bool, **more: t.Any) -> None:
        self.read_only, self.closed = read_only, False
        self.opened.append(self)

    def get(self, path: str, *more: t.Any, **options: t.Any) -> t.Any:
        if path == "broken":
            raise HomeflareError("no")
        return {"path": path}

    def secrets(self) -> frozenset[str]:
        return frozenset({"minted"})

    def close(self) -> None:
        self.closed = True


def look(path: str, monkeypatch: pytest.MonkeyPatch, *, check_mode: bool) -> tuple[t.Any, FakeSession, set[str]]:
    monkeypatch.setattr(front, "Session", FakeSession)
    FakeSession.opened.clear()
    lookup = Info(
        name="x",
        product="pve",
        read="none",
        returns=("found",),
        gather=lambda params, reader: {"found": reader.get(path)},
    )
    hidden: set[str] = set()
    result: t.Any = None
    try:
        result = front.run_info(
            lookup,
            CONNECTION,
            Caller(check_mode=check_mode, warn=lambda text: None, hide=hidden.update, environ={}),
        )
    except HomeflareError as error:
        result = error
    (session,) = FakeSession.opened
    return result, session, hidden


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_lookup_can_never_write(monkeypatch: pytest.MonkeyPatch, check_mode: bool) -> None:
    result, session, hidden = look("version", monkeypatch, check_mode=check_mode)
    assert session.read_only
    assert session.closed
    assert hidden == {"minted"}
    assert result == {"changed": False, "found": {"path": "version"}}


def test_a_failed_lookup_is_closed_and_hidden_too(monkeypatch: pytest.MonkeyPatch) -> None:
    error, session, hidden = look("broken", monkeypatch, check_mode=False)
    assert isinstance(error, HomeflareError)
    assert session.closed
    assert hidden == {"minted"}


@pytest.mark.parametrize("name", sorted([*FAMILIES, *INFOS]))
def test_every_module_has_a_job_with_the_connection(name: str) -> None:
    assert {"api_hosts", "bao_mount"} <= set(job_of(name).spec)


def test_no_lookup_takes_a_state() -> None:
    assert not [name for name in INFOS if {"state", "delete", "update_secret"} & set(job_of(name).spec)]


def test_a_lookup_without_a_host_says_so() -> None:
    with pytest.raises(DeclarationError, match="api_hosts"):
        job_of("cluster_info").run(
            {**CONNECTION, "api_hosts": None, "subset": ["version"]},
            Caller(check_mode=False, warn=lambda text: None, hide=lambda secrets: None, environ={}),
        )
