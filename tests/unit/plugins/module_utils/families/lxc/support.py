# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container for tests: its declaration, its live config, and a reader that answers from a table."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Declaration, Judgement, Live
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.judge import judge
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.table import LXC

CONFIG = "nodes/pve1/lxc/900/config"
TEMPLATE = "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
MAC = "00:00:5E:00:53:04"
NET = f"name=eth0,bridge=vmbr0,hwaddr={MAC},ip=dhcp,type=veth"
ROOT = "local-zfs:subvol-900-disk-0,size=8G"

#: As PVE answers GET config, digest and all.
LIVE: dict[str, t.Any] = {
    "arch": "amd64",
    "cores": 2,
    "description": "managed\n",
    "digest": "0123456789abcdef0123456789abcdef01234567",
    "features": "nesting=1",
    "hostname": "ct-example",
    "memory": 1024,
    "net0": NET,
    "onboot": 1,
    "ostype": "debian",
    "rootfs": ROOT,
    "swap": 512,
    "tags": "alpha;beta",
    "unprivileged": 1,
}


def declare(config: t.Mapping[str, t.Any] | None = None, **options: t.Any) -> Declaration:
    """The declaration of container 900, through the same checks as a task's."""
    named = {"node": "pve1", "vmid": 900, "config": dict(config or {})}
    return declaration_of(LXC, {**named, **options})


def live(*without: str, facts: t.Mapping[str, t.Any] | None = None, **values: t.Any) -> Live:
    """The live container with some keys changed and some left out."""
    config = {key: value for key, value in {**LIVE, **values}.items() if key not in without}
    return Live(present=True, values=config, facts=facts or {})


def judged(config: t.Mapping[str, t.Any] | None, found: Live, **options: t.Any) -> Judgement:
    """The judgement; identity is given unless the test brings its own, so that single keys can be asked about."""
    return judge(LXC, declare(config, **{"identity": ["vmid"], **options}), found)


def absent(**facts: t.Any) -> Live:
    return Live(present=False, facts=facts)


def ids(judgement: Judgement) -> list[str]:
    return [refusal.id for refusal in judgement.refusals]


def keys(judgement: Judgement) -> list[str]:
    return [item.key for item in judgement.drift]


def form(judgement: Judgement) -> dict[str, t.Any]:
    """The form of the one step."""
    assert len(judgement.steps) == 1, judgement
    return dict(judgement.steps[0].form)


@dataclass
class Answers:
    """Answers by path (with type= where the query has one); every GET that is not in the table fails the test."""

    table: t.Mapping[str, t.Any]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def get(
        self, path: str, query: t.Mapping[str, t.Any] | None = None, *, shared: bool = False, role: str = "read"
    ) -> t.Any:
        name = path if not query or "type" not in query else f"{path}?type={query['type']}"
        self.asked.append((name, role))
        assert name in self.table, f"unexpected GET {name}"
        answer = self.table[name]
        if isinstance(answer, ApiError):
            raise ApiError(method="GET", path=path, status=answer.status, message=answer.message, errors=answer.errors)
        if isinstance(answer, Exception):
            raise answer
        return answer
