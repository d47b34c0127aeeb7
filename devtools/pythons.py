# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ansible-core versions that the collection supports, and the Pythons on this machine that run them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from devtools.shell import DevError


@dataclass(frozen=True)
class Core:
    """One supported ansible-core. ``pythons`` are those that run its controller, the best first."""

    minor: str
    version: str
    pythons: tuple[str, ...]


CORES = (
    Core("2.16", "2.16.19", ("3.10",)),
    Core("2.17", "2.17.14", ("3.10",)),
    Core("2.18", "2.18.19", ("3.11",)),
    Core("2.19", "2.19.14", ("3.11",)),
    Core("2.20", "2.20.10", ("3.13", "3.12")),
    Core("2.21", "2.21.5", ("3.13", "3.14", "3.12")),
)

_PROBE = "import os, sys, venv, ensurepip, ssl; print('%d.%d' % sys.version_info[:2], os.path.realpath(sys.executable))"


@dataclass(frozen=True)
class Python:
    """An interpreter that starts and can make virtual environments."""

    version: str
    path: Path


def probe(path: Path) -> Python | None:
    """A version manager's shim answers with an error and is passed over, as is a Python without ensurepip."""
    try:
        answer = subprocess.run([path, "-c", _PROBE], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode:
        return None
    version, _, executable = answer.stdout.strip().partition(" ")
    return Python(version, Path(executable))


def _candidates() -> Iterator[Path]:
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted((pyenv / "versions").glob("3.*/bin"), reverse=True)
    folders += sorted((Path.home() / ".local/share/uv/python").glob("cpython-3.*/bin"), reverse=True)
    for folder in folders:
        if folder.name == "shims" or not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            if re.fullmatch(r"python3\.\d+", path.name) and not _in_venv(folder):
                yield path


def _in_venv(folder: Path) -> bool:
    return (folder.parent / "pyvenv.cfg").exists()


def find_pythons() -> dict[str, Python]:
    """The first working interpreter of each version."""
    found: dict[str, Python] = {}
    for path in _candidates():
        version = path.name.removeprefix("python")
        if version not in found:
            python = probe(path)
            if python and python.version == version:
                found[version] = python
    return found


def choose(found: dict[str, Python]) -> tuple[Core, Python]:
    """The newest ansible-core that an interpreter here runs, at least Python 3.11."""
    for core in reversed(CORES):
        for version in core.pythons:
            if version != "3.10" and version in found:
                return core, found[version]
    message = "no Python from 3.11 to 3.14 with venv and ensurepip was found (on Debian: apt-get install python3-venv)"
    raise DevError(message)


def core_for(python: Python) -> Core:
    """The newest ansible-core that ``python`` runs."""
    for core in reversed(CORES):
        if python.version in core.pythons:
            return core
    message = f"{python.path} is Python {python.version}; no supported ansible-core runs on it"
    raise DevError(message)
