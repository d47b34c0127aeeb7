# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of inputs that drive the test of every family: one YAML file a family in ``families/``.

family     name of the module
lab_only   why a real node cannot run it, when it cannot
seed       changes by hand before, each {method, path, form}; ``unseed`` the same after; ``lab_seed`` before, and only
           in the lab, whose credentials for writing have no more privileges than the provision baseline
create     options that create the object
drifts     {edit: changes by hand, keys: option names that are then reported, sent: what the one write carries}
clears     {options, keys, sent}
refused    {options, msg: a pattern of the failure}; nothing is written
absent     options of ``state: absent``

``sent`` leaves the digest out. ``writes`` in place of ``sent`` lists [method, path] where one write is not the answer.
``${node}``, ``${storage}``, ``${template}``, ``${bridge}``, ``${vmid}`` and ``${vmid2}`` are the target's,
and ``${tmp}`` is a folder here, for what a task writes besides.
"""

from __future__ import annotations

import tempfile
import typing as t
from pathlib import Path
from string import Template

import yaml

from tests.e2e.target import Target

#: Away from the player's own folders: those are searched for secrets.
TMP = tempfile.TemporaryDirectory(prefix="hf-e2e-")
FOLDER = Path(__file__).parent / "families"


def names() -> list[str]:
    """The families that have a row."""
    return sorted(path.stem for path in FOLDER.glob("*.yml"))


def load(name: str, target: Target) -> dict[str, t.Any]:
    """The row of a family, its placeholders filled with what the target has."""
    text = (FOLDER / f"{name}.yml").read_text()
    facts = {
        "node": target.node,
        "vmid": str(target.vmids[0]),
        "vmid2": str(target.vmids[1]),
        "tmp": TMP.name,
    }
    facts |= {name: target.fact(name) for name in ("storage", "template", "bridge") if f"${{{name}}}" in text}
    row = yaml.safe_load(text)
    return t.cast("dict[str, t.Any]", _filled(row, facts))


def _filled(value: object, facts: dict[str, str]) -> object:
    if isinstance(value, dict):
        return {key: _filled(item, facts) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, facts) for item in value]
    if isinstance(value, str) and "${" in value:
        return Template(value).safe_substitute(facts)
    return value
