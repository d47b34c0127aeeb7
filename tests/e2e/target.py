# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests run against: the lab on loopback, or a real node of a person.

On a real node the tests work in vmids and names of their own, and what they made goes away with ``tidy``. What only the
lab can do (its request log, its faults) is skipped there by name.
"""

from __future__ import annotations

import os
import time
import typing as t
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
import requests

from tests.servers.lab import Lab

FIRST_VMID = 99_000_900


@dataclass
class Target:
    """Names that exist there (empty: it has none), how to connect, and how to look and change by hand."""

    connection: dict[str, t.Any]
    environment: dict[str, str]
    node: str
    storage: str
    template: str
    bridge: str
    lab: Lab | None = None
    real: Real | None = None
    vmids: list[int] = field(default_factory=lambda: list(range(FIRST_VMID, FIRST_VMID + 20)))

    def needs_lab(self, what: str) -> Lab:
        """The lab, or a skip that says what a real node does not have."""
        if self.lab is None:
            pytest.skip(f"needs {what} of the test servers")
        return self.lab

    def fact(self, name: str) -> str:
        """One of the names, or a skip that says what the node does not have."""
        value = str(getattr(self, name))
        if not value:
            pytest.skip(f"node {self.node} has no {name} for containers")
        return value

    def edit(self, method: str, path: str, values: Mapping[str, t.Any] | None = None) -> t.Any:
        """A change by hand, past our own code. The data of the answer."""
        if self.lab is not None:
            return self.lab.edit(method, path, values)["data"]
        assert self.real is not None
        return self.real.ask(method, path, values)

    def get(self, path: str, values: Mapping[str, t.Any] | None = None) -> t.Any:
        return self.edit("GET", path, values)

    def start_counting(self) -> None:
        if self.lab is not None:
            self.lab.reset_log()

    def writes(self) -> list[dict[str, t.Any]] | None:
        """What was written since ``start_counting``; None where nobody counts."""
        return None if self.lab is None else self.lab.writes()

    def assert_no_writes(self) -> None:
        writes = self.writes()
        assert not writes, [(row["method"], row["path"]) for row in writes]


@dataclass
class Real:
    """A real node, asked with the token that the person gave."""

    url: str
    token: str = field(repr=False)
    ca: str | None

    def ask(self, method: str, path: str, values: Mapping[str, t.Any] | None = None) -> t.Any:
        with requests.Session() as session:
            session.trust_env = False
            where = "params" if method in ("GET", "DELETE") else "data"
            answer = session.request(
                method,
                f"{self.url}/api2/json{path}",
                headers={"Authorization": f"PVEAPIToken={self.token}"},
                verify=self.ca or True,
                timeout=60,
                **{where: dict(values or {})},  # type: ignore[arg-type]
            )
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.reason}"
        data = answer.json()["data"]
        if isinstance(data, str) and data.startswith("UPID:"):
            self._finish(data)
        return data

    def _finish(self, upid: str) -> None:
        """A change by hand is done when its task is."""
        path = f"/nodes/{upid.split(':')[1]}/tasks/{upid}/status"
        while self.ask("GET", path)["status"] == "running":
            time.sleep(0.5)


def of_lab(lab: Lab) -> Target:
    """The lab as a target, on credentials minted by its OpenBao."""
    return Target(
        connection={
            "api_hosts": lab.hosts,
            "ca_path": lab.ca_path,
            "bao_mount": lab.mount,
            "bao_url": lab.bao_addr,
        },
        environment={"BAO_ROLE_ID": lab.role_id, "BAO_SECRET_ID": lab.secret_id},
        node="pve1",
        storage="local-zfs",
        template="local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst",
        bridge="vmbr0",
        lab=lab,
        vmids=list(range(900, 920)),
    )


def of_node(url: str) -> Target:
    """A real node: what the tests need there is looked up, and named when it is missing."""
    token_id, secret = os.environ["HOMEFLARE_TOKEN_ID"], os.environ["PROXMOX_TOKEN_SECRET"]
    ca = os.environ.get("HOMEFLARE_CA")
    real = Real(url.rstrip("/"), f"{token_id}={secret}", ca)
    node = str(real.ask("GET", "/nodes")[0]["node"])
    rows = real.ask("GET", f"/nodes/{node}/storage")
    templates = [
        item["volid"]
        for row in rows
        if "vztmpl" in row["content"].split(",")
        for item in real.ask("GET", f"/nodes/{node}/storage/{row['storage']}/content", {"content": "vztmpl"})
    ]
    storages = [row["storage"] for row in rows if "rootdir" in row["content"].split(",") and row.get("active")]
    bridges = [row["iface"] for row in real.ask("GET", f"/nodes/{node}/network", {"type": "any_bridge"})]
    return Target(
        connection={
            "api_hosts": [urlsplit(url).netloc],
            "ca_path": ca,
            "api_token_id": token_id,
        },
        environment={"PROXMOX_TOKEN_SECRET": secret},
        node=node,
        storage=next(iter(storages), ""),
        template=next(iter(templates), ""),
        bridge=next(iter(bridges), ""),
        real=real,
    )
