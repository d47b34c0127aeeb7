# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Corrections that refuse what PVE refuses and fakepve takes. See corrections.py."""

from __future__ import annotations

import re

from .corrections_guest import MOUNT, NET, deleted, given, is_on, live_config, properties, remembered
from .privileges import ROOT
from .sections.table import Call
from .wire import Answer, Die, forbid, refuse


def refuse_root_only(call: Call) -> Answer | None:
    if call.identity == ROOT:
        return None
    touched = [name for name, value in call.values.items() if value is not None] + deleted(call)
    for name in touched:
        if re.fullmatch(r"dev\d+", name):
            raise forbid("configuring device passthrough is only allowed for root@pam")
        if name == "hookscript":
            raise forbid("changing the hookscript is only allowed for root@pam")
    for name in given(call, MOUNT):
        volume = properties(call.values[name]).get("volume", "")
        if volume.startswith("/"):
            kind = "device" if volume.startswith("/dev/") else "bind"
            raise forbid(f"mount point type {kind} is only allowed for root@pam")
    if "features" in touched:
        _check_features(call)
    return None


def _check_features(call: Call) -> None:
    """Key by key as raw texts: only a change of `nesting` alone is open to tokens, and only when unprivileged."""
    live = live_config(call)
    unprivileged = call.values.get("unprivileged", 1) if call.method == "POST" else live.get("unprivileged")
    if not int(unprivileged or 0):
        raise forbid("changing feature flags for privileged container is only allowed for root@pam")
    old = properties(remembered(call, "features", live.get("features", "")))
    new = {} if "features" in deleted(call) else properties(call.values.get("features") or "")
    if "features" in deleted(call) or not old:
        changed = set(old) | set(new)
    else:
        changed = {name for name in set(old) | set(new) if old.get(name) != new.get(name)}
    if changed - {"nesting"}:
        raise forbid("changing feature flags (except nesting) is only allowed for root@pam")


def refuse_skiplock(call: Call) -> Answer | None:
    if call.values.get("skiplock") and call.identity != ROOT:
        raise refuse(skiplock="Only root may use this option.")
    return None


def refuse_host_managed_slaac(call: Call) -> Answer | None:
    for name in given(call, NET):
        net = properties(call.values[name])
        if is_on(net.get("host-managed")) and net.get("ip6") == "auto":
            raise Die(f"{name}: SLAAC is not supported for host-managed network configuration.")
    return None


def refuse_nested_pool_path(call: Call) -> Answer | None:
    if call.template != "/pools" and "/" in str(call.values["poolid"]):
        raise Die(f"Method '{call.method} /pools/{call.values['poolid']}' not implemented", 501)
    return None
