# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task of one family, for whoever starts it: a module on a host, or the action plugin in the controller."""

from __future__ import annotations

import typing as t

from ..api.connection import CONNECTION_OPTIONS, Connection
from ..api.session import Session
from ..engine.converge import converge
from ..engine.declare import argument_spec, declaration_of
from ..engine.family import Family
from ..errors import HomeflareError, internal
from .caller import Caller
from .revealed import Revealed


def full_spec(family: Family) -> dict[str, dict[str, t.Any]]:
    """The argument spec of the family's module: its own options and the connection."""
    return {**CONNECTION_OPTIONS, **argument_spec(family)}


def run_task(family: Family, params: t.Mapping[str, t.Any], caller: Caller) -> dict[str, t.Any]:
    """The result of the task. Raises HomeflareError."""
    declaration = declaration_of(family, params)
    connection = Connection.from_params(params, family.product, caller.environ)
    revealed = Revealed.of(family, declaration, params, caller, connection)
    session = Session(connection, read_only=caller.check_mode, warn=caller.warn, progress=caller.progress)
    try:
        outcome = converge(
            family,
            declaration,
            session,
            check_mode=caller.check_mode,
            ready=revealed.ready,
            answered=revealed.answered,
            lock_wait=connection.lock_wait,
        )
    finally:
        caller.hide(session.secrets())
        revealed.close()
        session.close()
    for text in outcome.progress.warnings:
        caller.warn(text)
    return outcome.result(family, declaration, diff_values=bool(params.get("diff_values")))


def wording(messages: t.Sequence[str], name: str = "") -> str:
    """The validator's words on options, with what it leaves out of those on unknown ones (arg_spec.py)."""
    whose = f" for (homeflare.proxmox.{name}) module" if name else ""
    return " ".join(
        f"Unsupported parameters{whose}: {text}" if "Supported parameters include" in text else text
        for text in messages
    )


def failure(error: HomeflareError) -> dict[str, t.Any]:
    """A failed task's result: one message, and what is known beside it."""
    return {"changed": False, **error.details(), **error.extra, "msg": str(error)}


def crash(error: Exception) -> dict[str, t.Any]:
    """A defect of ours as a failed task, with what was written before it."""
    return {"changed": False, **getattr(error, "extra", {}), "msg": internal(error)}
