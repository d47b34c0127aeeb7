# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a family's task inside the controller when the task is local.

Nothing is copied, no interpreter is started, and the workers of a run share one lease (module_utils/api/lease.py: the
memory that they share is made when this file is imported, which strategies do before they fork).
"""

from __future__ import annotations

import os
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils.errors import HomeflareError
from ..module_utils.front.caller import Caller
from ..module_utils.front.jobs import job_of
from ..module_utils.front.run import crash, failure, wording

DISPLAY = Display()
#: ``-e homeflare_in_process=false`` runs every task as a module, to compare or to rule this file out.
SWITCH = "homeflare_in_process"


def plain(value: t.Any) -> t.Any:
    """A copy without what Ansible notes on each value, such as its place in a file.

    The validator copies what it is given, and copying the notes of a whole estate takes longer than reading it.
    """
    if isinstance(value, dict):
        return {plain(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value


class ActionModule(ActionBase):
    """One class for every family; which one is told by the task's name."""

    _supports_check_mode = True
    _supports_diff = True
    _supports_async = True

    def run(self, tmp: object = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result: dict[str, t.Any] = super().run(tmp, task_vars)
        del tmp
        if not self._runs_here(task_vars or {}):
            result.update(self._execute_module(task_vars=task_vars, wrap_async=self._task.async_val))
            return result
        result.update(self._run_here())
        return result

    def _runs_here(self, task_vars: t.Mapping[str, t.Any]) -> bool:
        """Another host, another user or a background job needs the module."""
        wanted = self._templar.template(task_vars.get(SWITCH, True))
        local = getattr(self._connection, "transport", "") == "local"
        return (
            bool(boolean(wanted, strict=False)) and local and not self._task.async_val and not self._play_context.become
        )

    def _run_here(self) -> dict[str, t.Any]:
        name = str(self._task.action).rpartition(".")[2]
        job = job_of(name)
        hidden: set[str] = set()
        warnings: list[str] = []
        checked = ArgumentSpecValidator(job.spec).validate(plain(self._task.args))
        hidden.update(checked._no_log_values)
        if checked.error_messages:
            answer = {"failed": True, "changed": False, "msg": wording(checked.error_messages, name)}
            return self._masked(answer, hidden, warnings)
        try:
            answer = job.run(
                checked.validated_parameters,
                Caller(
                    check_mode=bool(self._task.check_mode),
                    warn=warnings.append,
                    hide=hidden.update,
                    environ=self._environ(),
                    progress=DISPLAY.display,
                ),
            )
        except HomeflareError as error:
            answer = {**failure(error), "failed": True}
        except Exception as error:  # noqa: BLE001  a traceback may hold a secret
            answer = {**crash(error), "failed": True}
        if not self._task.diff:
            answer.pop("diff", None)
        shown = {name: value for name, value in checked.validated_parameters.items() if name not in job.quiet}
        answer["invocation"] = {"module_args": shown}
        return self._masked(answer, hidden, warnings)

    def _masked(self, answer: dict[str, t.Any], hidden: set[str], warnings: list[str]) -> dict[str, t.Any]:
        if warnings:
            answer["warnings"] = warnings
        return t.cast("dict[str, t.Any]", remove_values(answer, hidden))

    def _environ(self) -> dict[str, str]:
        """The controller's environment under the task's ``environment``, as a module would see it."""
        environ = dict(os.environ)
        for layer in self._task.environment or ():
            if layer:
                environ.update({str(key): str(value) for key, value in dict(self._templar.template(layer)).items()})
        return environ
