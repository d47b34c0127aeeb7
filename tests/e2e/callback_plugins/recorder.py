# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes every task's result to a file, a line each, for the tests to read."""

from __future__ import annotations

import json
import os
import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: recorder
type: aggregate
short_description: Records results for the tests
description: [Records results for the tests.]
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Nothing but what the default callback is given."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "recorder"
    CALLBACK_NEEDS_ENABLED = True

    def _record(self, status: str, result: t.Any) -> None:
        row = {
            "task": result._task.get_name(),
            "host": result._host.get_name(),
            "status": status,
            "result": json.loads(self._dump_results(result._result)),
        }
        with open(os.environ["HOMEFLARE_RECORD"], "a", encoding="utf-8") as record:
            record.write(json.dumps(row) + "\n")

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self._record("ok", result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        self._record("failed", result)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        self._record("unreachable", result)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        self._record("skipped", result)
