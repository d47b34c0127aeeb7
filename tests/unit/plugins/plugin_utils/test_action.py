# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task's options are before they are validated."""

from __future__ import annotations

import typing as t

from ansible.parsing.dataloader import DataLoader
from ansible_collections.homeflare.proxmox.plugins.plugin_utils.action import plain

TEXT = """
resources:
  - pool: {poolid: house, comment: "{{ 1 }}", vms: [900, 901]}
  - lxc: {vmid: 900, config: {onboot: true, cpulimit: 1.5, description: null}}
"""


PLAIN = {dict, list, str, int, float, bool, type(None)}


def _types(value: t.Any) -> set[type]:
    if isinstance(value, dict):
        return {type(value)}.union(*map(_types, value), *map(_types, value.values()))
    if isinstance(value, list):
        return {type(value)}.union(*map(_types, value))
    return {type(value)}


def test_options_lose_what_ansible_notes_on_them_and_nothing_else() -> None:
    loaded = DataLoader().load(TEXT)
    bare = plain(loaded)
    assert _types(loaded) - PLAIN, "ansible-core notes nothing here, so this test would prove nothing"
    assert bare == loaded
    assert _types(bare) <= PLAIN


def test_what_is_no_plain_value_is_left_alone() -> None:
    other = object()
    assert plain({"a": [other]})["a"][0] is other
