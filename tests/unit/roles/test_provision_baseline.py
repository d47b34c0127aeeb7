# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of root that provision_baseline writes, run by sh against a fake of pvesh and pveum."""

from __future__ import annotations

import copy
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml

ROLE = Path(__file__).resolve().parents[3] / "roles" / "provision_baseline"
FAKE = Path(__file__).with_name("fake_pve_cli.py")
PRIVILEGES: list[str] = yaml.safe_load((ROLE / "vars/main.yml").read_text())["provision_baseline_privileges"]
COMMENT = "Managed by homeflare.proxmox"

#: One run of ansible renders all of these.
SITES: dict[str, dict[str, t.Any]] = {
    "plain": {},
    "no_read": {"read_user": ""},
    "extra": {"extra_privileges": ["VM.Replicate", "Realm.Allocate"]},
    "named": {
        "role": "Site.Role",
        "mint_group": "site-mint",
        "provision_user": "p@site",
        "read_user": "r@site",
        "read_role": "Site-Auditor",
        "comment": "by the site (see house/docs)",
        "read_comment": "reads only",
    },
    "existing": {
        "mint_group": "automation",
        "read_user": "audit@pve",
        "existing": ["mint_group", "read_user"],
    },
}
REFUSED: dict[str, tuple[dict[str, t.Any], list[str]]] = {
    "all_at_once": (
        {
            "role": "no good",
            "mint_group": "it's",
            "provision_user": "nobody",
            "read_user": "a b@pve",
            "read_role": "$(id)",
            "group_comment": "tick `",
            "read_comment": "semi;colon",
            "extra_privileges": ["rm -rf"],
        },
        [
            "role may hold only",
            "mint_group may hold only",
            "read_role may hold only",
            "provision_user must look like",
            "read_user must look like",
            "group_comment may hold only",
            "read_comment may hold only",
            "extra_privileges holds something",
        ],
    ),
    "one_user": ({"read_user": "hf-provision@pve"}, ["must be two users"]),
    "reserved": ({"role": "pveHouse"}, ["must not begin with PVE"]),
    "default_comment": ({"comment": 'say "hi"'}, ["group_comment", "provision_comment", "read_comment"]),
    "no_read_lane": (
        {"read_user": "", "read_comment": "semi;colon", "read_role": "$(id)", "role": "x y"},
        ["role may hold only"],
    ),
}


def _tasks(folder: Path) -> t.Iterator[dict[str, t.Any]]:
    for name, site in [*SITES.items(), *((name, site) for name, (site, _said) in REFUSED.items())]:
        values = {f"provision_baseline_{key}": value for key, value in site.items()}
        values["provision_baseline_bootstrap_dest"] = str(folder / f"{name}.sh")
        include = {"ansible.builtin.include_role": {"name": str(ROLE), "tasks_from": "bootstrap"}, "vars": values}
        rescue = {
            "ansible.builtin.copy": {"dest": str(folder / f"{name}.msg"), "content": "{{ ansible_failed_result.msg }}"}
        }
        yield {"block": [include], "rescue": [rescue]}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script for each site, and a message for each that is refused, rendered by ansible itself.

    ansible-test runs each test in a process of its own, with one folder for all of them.
    """
    shared = "PYTEST_XDIST_WORKER" in os.environ
    folder = tmp_path_factory.getbasetemp().parent / "scripts" if shared else tmp_path_factory.mktemp("scripts")
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            _render(folder)
            (folder / "done").touch()
    return folder


def _render(folder: Path) -> None:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "connection": "local",
        "vars": {"ansible_python_interpreter": sys.executable},
        "tasks": list(_tasks(folder)),
    }
    (folder / "play.yml").write_text(yaml.safe_dump([play]))
    env = {**os.environ, "HOME": str(folder), "ANSIBLE_LOCALHOST_WARNING": "false"}
    (folder / "ansible.cfg").touch()
    env["ANSIBLE_CONFIG"] = str(folder / "ansible.cfg")
    command = [sys.executable, "-m", "ansible.cli.playbook", "-i", "localhost,", str(folder / "play.yml")]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Cluster:
    """What a fake cluster holds, and what was written to it."""

    def __init__(self, folder: Path, script: Path) -> None:
        self.script = script
        self.state_file, self.log_file = folder / "state.json", folder / "log"
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in ("pvesh", "pveum"):
            (self.bin / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -SE "{FAKE}" {name} "$@"\n')
        (self.bin / "id").write_text('#!/bin/sh\necho "$FAKE_UID"\n')
        for path in self.bin.iterdir():
            path.chmod(0o755)
        self.state: dict[str, t.Any] = {
            "roles": {"PVEAuditor": {"privs": "VM.Audit,Sys.Audit"}, "Site-Auditor": {"privs": "VM.Audit"}},
            "groups": {"admins": {"comment": "theirs"}},
            "users": {"root@pam": {"groups": "admins", "enable": 1, "expire": 0}},
            "acl": [],
        }

    def run(self, *, uid: int = 0, fail: str = "") -> tuple[int, list[list[str]], str]:
        """Exit code, what was written, and what was said."""
        self.state_file.write_text(json.dumps(self.state))
        self.log_file.write_text("")
        env = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "FAKE_STATE": str(self.state_file),
            "FAKE_LOG": str(self.log_file),
            "FAKE_UID": str(uid),
            "FAKE_FAIL": fail,
        }
        done = subprocess.run(["sh", str(self.script)], env=env, capture_output=True, text=True, check=False)
        self.state = json.loads(self.state_file.read_text())
        log = [json.loads(line) for line in self.log_file.read_text().splitlines()]
        return done.returncode, [call for call in log if call[0] == "pveum"], done.stdout + done.stderr

    def written(self) -> list[str]:
        code, writes, said = self.run()
        assert code == 0, said
        return [" ".join(call[1:4]) for call in writes]


@pytest.fixture
def cluster(tmp_path: Path, scripts: Path) -> t.Callable[[str], Cluster]:
    return lambda name: Cluster(tmp_path, scripts / f"{name}.sh")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, scripts: Path) -> dict[str, t.Any]:
    """What a cluster holds after the first run."""
    fresh = Cluster(tmp_path_factory.mktemp("made"), scripts / "plain.sh")
    fresh.written()
    return fresh.state


@pytest.fixture
def adopted(cluster: t.Callable[[str], Cluster], made: dict[str, t.Any]) -> Cluster:
    """A cluster that has the baseline."""
    found = cluster("plain")
    found.state = copy.deepcopy(made)
    return found


def test_the_privileges_are_27_sorted_and_without_repetition() -> None:
    assert len(PRIVILEGES) == 27
    assert sorted(set(PRIVILEGES)) == PRIVILEGES
    assert {"Sys.Modify", "Permissions.Modify", "User.Modify", "Group.Allocate", "Realm.AllocateUser"} <= set(
        PRIVILEGES
    )


@pytest.mark.parametrize("name", SITES)
def test_a_script_is_clean_by_shellcheck(scripts: Path, name: str) -> None:
    checker = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if checker is None:
        pytest.skip("shellcheck is not installed")
    command = [checker, "-s", "sh", str(scripts / f"{name}.sh")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", SITES)
def test_a_script_holds_no_secret_and_only_the_writes_of_four_kinds_of_object(scripts: Path, name: str) -> None:
    text = (scripts / f"{name}.sh").read_text()
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    calls = re.findall(r"^ *pveum (\w+ \w+)", code, re.MULTILINE)
    assert set(calls) <= {
        "role add",
        "role modify",
        "group add",
        "group modify",
        "user add",
        "user modify",
        "acl modify",
    }
    assert not re.search(r"token|password|secret|passwd", code)
    assert "set -eu" in text
    assert set(re.findall(r"^ *pvesh (\w+)", code, re.MULTILINE)) == {"get"}


def test_a_fresh_cluster_gets_the_baseline_role_and_group_before_what_needs_them(
    cluster: t.Callable[[str], Cluster],
) -> None:
    fresh = cluster("plain")
    before = copy.deepcopy(fresh.state)
    assert fresh.written() == [
        "role add HfProvisioner",
        "group add hf-mint",
        "user add hf-provision@pve",
        "user add hf-read@pve",
        "acl modify /",
        "acl modify /",
    ]
    assert fresh.state["roles"]["HfProvisioner"]["privs"] == ",".join(PRIVILEGES)
    assert fresh.state["groups"]["hf-mint"] == {"comment": COMMENT}
    user = {"groups": "hf-mint", "enable": 1, "expire": 0, "comment": COMMENT}
    assert fresh.state["users"]["hf-read@pve"] == fresh.state["users"]["hf-provision@pve"] == user
    row = {"path": "/", "type": "user", "propagate": 1}
    assert fresh.state["acl"] == [
        {**row, "ugid": "hf-provision@pve", "roleid": "HfProvisioner"},
        {**row, "ugid": "hf-read@pve", "roleid": "PVEAuditor"},
    ]
    for kind in ("roles", "groups", "users"):
        assert before[kind].items() <= fresh.state[kind].items()


def test_a_second_run_and_a_node_that_joins_write_nothing(adopted: Cluster) -> None:
    code, writes, said = adopted.run()
    assert (code, writes) == (0, [])
    assert len(re.findall(r"^ok ", said, re.MULTILINE)) == 6


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (("roles", "HfProvisioner", {"privs": "VM.Audit"}), ["role modify HfProvisioner"]),
        (("groups", "hf-mint", {"comment": "a hand"}), ["group modify hf-mint"]),
        (("groups", "hf-mint", {}), ["group modify hf-mint"]),
        (("users", "hf-read@pve", {"enable": 0}), ["user modify hf-read@pve"]),
        (("users", "hf-read@pve", {"expire": 9}), ["user modify hf-read@pve"]),
        (("users", "hf-read@pve", {"groups": "hf-mint,admins"}), ["user modify hf-read@pve"]),
        (("users", "hf-provision@pve", {"email": "a@b.example"}), ["user modify hf-provision@pve"]),
        (("users", "hf-provision@pve", {"firstname": "A", "lastname": "B"}), ["user modify hf-provision@pve"]),
        (("users", "hf-provision@pve", {"comment": "a hand"}), ["user modify hf-provision@pve"]),
    ],
)
def test_a_drift_is_closed_by_the_one_write_that_it_needs(
    adopted: Cluster, made: dict[str, t.Any], change: tuple[str, str, dict[str, t.Any]], wanted: list[str]
) -> None:
    kind, name, values = change
    adopted.state[kind][name] = {**(adopted.state[kind][name] if values else {}), **values}
    assert adopted.written() == wanted
    assert adopted.state == made


def test_a_grant_that_does_not_propagate_is_written_again(adopted: Cluster) -> None:
    adopted.state["acl"][1]["propagate"] = 0
    assert adopted.written() == ["acl modify /"]
    assert adopted.state["acl"][1]["propagate"] == 1


def test_a_read_role_that_is_missing_stops_before_any_write(cluster: t.Callable[[str], Cluster]) -> None:
    poor = cluster("plain")
    del poor.state["roles"]["PVEAuditor"]
    code, writes, said = poor.run()
    assert (code, writes) == (1, [])
    assert "role PVEAuditor is not there; nothing was written" in said


def test_without_a_read_lane_there_is_one_user_and_one_grant(cluster: t.Callable[[str], Cluster]) -> None:
    lone = cluster("no_read")
    del lone.state["roles"]["PVEAuditor"]
    assert lone.written() == [
        "role add HfProvisioner",
        "group add hf-mint",
        "user add hf-provision@pve",
        "acl modify /",
    ]


def test_further_privileges_are_sorted_in(cluster: t.Callable[[str], Cluster]) -> None:
    more = cluster("extra")
    more.written()
    assert more.state["roles"]["HfProvisioner"]["privs"].split(",") == sorted(
        [*PRIVILEGES, "Realm.Allocate", "VM.Replicate"]
    )


def test_names_of_a_site_flow_through_every_step(cluster: t.Callable[[str], Cluster]) -> None:
    site = cluster("named")
    assert site.written() == [
        "role add Site.Role",
        "group add site-mint",
        "user add p@site",
        "user add r@site",
        "acl modify /",
        "acl modify /",
    ]
    assert site.state["groups"]["site-mint"]["comment"] == "by the site (see house/docs)"
    assert site.state["users"]["p@site"]["comment"] == "by the site (see house/docs)"
    assert site.state["users"]["r@site"] == {"groups": "site-mint", "enable": 1, "expire": 0, "comment": "reads only"}
    assert site.state["acl"][1]["roleid"] == "Site-Auditor"
    assert "hf-" not in site.script.read_text()
    assert site.written() == []


def test_what_a_cluster_has_already_is_used_and_kept(cluster: t.Callable[[str], Cluster]) -> None:
    there = cluster("existing")
    code, writes, said = there.run()
    assert (code, writes) == (1, [])
    assert "group automation is not there; nothing was written" in said
    there.state["groups"]["automation"] = {"comment": "theirs"}
    there.state["users"]["audit@pve"] = {"groups": "", "enable": 0, "expire": 5, "comment": "theirs"}
    kept = copy.deepcopy((there.state["groups"]["automation"], there.state["users"]["audit@pve"]))
    assert there.written() == ["role add HfProvisioner", "user add hf-provision@pve", "acl modify /", "acl modify /"]
    assert (there.state["groups"]["automation"], there.state["users"]["audit@pve"]) == kept
    assert there.state["users"]["hf-provision@pve"]["groups"] == "automation"


def test_only_root_may_run_it(cluster: t.Callable[[str], Cluster]) -> None:
    code, writes, said = cluster("plain").run(uid=1000)
    assert (code, writes) == (1, [])
    assert "as root" in said


@pytest.mark.parametrize("path", ["/access/roles", "/access/groups", "/access/users", "/access/acl"])
def test_a_failed_read_stops_before_any_write(cluster: t.Callable[[str], Cluster], path: str) -> None:
    code, writes, said = cluster("plain").run(fail=path)
    assert (code, writes) == (1, [])
    assert f"cannot read {path}" in said


def test_a_failed_write_stops_the_rest(cluster: t.Callable[[str], Cluster]) -> None:
    code, writes, _said = cluster("plain").run(fail="group")
    assert code != 0
    assert [call[1] for call in writes] == ["role", "group"]


@pytest.mark.parametrize("name", REFUSED)
def test_all_that_is_wrong_is_told_in_one_message_before_anything_is_written(scripts: Path, name: str) -> None:
    assert not (scripts / f"{name}.sh").exists()
    problems = (scripts / f"{name}.msg").read_text().removeprefix("provision_baseline: ").split("; ")
    wanted = REFUSED[name][1]
    assert len(problems) == len(wanted), problems
    assert all(any(text in problem for problem in problems) for text in wanted), problems
