# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who starts a task, a module on a host or the action plugin in the controller, and what it lends the run."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass, field

Hide = t.Callable[[t.Iterable[str]], None]


def _untold(_text: str) -> None:
    """A module has nobody to tell before it ends."""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """The front end.

    warn      shows a warning beside the result
    hide      gets every secret that must be masked
    environ   the task's environment
    progress  shows a line now and then while a PVE task runs
    """

    check_mode: bool
    warn: t.Callable[[str], None]
    hide: Hide
    environ: t.Mapping[str, str] = field(default_factory=lambda: os.environ)
    progress: t.Callable[[str], None] = _untold


#: A task of any sort: the checked options -> the result. Raises HomeflareError.
Run = t.Callable[[t.Mapping[str, t.Any], Caller], dict[str, t.Any]]
