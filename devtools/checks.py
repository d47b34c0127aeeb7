# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of ``./dev test``. Each is a function of a Job that raises Failed when something does not hold."""

from __future__ import annotations

import json
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from devtools import tree
from devtools.pythons import CORES, Core, Python, find_pythons
from devtools.shell import Argument, DevError, Failed, Shell, capture
from devtools.tree import COLLECTION, LINK, ROOT, VENV, Venv


@dataclass(frozen=True)
class Job:
    """What a part gets to work with. ``words`` are the rest of the command line, ``lab`` how to reach a real node."""

    venv: Venv
    shell: Shell
    words: tuple[str, ...] = ()
    lab: dict[str, str] = field(default_factory=dict)

    def run(self, *command: Argument, cwd: Path = LINK, env: Mapping[str, str] | None = None) -> None:
        """A program of the virtual environment, by default in the tree where the repo has its collection name."""
        program = self.venv.program(str(command[0]))
        self.shell.run([program, *command[1:]], cwd=cwd, env=self.venv.environment(env))


def unit(job: Job) -> None:
    """All, or what was named; words after ``--`` go to pytest."""
    named = any((ROOT / word.partition("::")[0]).exists() for word in job.words)
    _pytest(job, *(() if named else ("tests/unit",)), *job.words)


def e2e(job: Job) -> None:
    """All, or those of the families that were named."""
    families = ("-k", " or ".join(job.words)) if job.words else ()
    _pytest(job, "tests/e2e", *families, env=job.lab)


def _pytest(job: Job, *arguments: Argument, env: Mapping[str, str] | None = None) -> None:
    job.run("python", "-m", "pytest", *arguments, env=env)


def types(job: Job) -> None:
    own = ("devtools", "scripts", "tests/servers", "tests/e2e")
    packages = [name.replace("/", ".") for name in own if any((ROOT / name).glob("*.py"))]
    names = ["ansible_collections.homeflare.proxmox.plugins", *packages]
    options = [option for name in names for option in ("-p", name)]
    job.run("mypy", "--config-file", ROOT / "pyproject.toml", *options, cwd=ROOT)


def lint(job: Job) -> None:
    job.run("ruff", "check", ".", cwd=ROOT)
    job.run("ruff", "format", "--check", ".", cwd=ROOT)
    job.run("shellcheck", "dev", ".ci/run", "scripts/homeflare-proxmox-verify", cwd=ROOT)
    job.run("ansible-lint", "--offline", "--profile", "production", "-c", ".ansible-lint", cwd=ROOT)
    for playbook in sorted([*(ROOT / "examples").glob("*/*.yml"), *(ROOT / "playbooks").glob("*.yml")]):
        if _is_playbook(playbook.read_text()):
            job.run("ansible-playbook", "--syntax-check", "-i", "localhost,", playbook, cwd=ROOT)


def _is_playbook(text: str) -> bool:
    """A list of plays; an inventory also says ``hosts``, and is a mapping."""
    return "hosts:" in text and any(line.startswith("- ") for line in text.splitlines())


def sanity(job: Job) -> None:
    _ansible_test(job, "sanity", "--local", "--python", job.venv.base.version, *job.words)


def units(job: Job) -> None:
    _ansible_test(job, "units", "--venv", "--python", job.venv.base.version, *job.words)


def _ansible_test(job: Job, *arguments: str) -> None:
    """In a copy of its own for each kind of test, so that two can run at once."""
    top = tree.copy_tree(f"{job.venv.core.minor}-{arguments[0]}")
    home = VENV / "ansible-test/home"
    tree.get_pip(job.venv, home)
    with tempfile.TemporaryFile() as output:
        inner = Shell(output)
        env = job.venv.environment({"HOME": str(home)})
        code = inner.code([job.venv.program("ansible-test"), *arguments, "--color", "no"], cwd=top, env=env)
        output.seek(0)
        text = output.read().decode(errors="replace")
    job.shell.say("\n".join(line for line in text.splitlines() if not _noise(line)))
    if code:
        message = f"ansible-test {arguments[0]} ended with exit code {code}"
        raise Failed(message)
    if "All targets skipped" in text:
        message = f"ansible-test {arguments[0]} skipped all targets: it has tested nothing"
        raise Failed(message)


def _noise(line: str) -> bool:
    return line.startswith(("Run command:", "Configured locale:", "Stream command:", "Initializing ", "RLIMIT_NOFILE"))


def docs(job: Job) -> None:
    """Documentation of the plugins, what is made of the code, and the changelog fragments."""
    job.run("antsibull-docs", "lint-collection-docs", "--plugin-docs", "--validate-collection-refs=self", ".")
    job.run("python", "-m", "devtools.docs", "--check", cwd=ROOT, env={"PYTHONPATH": str(tree.COLLECTIONS)})
    job.run("antsibull-changelog", "lint", cwd=ROOT)
    job.run("antsibull-changelog", "lint-changelog-yaml", "changelogs/changelog.yaml", cwd=ROOT)


# What a tarball may hold at its top.
_SHIPPED = {
    "CHANGELOG.md",
    "FILES.json",
    "LICENSE",
    "MANIFEST.json",
    "README.md",
    "changelogs",
    "docs",
    "examples",
    "meta",
    "playbooks",
    "plugins",
    "requirements.txt",
    "roles",
    "scripts",
    "tests",
}


def build(job: Job) -> None:
    """Build, install and use the tarball, away from the repo."""
    with tempfile.TemporaryDirectory(prefix="homeflare-build-") as name:
        folder = Path(name)
        # From the copy, so that a file which is not in the repo cannot be what makes it work.
        source = folder / "source"
        for path in tree.tracked():
            tree.copy_file(ROOT / path, source / path)
        job.run("ansible-galaxy", "collection", "build", "--output-path", folder, cwd=source)
        tarball = next(folder.glob("homeflare-proxmox-*.tar.gz"))
        _inspect(job, tarball)
        place = folder / "installed"
        used = {"ANSIBLE_COLLECTIONS_PATH": str(place)}
        job.run("ansible-galaxy", "collection", "install", "--offline", "-p", place, tarball, cwd=folder, env=used)
        verify = ("ansible-galaxy", "collection", "verify", "--offline", "homeflare.proxmox", "-p", str(place))
        job.run(*verify, cwd=folder, env=used)
        modules = sorted(path.stem for path in (place / COLLECTION / "plugins/modules").glob("*.py"))
        if not modules:
            message = "the tarball holds no module"
            raise Failed(message)
        names = [f"homeflare.proxmox.{module}" for module in modules if module != "__init__"]
        _read_documentation(job, names, folder, used)
        run_demo(job, quiet=True, env=used)


def _read_documentation(job: Job, names: Sequence[str], folder: Path, used: Mapping[str, str]) -> None:
    command: list[Argument] = [job.venv.program("ansible-doc"), "--json", *names]
    told = json.loads(capture(command, cwd=folder, env=job.venv.environment(used)))
    silent = [name for name in names if not told.get(name, {}).get("doc", {}).get("options")]
    if silent:
        message = f"ansible-doc tells nothing of {', '.join(silent)}"
        raise Failed(message)
    job.shell.say(f"ansible-doc: {', '.join(names)}")


def _inspect(job: Job, tarball: Path) -> None:
    with tarfile.open(tarball) as archive:
        members = archive.getnames()
    strays = sorted({member.split("/", 1)[0] for member in members} - _SHIPPED)
    tests = [
        member
        for member in members
        if member.startswith("tests/") and not member.startswith(("tests/config", "tests/sanity"))
    ]
    if strays or tests:
        message = f"the tarball holds what does not belong there: {', '.join([*strays, *tests])}"
        raise Failed(message)
    job.shell.say(f"{tarball.name}: {len(members)} entries, {tarball.stat().st_size // 1024} KiB")


def run_demo(job: Job, *, quiet: bool = False, env: Mapping[str, str] | None = None) -> None:
    """The small estate against servers on loopback: plan, apply, apply again."""
    options = ["--quiet"] if quiet else []
    job.run("python", "-m", "devtools.demo", *options, *job.words, cwd=ROOT, env=env)


@dataclass(frozen=True)
class Part:
    """One part of ``./dev test``, with the title that it is announced by."""

    name: str
    title: str
    check: Callable[[Job], None]


# The slow ones first: two run at a time.
PARTS = (
    Part("e2e", "End to end, through ansible-playbook", e2e),
    Part("sanity", "ansible-test sanity", sanity),
    Part("unit", "Unit tests", unit),
    Part("units", "ansible-test units", units),
    Part("lint", "ruff, shellcheck, ansible-lint (production)", lint),
    Part("build", "Build, install and use the tarball", build),
    Part("docs", "Documentation and changelog", docs),
    Part("types", "mypy, strict", types),
)


def matrix_parts() -> tuple[list[tuple[Part, Venv]], list[str]]:
    """Sanity, units and the small estate on each ansible-core; and what cannot run here, by name."""
    found = find_pythons()
    parts: list[tuple[Part, Venv]] = []
    missing: list[str] = []
    for core in CORES:
        python = _python_for(core, found)
        if python is None:
            missing.append(f"ansible-core {core.minor}: needs Python {' or '.join(core.pythons)}, not found")
            continue
        venv = tree.matrix_venv(core, python)
        title = f"ansible-core {core.version} on Python {python.version}"
        for name, check in (("sanity", sanity), ("units", units), ("e2e", run_quiet_demo)):
            parts.append((Part(f"{core.minor} {name}", f"{title}: {name}", check), venv))
    if not parts:
        message = "no Python here runs any supported ansible-core"
        raise DevError(message)
    return parts, missing


def run_quiet_demo(job: Job) -> None:
    run_demo(job, quiet=True)


def _python_for(core: Core, found: dict[str, Python]) -> Python | None:
    return next((found[version] for version in core.pythons if version in found), None)


def clean() -> None:
    """Remove everything that ./dev has made."""
    for name in (".venv", "build", ".ansible", ".hypothesis", "tests/output"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
