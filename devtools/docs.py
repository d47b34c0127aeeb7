# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of modules in README.md, made from the modules' own documentation."""

from __future__ import annotations

import ast
import difflib
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
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


def main(arguments: list[str]) -> int:
    """Write README.md; with ``--check`` only say what would change, and fail if anything would."""
    old = README.read_text()
    head, _, rest = old.partition(START)
    _, found, tail = rest.partition(END)
    if not found:
        print(f"README.md lacks the lines {START.strip()} and {END.strip()}")
        return 1
    new = f"{head}{START}{table()}{END}{tail}"
    if "--check" not in arguments:
        README.write_text(new)
        return 0
    change = list(
        difflib.unified_diff(old.splitlines(), new.splitlines(), "README.md", "README.md by ./dev docs", lineterm="")
    )
    print("\n".join(change) if change else "README.md: the table of modules is up to date")
    return 1 if change else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
