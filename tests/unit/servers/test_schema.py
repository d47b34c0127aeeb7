# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of PVE's API schema, with the texts that PVE's own server answered (measured 4, 5, 22, 26, 33)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers import schema
from tests.servers.schema import MISSING, UNKNOWN

CONFIG = "/nodes/{node}/lxc/{vmid}/config"
HERE = {"node": "pve1", "vmid": "100"}


def errors(method: str, template: str, **values: Any) -> dict[str, str]:
    return schema.validate(schema.load().paths[template][method], values)[1]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"bogus": "1"}, {"bogus": UNKNOWN}),
        ({"net99": "name=eth0"}, {"net99": UNKNOWN}),
        ({"net01": "name=eth0"}, {"net01": UNKNOWN}),
        ({"net31": "name=eth0"}, {}),
        ({"mp255": "local-dir:1,mp=/x"}, {}),
        ({"mp256": "local-dir:1,mp=/x"}, {"mp256": UNKNOWN}),
        ({"onboot": "true"}, {"onboot": "type check ('boolean') failed - got 'true'"}),
        ({"onboot": "1"}, {}),
        ({"memory": ""}, {"memory": "type check ('integer') failed - got ''"}),
        ({"memory": "512M"}, {"memory": "type check ('integer') failed - got '512M'"}),
        ({"memory": "15"}, {"memory": "value must have a minimum value of 16"}),
        ({"cores": "8193"}, {"cores": "value must have a maximum value of 8192"}),
        ({"memory": None}, {}),
        ({"hostname": ""}, {"hostname": "invalid format - value does not look like a valid DNS name\n"}),
        ({"tags": "bad!tag"}, {"tags": "invalid format - invalid characters in tag\n"}),
        ({"tags": ""}, {}),
        (
            {"nameserver": "192.0.2.300"},
            {"nameserver": "invalid format - value does not look like a valid IP address\n"},
        ),
        ({"nameserver": "fe80::1%eth0, 192.0.2.1"}, {}),
        ({"timezone": "No/Where"}, {"timezone": "invalid format - invalid time zone 'No/Where'\n"}),
        ({"description": "x" * 8193}, {"description": "value may only be 8192 characters long"}),
        ({"description": "ä" * 8192}, {}),
        ({"delete": ["tags", "onboot"]}, {}),
        ({"hostname": ["a", "b"]}, {"hostname": "type check ('string') failed - got 'ARRAY'"}),
        (
            {"features": "bogus=1"},
            {"features": f"invalid format - format error\nfeatures.bogus: {UNKNOWN}\n"},
        ),
        (
            {"features": "nesting"},
            {"features": "invalid format - value without key, but schema does not define a default key\n"},
        ),
        ({"features": "nesting=yes"}, {}),
        ({"net0": "bridge=vmbr0"}, {"net0": f"invalid format - format error\nnet0.name: {MISSING}\n"}),
    ],
)
def test_a_container_config_is_checked_as_pve_does(values: dict[str, Any], expected: dict[str, str]) -> None:
    assert errors("PUT", CONFIG, **HERE, **values) == expected


def test_an_enumeration_names_all_its_values() -> None:
    found = errors("PUT", CONFIG, **HERE, lock="nosuch")["lock"]
    assert found.startswith("value 'nosuch' does not have a value in the enumeration 'backup, create, destroyed, disk")


def test_what_is_missing_and_what_it_requires() -> None:
    assert errors("POST", "/access/users") == {"userid": MISSING}
    assert errors("PUT", "/access/users/{userid}", userid="a@pve", append="1") == {
        "groups": "missing property required by 'append'"
    }
    assert errors("PUT", "/access/users/{userid}", userid="a@pve", append="1", groups="g") == {}


def test_a_pattern_ends_where_the_value_does_but_for_one_line_feed() -> None:
    template = "/access/users/{userid}/token/{tokenid}"
    assert errors("GET", template, userid="a@pve", tokenid="1bad") == {
        "tokenid": "value does not match the regex pattern"
    }
    assert errors("GET", template, userid="a@pve", tokenid="good\n") == {}
    assert errors("GET", template, userid="a@pve", tokenid="good\n\n") != {}


def test_numbers_stay_as_they_were_written_and_integers_become_numbers() -> None:
    method = schema.load().paths[CONFIG]["PUT"]
    values, found = schema.validate(method, {**HERE, "cpulimit": "0.50", "memory": "512", "onboot": "1"})
    assert not found
    assert (values["cpulimit"], values["memory"], values["onboot"]) == ("0.50", 512, 1)


def test_array_parameters_take_repeated_keys_and_do_not_split_a_scalar() -> None:
    method = schema.load().paths["/cluster/notifications/matchers"]["POST"]
    values, found = schema.validate(method, {"name": "mine", "match-severity": "error,warning"})
    assert found == {}
    assert values["match-severity"] == ["error,warning"]


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("version", "/version"),
        ("nodes/pve1/lxc/100/config", CONFIG),
        ("access/users/a@pve/token", "/access/users/{userid}/token"),
        ("pools", "/pools"),
        ("cluster/mapping/dir", "/cluster/mapping/dir"),
        ("nope", None),
        ("nodes//lxc", None),
        ("pools/a/b", None),
    ],
)
def test_paths_find_their_endpoint(path: str, template: str | None) -> None:
    route = schema.load().match(path.split("/"))
    assert (route.template if route else None) == template
