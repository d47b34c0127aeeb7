# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the real ansible-playbook, and what it said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
GROUP = "group/homeflare.proxmox.all"


@dataclass(frozen=True)
class Row:
    """One task's result on one host."""

    task: str
    status: str
    result: dict[str, t.Any]

    @property
    def changed(self) -> bool:
        return bool(self.result.get("changed"))

    @property
    def msg(self) -> str:
        return str(self.result.get("msg", ""))


@dataclass(frozen=True)
class Run:
    """What a run gave: exit code, everything it printed (-vvv), and a row a task."""

    code: int
    output: str
    rows: tuple[Row, ...]

    @property
    def one(self) -> Row:
        (row,) = self.rows
        return row

    def ok(self) -> Run:
        """Itself, when no task failed."""
        failed = [f"{row.task}: {row.msg}" for row in self.rows if row.status != "ok"]
        assert self.code == 0, failed or self.output[-3000:]
        return self

    def ok_but_ignored(self) -> Run:
        """Itself, when every failure was one that the play ignores."""
        assert self.code == 0, self.output[-3000:]
        return self


@dataclass
class Player:
    """Runs playbooks with a connection; ``home`` keeps everything that a run may leave on a disk."""

    home: Path
    connection: Mapping[str, t.Any]
    environment: Mapping[str, str]
    runs: list[Run]
    count: int = 0

    def tasks(self, *tasks: Mapping[str, t.Any], **options: t.Any) -> Run:
        """A play of these tasks on localhost, under the group's defaults."""
        defaults = {**self.connection, **options.pop("connection", {})}
        play = {
            "name": "Test",
            "hosts": "localhost",
            "gather_facts": False,
            "module_defaults": {GROUP: {key: value for key, value in defaults.items() if value is not None}},
            "tasks": [{"name": f"task {number}", **task} for number, task in enumerate(tasks)],
            **options.pop("play", {}),
        }
        return self.playbook([play], **options)

    def module(self, name: str, options: Mapping[str, t.Any], **more: t.Any) -> Run:
        """A play of one task."""
        return self.tasks({f"homeflare.proxmox.{name}": dict(options)}, **more)

    def playbook(
        self,
        plays: Sequence[Mapping[str, t.Any]] | Path,
        *,
        check: bool = False,
        variables: Mapping[str, t.Any] | None = None,
        in_process: bool = True,
        environment: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        verbosity: str = "-vvv",
        timeout: float = 300,
    ) -> Run:
        """Run a playbook file, or plays that are written to one."""
        started = self.start(
            plays,
            check=check,
            variables=variables,
            in_process=in_process,
            environment=environment,
            arguments=arguments,
            verbosity=verbosity,
        )
        return started.finish(timeout)

    def start(
        self,
        plays: Sequence[Mapping[str, t.Any]] | Path,
        *,
        check: bool = False,
        variables: Mapping[str, t.Any] | None = None,
        in_process: bool = True,
        environment: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        verbosity: str = "-vvv",
    ) -> Started:
        """Like ``playbook``, without waiting for the end."""
        self.count += 1
        folder = self.home / f"run-{self.count}"
        folder.mkdir(parents=True)
        book = plays if isinstance(plays, Path) else folder / "play.yml"
        if not isinstance(plays, Path):
            book.write_text(yaml.safe_dump(list(plays), sort_keys=False))
        extra = {"homeflare_in_process": in_process, "ansible_python_interpreter": sys.executable, **(variables or {})}
        command = [
            str(Path(sys.executable).parent / "ansible-playbook"),
            *("-i", "localhost,", "-c", "local", "--diff"),
            *(["--check"] if check else []),
            *([verbosity] if verbosity else []),
            *("-e", json.dumps(extra)),
            *arguments,
            str(book),
        ]
        record = folder / "results.jsonl"
        env = {**_environment(folder, record), **self.environment, **(environment or {})}
        with open(folder / "output.txt", "wb") as output:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return Started(self, process, folder, record)


@dataclass(frozen=True)
class Started:
    """A run under way."""

    player: Player
    process: subprocess.Popen[bytes]
    folder: Path
    record: Path

    def output(self) -> str:
        return (self.folder / "output.txt").read_text(errors="replace")

    def finish(self, timeout: float = 300) -> Run:
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        rows = tuple(Row(row["task"], row["status"], row["result"]) for row in map(json.loads, lines))
        run = Run(code, self.output(), rows)
        self.player.runs.append(run)
        return run


def _environment(folder: Path, record: Path) -> dict[str, str]:
    """Nothing of the person's own: not their config, nor their OpenBao, nor their proxies."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANSIBLE_", "BAO_", "VAULT_", "PROXMOX_", "PBS_"))
        and name.lower() not in {"http_proxy", "https_proxy", "all_proxy"}
    }
    home = folder / "home"
    home.mkdir()
    return {
        **kept,
        "HOME": str(home),
        "ANSIBLE_HOME": str(home / ".ansible"),
        "ANSIBLE_LOCAL_TEMP": str(home / "tmp"),
        "ANSIBLE_REMOTE_TEMP": str(home / "remote"),
        "ANSIBLE_COLLECTIONS_PATH": os.environ["ANSIBLE_COLLECTIONS_PATH"],
        "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "recorder",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_LOCALHOST_WARNING": "0",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "0",
        "ANSIBLE_CACHE_PLUGIN": "jsonfile",
        "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(home / "facts"),
        "HOMEFLARE_RECORD": str(record),
    }
