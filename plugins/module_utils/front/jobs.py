# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module's name stands for: its argument spec and its run, be it a family or a lookup."""

from __future__ import annotations

import functools
import typing as t
from dataclasses import dataclass

from .caller import Run
from .estate import ESTATE_OPTIONS, ESTATE_QUIET, run_estate
from .estate_info import ESTATE_INFO_OPTIONS, run_estate_info
from .info import info_spec, run_info
from .registry import FAMILIES, INFOS
from .run import full_spec, run_task


@dataclass(frozen=True)
class Job:
    """``run`` takes the checked options and the Caller.

    ``quiet`` names options that a result does not repeat (module.py ``run_job``).
    """

    spec: dict[str, dict[str, t.Any]]
    run: Run
    quiet: tuple[str, ...] = ()


def job_of(name: str) -> Job:
    """The job of a module. Raises KeyError."""
    if name == "estate":
        return Job(ESTATE_OPTIONS, run_estate, quiet=ESTATE_QUIET)
    if name == "estate_info":
        return Job(ESTATE_INFO_OPTIONS, run_estate_info)
    if name in INFOS:
        return Job(info_spec(INFOS[name]), functools.partial(run_info, INFOS[name]))
    return Job(full_spec(FAMILIES[name]), functools.partial(run_task, FAMILIES[name]))
