# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No secret in what a run prints at -vvv, leaves on a disk, or makes the servers write down.

``no_secrets_left`` (conftest.py) searches the same places after every test of this folder, so that each module is
covered by what its own tests do; here are the paths on which secrets got out of other tools.
"""

from __future__ import annotations

import pytest

from tests.e2e.play import Player
from tests.e2e.target import Target

POOL = {"homeflare.proxmox.pool": {"poolid": "hf-quiet", "comment": "hush"}}


def static(target: Target) -> dict[str, object]:
    """The connection with a token in the task's own options, and no OpenBao."""
    lab = target.needs_lab("a token of its own")
    return {
        "bao_mount": None,
        "bao_url": None,
        "api_token_id": lab.token_id,
        "api_token_secret": "{{ lookup('env', 'OUR_SECRET') }}",
    }


@pytest.mark.parametrize("in_process", [True, False])
@pytest.mark.parametrize("connection", ["minted", "static"])
def test_ok_changed_refused_and_failed_tasks_keep_quiet(
    target: Target, player: Player, in_process: bool, connection: str
) -> None:
    given = static(target) if connection == "static" else {}
    bad = {"homeflare.proxmox.pool": {"poolid": "hf//x"}, "ignore_errors": True}
    unknown = {"homeflare.proxmox.pool": {"poolid": "hf", "nonsense": 1}, "ignore_errors": True}
    lost = {**POOL, "register": "told"}
    shown = {"ansible.builtin.debug": {"var": "told"}}
    secret = target.lab.token_secret if target.lab else ""
    how = {"in_process": in_process, "environment": {"OUR_SECRET": secret}}
    player.tasks(POOL, lost, shown, bad, unknown, connection=given, **how).ok_but_ignored()


def test_a_wrong_secret_is_not_repeated_in_the_failure(target: Target, player: Player) -> None:
    wrong = {"OUR_SECRET": "0bad5ec7-0000-4000-8000-0000000000aa"}
    run = player.tasks(POOL, connection=static(target), environment=wrong)
    assert run.one.status == "failed"
    assert "401" in run.one.msg
    assert "0bad5ec7" not in run.output


def test_a_wrong_openbao_login_is_a_clear_failure_without_the_secret(target: Target, player: Player) -> None:
    target.needs_lab("OpenBao")
    run = player.tasks(POOL, environment={"BAO_SECRET_ID": "0bad5ec7-0000-4000-8000-0000000000bb"})
    assert run.one.status == "failed"
    assert "OpenBao" in run.one.msg
    assert "0bad5ec7" not in run.output
