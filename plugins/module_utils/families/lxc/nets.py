# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network interfaces. A PUT without ``hwaddr`` gets a new MAC (LXC/Config.pm parse_lxc_network), so the live one goes
along wherever it is not declared."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from ...engine.family import Declaration, Drift, Live
from ...engine.key import NOTHING
from ...wire.kind import Kind
from ...wire.propstr import PropertyMap
from .change import Change, Context, refuse, set_or_clear

NET_KEY: t.Final = re.compile(r"net\d+")


def net_change(context: Context, item: Drift) -> Change:
    """The declared interface over the live one."""
    if item.want is not NOTHING and item.live is not NOTHING and "unreadable" in item.live:
        return refuse("unreadable", item.key, "its live value is in a form that is not known here; it is left alone.")
    change = set_or_clear(context, item)
    if item.live is NOTHING or item.want is NOTHING or not _replugged(item):
        return change
    note = f"{item.key}: a changed name or MAC makes the interface anew; on a running container the link drops."
    return dataclasses.replace(change, notes=(note,))


def _replugged(item: Drift) -> bool:
    """LXC.pm update_net deletes and re-creates the veth for these two."""
    return any(part in item.want and item.want[part] != item.live.get(part) for part in ("name", "hwaddr"))


def net_kinds(kind: PropertyMap, declaration: Declaration, live: Live) -> dict[str, Kind]:
    """Interfaces of a container that was made of an OCI image: ``host-managed`` is PVE's unless it is declared.

    LXC/Create.pm restore_oci_archive sets it on every interface that does not name it when the image's command is
    not /sbin/init, and says so only by ``entrypoint``.
    """
    if not has_own_entrypoint(live):
        return {}
    left = {**kind.subs, "host-managed": dataclasses.replace(kind.subs["host-managed"], filled=True, carried=True)}
    lenient = dataclasses.replace(kind, subs=left)
    return {
        key: lenient
        for key, value in declaration.values.items()
        if NET_KEY.fullmatch(key) and "host-managed" not in str(value)
    }


def has_own_entrypoint(live: Live) -> bool:
    """Whether the container starts something else than an init."""
    command = str(live.values.get("entrypoint") or "/sbin/init").split()
    return command[:1] != ["/sbin/init"]
