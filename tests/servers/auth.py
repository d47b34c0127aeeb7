# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who a request comes from (pve-access-control AccessControl.pm verify_token, pve-http-server Formatter.pm)."""

from __future__ import annotations

import hmac
import re
import time
import urllib.parse
from typing import TYPE_CHECKING

from .wire import Die

if TYPE_CHECKING:
    from .world import World

HEADER = re.compile(r"PVEAPIToken(?:=|\s)(.*)", re.DOTALL)


def identify(world: World, header: str) -> str:
    """The token id of an Authorization header, or Die(401)."""
    found = HEADER.fullmatch(header.strip())
    if not found:
        raise Die("No ticket", 401)
    text = urllib.parse.unquote(found[1].split(";")[0])
    full, _, secret = text.rpartition("=")
    user, _, name = full.partition("!")
    with world.lock:
        record = world.store["token"].get((user, name))
        owner = world.store["user"].get(user)
    if record is None or owner is None or not hmac.compare_digest(str(record["value"]).encode(), secret.encode()):
        raise Die("Authentication failed!", 401)
    now = time.time()
    expired = any(0 < int(what.get("expire") or 0) < now for what in (record, owner))
    if expired or not owner.get("enable", 1):
        raise Die("Authentication failed!", 401)
    with world.lock:
        world.secrets.add(secret)
    return full
