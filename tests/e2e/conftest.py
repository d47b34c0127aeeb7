# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One lab for all tests, back at its start before each; and a player that runs the real ansible-playbook on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.play import Player, Run
from tests.e2e.target import Target, of_lab, of_node
from tests.servers.lab import Lab

#: Shorter texts would be found anywhere.
MEANINGFUL = 8


@pytest.fixture(scope="session")
def runs() -> list[Run]:
    """Every run of the session, for the search for secrets at the end."""
    return []


@pytest.fixture(scope="session")
def session_target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    url = os.environ.get("HOMEFLARE_AGAINST")
    if url:
        yield of_node(url)
        return
    with Lab.start(tmp_path_factory.mktemp("lab"), members=2, privileges=True) as lab:
        yield of_lab(lab)


@pytest.fixture
def target(session_target: Target) -> Iterator[Target]:
    """The target in the state of the start."""
    if session_target.lab is not None:
        session_target.lab.reset()
    yield session_target
    if session_target.lab is not None:
        session_target.lab.clear_faults()


@pytest.fixture(autouse=True)
def no_secrets_left(request: pytest.FixtureRequest, target: Target) -> Iterator[None]:
    """After each test: no secret in any run's output, temporary folder or fact cache, nor in the servers' logs."""
    player: Player | None = request.getfixturevalue("player") if "player" in request.fixturenames else None
    yield
    if target.lab is None or player is None or not player.runs:
        return
    secrets = [secret for secret in target.lab.secrets() if len(secret) >= MEANINGFUL]
    assert secrets, "no secret was seen, so this search would find none"
    files = [path for path in player.home.rglob("*") if path.is_file() and path.name != "play.yml"]
    for path in [*files, *target.lab.log_files]:
        text = path.read_bytes()
        assert not [secret for secret in secrets if secret.encode() in text], f"a secret is in {path.name}"


@pytest.fixture
def player(target: Target, tmp_path_factory: pytest.TempPathFactory, runs: list[Run]) -> Player:
    home: Path = tmp_path_factory.mktemp("home")
    return Player(home, target.connection, target.environment, runs)
