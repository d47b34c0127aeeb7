# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.homeflare.proxmox.plugins.module_utils.api.redact import Secrets, one_line, redact


def test_every_occurrence_is_masked_and_the_longest_first() -> None:
    secrets = {"abcd", "id=abcd"}
    assert redact("id=abcd and abcd", secrets) == "******** and ********"


def test_an_empty_secret_masks_nothing() -> None:
    assert redact("text", {""}) == "text"


def test_a_text_becomes_one_line() -> None:
    assert one_line("  a\n\t* b\r\n") == "a * b"


def test_a_secret_at_the_cut_is_masked_as_a_whole() -> None:
    assert "sec" not in one_line("x" * 8 + "secret", {"secret"}, longest=11)


def test_a_secret_is_known_in_its_escaped_spelling_too() -> None:
    secrets = Secrets()
    secrets.add("a=b;c", "")
    assert secrets.all() == {"a=b;c", "a%3Db%3Bc"}
