# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks of the guides, run as they stand there, with the connection from the environment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.e2e.play import Player
from tests.e2e.target import Target

DOCS = Path(__file__).resolve().parents[2] / "docs"
#: A playbook in a guide begins with its file's name.
BOOK = re.compile(r"^```yaml\n# (?P<name>[\w-]+\.yml)\n(?P<text>- name: .*?)^```$", re.DOTALL | re.MULTILINE)
BOOKS = [
    (path.name, found["name"], found["text"])
    for path in sorted(DOCS.glob("*.md"))
    for found in BOOK.finditer(path.read_text())
]


def test_there_are_playbooks_in_the_guides() -> None:
    assert {"house.yml", "web.yml", "estate.yml", "refusals.yml"} <= {name for _guide, name, _text in BOOKS}


@pytest.mark.parametrize(("guide", "name", "text"), BOOKS, ids=[f"{guide}-{name}" for guide, name, _text in BOOKS])
def test_a_playbook_of_a_guide_plans_applies_and_then_has_nothing_to_do(
    target: Target, player: Player, guide: str, name: str, text: str
) -> None:
    lab = target.needs_lab("the guests")
    plays = yaml.safe_load(text)
    environment = {
        "PROXMOX_API_HOSTS": ",".join(lab.hosts),
        "PROXMOX_CA_PATH": lab.ca_path,
        "PROXMOX_TOKEN_ID": lab.token_id,
        "PROXMOX_TOKEN_SECRET": lab.token_secret,
    }
    for check in (True, False):
        player.playbook(plays, check=check, environment=environment).ok_but_ignored()
    lab.reset_log()
    again = player.playbook(plays, environment=environment).ok_but_ignored()
    assert again.rows
    assert not any(row.changed for row in again.rows)
    target.assert_no_writes()
