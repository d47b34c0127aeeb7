# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
import yaml
from ansible_collections.homeflare.proxmox.plugins.doc_fragments.connection import ModuleDocFragment
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.options import CONNECTION_OPTIONS, ENVIRONMENT

OPTIONS: dict[str, dict[str, t.Any]] = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]


def test_options_stand_in_the_order_of_the_argument_spec() -> None:
    assert list(OPTIONS) == list(CONNECTION_OPTIONS)


@pytest.mark.parametrize("name", CONNECTION_OPTIONS)
def test_an_option_is_documented_as_it_is_specified(name: str) -> None:
    documented = {key: value for key, value in OPTIONS[name].items() if key != "description"}
    specified = {key: value for key, value in CONNECTION_OPTIONS[name].items() if key != "no_log"}
    assert documented == specified
    assert OPTIONS[name]["description"]


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_the_variables_of_an_option_are_named_in_their_order(name: str) -> None:
    text = " ".join(OPTIONS[name]["description"])
    variables = [f"E({variable})" for group in ENVIRONMENT[name] for variable in group]
    places = [text.find(variable) for variable in variables]
    assert -1 not in places
    assert places == sorted(places)


def test_no_option_promises_a_variable_that_is_not_read() -> None:
    for name, option in OPTIONS.items():
        assert ("E(" in " ".join(option["description"])) is (name in ENVIRONMENT)
