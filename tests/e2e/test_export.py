# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example estate, with objects of every family: applied, told by estate_info, built again from what was told."""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES
from ansible_collections.homeflare.proxmox.plugins.plugin_utils.declarations import written

from tests.e2e.conftest import MEANINGFUL
from tests.e2e.play import Player, Run
from tests.e2e.target import Target, of_lab
from tests.servers.lab import Lab

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/estate"
GUESTS = 24
#: Secrets are never told, so who builds again has to say them.
SECRETS: dict[str, dict[str, dict[str, t.Any]]] = {
    "realm": {"house": {"password": "a directory's word"}},
    "storage": {"backup": {"password": "a backup's word", "unencrypted": True}},
}

Resources = list[dict[str, dict[str, t.Any]]]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory, session_target: Target, runs: list[Run]) -> Iterator[Example]:
    """The example, applied, on a lab that the tests of this file share."""
    session_target.needs_lab("three nodes and storages of every sort")
    with Lab.start(tmp_path_factory.mktemp("lab"), members=2) as lab:
        own = of_lab(lab)
        player = Player(tmp_path_factory.mktemp("home"), own.connection, own.environment, runs)
        example = Example(player, lab, tmp_path_factory.mktemp("house"))
        yield example
        example.search_for_secrets()


class Example:
    """The playbooks of the example against the lab, told how to reach it as a person would: by the environment."""

    def __init__(self, player: Player, lab: Lab, folder: Path) -> None:
        self.player, self.lab, self.folder = player, lab, folder
        self.prepare()

    def search_for_secrets(self) -> None:
        known = [secret for secret in self.lab.secrets() if len(secret) >= MEANINGFUL]
        assert known, "no secret was seen, so this search would find none"
        for path in [path for path in self.player.home.rglob("*") if path.is_file()]:
            text = path.read_bytes()
            assert not [secret for secret in known if secret.encode() in text], f"a secret is in {path.name}"

    def prepare(self) -> None:
        """A cluster without guests: what was there before the estate is its template."""
        self.lab.reset()
        for guest in self.lab.get("/cluster/resources", {"type": "vm"}):
            path = f"/nodes/{guest['node']}/{guest['type']}/{guest['vmid']}"
            if guest["status"] == "running":
                self.lab.edit("POST", f"{path}/status/stop")
            self.lab.edit("DELETE", path)

    def run(self, playbook: Path, **how: t.Any) -> Run:
        connection, given = self.player.connection, dict(how.pop("environment", {}))
        environment = {
            "PROXMOX_API_HOSTS": ",".join(connection["api_hosts"]),
            "PROXMOX_CA_PATH": connection["ca_path"],
            "PROXMOX_BAO_MOUNT": connection["bao_mount"],
            "BAO_ADDR": connection["bao_url"],
            "HOUSE_BACKUP_PASSWORD": "a backup's word",
            "HOUSE_DIRECTORY_PASSWORD": "a directory's word",
        }
        variables = {"secrets_folder": str(self.folder), "debian": TEMPLATE, **how.pop("variables", {})}
        return self.player.playbook(playbook, environment={**environment, **given}, variables=variables, **how)

    def apply(self) -> Run:
        return self.run(EXAMPLE / "estate.yml", verbosity="")

    def exported(self, *, in_process: bool = True, **options: t.Any) -> dict[str, t.Any]:
        given = {"templates": {"debian": TEMPLATE}, **options}
        return self.player.module("estate_info", given, in_process=in_process).ok().one.result

    def estate(self, resources: Resources, **options: t.Any) -> Run:
        """By way of a file, as a person would keep what was told."""
        (self.folder / "told.yml").write_text(written(resources))
        told = f"{{{{ lookup('homeflare.proxmox.declarations', '{self.folder}/told.yml') }}}}"
        return self.player.module("estate", {"resources": told, **options}, verbosity="")


TEMPLATE = "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"


def rows(run: Run, status: str) -> dict[tuple[str, str], t.Any]:
    (result,) = [row.result for row in run.rows if "rows" in row.result]
    return {(row["family"], row["name"]): row for row in result["rows"] if row["status"] == status}


def verdict(run: Run) -> str:
    (result,) = [row.result for row in run.rows if "verdict" in row.result]
    return str(result["verdict"])


def texts(resources: Resources) -> list[str]:
    return [json.dumps(entry, sort_keys=True) for entry in resources]


def with_secrets(resources: Resources) -> Resources:
    """What a person adds before a rebuild."""
    found = []
    for entry in resources:
        ((family, options),) = entry.items()
        more = SECRETS.get(family, {}).get(str(options.get(family)), {})
        found.append({family: {**options, **more}})
    return found


def test_the_example_is_planned_applied_and_then_has_nothing_to_do(example: Example) -> None:
    planned = example.run(EXAMPLE / "estate.yml", check=True, verbosity="").ok()
    assert example.lab.writes() == []
    applied = example.apply().ok()
    assert rows(applied, "changed").keys() == rows(planned, "planned").keys()
    assert len(rows(applied, "changed")) > GUESTS
    example.lab.reset_log()
    assert rows(example.apply().ok(), "changed") == {}
    assert example.lab.writes() == []


def test_an_export_of_every_family_is_clean_on_the_same_server(example: Example) -> None:
    """Read by what PVEAuditor on / may see."""
    example.lab.configure(privileges=True)
    found = example.exported()
    assert found["unseen"] == found["unread"] == []
    families = {family for entry in found["resources"] for family in entry}
    assert families == {name for name, family in FAMILIES.items() if family.index}
    assert sum("lxc" in entry for entry in found["resources"]) == GUESTS
    assert texts(example.exported(parallel=1)["resources"]) == texts(found["resources"])
    example.lab.reset_log()
    assert verdict(example.estate(found["resources"], mode="verify").ok()) == "clean"
    assert rows(example.estate(found["resources"]).ok(), "changed") == {}
    assert example.lab.writes() == []
    example.lab.configure(privileges=False)


def test_an_export_tells_no_secret_no_description_and_nothing_generated_unless_asked(example: Example) -> None:
    example.lab.edit("PUT", "/nodes/pve1/lxc/201/config", {"description": "the key is under the mat"})
    plain, whole = example.exported(), example.exported(generated=True, descriptions=True)
    told, all_told = json.dumps(plain["resources"]), json.dumps(whole["resources"])
    for text in ("a directory's word", "a backup's word", "digest"):
        assert text not in told + all_told
    generated = re.compile(r"hwaddr|vm-201-disk|under the mat")
    assert not generated.search(told)
    assert set(generated.findall(all_told)) == {"hwaddr", "vm-201-disk", "under the mat"}
    assert verdict(example.estate(whole["resources"], mode="verify").ok()) == "clean"


def test_an_export_builds_the_estate_again_on_an_empty_server(example: Example) -> None:
    defaults = {
        "api_token": {"secret_sink": {"file": str(example.folder / "{tokenid}")}},
        "lxc": {"create": {"start": True}},
    }
    found = example.exported(defaults=defaults)
    assert {(gap["family"], gap["name"]) for gap in found["obstacles"]} == {("storage", "backup")}
    example.prepare()
    assert texts(example.exported()["resources"]) != texts(found["resources"])
    again = with_secrets(found["resources"])
    built = example.estate(again).ok()
    assert sum(family == "lxc" for family, _name in rows(built, "changed")) == GUESTS
    assert verdict(example.estate(again, mode="verify").ok()) == "clean"
    assert texts(example.exported(defaults=defaults)["resources"]) == texts(found["resources"])


def test_what_a_filter_leaves_out_is_not_told(example: Example) -> None:
    wanted: dict[str, t.Any] = {"families": ["lxc", "pool"], "only": {"lxc": ["40?", "!404"], "pool": "house/*"}}
    found = example.exported(**wanted)
    assert example.exported(in_process=False, **wanted)["resources"] == found["resources"]
    told = [options.get("vmid") or options["poolid"] for entry in found["resources"] for options in entry.values()]
    assert told == [401, 402, 403, "house/apps", "house/data", "house/edge", "house/ops"]


def test_a_node_that_is_down_is_told_and_never_dropped(example: Example) -> None:
    example.lab.node_online("pve3", False)
    found = example.exported(families=["lxc", "pool"])
    example.lab.node_online("pve3", True)
    on_pve3 = [gap for gap in found["unread"] if gap["family"] == "lxc"]
    assert {gap["name"] for gap in on_pve3} == {f"{vmid} on pve3" for vmid in (204, 206, 303, 306, 309, 404, 503, 504)}
    assert sum("lxc" in entry for entry in found["resources"]) == GUESTS - len(on_pve3)
    assert "parts of the estate could not be told" in example.player.runs[-1].output


def test_the_playbook_writes_a_folder_that_the_role_takes(example: Example) -> None:
    folder = example.folder / "exported"
    example.run(EXAMPLE / "export.yml", variables={"export_folder": str(folder)}, verbosity="").ok()
    assert len(yaml.safe_load((folder / "lxc.yml").read_text())["resources"]) == GUESTS
    verify = ROOT / "playbooks/verify.yml"
    run = example.run(verify, variables={"estate_folder": str(folder)}, verbosity="").ok()
    assert verdict(run) == "clean"
