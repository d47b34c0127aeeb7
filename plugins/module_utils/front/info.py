# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One lookup, for whoever starts it. It only reads, in check mode and without, so it never mints for a write."""

from __future__ import annotations

import typing as t

from ..api.connection import CONNECTION_OPTIONS, Connection
from ..api.session import Session
from ..engine.info import Info
from .caller import Caller


def info_spec(info: Info) -> dict[str, dict[str, t.Any]]:
    """The argument spec of the lookup's module."""
    return {**CONNECTION_OPTIONS, **{name: dict(option) for name, option in info.options.items()}}


def run_info(info: Info, params: t.Mapping[str, t.Any], caller: Caller) -> dict[str, t.Any]:
    """The result of the task, as ``run_task`` gives a family's. Raises HomeflareError."""
    connection = Connection.from_params(params, info.product, caller.environ)
    session = Session(connection, read_only=True, warn=caller.warn, progress=caller.progress)
    try:
        found = info.gather(params, session)
    finally:
        caller.hide(session.secrets())
        session.close()
    return {"changed": False, **found}
