# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of one lab, shared by its members and by the control interface."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from . import schema, sections
from .backend import Backend
from .faults import Faults
from .requestlog import RequestLog
from .sections import engine
from .sections.roles import SPECIAL_ROLES
from .seed import Seed, section_store
from .tasks import Tasks


@dataclass
class Config:
    """What a front is told when it starts, as JSON."""

    folder: Path
    cert: Path
    key: Path
    fingerprint: str
    members: int = 1
    time_scale: float = 0.0
    # Seconds that a 401 takes; PVE takes about three.
    auth_delay: float = 0.0
    # Seconds added to every answer.
    latency: float = 0.0
    # Check the privileges that PVE's schema states. What is only for root@pam is refused to tokens always.
    privileges: bool = False
    engine_token: str = ""
    # Names of corrections that are switched off, to see what fakepve itself answers.
    without: list[str] = field(default_factory=list)
    seed: Seed = field(default_factory=Seed)

    @property
    def nodes(self) -> list[str]:
        return self.seed.nodes

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Config:
        given = {item.name: data[item.name] for item in fields(cls) if item.name in data}
        for name in ("folder", "cert", "key"):
            given[name] = Path(given[name])
        given["seed"] = Seed.from_data(given.get("seed", {}))
        return cls(**given)


class World:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.schema = schema.load()
        self.sections = sections.SECTIONS
        self.handlers = engine.handlers(sections.SECTIONS, sections.ENDPOINTS)
        self.backend = Backend(config.folder, config.seed, config.time_scale, config.cert, config.key)
        self.log = RequestLog(config.folder / "requests.jsonl")
        self.faults = Faults()
        self.tasks = Tasks()
        self.lock = threading.RLock()
        self._start_store = section_store(config.seed, SPECIAL_ROLES)
        self._start: dict[str, Any] = {
            "latency": config.latency,
            "privileges": config.privileges,
            "auth_delay": config.auth_delay,
            "without": [],
        }
        self.store: dict[str, dict[Any, dict[str, Any]]] = copy.deepcopy(self._start_store)
        # Every secret that opened the door, for the search for secrets; no reset forgets them.
        self.secrets: set[str] = set()
        self.offline: set[str] = set()
        # What corrections remember of guests: (vmid, key) -> {fakepve's spelling: PVE's}.
        self.spellings: dict[tuple[int, str], dict[str, Any]] = {}

    def reset(self) -> None:
        """Everything as it was at the start. Tokens that OpenBao minted stay: their leases live on."""
        with self.lock:
            minted = {key: data for key, data in self.store["token"].items() if key[1].startswith("hf-")}
            self.store = copy.deepcopy(self._start_store)
            self.store["token"].update(minted)
            self.offline.clear()
            self.spellings.clear()
            self.tasks = Tasks()
            for name, value in self._start.items():
                setattr(self.config, name, value)
        self.faults.clear()
        self.backend.reset()
        self.log.reset()
