# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exit codes of the gate: 0 only when a report of this very run says clean; 2 is everything that proves nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts/homeflare-proxmox-verify"
CLEAN = json.dumps({"verdict": "clean", "summary": {"ok": 3}})

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not in this tree")


class Gate:
    """The script with an ansible-playbook that does as it is told."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.report = folder, folder / "report.json"
        (folder / "bin").mkdir()
        (folder / "bin/python3").symlink_to(sys.executable)
        for name in ("sh", "dirname", "readlink", "cat"):
            found = next(Path(place) / name for place in ("/bin", "/usr/bin") if (Path(place) / name).exists())
            (folder / "bin" / name).symlink_to(found)

    def ansible(self, *, writes: str | None, code: int = 0) -> None:
        """Writes this as the report that it was told to write, and ends with this code."""
        program = self.folder / "bin/ansible-playbook"
        program.write_text(
            f"#!{sys.executable}\n"
            "import json, os, pathlib, sys\n"
            f"pathlib.Path({str(self.folder / 'argv')!r}).write_text(json.dumps(sys.argv[1:]))\n"
            f"text = {writes!r}\n"
            "path = json.loads(sys.argv[-1])['report_path']\n"
            "if text is not None:\n"
            "    pathlib.Path(path + '.new').write_text(text)\n"
            "    os.replace(path + '.new', path)\n"
            f"sys.exit({code})\n"
        )
        program.chmod(0o755)

    def run(self, *arguments: str, script: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(script), *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={"PATH": str(self.folder / "bin"), "TMPDIR": str(self.folder)},
        )

    def argv(self) -> list[str]:
        found: list[str] = json.loads((self.folder / "argv").read_text())
        return found


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.mark.parametrize(
    ("writes", "code", "expected"),
    [
        (CLEAN, 0, 0),
        (json.dumps({"verdict": "drift"}), 2, 1),
        (json.dumps({"verdict": "drift"}), 0, 1),
        (json.dumps({"verdict": "unknown"}), 2, 2),
        (CLEAN, 2, 2),
        (CLEAN, 250, 2),
        (None, 0, 2),
        (None, 4, 2),
        ("", 0, 2),
        (CLEAN[:-5], 0, 2),
        ("[]", 0, 2),
        ("null", 0, 2),
        (json.dumps({"summary": {}}), 0, 2),
        (json.dumps({"verdict": "fine"}), 0, 2),
        (json.dumps({"verdict": ["clean"]}), 0, 2),
        (json.dumps({"verdict": "clean", "summary": None}), 0, 0),
    ],
)
def test_a_verdict_is_an_exit_code(gate: Gate, writes: str | None, code: int, expected: int) -> None:
    gate.ansible(writes=writes, code=code)
    for arguments in ((), ("--report", "report.json")):
        ended = gate.run(*arguments)
        assert ended.returncode == expected, ended.stderr
        assert ended.stderr.startswith("homeflare-proxmox-verify: ")


def test_a_report_of_an_earlier_run_proves_nothing(gate: Gate) -> None:
    gate.report.write_text(CLEAN)
    gate.ansible(writes=None, code=0)
    assert gate.run("--report", "report.json").returncode == 2
    gate.ansible(writes=CLEAN)
    assert gate.run("--report", "report.json").returncode == 0


def test_a_program_that_is_not_there_or_a_mistyped_command_proves_nothing(gate: Gate) -> None:
    assert "did not start" in gate.run().stderr
    assert gate.run().returncode == 2
    gate.ansible(writes=CLEAN)
    assert gate.run("--folder").returncode == 2
    assert gate.run("--report").returncode == 2
    (gate.folder / "bin/python3").unlink()
    assert gate.run().returncode == 2


@pytest.mark.parametrize("code", [0, 1, 3])
def test_a_python_that_ends_by_itself_proves_nothing(gate: Gate, code: int) -> None:
    python = gate.folder / "bin/python3"
    python.unlink()
    python.write_text(f"#!/bin/sh\nexit {code}\n")
    python.chmod(0o755)
    assert gate.run().returncode == 2


def test_a_run_that_is_interrupted_proves_nothing(gate: Gate) -> None:
    program = gate.folder / "bin/ansible-playbook"
    program.write_text(f"#!{sys.executable}\nimport os, signal\nos.kill(os.getppid(), signal.SIGINT)\n")
    program.chmod(0o755)
    assert gate.run().returncode == 2


def test_what_is_not_its_own_goes_to_ansible_playbook(gate: Gate) -> None:
    gate.ansible(writes=CLEAN)
    gate.run("-i", "hosts.yml", "--folder", "estate", "-e", "@connection.yml", "--vault-id", "x", "-vv")
    *rest, variables = gate.argv()
    assert rest == [
        "homeflare.proxmox.verify",
        "-i",
        "hosts.yml",
        "-e",
        "@connection.yml",
        "--vault-id",
        "x",
        "-vv",
        "-e",
    ]
    assert json.loads(variables)["estate_folder"] == str(gate.folder / "estate")


def test_it_runs_by_a_link_and_leaves_nothing_behind(gate: Gate) -> None:
    gate.ansible(writes=CLEAN)
    link = gate.folder / "verify"
    link.symlink_to(SCRIPT)
    assert gate.run(script=link).returncode == 0
    assert not list(gate.folder.glob("homeflare-verify-*"))
    assert os.access(SCRIPT, os.X_OK)
