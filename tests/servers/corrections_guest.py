# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Corrections of containers. See corrections.py."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from .formats import split_list
from .schema import TRUE
from .sections.table import Call
from .wire import Answer

NEW_DISK = re.compile(r"([^:\s,/]+):(\d+(?:\.\d+)?)")
MOUNT = re.compile(r"(rootfs|mp\d+)")
NET = re.compile(r"net\d+")
# The least that cgroup v2 takes; more than it takes is stored as sent, and clamped when it is applied.
CPUUNITS_LEAST = 2


# ---- reading values


def properties(text: Any, default_key: str = "volume") -> dict[str, str]:
    """A property string as a map, in its order."""
    out: dict[str, str] = {}
    for part in str(text).split(","):
        name, equals, value = part.partition("=")
        if part:
            out[name if equals else default_key] = value if equals else name
    return out


def is_on(text: str | None) -> bool:
    return bool(text and TRUE.fullmatch(text))


def deleted(call: Call) -> list[str]:
    return split_list(str(call.values.get("delete") or ""))


def live_config(call: Call) -> dict[str, Any]:
    """What fakepve holds of the guest now, in its own spelling; empty when there is none."""
    if call.method == "POST":
        return {}
    data = call.world.backend.get(f"/nodes/{call.values['node']}/lxc/{call.values['vmid']}/config")
    return data if isinstance(data, dict) else {}


def vmid(call: Call) -> int:
    return int(call.values["vmid"])


def given(call: Call, pattern: re.Pattern[str]) -> Iterable[str]:
    return [name for name, value in call.values.items() if value is not None and pattern.fullmatch(name)]


# ---- values on their way in


def join_delete(call: Call) -> Answer | None:
    for name in ("delete", "revert"):
        if call.values.get(name):
            call.values[name] = ",".join(split_list(str(call.values[name])))
    return None


def space_join(call: Call) -> Answer | None:
    for name in ("nameserver", "searchdomain"):
        if call.values.get(name):
            call.values[name] = " ".join(split_list(str(call.values[name])))
    return None


def clamp_cpuunits(call: Call) -> Answer | None:
    value = call.values.get("cpuunits")
    if value is not None:
        call.values["cpuunits"] = max(int(value), CPUUNITS_LEAST)
    return None


def empty_description(call: Call) -> Answer | None:
    if call.values.get("description") in ("", "0"):  # false for Perl, so not written
        del call.values["description"]
        call.values["delete"] = ",".join([*deleted(call), "description"])
    return None


def whole_mebibytes(call: Call) -> Answer | None:
    for name in given(call, MOUNT):
        head, comma, rest = str(call.values[name]).partition(",")
        key, equals, volume = head.rpartition("=")
        found = NEW_DISK.fullmatch(volume)
        if found:
            size = Decimal(int(Decimal(found[2]) * 1024)) / 1024
            call.values[name] = f"{key}{equals}{found[1]}:{size.normalize():f}{comma}{rest}"
    return None


def keep_mount_size(call: Call) -> Answer | None:
    names = [name for name in given(call, MOUNT) if name != "rootfs"]
    live = live_config(call) if names else {}
    for name in names:
        sent, old = properties(call.values[name]), properties(live.get(name, ""))
        if "size" not in sent and "size" in old and old.get("volume") == sent.get("volume"):
            call.values[name] = f"{call.values[name]},size={old['size']}"
    return None


# ---- what is remembered of a guest


def _note(call: Call, key: str, text: Any) -> None:
    """PVE's spelling of a key, kept if fakepve takes the call."""
    call.notes[key] = text


def keep_notes(call: Call, answer: Answer) -> None:
    """Bind each noted spelling to what fakepve made of the same value."""
    if answer.status != 200 or not call.notes:
        return
    # A container that is still being made has no value yet: the first one seen counts.
    live = {} if call.method == "POST" else live_config(call)
    for key, text in call.notes.items():
        known = call.world.spellings.setdefault((vmid(call), key), {})
        known[str(live[key]) if key in live else ""] = text


def remembered(call: Call, key: str, backend: Any) -> Any:
    """PVE's spelling of what fakepve holds, or that itself when nothing is remembered of it."""
    known = call.world.spellings.get((vmid(call), key), {})
    if "" in known and backend not in (None, ""):
        known[str(backend)] = known.pop("")
    return known.get(str(backend), backend)


def remember(key: str) -> Callable[[Call], Answer | None]:
    """Correction for a key that PVE keeps as it was sent."""

    def before(call: Call) -> Answer | None:
        if call.values.get(key) is not None:
            _note(call, key, str(call.values[key]))
        return None

    return before


def remember_rootfs(call: Call) -> Answer | None:
    value = call.values.get("rootfs")
    if value is None:
        return None
    volume = properties(value).get("volume", "")
    if NEW_DISK.fullmatch(volume):
        # fakepve would allocate a volume; PVE stores the text, and the container has lost its root.
        call.values["rootfs"] = live_config(call).get("rootfs", value)
    _note(call, "rootfs", str(call.given["rootfs"]))
    return None


def remember_tags(call: Call) -> Answer | None:
    value = call.values.get("tags")
    options = call.world.store["cluster_options"].get("", {})
    style = properties(options.get("tag-style", ""), "shape")
    if value is None or not (is_on(style.get("case-sensitive")) or style.get("ordering") == "config"):
        return None
    tags = split_list(str(value))
    tags = list(dict.fromkeys(tags if is_on(style.get("case-sensitive")) else [tag.lower() for tag in tags]))
    _note(call, "tags", ";".join(tags if style.get("ordering") == "config" else sorted(tags)))
    return None


def remember_declared_os(call: Call) -> Answer | None:
    for key in ("ostype", "arch"):
        if call.values.get(key) is not None:
            _note(call, key, str(call.values[key]))
    return None


def forget(call: Call) -> Answer | None:
    """What was known of an earlier guest with this number is nothing of the new one's."""
    if call.world.backend.get("/cluster/nextid", {"vmid": vmid(call)}) is None:
        return None  # it is still there, and the call will be refused
    for owner, key in list(call.world.spellings):
        if owner == vmid(call):
            del call.world.spellings[owner, key]
    return None


# ---- answers


def complain_of_bridge(call: Call, answer: Answer) -> Answer:
    known = call.world.config.seed.bridges
    for name in given(call, NET):
        bridge = properties(call.values[name]).get("bridge", "")
        if answer.status == 200 and bridge not in known:
            return Answer(500, None, f"bridge '{bridge}' does not exist")
    return answer


def _reshape(call: Call, answer: Answer, key: str, change: Callable[[Any], Any]) -> None:
    """Change the value of a key, in a config and in a pending list alike."""
    if answer.status != 200:
        return
    if isinstance(answer.data, dict) and key in answer.data:
        answer.data[key] = change(answer.data[key])
    if isinstance(answer.data, list):
        for row in answer.data:
            if row.get("key") == key:
                row.update({side: change(row[side]) for side in ("value", "pending") if side in row})


def _keys(answer: Answer) -> list[str]:
    if answer.status != 200:
        return []
    return list(answer.data) if isinstance(answer.data, dict) else [str(row["key"]) for row in answer.data]


def show_remembered(call: Call, answer: Answer) -> Answer:
    if call.values.get("snapshot"):
        return answer
    creating = isinstance(answer.data, dict) and answer.data.get("lock") == "create"
    for owner, key in [] if creating else list(call.world.spellings):
        if owner == vmid(call):
            _reshape(call, answer, key, functools.partial(remembered, call, key))
    return answer


def reorder_mounts(call: Call, answer: Answer) -> Answer:
    def second(text: Any) -> str:
        mount = properties(text)
        order = ["mp", *sorted(name for name in mount if name not in ("volume", "mp"))]
        return ",".join([mount.get("volume", ""), *(f"{name}={mount[name]}" for name in order if name in mount)])

    for key in _keys(answer):
        if re.fullmatch(r"mp\d+", key):
            _reshape(call, answer, key, second)
    return answer


def end_description(call: Call, answer: Answer) -> Answer:
    _reshape(call, answer, "description", lambda text: text if str(text).endswith("\n") else f"{text}\n")
    return answer


def show_empty_tags(call: Call, answer: Answer) -> Answer:
    _reshape(call, answer, "tags", lambda text: text or " ")
    return answer


def pending_digest(call: Call, answer: Answer) -> Answer:
    if answer.status == 200:
        answer.data.append({"key": "digest", "value": live_config(call).get("digest")})
    return answer
