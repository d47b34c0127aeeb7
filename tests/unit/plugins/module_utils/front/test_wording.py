# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of options that a module does not have."""

from __future__ import annotations

import typing as t

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.caller import Caller
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.jobs import job_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.run import wording

CONNECTION = {"api_hosts": ["192.0.2.1"], "api_token_id": "ops@pve!one", "api_token_secret": "s3cret"}


def complaints(spec: dict[str, t.Any], options: dict[str, t.Any]) -> list[str]:
    return list(ArgumentSpecValidator(spec).validate(options).error_messages)


def test_an_unknown_option_is_called_one() -> None:
    messages = complaints({"poolid": {"type": "str"}}, {"pool": "house"})
    assert wording(messages, "pool").startswith(
        "Unsupported parameters for (homeflare.proxmox.pool) module: pool. Supported parameters include: poolid"
    )


def test_other_words_of_the_validator_stay_as_they_are() -> None:
    messages = complaints({"poolid": {"type": "str", "required": True}}, {})
    assert wording(messages, "pool") == "missing required arguments: poolid"


def test_an_estate_names_the_resource_with_the_unknown_option() -> None:
    job = job_of("estate")
    given = {**CONNECTION, "resources": [{"pool": {"poolid": "house"}}, {"pool": {"poolid": "cellar", "coment": "x"}}]}
    params = ArgumentSpecValidator(job.spec).validate(given).validated_parameters
    with pytest.raises(DeclarationError, match=r"^resources\[1\] \(pool\): Unsupported parameters: coment\. Supported"):
        job.run(params, Caller(check_mode=True, warn=print, hide=set[str]().update, environ={}))
