# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of a container: no more than its declaration asks for."""

from __future__ import annotations

import typing as t

from ...engine.family import Declaration, Family, Live, Reader
from ..guest_read import (
    Place,
    may_read_env,
    read_config,
    read_obstacles,
    read_pending,
    read_status,
    read_tag_style,
)
from .judge import place_of, whole
from .mounts import MOUNT_KEY, rewrites_and_grows, with_size_of


def read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    """The live container, or the proof that it is absent."""
    declaration = whole(declaration)
    place = place_of(declaration)
    role = "provision" if _asks_for_env(declaration) else "read"
    found = read_config(place, reader, role=role)
    facts: dict[str, t.Any] = {}
    if "tags" in declaration.values:
        facts["tag_style"] = read_tag_style(reader)
    if found.config is None:
        return Live(present=False, facts={**facts, "refusals": found.refusals})
    facts.update(_facts(place, declaration, reader, found.config))
    if _asks_for_env(declaration) and found.config.get("env") is None:
        facts["env_unreadable"] = not may_read_env(place, reader, role=role)
    return Live(present=True, values={**found.config, **_true_sizes(found.config, facts)}, facts=facts)


def _true_sizes(config: t.Mapping[str, t.Any], facts: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    waiting = [key for key in facts.get("pending", ()) if MOUNT_KEY.fullmatch(key) and key in config]
    return {key: with_size_of(key, config[key], facts["current"].get(key)) for key in waiting}


def _asks_for_env(declaration: Declaration) -> bool:
    """``env`` is left out of a read without VM.Config.Options (LXC.pm delete_read_restricted_options)."""
    return "env" in declaration.values or "env" in declaration.delete


def _grows_with_options(declaration: Declaration, config: t.Mapping[str, t.Any]) -> bool:
    return any(
        MOUNT_KEY.fullmatch(key) and rewrites_and_grows(key, value, config.get(key))
        for key, value in declaration.values.items()
    )


def _facts(place: Place, declaration: Declaration, reader: Reader, config: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    if declaration.state == "absent":
        return read_obstacles(place, reader)
    pending = read_pending(place, reader, config)
    facts: dict[str, t.Any] = {"pending": pending.keys, "current": pending.current}
    started = declaration.created and (declaration.extras.get("create") or {}).get("start")
    if started or _grows_with_options(declaration, config):
        facts["running"] = read_status(place, reader)["status"] == "running"
    return facts
