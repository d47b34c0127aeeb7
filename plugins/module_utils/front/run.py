# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task of one family, for whoever starts it: a module on a host, or the action plugin in the controller."""

from __future__ import annotations

import os
import traceback
import typing as t

from ..api.connection import CONNECTION_OPTIONS, Connection
from ..api.session import Session
from ..engine.converge import converge
from ..engine.declare import argument_spec, declaration_of
from ..engine.family import Family
from ..errors import HomeflareError
from .revealed import Revealed

Warn = t.Callable[[str], None]


def full_spec(family: Family) -> dict[str, dict[str, t.Any]]:
    """The argument spec of the family's module: its own options and the connection."""
    return {**CONNECTION_OPTIONS, **argument_spec(family)}


def run_task(
    family: Family,
    params: t.Mapping[str, t.Any],
    *,
    check_mode: bool,
    warn: Warn,
    hide: t.Callable[[t.Iterable[str]], None],
    environ: t.Mapping[str, str] | None = None,
    progress: t.Callable[[str], None] | None = None,
) -> dict[str, t.Any]:
    """The result of the task. Raises HomeflareError.

    ``hide`` gets every secret that must be masked, ``progress`` a line now and then while a PVE task runs.
    """
    declaration = declaration_of(family, params)
    found = os.environ if environ is None else environ
    connection = Connection.from_params(params, family.product, found)
    revealed = Revealed.of(family, declaration, params, found, connection, hide)
    session = Session(connection, read_only=check_mode, warn=warn, progress=progress)
    try:
        outcome = converge(
            family,
            declaration,
            session,
            check_mode=check_mode,
            ready=revealed.ready,
            answered=revealed.answered,
            lock_wait=connection.lock_wait,
        )
    finally:
        hide(session.secrets())
        revealed.close()
        session.close()
    for text in outcome.progress.warnings:
        warn(text)
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
    """A defect of ours as a failed task: where it happened, never what was being handled."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno} in {frames[-1].name}" if frames else "unknown"
    return {"changed": False, "msg": f"Internal error ({type(error).__name__} at {where}); please report it."}
