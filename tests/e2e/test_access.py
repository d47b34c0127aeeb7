# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what: secrets that PVE shows once, and the baseline that tokens are minted for."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

import pytest

from tests.e2e.play import Player, Run
from tests.e2e.target import Target

ROLE = "homeflare.proxmox.provision_baseline"
POLICY = {
    "kv/data/house/*": {"capabilities": ["create", "update"]},
    "kv/house/*": {"capabilities": ["create", "update"]},
    "proxmox-lab/creds/*": {"capabilities": ["read"]},
}

Task = dict[str, t.Any]


def token(sink: dict[str, str], **more: t.Any) -> Task:
    return {"homeflare.proxmox.api_token": {"userid": "hf-u@pve", "tokenid": "deploy", "secret_sink": sink, **more}}


@pytest.fixture
def user(target: Target) -> t.Iterator[str]:
    target.edit("POST", "/access/users", {"userid": "hf-u@pve"})
    yield "hf-u@pve"
    target.edit("DELETE", "/access/users/hf-u@pve")


def test_a_secret_goes_into_its_file_and_works_there_and_is_nowhere_else(
    target: Target, player: Player, user: str, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    run = player.tasks(token({"file": str(file)}, privsep=False), token({"file": str(file)}, privsep=False)).ok()
    assert [row.changed for row in run.rows] == [True, False]
    first = file.read_text().strip()
    assert file.stat().st_mode & 0o777 == 0o600
    assert first not in run.output
    again = player.tasks(token({"file": str(file)}, rotate=True), verbosity="-vvv").ok()
    second = file.read_text().strip()
    assert second != first
    assert second not in again.output
    assert not [path for path in player.home.rglob("*") if path.is_file() and second.encode() in path.read_bytes()]
    as_module = player.tasks(token({"file": str(file)}, rotate=True), in_process=False).ok()
    third = file.read_text().strip()
    assert third not in {first, second}
    assert third not in as_module.output


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_secret_goes_to_openbao_on_the_tasks_own_login(
    target: Target, player: Player, user: str, version: str
) -> None:
    bao = target.needs_lab("the OpenBao").bao
    assert bao is not None
    bao.call("POST", "sys/mounts/kv", {"type": "kv", "options": {"version": version}})
    try:
        allowed = {"policy": json.dumps({"path": POLICY})}
        refused = player.tasks(token({"bao_path": "kv/house/deploy"}))
        assert re.search("^secret_sink: .* 403: .*nothing was written", refused.one.msg), refused.one.msg
        assert target.get("/access/users/hf-u@pve")["tokens"] is None
        before = bao.call("GET", "sys/policies/acl/lab")["data"]["policy"]
        bao.call("POST", "sys/policies/acl/lab", allowed)
        try:
            run = player.tasks(token({"bao_path": "kv/house/deploy"})).ok()
        finally:
            bao.call("POST", "sys/policies/acl/lab", {"policy": before})
        path = "kv/data/house/deploy" if version == "2" else "kv/house/deploy"
        kept = bao.call("GET", path)["data"]
        fields = kept["data"] if version == "2" else kept
        assert fields["token_id"] == "hf-u@pve!deploy"
        assert len(fields["secret"]) >= 30
        assert fields["secret"] not in run.output
    finally:
        bao.call("DELETE", "sys/mounts/kv")


# The baseline


SITE = {
    "role": "HfSite",
    "mint_group": "hf-site",
    "provision_user": "hf-site-p@pve",
    "read_user": "hf-site-r@pve",
}


def baseline(player: Player, *, check: bool = False, **site: t.Any) -> Run:
    values = {f"provision_baseline_{name}": value for name, value in {**SITE, **site}.items()}
    return player.tasks({"ansible.builtin.include_role": {"name": ROLE}, "vars": values}, check=check)


def changed(run: Run) -> list[str]:
    """What changed, an entry each: a loop has a row an item."""
    return [row.task.rpartition(" : ")[2] for row in run.rows if row.changed]


@pytest.fixture
def site(target: Target) -> t.Iterator[None]:
    yield
    if target.lab is None:
        for user in (SITE["provision_user"], SITE["read_user"]):
            target.edit("DELETE", f"/access/users/{user}")
        target.edit("DELETE", f"/access/groups/{SITE['mint_group']}")
        target.edit("DELETE", f"/access/roles/{SITE['role']}")


def test_the_baseline_is_declared_once_and_adopted_without_a_write(target: Target, player: Player, site: None) -> None:
    baseline(player).ok()
    user = target.get(f"/access/users/{SITE['read_user']}")
    assert (user["groups"], user["enable"], user["expire"]) == ([SITE["mint_group"]], 1, 0)
    rows = [(row["ugid"], row["roleid"]) for row in target.get("/access/acl") if row["ugid"].startswith("hf-site")]
    assert sorted(rows) == [(SITE["provision_user"], SITE["role"]), (SITE["read_user"], "PVEAuditor")]
    target.start_counting()
    assert changed(baseline(player).ok()) == []
    target.assert_no_writes()
    privs = target.get(f"/access/roles/{SITE['role']}")
    assert len(privs) == 27
    target.edit("PUT", f"/access/roles/{SITE['role']}", {"privs": ",".join([*privs, "VM.Clone"])})
    planned = baseline(player, check=True).ok()
    assert changed(planned) == ["The role of the provisioning lane"]
    assert changed(baseline(player).ok()) == ["The role of the provisioning lane"]
    assert "VM.Clone" not in target.get(f"/access/roles/{SITE['role']}")


def test_a_refused_name_fails_before_anything_is_asked(target: Target, player: Player) -> None:
    target.start_counting()
    run = baseline(player, role="PVEHouse", provision_user="nobody")
    assert run.code != 0
    said = run.rows[-1].msg
    assert "role must not begin with PVE" in said
    assert "provision_user must look like name@realm" in said
    if target.lab is not None:
        assert target.lab.requests() == []
