# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lookups as a playbook runs them: the same both ways, nothing written, nothing minted for writing."""

from __future__ import annotations

import pytest

from tests.e2e.play import Player
from tests.e2e.target import Target


@pytest.mark.parametrize("how", [{}, {"check": True}, {"in_process": False}], ids=["apply", "check", "module"])
def test_lookups_only_read(target: Target, player: Player, how: dict[str, bool]) -> None:
    target.start_counting()
    run = player.tasks(
        {"homeflare.proxmox.cluster_info": {}},
        {"homeflare.proxmox.storage_info": {"node": target.node}},
        {"homeflare.proxmox.storage_info": {"storage": target.storage}},
        **how,
    )
    cluster, storages, one = run.ok().rows
    assert not any(row.changed for row in run.rows)
    assert target.node in [node["name"] for node in cluster.result["nodes"] if node["online"]]
    assert cluster.result["quorum"]["quorate"] is True
    assert cluster.result["version"]["version"].split(".")[0] >= "9"
    assert {"case_sensitive", "ordering"} <= set(cluster.result["tag_style"])
    assert target.node in [row.get("node") for row in cluster.result["resources"]]
    (told,) = one.result["storages"]
    assert told["storage"] == target.storage
    assert "rootdir" in told["content"]
    assert target.storage in [row["storage"] for row in storages.result["storages"] if row["status"]]
    target.assert_no_writes()
    lab = target.lab
    if lab is not None:
        assert {mint["path"].split("/")[3] for mint in lab.mints()} == {"hf-read@pve"}
