# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options are checked against the table before anything is asked of a server."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Text
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE


def refuse(family: t.Any = PLACE, **params: t.Any) -> str:
    with pytest.raises(DeclarationError) as caught:
        declaration_of(family, {"id": "home", **params})
    return str(caught.value)


def test_options_become_pve_keys() -> None:
    declaration = declaration_of(PLACE, {"id": "home", "max_rooms": 3, "comment": None, "delete": ["otp_key"]})
    assert declaration.ident == {"id": "home"}
    assert declaration.values == {"max-rooms": 3}
    assert declaration.delete == ("otp-key",)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"id": ""}, "id: is needed to name the object."),
        ({"id": "No!"}, "id: "),
        ({"max_rooms": 10}, "max_rooms: "),
        ({"server": ""}, "server: an empty value is not sent to PVE; to clear the key, use delete: [server]."),
        ({"comment": "x", "delete": ["comment"]}, "comment: declared both as a value and under delete"),
        ({"delete": ["commnt"]}, "delete: commnt is not a key that this module manages. Did you mean comment?"),
        ({"delete": ["server"]}, "server: PVE does not let this key be deleted"),
        ({"type": "house", "sails": 2}, "sails: is not a key of type house."),
    ],
)
def test_bad_input_names_the_option(params: dict[str, t.Any], said: str) -> None:
    assert refuse(**params).startswith(said)


def test_no_message_quotes_a_value() -> None:
    assert "hunter2" not in refuse(max_rooms="hunter2")


def test_keys_of_a_config_dict_are_named_as_pve_spells_them() -> None:
    family = dataclasses.replace(PLACE, config="config")
    assert refuse(family, config={"max-rooms": 10}).startswith("max-rooms: ")
    assert refuse(family, config={"comentt": "x"}) == (
        "config: comentt is not a key that this module manages. Did you mean comment?"
    )


def test_the_argument_spec_follows_the_table() -> None:
    spec = argument_spec(dataclasses.replace(PLACE, retain=True, exact=True))
    assert spec["id"] == {"type": "str", "required": True}
    assert spec["exact"]["default"] is True
    assert spec["password"]["no_log"] is True
    assert spec["otp_key"]["no_log"] is True
    assert spec["update_secret"]["no_log"] is False
    assert spec["confirm_destroy"] == {"type": "str"}
    assert "max_rooms" in spec
    assert "max-rooms" not in spec


def test_a_family_whose_secret_is_shown_once_has_a_sink_and_a_rotation() -> None:
    family = dataclasses.replace(PLACE, sink="value")
    spec = argument_spec(family)
    assert spec["secret_sink"]["mutually_exclusive"] == [["file", "bao_path"]]
    sink = {"file": "/tmp/x"}
    wanted = declaration_of(family, {"id": "home", "secret_sink": sink, "rotate": True})
    assert (wanted.extras["secret_sink"], wanted.rewrite_secrets) == (sink, True)


def test_an_optional_part_of_the_identity_may_be_left_out() -> None:
    family = dataclasses.replace(PLACE, identity={**PLACE.identity, "room": Text()}, optional=("room",))
    assert "required" not in argument_spec(family)["room"]
    assert family.title(declaration_of(family, {"id": "home"}).ident) == "Place home"
    assert family.title(declaration_of(family, {"id": "home", "room": "hall"}).ident) == "Place home hall"
