# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of estate_info: what is wrong with them is told before anything is asked."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError, HomeflareError
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.caller import Caller
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.estate_info import (
    ESTATE_INFO_OPTIONS,
    run_estate_info,
)


def run(**options: t.Any) -> dict[str, t.Any]:
    params = {name: option.get("default") for name, option in ESTATE_INFO_OPTIONS.items()}
    return run_estate_info(
        {**params, **options},
        Caller(check_mode=False, warn=lambda _text: None, hide=lambda _secrets: None, environ={}),
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"families": ["lcx"]}, r"^families: there is no family lcx\. Did you mean lxc"),
        ({"only": {"pols": "a"}}, r"^only: there is no family pols\. Did you mean pool"),
        ({"only": {"pool": {"a": 1}}}, r"^only\.pool: must be a pattern or a list"),
        ({"only": {"pool": [["a"]]}}, r"^only\.pool: must be a pattern or a list"),
        ({"defaults": {"pols": {}}}, r"^defaults: there is no family pols"),
        ({"defaults": {"pool": "x"}}, r"^defaults\.pool: must be a dict"),
        ({"defaults": {"pool": {"coment": "x"}}}, r"^defaults: pool has no option coment\. Did you mean comment"),
        ({"defaults": {"pool": {"poolid": "x"}}}, r"^defaults: pool has no option poolid"),
        ({"defaults": {"storage": {"password": "x"}}}, r"^defaults: password of storage is a secret"),
        ({"defaults": {"lxc": {"password": "x"}}}, r"^defaults: password of lxc is a secret"),
        ({"parallel": 0}, r"^parallel: must be at least 1"),
        ({}, r"^(api_hosts|bao_mount|api_token_id)"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, t.Any], why: str) -> None:
    with pytest.raises(DeclarationError, match=why):
        run(**options)


def test_a_cluster_that_answers_nothing_is_a_failure_and_no_empty_estate() -> None:
    token = {"api_token_id": "a@pve!bc", "api_token_secret": "x" * 36}
    with pytest.raises(HomeflareError, match=r"^None of the families could be listed.*no member answered"):
        run(api_hosts=["127.0.0.1:1"], families=["pool", "role"], **token)
