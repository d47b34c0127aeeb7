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
from .info import info_spec, run_info
from .run import crash, failure, full_spec, run_task


def run(family: Family) -> None:
    """What a family's ``main()`` does."""
    _run(full_spec(family), functools.partial(run_task, family))


def look(info: Info) -> None:
    """What a lookup's ``main()`` does."""
    _run(info_spec(info), functools.partial(run_info, info))


def _run(spec: dict[str, dict[str, t.Any]], job: t.Callable[..., dict[str, t.Any]]) -> None:
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True)

    def hide(secrets: t.Iterable[str]) -> None:
        module.no_log_values.update(secrets)

    try:
        result = job(module.params, check_mode=module.check_mode, warn=module.warn, hide=hide)
    except HomeflareError as error:
        module.fail_json(**failure(error))
    except Exception as error:  # noqa: BLE001  a traceback may hold a secret
        module.fail_json(**crash(error))
    if not module._diff:
        result.pop("diff", None)
    module.exit_json(**result)
