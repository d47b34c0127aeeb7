# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The front end of a module: a family's, or a lookup's."""

from __future__ import annotations

import functools
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..engine.family import Family
from ..engine.info import Info
from ..errors import HomeflareError
from .caller import Caller, Run
from .info import info_spec, run_info
from .run import crash, failure, full_spec, run_task


def run(family: Family) -> None:
    """What a family's ``main()`` does."""
    run_job(full_spec(family), functools.partial(run_task, family))


def look(info: Info) -> None:
    """What a lookup's ``main()`` does."""
    run_job(info_spec(info), functools.partial(run_info, info))


def run_job(spec: dict[str, dict[str, t.Any]], job: Run, *, quiet: t.Sequence[str] = ()) -> None:
    """A module of any sort. Options in ``quiet`` hold declarations whose secrets Ansible cannot know before we do.

    With such options the arguments are not written to the system's log, and the result does not repeat them.
    """
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True, no_log=bool(quiet))
    if quiet:
        shown = {name: value for name, value in module.params.items() if name not in quiet}
        told: dict[str, t.Any] = {"invocation": {"module_args": shown}}
    else:
        told = {}

    def hide(secrets: t.Iterable[str]) -> None:
        module.no_log_values.update(secrets)

    try:
        result = job(module.params, Caller(check_mode=module.check_mode, warn=module.warn, hide=hide))
    except HomeflareError as error:
        module.fail_json(**{**told, **failure(error)})
    except Exception as error:  # noqa: BLE001  a traceback may hold a secret
        module.fail_json(**{**told, **crash(error)})
    if not module._diff:
        result.pop("diff", None)
    module.exit_json(**told, **result)
