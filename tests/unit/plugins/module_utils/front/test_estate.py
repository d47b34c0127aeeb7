# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of an estate that cannot be declarations: each is named by its place, all of them at once."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError, HomeflareError
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.caller import Caller
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.estate import ESTATE_OPTIONS, run_estate


def run(resources: list[t.Any], **options: t.Any) -> dict[str, t.Any]:
    params = {name: option.get("default") for name, option in ESTATE_OPTIONS.items()}
    return run_estate(
        {**params, "resources": resources, **options},
        Caller(check_mode=False, warn=lambda _text: None, hide=lambda _secrets: None, environ={}),
    )


@pytest.mark.parametrize("options", ["poolid=x", ["x"], 5, True])
def test_options_that_are_no_dictionary_are_told_by_their_place(options: object) -> None:
    with pytest.raises(DeclarationError) as caught:
        run([{"pool": options}, {"pol": {}}])
    assert str(caught.value) == (
        "resources[0] (pool): must be a dictionary of its options. "
        "resources[1]: there is no family pol. Did you mean pool?"
    )


def test_a_report_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"^report: is a folder"):
        run([{"pool": {"poolid": "a"}}], report=str(tmp_path))
    with pytest.raises(DeclarationError, match=r"^report: there is no folder .*/none"):
        run([{"pool": {"poolid": "a"}}], report=str(tmp_path / "none" / "report.md"))


def test_one_cause_is_told_once_however_many_resources_it_hits() -> None:
    pools = [{"pool": {"poolid": f"p{number}"}} for number in range(5)]
    way = {"api_hosts": ["127.0.0.1:1"], "api_token_id": "a@pve!bc", "api_token_secret": "x" * 36}
    with pytest.raises(HomeflareError) as caught:
        run(pools, **way)
    assert str(caught.value).startswith("Pool p0, Pool p1, Pool p2 and 2 more: GET pools: no member answered")
    assert str(caught.value).count("no member answered") == 1
    assert str(caught.value).endswith("(5 unknown). It is safe to run it again.")
