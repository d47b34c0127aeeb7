# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the playbook homeflare.proxmox.verify and maps its report to an exit code.

10 clean, 11 drift, 12 unknown, which homeflare-proxmox-verify makes 0, 1 and 2. Unknown is everything that is not
proven: also a report that is missing, unreadable, or not of this run, and a playbook that failed although its report
says clean.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import NoReturn

CLEAN, DRIFT, UNKNOWN = 10, 11, 12
CODES = {"clean": CLEAN, "drift": DRIFT, "unknown": UNKNOWN}
PLAYBOOK = "homeflare.proxmox.verify"


def main(argv: Sequence[str]) -> int:
    """The exit code."""
    parser = _Parser(
        prog="homeflare-proxmox-verify",
        description="Verify an estate: exit code 0 clean, 1 drift, 2 unknown.",
        allow_abbrev=False,
        epilog="What is not named here goes to ansible-playbook as it is, such as -i, -e and --vault-id.",
    )
    parser.add_argument("--folder", help="the folder with the declarations (default: the variable estate_folder)")
    parser.add_argument("--report", help="keep the report there, as JSON (default: a file that is removed)")
    parser.add_argument("--playbook", default=PLAYBOOK, help=f"default: {PLAYBOOK}")
    given, rest = parser.parse_known_args(argv)
    if given.report is not None:
        return _run(given, os.path.abspath(given.report), rest)
    with tempfile.TemporaryDirectory(prefix="homeflare-verify-") as folder:
        return _run(given, os.path.join(folder, "report.json"), rest)


class _Parser(argparse.ArgumentParser):
    """A mistyped command proves nothing."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(UNKNOWN, f"{self.prog}: {message}\n")


def _run(given: argparse.Namespace, report: str, rest: Sequence[str]) -> int:
    before = _mark(report)
    variables = {"report_path": report}
    if given.folder is not None:
        variables["estate_folder"] = os.path.abspath(given.folder)
    command = ["ansible-playbook", given.playbook, *rest, "-e", json.dumps(variables)]
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        return _tell(UNKNOWN, f"ansible-playbook did not start ({error.strerror})")
    if _mark(report) == before:
        return _tell(UNKNOWN, f"ansible-playbook ended with {code} and wrote no report")
    return _judge(report, code)


def _mark(path: str) -> tuple[int, int, int] | None:
    """What tells one writing of a file from another: a report is moved into place as a whole."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _judge(report: str, code: int) -> int:
    try:
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        verdict = told["verdict"]
        known = CODES[verdict]
    except (OSError, ValueError, KeyError, TypeError):
        return _tell(UNKNOWN, "the report cannot be read")
    if known == CLEAN and code != 0:
        return _tell(UNKNOWN, f"the report says clean, but ansible-playbook ended with {code}")
    summary = told.get("summary")
    counted = ", ".join(f"{number} {status}" for status, number in summary.items()) if isinstance(summary, dict) else ""
    return _tell(known, f"{verdict} ({counted})" if counted else str(verdict))


def _tell(code: int, text: str) -> int:
    print(f"homeflare-proxmox-verify: {text}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
