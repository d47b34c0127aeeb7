# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each correction, once without and once with it: what fakepve answers, and what PVE does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.servers.corrections import CORRECTIONS
from tests.servers.lab import Lab

from .talk import Client

CT = "/nodes/pve1/lxc/102"
CONFIG = f"{CT}/config"
TEMPLATE = "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
NEW = {"vmid": 900, "ostemplate": TEMPLATE, "rootfs": "local-dir:1"}


@dataclass(frozen=True)
class Case:
    """`steps` are requests of a token; `look` reads what came of them."""

    name: str
    steps: list[tuple[str, str, dict[str, Any]]]
    look: Callable[[Lab, list[Any]], Any]
    fake: Any
    pve: Any
    by_hand: bool = False


def stored(key: str, path: str = CONFIG) -> Callable[[Lab, list[Any]], Any]:
    return lambda lab, _replies: lab.get(path).get(key)


def last(_lab: Lab, replies: list[Any]) -> Any:
    return replies[-1].status, replies[-1].reason


def first_key(lab: Lab, replies: list[Any]) -> Any:
    return replies[-1].status, lab.get(CONFIG)["memory"]


def pending_digest(lab: Lab, _replies: list[Any]) -> bool:
    return "digest" in {row["key"] for row in lab.get(f"{CT}/pending")}


def with_pve1_down(lab: Lab, _replies: list[Any]) -> set[str]:
    lab.node_online("pve1", False)
    rows = lab.get("/cluster/resources", {"type": "vm"})
    return {row["status"] for row in rows if row["node"] == "pve1"}


ALIASES = "/cluster/firewall/aliases"
MANAGED = ("POST", "/cluster/ha/resources", {"sid": "ct:102", "state": "enabled"})
NFS = {"storage": "nfs1", "type": "nfs", "server": "192.0.2.9", "export": "/srv/nfs"}


def hastate(lab: Lab, _replies: list[Any]) -> Any:
    return next(row for row in lab.get("/cluster/resources") if row.get("vmid") == 102).get("hastate")


def shared_nfs(lab: Lab, _replies: list[Any]) -> Any:
    return next(row for row in lab.get("/nodes/pve1/storage") if row["storage"] == "nfs1")["shared"]


IN_USE = "unable to remove CT 102 - used in HA resources and purge parameter not set."
FEATURES = "403 Permission check failed (changing feature flags (except nesting) is only allowed for root@pam)"
CASES = [
    Case("token-is-never-root", [("PUT", CONFIG, {"features": "nesting=1,keyctl=1"})], last,
         (200, "OK"), (403, FEATURES[4:])),
    Case("token-is-never-root", [("PUT", CONFIG, {"dev0": "/dev/null"})], last, (200, "OK"),
         (403, "Permission check failed (configuring device passthrough is only allowed for root@pam)")),
    Case("token-is-never-root", [("PUT", CONFIG, {"mp0": "/srv,mp=/srv"})], last, (200, "OK"),
         (403, "Permission check failed (mount point type bind is only allowed for root@pam)")),
    Case("token-is-never-root", [("PUT", CONFIG, {"features": "nesting=1"})], last, (200, "OK"), (200, "OK")),
    Case("skiplock-is-for-root", [("POST", f"{CT}/status/start", {"skiplock": 1})], last,
         (200, "OK"), (400, "Parameter verification failed.")),
    Case("no-slaac-host-managed", [("PUT", CONFIG, {"net1": "name=eth1,bridge=vmbr0,host-managed=1,ip6=auto"})], last,
         (200, "OK"), (500, "net1: SLAAC is not supported for host-managed network configuration.")),
    Case("nested-pool-has-no-path",
         [("POST", "/pools", {"poolid": "p"}), ("POST", "/pools", {"poolid": "p/q"}), ("GET", "/pools/p%2Fq", {})],
         lambda _lab, replies: replies[-1].status, 200, 501),
    Case("a-new-guest-has-no-past",
         [("PUT", CONFIG, {"cpulimit": "0.50"}), ("DELETE", CT, {}),
          ("POST", "/nodes/pve1/lxc", {**NEW, "vmid": 102, "cpulimit": "0.5"})],
         lambda lab, _replies: sorted({"0.5", "0.50"} & {str(lab.get(CONFIG)["cpulimit"])}), ["0.5"], ["0.5"]),
    Case("lists-take-any-separator", [("PUT", CONFIG, {"delete": "net0;swap"})],
         lambda lab, replies: (replies[-1].status, "net0" in lab.get(CONFIG)), (400, True), (200, False)),
    Case("nameserver-is-space-joined", [("PUT", CONFIG, {"nameserver": "192.0.2.1,192.0.2.2"})], stored("nameserver"),
         "192.0.2.1,192.0.2.2", "192.0.2.1 192.0.2.2"),
    Case("cpuunits-are-clamped", [("PUT", CONFIG, {"cpuunits": 1})], stored("cpuunits"), 1, 2),
    Case("empty-description-removes",
         [("PUT", CONFIG, {"description": "x"}), ("PUT", CONFIG, {"description": ""})], stored("description"),
         "\n", None),
    Case("new-disk-in-whole-mib", [("PUT", CONFIG, {"mp0": "local-dir:0.1,mp=/x"})],
         lambda lab, _replies: lab.get(CONFIG)["mp0"].rpartition("size=")[2], "107374182", "102M"),
    Case("mount-keeps-its-size",
         [("PUT", CONFIG, {"mp0": "local-dir:1,mp=/x"}),
          ("PUT", CONFIG, {"mp0": "local-dir:102/vm-102-disk-1.raw,mp=/y"})], stored("mp0"),
         "local-dir:102/vm-102-disk-1.raw,mp=/y", "local-dir:102/vm-102-disk-1.raw,mp=/y,size=1G"),
    Case("rootfs-is-stored-as-sent", [("PUT", CONFIG, {"rootfs": "local-dir:102/vm-102-disk-0.raw,size=4096M,ro=1"})],
         stored("rootfs"), "local-dir:102/vm-102-disk-0.raw,ro=1,size=4G",
         "local-dir:102/vm-102-disk-0.raw,size=4096M,ro=1"),
    Case("rootfs-is-stored-as-sent", [("PUT", CONFIG, {"rootfs": "local-dir:40"})], stored("rootfs"),
         "local-dir:102/vm-102-disk-1.raw,size=40G", "local-dir:40"),
    Case("features-keep-their-order", [("PUT", CONFIG, {"features": "nesting=1,keyctl=1,fuse=0"})],
         stored("features"), "fuse=0,keyctl=1,nesting=1", "nesting=1,keyctl=1,fuse=0", by_hand=True),
    Case("cpulimit-is-text", [("PUT", CONFIG, {"cpulimit": "0.50"})], stored("cpulimit"), 0.5, "0.50"),
    Case("tags-follow-tag-style",
         [("PUT", "/cluster/options", {"tag-style": "case-sensitive=1,ordering=config"}),
          ("PUT", CONFIG, {"tags": "Zeta,alpha"})], stored("tags"), "alpha;zeta", "Zeta;alpha"),
    Case("ostype-and-arch-as-declared", [("POST", "/nodes/pve1/lxc", {**NEW, "ostype": "unmanaged"})],
         stored("ostype", "/nodes/pve1/lxc/900/config"), "debian", "unmanaged"),
    Case("unknown-bridge-fails-after-the-write", [("PUT", CONFIG, {"net1": "name=eth1,bridge=nosuch", "memory": 600})],
         first_key, (200, 600), (500, 600)),
    Case("spelled-as-stored", [("PUT", CONFIG, {"cpulimit": "1.0"})], stored("cpulimit"), 1, "1.0"),
    Case("mount-point-comes-second", [("PUT", CONFIG, {"mp0": "local-dir:1,backup=1,mp=/x"})], stored("mp0"),
         "local-dir:102/vm-102-disk-1.raw,backup=1,mp=/x,size=1G",
         "local-dir:102/vm-102-disk-1.raw,mp=/x,backup=1,size=1G"),
    Case("description-ends-in-newline", [("PUT", CONFIG, {"description": "single"})], stored("description"),
         "single", "single\n"),
    Case("empty-tags-are-a-space", [("PUT", CONFIG, {"tags": ""})], stored("tags"), "", " "),
    Case("pending-has-the-digest", [], pending_digest,
         False, True),
    Case("falsy-comment-is-not-stored",
         [("POST", "/pools", {"poolid": "p", "comment": "x"}), ("PUT", "/pools", {"poolid": "p", "comment": "0"})],
         lambda lab, _replies: lab.get("/pools", {"poolid": "p"})[0].get("comment"), "0", None),
    Case("guests-of-a-dead-node-are-unknown", [],
         with_pve1_down, {"running", "stopped"}, {"unknown"}),
    Case("guest-in-use-stays", [MANAGED, ("DELETE", CT, {})], last, (200, "OK"), (500, IN_USE)),
    Case("guest-in-use-stays", [MANAGED, ("DELETE", CT, {"purge": 1})], last, (200, "OK"), (200, "OK")),
    Case("alias-as-the-file-holds-it",
         [("POST", ALIASES, {"name": "A2", "cidr": "192.0.2.7/32", "comment": " a # b "})],
         lambda lab, _replies: [lab.get(f"{ALIASES}/a2").get(key) for key in ("cidr", "comment")],
         ["192.0.2.7/32", " a # b "], ["192.0.2.7", "a # b"]),
    Case("alias-as-the-file-holds-it",
         [("POST", ALIASES, {"name": "A2", "cidr": "2001:db8::/128", "comment": "0"})],
         lambda lab, _replies: [lab.get(f"{ALIASES}/a2").get(key) for key in ("cidr", "comment")],
         ["2001:db8::/128", "0"], ["2001:db8::", None]),
    Case("resources-show-hastate", [MANAGED], hastate, None, "started"),
    Case("status-shows-ha", [MANAGED], stored("ha", f"{CT}/status/current"),
         {"managed": 0}, {"managed": 1, "state": "started"}),
    Case("some-types-are-shared", [("POST", "/storage", NFS)], shared_nfs, 0, 1),
]  # fmt: skip


@pytest.mark.parametrize("side", ["fake", "pve"])
@pytest.mark.parametrize("case", CASES, ids=[f"{number}-{case.name}" for number, case in enumerate(CASES)])
def test_fakepve_says_one_thing_and_pve_another(lab: Lab, case: Case, side: str) -> None:
    lab.edit("PUT", CONFIG, {"memory": 512})
    lab.configure(without=[case.name] if side == "fake" else [])
    ask = Client(lab)
    replies = []
    for method, path, values in case.steps:
        replies.append(lab.try_edit(method, path, values) if case.by_hand else ask(method, path, values))
    assert case.look(lab, replies) == getattr(case, side)


def test_every_correction_has_a_case() -> None:
    assert {item.name for item in CORRECTIONS} == {case.name for case in CASES}
    assert len({item.name for item in CORRECTIONS}) == len(CORRECTIONS)
    assert all(item.source for item in CORRECTIONS)
