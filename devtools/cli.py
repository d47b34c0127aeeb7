# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of ``./dev``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from devtools import checks, tree
from devtools.checks import PARTS, Job, Part
from devtools.runner import Task, run_parts
from devtools.shell import DevError, Failed, Shell
from devtools.tree import ROOT, Venv

#: Where the repo has its collection name, for what reads the collection's own code.
_PATH = {"PYTHONPATH": str(tree.COLLECTIONS)}
_SECRET = "PROXMOX_TOKEN_SECRET"  # noqa: S105 - the name of the variable


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    os.chdir(ROOT)
    # What was started has to be stopped when this is ended as well as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        code: int = options.command(options)
    except (DevError, Failed) as error:
        print(f"dev: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./dev", description="Everything that this repo can do on a machine of yours."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add(commands, "demo", _demo, "a small estate on servers of its own: plan, apply, apply again")
    test = _add(commands, "test", _test, "all checks, or one part of them")
    names = [part.name for part in PARTS]
    test.add_argument("part", nargs="?", choices=[*names, "matrix"], metavar="PART", help=", ".join([*names, "matrix"]))
    test.add_argument("words", nargs="*", help="for e2e: families; for others: passed on to the tool")
    test.add_argument("--against", metavar="URL", help=f"e2e on a real node; the token's secret in {_SECRET}")
    test.add_argument("--token-id", metavar="USER@REALM!NAME")
    test.add_argument("--ca", metavar="FILE", help="the CA that signed the node's certificate")
    bench = _add(commands, "bench", _bench, "what tasks and estates cost; writes docs/benchmarks.md")
    bench.add_argument("--quick", action="store_true", help="few objects, one run, nothing to compare with or to write")
    bench.add_argument("--only", choices=["tasks", "estate"], help="one of the two parts")
    lab = _add(commands, "lab", _module("tests.servers.lab"), "start the test servers and leave them up until Ctrl-C")
    lab.add_argument("words", nargs=argparse.REMAINDER, help="passed on: --members 3, --no-bao, --seed FILE, ...")
    _add(commands, "docs", _module("devtools.docs"), "bring the generated parts of the documentation up to date")
    _add(commands, "format", _format, "let ruff put the code in shape")
    _add(commands, "clean", _clean, "remove what ./dev has made")
    return parser


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(command=command)
    return parser


def _module(name: str) -> Callable[[argparse.Namespace], int]:
    def command(options: argparse.Namespace) -> int:
        venv = tree.main_venv()
        words = getattr(options, "words", [])
        return Shell().code([venv.python, "-m", name, *words], cwd=ROOT, env=venv.environment(_PATH))

    return command


def _demo(options: argparse.Namespace) -> int:
    return _module("devtools.demo")(options)


def _bench(options: argparse.Namespace) -> int:
    venv = tree.main_venv()
    shell, codes = Shell(), [0]
    for part in ("tasks", "estate"):
        if options.only in {None, part}:
            words = ["--quick"] if options.quick else []
            if part == "estate" and not options.quick:
                words += ["--community", str(tree.bench_venv(venv).folder)]
            command: list[str | Path] = [venv.python, "-m", f"devtools.bench.{part}", *words]
            codes.append(shell.code(command, cwd=ROOT, env=venv.environment()))
    return max(codes)


def _format(_options: argparse.Namespace) -> int:
    job = Job(tree.main_venv(), Shell())
    job.run("ruff", "check", "--fix", ".", cwd=ROOT)
    job.run("ruff", "format", ".", cwd=ROOT)
    return 0


def _clean(_options: argparse.Namespace) -> int:
    checks.clean()
    return 0


def _test(options: argparse.Namespace) -> int:
    lab = _lab(options)
    venv = tree.main_venv()
    words = tuple(options.words)
    if options.part == "matrix":
        parts, missing = checks.matrix_parts()
        return run_parts([_task(part, other, (), {}) for part, other in parts], skipped=missing)
    chosen = [part for part in PARTS if options.part in {None, part.name}]
    return run_parts([_task(part, venv, words, lab) for part in chosen])


def _task(part: Part, venv: Venv, words: tuple[str, ...], lab: dict[str, str]) -> Task:
    def check(shell: Shell) -> None:
        part.check(Job(venv, shell, words, lab))

    return part, check


def _lab(options: argparse.Namespace) -> dict[str, str]:
    """The environment that tells tests/e2e of a real node."""
    if not options.against:
        return {}
    secret = os.environ.get(_SECRET, "")
    wrong = [
        (options.part != "e2e", "--against goes with ./dev test e2e"),
        (not options.token_id, "--against needs --token-id"),
        (not secret, f"--against needs the token's secret in {_SECRET}"),
        (bool(options.ca) and not os.path.isfile(options.ca or ""), f"--ca: there is no file {options.ca}"),
    ]
    for bad, message in wrong:
        if bad:
            raise DevError(message)
    lab = {"HOMEFLARE_AGAINST": options.against, "HOMEFLARE_TOKEN_ID": options.token_id, _SECRET: secret}
    return lab | ({"HOMEFLARE_CA": os.path.abspath(options.ca)} if options.ca else {})
