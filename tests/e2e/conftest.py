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
    with Lab.start(tmp_path_factory.mktemp("lab"), members=2) as lab:
        yield of_lab(lab)


@pytest.fixture
def target(session_target: Target) -> Iterator[Target]:
    """The target in the state of the start."""
    if session_target.lab is not None:
        session_target.lab.reset()
    yield session_target
    if session_target.lab is not None:
        session_target.lab.clear_faults()


@pytest.fixture
def player(target: Target, tmp_path_factory: pytest.TempPathFactory, runs: list[Run]) -> Player:
    home: Path = tmp_path_factory.mktemp("home")
    return Player(home, target.connection, target.environment, runs)
