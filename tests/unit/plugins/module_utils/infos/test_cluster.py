# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup of a cluster: what is asked for what, and what a lone node answers."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, ServerError
from ansible_collections.homeflare.proxmox.plugins.module_utils.infos.cluster import CLUSTER_INFO, SUBSETS
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

Call = tuple[str, str, t.Any, t.Any]

CLUSTER = {"type": "cluster", "id": "cluster", "name": "lab", "quorate": 1, "nodes": 2, "version": 1}
PVE1 = {"type": "node", "id": "node/pve1", "name": "pve1", "nodeid": 1, "ip": "192.0.2.2", "online": 1, "local": 1}
PVE2 = {"type": "node", "id": "node/pve2", "name": "pve2", "nodeid": 2, "ip": "192.0.2.3", "online": 0, "local": 0}
STATUS: Call = ("GET", "cluster/status", None, [PVE2, CLUSTER, PVE1])


def look(expect: list[Call], *subset: str, **params: t.Any) -> t.Mapping[str, t.Any]:
    script = Script(expect, read_only=True)
    found = CLUSTER_INFO.gather({"subset": list(subset or SUBSETS), **params}, script)
    script.done()
    return found


def options(value: t.Any) -> Call:
    return ("GET", "cluster/options", None, value)


def test_everything() -> None:
    version = {"version": "9.2.11", "release": "9.2", "repoid": "0a1b2c3d"}
    rows = [{"id": "storage/pve1/local"}, {"id": "lxc/100"}]
    found = look(
        [
            ("GET", "version", None, version),
            STATUS,
            STATUS,
            ("GET", "cluster/resources", None, rows),
            options({"tag-style": {"case-sensitive": 1, "shape": "dense"}}),
        ]
    )
    assert list(found) == list(SUBSETS)
    assert found["version"] == version
    assert [(node["name"], node["online"], node["local"]) for node in found["nodes"]] == [
        ("pve1", True, True),
        ("pve2", False, False),
    ]
    assert found["quorum"] == {"cluster": "lab", "quorate": True, "nodes": 2, "online": 1}
    assert [row["id"] for row in found["resources"]] == ["lxc/100", "storage/pve1/local"]
    assert found["tag_style"] == {
        "case_sensitive": True,
        "color_map": "",
        "ordering": "alphabetical",
        "shape": "dense",
    }


def test_only_what_is_asked_for_is_read() -> None:
    assert list(look([STATUS], "quorum")) == ["quorum"]


def test_a_cluster_without_a_quorum_says_so() -> None:
    lost: Call = (*STATUS[:3], [{**CLUSTER, "quorate": 0}, PVE1])
    assert look([lost], "quorum")["quorum"]["quorate"] is False


def test_a_lone_node_is_in_no_cluster_and_can_write() -> None:
    alone: Call = (*STATUS[:3], [{**PVE1, "nodeid": 0}])
    assert look([alone], "quorum")["quorum"] == {"cluster": None, "quorate": True, "nodes": 1, "online": 1}


def test_resources_of_one_type_are_asked_for_by_it() -> None:
    assert look([("GET", "cluster/resources", {"type": "vm"}, [])], "resources", type="vm")["resources"] == []


@pytest.mark.parametrize("style", ["case-sensitive=1,ordering=config,color-map=a:ff0000;b:00ff00", None])
def test_a_tag_style_is_read_in_its_older_form_and_without_one(style: str | None) -> None:
    told = look([options({"tag-style": style} if style else {})], "tag_style")["tag_style"]
    assert told["case_sensitive"] is bool(style)
    assert told["ordering"] == ("config" if style else "alphabetical")
    assert told["color_map"] == ("a:ff0000;b:00ff00" if style else "")


def test_a_failed_read_fails_the_lookup() -> None:
    with pytest.raises(ApiError):
        look([(*STATUS[:3], error(403, "Permission check failed (/, Sys.Audit)"))], "nodes")
    with pytest.raises(ServerError, match="not a list"):
        look([(*STATUS[:3], None)], "quorum")
