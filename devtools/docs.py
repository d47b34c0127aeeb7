# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of the code: the table of modules in README.md, and docs/families.md."""

from __future__ import annotations

import ast
import difflib
import sys
from pathlib import Path

import yaml
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES, INFOS

from devtools.families import page

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGE = ROOT / "docs/families.md"
START = "<!-- modules: made by ./dev docs -->\n"
END = "<!-- end of modules -->\n"


def documentation(module: Path) -> dict[str, object]:
    """DOCUMENTATION of a module, without importing it."""
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if "DOCUMENTATION" in names:
                loaded = yaml.safe_load(str(node.value.value))
                if isinstance(loaded, dict):
                    return loaded
    message = f"{module.name} has no DOCUMENTATION"
    raise ValueError(message)


def modules() -> list[Path]:
    return sorted(path for path in (ROOT / "plugins/modules").glob("*.py") if path.stem != "__init__")


def table() -> str:
    rows = [f"| `{path.stem}` | {documentation(path)['short_description']} |" for path in modules()]
    return "\n".join(["| module | what it declares |", "|---|---|", *rows, ""])


def readme() -> str:
    """README.md with the table of now."""
    head, _, rest = README.read_text().partition(START)
    _, found, tail = rest.partition(END)
    if not found:
        message = f"README.md lacks the lines {START.strip()} and {END.strip()}"
        raise ValueError(message)
    return f"{head}{START}{table()}{END}{tail}"


def made() -> dict[Path, str]:
    """Every file that is made, as it has to be."""
    return {README: readme(), PAGE: page(FAMILIES, INFOS)}


def stale() -> list[str]:
    """What would change, as a diff; empty when all is up to date."""
    change: list[str] = []
    for path, new in made().items():
        old = path.read_text() if path.exists() else ""
        name = path.relative_to(ROOT).as_posix()
        change += difflib.unified_diff(
            old.splitlines(), new.splitlines(), name, f"{name} by ./dev docs", lineterm="", n=1
        )
    return change


def main(arguments: list[str]) -> int:
    """Write what is made; with ``--check`` only say what would change, and fail if anything would."""
    if "--check" not in arguments:
        for path, text in made().items():
            path.write_text(text)
        return 0
    change = stale()
    print("\n".join(change) if change else "README.md and docs/families.md are up to date")
    return 1 if change else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
