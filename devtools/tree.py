# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ./dev makes under .venv/: the virtual environments, and the trees in which the repo has its collection name."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from devtools.pythons import Core, Python, choose, core_for, find_pythons, probe
from devtools.shell import DevError, capture

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
COLLECTIONS = VENV / "collections"
COLLECTION = Path("ansible_collections/homeflare/proxmox")
LINK = COLLECTIONS / COLLECTION
BENCH = ROOT / "tests/requirements/bench.txt"
RUN = ROOT / "tests/requirements/run.txt"
TOOLS = ROOT / "tests/requirements/tools.txt"

# A person's own settings must not decide whether a test passes, nor may a test reach a person's servers.
_FOREIGN = ("ANSIBLE_", "BAO_", "VAULT_", "PROXMOX_", "PBS_", "HOMEFLARE_", "PYTEST_", "PYTHON", "MYPY", "VIRTUAL_ENV")


class Venv:
    """One virtual environment with one ansible-core."""

    def __init__(self, folder: Path, core: Core, python: Python) -> None:
        self.folder = folder
        self.core = core
        self.base = python

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    @property
    def python(self) -> Path:
        return self.program("python")

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """A clean environment in which this virtual environment's programs come first."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN)}
        # A version manager's shims on PATH break ansible-test: their names are there and fail.
        folders = [part for part in kept.get("PATH", os.defpath).split(os.pathsep) if Path(part).name != "shims"]
        path = [str(self.folder / "bin"), str(self.base.path.resolve().parent), *folders]
        return kept | {
            "PATH": os.pathsep.join(path),
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "ANSIBLE_HOME": str(VENV / "ansible"),
            "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
            **(extra or {}),
        }

    def make(self, *requirements: Path) -> None:
        """Make the environment, or bring it up to date; nothing when it is."""
        stamp = self.folder / "stamp.json"
        want = {
            "python": str(self.base.path),
            "core": self.core.version,
            "requirements": [hashlib.sha256(path.read_bytes()).hexdigest() for path in requirements],
        }
        have = _stamp(stamp)
        if have == want and self.python.exists():
            return
        stamp.unlink(missing_ok=True)
        if have.get("python") != want["python"] or not self.python.exists():
            self._new()
        print(f"dev: installing ansible-core {self.core.version} and tools on Python {self.base.version}", flush=True)
        options = [f"--requirement={path}" for path in requirements]
        self._install([f"ansible-core=={self.core.version}", *options])
        stamp.write_text(json.dumps(want))

    def _new(self) -> None:
        for name in ("bin", "lib", "lib64", "include", "pyvenv.cfg"):
            path = self.folder / name
            path.unlink() if path.is_symlink() or path.is_file() else shutil.rmtree(path, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        capture([self.base.path, "-m", "venv", self.folder], cwd=ROOT)

    def _install(self, what: list[str]) -> None:
        """By uv, which is much faster; by pip where uv is not to be had (a mirror that only pip is told of)."""
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        by_uv = [
            [*pip, "uv==0.13.9"],
            [str(self.program("uv")), "pip", "install", "--quiet", "--python", str(self.python), *what],
        ]
        env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
        if all(
            subprocess.run(command, env=env, check=False, stderr=subprocess.DEVNULL).returncode == 0
            for command in by_uv
        ):
            return
        if subprocess.run([*pip, *what], env=env, check=False).returncode:
            message = f"cannot install into {self.folder}; see above"
            raise DevError(message)


def _stamp(path: Path) -> dict[str, object]:
    try:
        stamp = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def main_venv() -> Venv:
    """``.venv`` itself, on the newest ansible-core that this machine runs; DEV_PYTHON names another interpreter."""
    forced = os.environ.get("DEV_PYTHON")
    kept = _stamp(VENV / "stamp.json").get("python")
    if forced or isinstance(kept, str):
        python = probe(Path(shutil.which(forced or str(kept)) or forced or str(kept)))
        if python is None and forced:
            message = f"DEV_PYTHON={forced} is no Python that can make virtual environments"
            raise DevError(message)
        found = (core_for(python), python) if python else choose(find_pythons())
    else:
        found = choose(find_pythons())
    venv = Venv(VENV, *found)
    VENV.mkdir(exist_ok=True)
    with (VENV / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two ./dev at once: the second waits for what the first installs
        venv.make(RUN, TOOLS)
        link_collection()
    return venv


def matrix_venv(core: Core, python: Python) -> Venv:
    """An environment for one more ansible-core."""
    venv = Venv(VENV / "matrix" / core.minor, core, python)
    venv.make(RUN)
    return venv


def bench_venv(main: Venv) -> Venv:
    """An environment on the same Python and ansible-core with what ``./dev bench`` compares with."""
    venv = Venv(VENV / "bench", main.core, main.base)
    venv.make(BENCH)
    for one in (main, venv):
        # uv leaves this to the first run, and ./dev's runs leave nothing behind: each would compile all again.
        packages = map(str, one.folder.glob("lib/python3*/site-packages"))
        skipped = "site-packages/(ansible_collections|.*/tests/)"
        command = [str(one.python), "-m", "compileall", "-q", "-j0", "-x", skipped, *packages]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return venv


def link_collection() -> None:
    """``.venv/collections/ansible_collections/homeflare/proxmox`` is this repo."""
    target = os.path.relpath(ROOT, LINK.parent)
    if LINK.is_symlink() and os.readlink(LINK) == target:
        return
    LINK.parent.mkdir(parents=True, exist_ok=True)
    LINK.unlink(missing_ok=True)
    LINK.symlink_to(target)


# What ansible-test is to see: what ships, and the tests that it runs.
_TREE = (
    ".gitignore",
    "LICENSE",
    "README.md",
    "changelogs",
    "docs",
    "examples",
    "galaxy.yml",
    "meta",
    "playbooks",
    "plugins",
    "requirements.txt",
    "roles",
    "scripts",
)
# Of tests/e2e the rows alone, which unit tests read too.
_TREE_TESTS = ("tests/config.yml", "tests/e2e/families/", "tests/sanity/", "tests/unit/")
# Tests of the test servers and of devtools need those, and what they are made of.
_NOT_IN_TREE = ("tests/unit/devtools/", "tests/unit/servers/")


def copy_tree(name: str) -> Path:
    """A copy for ansible-test, which resolves links and so cannot use the linked tree.

    It is a git repository of its own: inside the outer one every file of it is ignored, and ansible-test would pass
    having looked at nothing.
    """
    top = VENV / "ansible-test" / name / COLLECTION
    top.mkdir(parents=True, exist_ok=True)
    wanted = {path for path in tracked() if _belongs(path)}
    for path in wanted:
        copy_file(ROOT / path, top / path)
    for folder, folders, files in os.walk(top, topdown=False):
        here = Path(folder)
        if here.relative_to(top).parts[:1] == (".git",) or here.relative_to(top).parts[:2] == ("tests", "output"):
            continue
        for entry in [*files, *(item for item in folders if (here / item).is_symlink())]:
            if str((here / entry).relative_to(top)) not in wanted and entry != ".git":
                (here / entry).unlink()
        if here != top and not any(here.iterdir()):
            here.rmdir()
    if not (top / ".git").exists():
        capture(["git", "init", "--quiet", top], cwd=top)
    return top


def _belongs(path: str) -> bool:
    if path.startswith(_NOT_IN_TREE):
        return False
    return path.split("/", 1)[0] in _TREE or path.startswith(_TREE_TESTS)


def copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        if not (target.is_symlink() and os.readlink(target) == os.readlink(source)):
            target.unlink(missing_ok=True)
            target.symlink_to(os.readlink(source))
        return
    old = target.stat() if target.is_file() and not target.is_symlink() else None
    new = source.stat()
    if old is None or (old.st_size, old.st_mtime_ns, old.st_mode) != (new.st_size, new.st_mtime_ns, new.st_mode):
        target.unlink(missing_ok=True)
        shutil.copy2(source, target)


def tracked() -> list[str]:
    """Files of the repo that git tracks or would track, deleted ones left out."""
    listing = capture(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT).decode()
    return sorted({path for path in listing.split("\0") if path and (ROOT / path).is_file() and not path.endswith("~")})


def get_pip(venv: Venv, home: Path) -> None:
    """Put a stand-in where ansible-test caches its pip bootstrap, so that it does not download one.

    Its version is ansible-test's own; Python's bundled pip does what is needed.
    """
    source = next(venv.folder.glob("lib/python3*/site-packages/ansible_test/_internal/python_requirements.py"))
    versions = re.findall(r"pip='([0-9.]+)'", source.read_text())
    cache = home / ".ansible/test/cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in versions:
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        script.write_text("import ensurepip\n\nensurepip.bootstrap()\n")
