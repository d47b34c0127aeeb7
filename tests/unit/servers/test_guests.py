# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Containers as PVE's own server stores them, by the table of measured spellings and by the measured answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.servers.lab import Lab

from .talk import Client

ROWS = Path(__file__).parents[1] / "vectors" / "lxc-spellings.jsonl"
CONFIG = "/nodes/pve1/lxc/410/config"
TEMPLATE = "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
RANDOM_MAC = re.compile(r"hwaddr=BC:24:11(:[0-9A-F]{2}){3}")


def spelled(value: Any) -> str | None:
    return None if value is None else RANDOM_MAC.sub("hwaddr=RANDOM", str(value))


@pytest.mark.skipif(not ROWS.exists(), reason="the measured spellings are not in this tree")
def test_every_measured_spelling_is_stored_or_refused_as_it_was(lab: Lab) -> None:
    ask = Client(lab)
    values = {"vmid": 410, "ostemplate": TEMPLATE, "rootfs": "local-dir:1", "mp0": "local-dir:1,mp=/data"}
    lab.edit("POST", "/nodes/pve1/lxc", values)
    wrong = []
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        sent = {row["key"]: row["declared"]}
        by_hand = row["as"] == "root"
        status = lab.try_edit("PUT", CONFIG, sent)["status"] if by_hand else ask("PUT", CONFIG, sent).status
        stored = lab.get(CONFIG).get(row["key"])
        if status != row["status"] or (status == 200 and spelled(stored) != spelled(row["stored"])):
            wrong.append((row, status, stored))
    assert wrong == []
    assert len(rows) > 600


@pytest.mark.parametrize(
    ("values", "status", "text"),
    [
        ({}, 500, "no options specified"),
        ({"unprivileged": 1}, 500, "unable to modify read-only option: 'unprivileged'"),
        ({"delete": "memory"}, 500, "unable to delete required option 'memory'"),
        ({"delete": "nonexist"}, 400, "unknown option 'nonexist'"),
        ({"delete": "memory", "memory": 600}, 400, "you can't use '-memory' and -delete memory' at the same time"),
        ({"delete": "tags"}, 200, ""),
        ({"memory": 600, "digest": "0" * 40}, 500, "detected modified configuration - file changed by other user?"),
        ({"mp0": "nostore:1,mp=/x"}, 500, "storage 'nostore' does not exist"),
    ],
)
def test_writes_to_a_config_that_pve_answers_so(ask: Client, values: dict[str, Any], status: int, text: str) -> None:
    reply = ask("PUT", "/nodes/pve1/lxc/102/config", values)
    assert reply.status == status
    assert text in reply.text


def test_a_mac_is_new_on_every_put_that_names_none(ask: Client) -> None:
    path = "/nodes/pve1/lxc/102/config"
    seen = set()
    for _ in range(3):
        ask("PUT", path, {"net0": "name=eth0,bridge=vmbr0,ip=dhcp"})
        seen.add(ask("GET", path).data["net0"])
    assert len(seen) == 3


def test_a_locked_guest_takes_no_write_not_even_the_unlock(ask: Client) -> None:
    path = "/nodes/pve1/lxc/102/config"
    assert ask("PUT", path, {"lock": "backup"}).status == 200
    assert ask("PUT", path, {"delete": "lock"}).reason == "CT is locked (backup)"


def test_a_running_guest_applies_some_keys_and_leaves_others_pending(ask: Client) -> None:
    path = "/nodes/pve1/lxc/101"
    ask("PUT", f"{path}/config", {"cores": 3, "nameserver": "192.0.2.99", "description": "new"})
    current = ask("GET", f"{path}/config", {"current": 1}).data
    assert (current["cores"], current["nameserver"], current["description"]) == (3, "192.0.2.53", "new\n")
    assert ask("GET", f"{path}/config").data["nameserver"] == "192.0.2.99"
    rows = {row["key"]: row for row in ask("GET", f"{path}/pending").data}
    assert rows["nameserver"] == {"key": "nameserver", "value": "192.0.2.53", "pending": "192.0.2.99"}
    assert "pending" not in rows["cores"]


def test_a_resize_counts_and_refuses_as_measured(ask: Client) -> None:
    path = "/nodes/pve1/lxc/102"
    assert ask("PUT", f"{path}/resize", {"disk": "rootfs", "size": "4G"}).reason == "disk is already at specified size"
    assert ask("PUT", f"{path}/resize", {"disk": "rootfs", "size": "3G"}).reason == "unable to shrink disk size"
    assert ask("PUT", f"{path}/resize", {"disk": "rootfs", "size": "4GB"}).status == 400
    assert ask("PUT", f"{path}/resize", {"disk": "rootfs", "size": "+512M"}).data.startswith("UPID:pve1:")
    assert ask("GET", f"{path}/config").data["rootfs"].endswith("size=4608M")


def test_absence_and_its_proofs(ask: Client) -> None:
    missing = ask("GET", "/nodes/pve1/lxc/999/config")
    assert missing.reason == "Configuration file 'nodes/pve1/lxc/999.conf' does not exist"
    assert ask("GET", "/cluster/nextid", {"vmid": 999}).data == "999"
    assert ask("GET", "/cluster/nextid", {"vmid": 101}).errors == {"vmid": "VM 101 already exists"}
    assert ask("POST", "/nodes/pve1/lxc", {"vmid": 101, "ostemplate": TEMPLATE}).reason == (
        "CT 101 already exists on node 'pve1'"
    )


def test_a_missing_template_fails_in_the_task(ask: Client) -> None:
    gone = "local:vztmpl/gone_1_amd64.tar.zst"
    upid = ask("POST", "/nodes/pve1/lxc", {"vmid": 900, "ostemplate": gone, "rootfs": "local-dir:1"}).data
    status = ask("GET", f"/nodes/pve1/tasks/{upid}/status").data
    assert status["exitstatus"] == f"unable to create CT 900 - volume '{gone}' does not exist"
    assert ask("GET", "/nodes/pve1/lxc/900/config").status == 500


def test_a_running_or_protected_guest_is_not_destroyed(ask: Client) -> None:
    assert ask("DELETE", "/nodes/pve1/lxc/101").reason == "unable to destroy CT 101 - container is running"
    ask("PUT", "/nodes/pve1/lxc/102/config", {"protection": 1})
    assert ask("DELETE", "/nodes/pve1/lxc/102").reason == "can't remove CT 102 - protection mode enabled"
