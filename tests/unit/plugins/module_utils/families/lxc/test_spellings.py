# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What PVE was seen to store, judged as a whole: a declaration against its own stored form writes nothing."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    declare,
    judged,
    live,
)

VECTORS = Path(__file__).resolve().parents[4] / "vectors" / "lxc-spellings.jsonl"
#: Measured, but not managed as keys of config.
UNMANAGED = ("lock", "template")


def rows(*statuses: int) -> list[t.Any]:
    found = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    picked = [row for row in found if row["status"] in statuses and row["key"] not in UNMANAGED]
    assert picked
    return [pytest.param(row, id=f"{row['key']}-{number}") for number, row in enumerate(picked)]


@pytest.mark.parametrize("row", rows(200))
def test_what_pve_stored_of_a_declaration_is_no_drift(row: dict[str, t.Any]) -> None:
    judgement = judged({row["key"]: row["declared"]}, live(**{row["key"]: row["stored"]}))
    assert (judgement.drift, judgement.steps, judgement.refusals) == ((), (), ())


#: Refused by PVE for the spelling alone, where our own spelling is wider and what we send is PVE's.
FORGIVEN = {("onboot", "true"), ("onboot", "yes"), ("onboot", "on"), ("net1", "name=eth1, bridge=vmbr0")}


@pytest.mark.parametrize("row", rows(400))
def test_what_pve_refuses_is_refused_before_it_is_sent(row: dict[str, t.Any]) -> None:
    if (row["key"], row["declared"]) in FORGIVEN:
        declare({row["key"]: row["declared"]})
        return
    with pytest.raises(DeclarationError, match=row["key"]):
        declare({row["key"]: row["declared"]})
