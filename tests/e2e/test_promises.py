# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run costs and survives: mints, writes, dead members, lost answers, a dead OpenBao; the same both ways."""

from __future__ import annotations

import time
import typing as t
from pathlib import Path

import pytest

from tests.e2e.play import Player, Row, Run
from tests.e2e.target import Target, of_lab
from tests.servers.lab import Lab

Task = dict[str, t.Any]


def pool(number: int, **more: t.Any) -> Task:
    return {"homeflare.proxmox.pool": {"poolid": f"hf-{number}", "comment": f"pool {number}", **more}}


def paste(target: Target, vmid: int = 101) -> dict[str, t.Any]:
    """A live config as a person pastes it."""
    config = dict(target.get(f"/nodes/{target.node}/lxc/{vmid}/config"))
    config.pop("digest")
    return config


def container(target: Target, config: dict[str, t.Any], vmid: int = 101, **more: t.Any) -> Task:
    return {"homeflare.proxmox.lxc": {"node": target.node, "vmid": vmid, "config": config, **more}}


def left_over(lab: Lab) -> list[str]:
    """Tokens that this test's runs minted and did not revoke; runs that were killed before could not revoke theirs."""
    ours = {mint["path"].rpartition("/")[2] for mint in lab.mints()}
    assert ours
    deadline = time.monotonic() + 2.0
    while True:
        found = [token for token in lab.minted_tokens(settle=0.0) if token.partition("!")[2] in ours]
        if not found or time.monotonic() >= deadline:
            return found
        time.sleep(0.02)


def test_a_hundred_tasks_with_nothing_to_do_write_nothing_and_mint_one_read_token(
    target: Target, player: Player
) -> None:
    lab = target.needs_lab("the request log")
    for number in range(50):
        lab.edit("POST", "/pools", {"poolid": f"hf-{number}", "comment": f"pool {number}"})
    config = paste(target)
    tasks = [task for number in range(50) for task in (pool(number), container(target, config, existing="match"))]
    lab.reset_log()
    run = player.tasks(*tasks, verbosity="").ok()
    assert len(run.rows) == 100
    assert not any(row.changed for row in run.rows)
    target.assert_no_writes()
    assert [mint["path"].split("/")[3] for mint in lab.mints()] == ["hf-read@pve"]
    assert left_over(lab) == []


def test_a_run_that_writes_mints_one_token_for_reading_and_one_for_writing_whatever_the_hosts(
    target: Target, player: Player
) -> None:
    lab = target.needs_lab("the request log")
    hosts = ",".join(f"h{number}" for number in range(6))
    tasks = [{"homeflare.proxmox.pool": {"poolid": f"hf-{{{{ inventory_hostname }}}}-{n}"}} for n in range(3)]
    run = player.tasks(*tasks, play={"hosts": "all"}, arguments=["-i", f"{hosts},", "-f", "6"])
    run.ok()
    assert sum(row.changed for row in run.rows) == 21
    assert sorted(mint["path"].split("/")[3] for mint in lab.mints()) == ["hf-provision@pve", "hf-read@pve"]
    assert left_over(lab) == []


def test_check_mode_sends_nothing_but_get_and_mints_no_token_for_writing(target: Target, player: Player) -> None:
    lab = target.needs_lab("the request log")
    config = {**paste(target), "memory": 4096}
    run = player.tasks(pool(1), container(target, config), check=True).ok()
    assert [row.changed for row in run.rows] == [True, True]
    assert {row["method"] for row in lab.requests()} == {"GET"}
    assert [mint["path"].split("/")[3] for mint in lab.mints()] == ["hf-read@pve"]


def test_a_pasted_live_config_is_a_match_and_one_edited_key_is_named_alone(target: Target, player: Player) -> None:
    target.needs_lab("a container that runs already")
    config = paste(target)
    target.start_counting()
    assert not player.tasks(container(target, config, existing="match")).ok().one.changed
    edited = {**config, "memory": 3072, "description": "Another secret note"}
    edited["description"] = config["description"]
    row = player.tasks(container(target, edited, existing="match")).one
    assert row.status == "failed"
    assert row.result["drift"] == ["memory"]
    assert "memory" in row.msg
    assert "3072" not in row.msg
    target.assert_no_writes()


def test_the_module_and_the_controller_give_the_same_result(target: Target, player: Player) -> None:
    config = {**paste(target), "memory": 4096} if target.lab else None
    tasks = [pool(1), *([container(target, config)] if config else [])]

    def results(**how: t.Any) -> list[tuple[str, dict[str, t.Any]]]:
        return [(row.status, _told(row)) for row in player.tasks(*tasks, check=True, **how).rows]

    assert results(in_process=True) == results(in_process=False)
    refused = {"homeflare.proxmox.pool": {"poolid": "hf//x"}}
    both = [player.tasks(refused, in_process=way).one for way in (True, False)]
    assert both[0].msg == both[1].msg


def _told(row: Row) -> dict[str, t.Any]:
    return {key: value for key, value in row.result.items() if key not in ("invocation", "_ansible_no_log")}


def test_everything_works_with_the_first_member_refusing_connections(target: Target, player: Player) -> None:
    lab = target.needs_lab("a member that can be stopped")
    lab.stop_member(0)
    run = player.tasks(pool(1), pool(2)).ok()
    assert [row.changed for row in run.rows] == [True, True]
    assert {row["member"] for row in lab.requests()} == {1}


def test_a_write_that_times_out_after_it_was_sent_is_not_sent_again(target: Target, player: Player) -> None:
    lab = target.needs_lab("an answer that does not come")
    lab.fault("hang", method="POST", path="/pools", seconds=6)
    row = player.tasks(pool(1, api_timeout=2)).one
    assert row.status == "failed"
    assert "outcome is unknown" in row.msg
    assert lab.fault_hits() == [1]


@pytest.mark.parametrize("status", [401, 403, 500, 595, 596])
def test_a_failed_read_never_plans_a_create(target: Target, player: Player, status: int) -> None:
    lab = target.needs_lab("an answer that is wrong")
    lab.fault("status", method="GET", path="/pools", status=status, message="no such luck")
    row = player.tasks(pool(1), check=True).one
    assert row.status == "failed"
    assert str(status) in row.msg


def test_a_dead_openbao_does_not_fail_a_task_while_the_lease_lives(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, runs: list[Run], target: Target
) -> None:
    target.needs_lab("an OpenBao that can be killed")
    with Lab.start(tmp_path / "lab", members=1) as lab:
        own = of_lab(lab)
        player = Player(tmp_path_factory.mktemp("home"), own.connection, own.environment, runs)
        mark, go = tmp_path / "mark", tmp_path / "go"
        started = player.start(
            [
                {
                    "hosts": "localhost",
                    "gather_facts": False,
                    "module_defaults": {"group/homeflare.proxmox.all": own.connection},
                    "tasks": [
                        pool(1),
                        {"ansible.builtin.copy": {"content": "x", "dest": str(mark), "mode": "0600"}},
                        {"ansible.builtin.wait_for": {"path": str(go), "timeout": 60, "sleep": 1}},
                        pool(2),
                    ],
                }
            ]
        )
        _wait_for(mark)
        lab.stop_bao()
        go.touch()
        run = started.finish().ok()
        assert run.rows[-1].changed


def _wait_for(path: Path) -> None:
    import time

    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
