# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of declarations as one list, and a list as a file."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible_collections.homeflare.proxmox.plugins.lookup.declarations import LookupModule
from ansible_collections.homeflare.proxmox.plugins.plugin_utils.declarations import DeclarationsError, merged, written
from hypothesis import given
from hypothesis import strategies as st

HOUSE = {"poolid": "house"}


def test_both_forms_in_any_split_give_one_list_in_the_order_of_the_files() -> None:
    files = [
        ("a.yml", {"pool": [HOUSE], "resources": [{"homeflare.proxmox.group": {"groupid": "ops"}}]}),
        ("b.yml", None),
        ("c.yml", {"user": [{"userid": "kim@pve"}], "lxc": None}),
    ]
    assert merged(files) == [{"pool": HOUSE}, {"group": {"groupid": "ops"}}, {"user": {"userid": "kim@pve"}}]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([HOUSE], "a.yml: must be a mapping"),
        ("text", "a.yml: must be a mapping"),
        ({"pool": HOUSE}, "a.yml: pool must be a list"),
        ({"pool": "house"}, "a.yml: pool must be a list"),
        ({"pool": ["house"]}, "a.yml: each pool must be a dictionary"),
        ({"pol": [HOUSE]}, r"a.yml: there is no family pol\. Did you mean pool"),
        ({"resource": []}, "a.yml: there is no family resource. Did you mean resources"),
        ({"resources": [{"pool": HOUSE, "group": {}}]}, "a.yml: each of resources must be one key"),
        ({"resources": [{"pool": None}]}, "a.yml: each pool must be a dictionary"),
        ({"resources": [{"pools": HOUSE}]}, "a.yml: there is no family pools"),
    ],
)
def test_a_file_of_another_shape_is_named(content: t.Any, why: str) -> None:
    with pytest.raises(DeclarationsError, match=why):
        merged([("a.yml", content)])


def test_an_object_in_two_files_names_both_in_whatever_spelling_it_is() -> None:
    first = {"lxc": [{"vmid": 900, "node": "pve1", "config": {}}], "firewall_alias": [{"name": "a1"}]}
    second = {"resources": [{"lxc": {"vmid": "900", "node": "pve1"}}, {"firewall_alias": {"name": "a1", "vmid": 900}}]}
    with pytest.raises(DeclarationsError) as raised:
        merged([("a.yml", first), ("b.yml", second)])
    assert str(raised.value) == "Container 900 on pve1 is declared in a.yml and in b.yml."


def test_an_object_twice_in_one_file_and_everything_else_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(DeclarationsError, match=r"b.yml: there is no family x.*Pool house is declared twice in a.yml"):
        merged([("a.yml", {"pool": [HOUSE, HOUSE]}), ("b.yml", {"x": []})])


@pytest.mark.parametrize(
    ("family", "first", "second"),
    [
        ("lxc", {"vmid": 900, "node": "pve1"}, {"vmid": "900", "node": "pve2"}),
        ("firewall_alias", {"name": "Web"}, {"name": "web"}),
    ],
)
def test_an_object_in_two_places_or_spellings_is_one(family: str, first: t.Any, second: t.Any) -> None:
    with pytest.raises(DeclarationsError, match=r"is declared in a.yml and in b.yml"):
        merged([("a.yml", {family: [first]}), ("b.yml", {family: [second]})])


def test_a_part_in_one_file_and_its_whole_in_another_are_told() -> None:
    row = {"path": "/vms/", "type": "group", "ugid": "ops", "roleid": "PVEAuditor"}
    with pytest.raises(DeclarationsError, match=r"is declared in a.yml, and ACL /vms as a whole in b.yml"):
        merged([("a.yml", {"acl": [row]}), ("b.yml", {"acl": [{"path": "/vms", "bindings": []}]})])
    assert len(merged([("a.yml", {"acl": [row]}), ("b.yml", {"acl": [{"path": "/pool", "bindings": []}]})])) == 2


# ---- the lookup


def look(folder: Path, **variables: t.Any) -> t.Any:
    loader = DataLoader()
    loader.set_basedir(str(folder))
    lookup = LookupModule(loader=loader, templar=Templar(loader, variables=variables))
    lookup._load_name = "homeflare.proxmox.declarations"
    (found,) = lookup.run(["estate"], variables=variables)
    return found


def write(folder: Path, name: str, text: str) -> None:
    path = folder / "estate" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_files_of_all_folders_are_read_but_hidden_ones_and_values_may_be_templates(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", "pool:\n  - {poolid: b, comment: '{{ said }}'}\n")
    write(tmp_path, "a/x.yml", "pool:\n  - {poolid: a}\n")
    write(tmp_path, "a/notes.txt", "nothing")
    write(tmp_path, ".hidden.yml", "nonsense: [}")
    write(tmp_path, ".git/x.yml", "nonsense: [}")
    assert look(tmp_path, said="hello") == [{"pool": {"poolid": "a"}}, {"pool": {"poolid": "b", "comment": "hello"}}]


def test_no_folder_an_empty_one_and_a_file_that_is_no_yaml_are_errors(tmp_path: Path) -> None:
    with pytest.raises(AnsibleError, match=r"there is no folder and no file .*estate"):
        look(tmp_path)
    (tmp_path / "estate").mkdir()
    with pytest.raises(AnsibleError, match=r"there is no \.yml or \.yaml file in estate"):
        look(tmp_path)
    write(tmp_path, "a.yml", "pool: [}")
    with pytest.raises(AnsibleError, match=r"(?i)yaml"):
        look(tmp_path)


def test_a_wrong_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    write(tmp_path, "x/a.yml", "pol: []")
    with pytest.raises(AnsibleError, match=r"estate/x/a\.yml: there is no family pol"):
        look(tmp_path)


# ---- a file


def test_what_looks_like_a_template_is_read_back_as_it_is(tmp_path: Path) -> None:
    told = [{"backup_job": {"id": "nightly", "notes_template": "{{guestname}} {% x %} {# y", "schedule": "02:30"}}]
    write(tmp_path, "a.yml", written(told))
    assert look(tmp_path) == told
    assert "!unsafe" not in written([{"pool": {"poolid": "a", "comment": "50% {off}"}}])


def test_a_file_has_no_anchors_and_reads_as_a_person_would_write_it() -> None:
    shared = ["a", "b"]
    text = written(
        [{"user": {"userid": "kim@pve", "groups": shared}}, {"user": {"userid": "sam@pve", "groups": shared}}]
    )
    assert "&" not in text
    assert text.startswith("---\nresources:\n  - user:\n      userid: kim@pve\n      groups:\n        - a\n")


@given(st.dictionaries(st.sampled_from(["comment", "vms"]), st.text() | st.integers() | st.booleans() | st.none()))
def test_any_value_comes_back(options: dict[str, t.Any]) -> None:
    class Loader(yaml.SafeLoader):
        """With the one tag that Ansible has for texts."""

    Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))  # type: ignore[type-var]
    text = written([{"pool": {"poolid": "a", **options}}])
    assert yaml.load(text, Loader) == {"resources": [{"pool": {"poolid": "a", **options}}]}
