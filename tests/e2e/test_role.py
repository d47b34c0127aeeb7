# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The estate role, the playbook verify, and its gate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from tests.e2e.play import Player, Row
from tests.e2e.target import Target

ROOT = Path(__file__).resolve().parents[2]
PLAYBOOK = "homeflare.proxmox.verify"


GONE = [
    {"pool": {"poolid": "hf-a/hf-b", "state": "absent"}},
    {"pool": {"poolid": "hf-a", "state": "absent"}},
    {"group": {"groupid": "hf-ops", "state": "absent", "confirm_destroy": "hf-ops"}},
]


@pytest.fixture
def folder(tmp_path: Path, player: Player, target: Target) -> t.Iterator[Path]:
    """Two files of both forms; a template, and what only looks like one. A real node is left without its objects."""
    found = tmp_path / "estate"
    (found / "more").mkdir(parents=True)
    (found / "pools.yml").write_text("pool:\n  - {poolid: hf-a, comment: '{{ said }}'}\n")
    (found / "more/rest.yaml").write_text(
        "resources:\n"
        "  - homeflare.proxmox.pool: {poolid: hf-a/hf-b}\n"
        "  - group: {groupid: hf-ops, comment: !unsafe 'of {{ whom }}'}\n"
    )
    yield found
    if target.lab is None:
        player.module("estate", {"resources": GONE}).ok()


def role(player: Player, folder: Path, *, check: bool = False, **variables: t.Any) -> Row:
    given = {"estate_folder": str(folder), **variables}
    task = {"ansible.builtin.include_role": {"name": "homeflare.proxmox.estate"}, "vars": given}
    run = player.tasks(task, check=check, variables={"said": "of the house"})
    return next(row for row in reversed(run.rows) if "include" not in row.task.lower())


def test_the_role_plans_applies_and_verifies_a_folder(player: Player, target: Target, folder: Path) -> None:
    target.start_counting()
    planned = role(player, folder, check=True)
    assert planned.result["summary"] == {"planned": 3}
    target.assert_no_writes()
    applied = role(player, folder, estate_report=str(folder / "report.md"))
    assert applied.result["summary"] == {"changed": 3}
    assert (folder / "report.md").read_text().startswith("# Estate: clean")
    assert target.get("/access/groups/hf-ops")["comment"] == "of {{ whom }}"
    assert target.get("/pools", {"poolid": "hf-a"})[0]["comment"] == "of the house"
    target.start_counting()
    assert role(player, folder, estate_mode="verify").result["verdict"] == "clean"
    target.assert_no_writes()


def test_an_object_in_two_files_fails_naming_both_before_anything_is_asked(
    player: Player, target: Target, folder: Path
) -> None:
    (folder / "z.yml").write_text("pool:\n  - {poolid: hf-a}\n")
    target.start_counting()
    row = role(player, folder)
    assert row.status == "failed"
    assert f"Pool hf-a is declared in {folder}/pools.yml and in {folder}/z.yml." in row.msg
    assert target.lab is None or target.lab.requests() == []


def test_a_wrong_variable_of_the_role_is_refused(player: Player, folder: Path) -> None:
    assert "estate_mode" in str(role(player, folder, estate_mode="destroy").result)


# ---- the playbook and the gate


class Gate:
    """The script as a gate runs it: everything else is told by the environment."""

    def __init__(self, player: Player, home: Path) -> None:
        connection = player.connection
        self.connection = home / "connection.json"
        self.connection.write_text(json.dumps({"estate_connection": dict(connection), "said": "of the house"}))
        kept = {
            name: os.environ[name] for name in ("ANSIBLE_COLLECTIONS_PATH", "LANG", "PYTHONPATH") if name in os.environ
        }
        self.environment = {
            **kept,
            **player.environment,
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "ANSIBLE_LOCALHOST_WARNING": "0",
        }
        self.report = home / "report.json"

    def run(self, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
        command = [
            str(ROOT / "scripts/homeflare-proxmox-verify"),
            "--folder",
            str(folder),
            "--report",
            str(self.report),
        ]
        return subprocess.run(
            [*command, "-e", f"@{self.connection}", *more],
            check=False,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=300,
        )


def test_the_gate_tells_clean_from_drift_from_unknown(
    player: Player, target: Target, folder: Path, tmp_path: Path
) -> None:
    gate = Gate(player, tmp_path)
    target.start_counting()
    missing = gate.run(folder)
    assert missing.returncode == 1, missing.stdout + missing.stderr
    assert "hf-ops" in missing.stdout
    assert json.loads(gate.report.read_text())["verdict"] == "drift"
    target.assert_no_writes()
    role(player, folder)
    clean = gate.run(folder)
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "pool hf-a" in clean.stdout
    if target.lab is not None:
        target.lab.fault("status", method="GET", path="/access/groups/hf-ops", status=595, message="No route to host")
        assert gate.run(folder).returncode == 2
        target.lab.clear_faults()
    assert gate.run(tmp_path / "nowhere").returncode == 2
    assert gate.run(folder, "--no-such-option").returncode == 2
