# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running programs: into a log or straight to the terminal, and all of them stopped on Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

Argument = str | Path


class DevError(Exception):
    """Ends ``./dev`` with a message and no traceback."""


class Failed(Exception):
    """A program ended with an error, or a check found one; its output already says what."""


_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()
_stopping = threading.Event()


class Shell:
    """Runs programs one after another, their output in ``log`` (None: the terminal)."""

    def __init__(self, log: IO[bytes] | None = None) -> None:
        self.log = log

    def say(self, text: str) -> None:
        line = text + "\n"
        if self.log is None:
            print(line, end="", flush=True)
        else:
            self.log.write(line.encode())
            self.log.flush()

    def run(self, command: Sequence[Argument], *, cwd: Path, env: Mapping[str, str]) -> None:
        """Raises Failed on any exit code but 0."""
        code = self.code(command, cwd=cwd, env=env)
        if code:
            message = f"{Path(command[0]).name} ended with exit code {code}"
            raise Failed(message)

    def code(self, command: Sequence[Argument], *, cwd: Path, env: Mapping[str, str]) -> int:
        if _stopping.is_set():
            message = "stopped"
            raise Failed(message)
        # PWD: a folder reached by a link keeps its name, which is how tools learn the collection's name.
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**env, "PWD": str(cwd)},
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT if self.log else None,
            start_new_session=True,
        )
        with _lock:
            _running.add(process)
        try:
            return process.wait()
        except BaseException:
            _end(process)
            raise
        finally:
            with _lock:
                _running.discard(process)


def capture(command: Sequence[Argument], *, cwd: Path, env: Mapping[str, str] | None = None) -> bytes:
    """What a short program prints; DevError when it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, check=False)
    if done.returncode:
        message = f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace').strip()}"
        raise DevError(message)
    return done.stdout


def stop_all() -> None:
    """End what still runs; later starts are refused."""
    _stopping.set()
    with _lock:
        processes = list(_running)
    for process in processes:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask, then insist; what the program had started in its group and left behind ends as well."""
    for number, patience in ((signal.SIGINT, 5.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=patience)
            break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
