# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.tags import TAGS, Tags
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.lists(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_+.-]{0,5}", fullmatch=True), max_size=6)


@given(WORDS, st.randoms(), st.sampled_from([",", ";", " ", ";;", ", "]))
def test_tags_are_a_set_of_small_letters(words: list[str], random: t.Any, joiner: str) -> None:
    shuffled = list(words)
    random.shuffle(shuffled)
    canon = TAGS.canon(words)
    assert canon == TAGS.canon(joiner.join(shuffled).upper())
    assert canon == tuple(sorted({word.lower() for word in words}))
    assert TAGS.canon(TAGS.form(canon)) == canon
    assert TAGS.fault(canon) is None


@given(WORDS)
def test_tag_styles(words: list[str]) -> None:
    assert Tags(case_sensitive=True).canon(words) == tuple(sorted(set(words)))
    assert Tags(ordered=True).canon(words) == tuple(dict.fromkeys(word.lower() for word in words))
    assert Tags(case_sensitive=True, ordered=True).canon(words) == tuple(dict.fromkeys(words))


def test_order_counts_only_when_tags_are_ordered() -> None:
    assert TAGS.same(TAGS.canon("b;a"), TAGS.canon("a;b"))
    ordered = Tags(ordered=True)
    assert not ordered.same(ordered.canon("b;a"), ordered.canon("a;b"))
    assert ordered.form(ordered.canon("B;a;b")) == "b;a"


@pytest.mark.parametrize("text", ["-a", "+a", ".a", "a!b", "a/b", "ä"])
def test_what_is_no_tag(text: str) -> None:
    assert TAGS.fault(TAGS.canon(["good", text])) is not None


def test_one_space_is_no_tag() -> None:
    assert TAGS.canon(" ") == ()
    assert TAGS.option == {"type": "list", "elements": "str"}
