# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One lab for the tests of the servers, as at its start before each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.lab import Lab

from .talk import Client


@pytest.fixture(scope="session")
def session_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab.start(tmp_path_factory.mktemp("lab"), bao=False, members=2) as lab:
        yield lab


@pytest.fixture
def lab(session_lab: Lab) -> Lab:
    session_lab.reset()
    return session_lab


@pytest.fixture
def ask(lab: Lab) -> Client:
    return Client(lab)
