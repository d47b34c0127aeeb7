# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import SpellingError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.lists import AtLeast, ListOf, SetOf, split_list
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import PropertyMap, Sub
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Enum, Flag, Integer, Text
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.lists(st.text(alphabet="abcXYZ019-.", min_size=1, max_size=6), max_size=6)
TEXTS = SetOf(Text())
NUMBERS = SetOf(Integer(), joiner=";")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b;c d\te\nf", ["a", "b", "c", "d", "e", "f"]),
        (",, a ;;", ["a"]),
        ("a b\0c,d", ["a b", "c,d"]),
        ("", []),
        (" ", []),
    ],
)
def test_split_list(text: str, parts: list[str]) -> None:
    assert split_list(text) == parts


@given(WORDS, st.sampled_from([",", ";", " ", ", ", ";;", "\n"]), st.randoms())
def test_a_set_knows_neither_order_nor_repetition_nor_separator(words: list[str], joiner: str, random: object) -> None:
    shuffled = [*words, *words[:2]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    canon = TEXTS.canon(words)
    assert canon == TEXTS.canon(shuffled) == TEXTS.canon(joiner.join(shuffled)) == TEXTS.canon(tuple(shuffled))
    assert TEXTS.canon(TEXTS.form(canon)) == canon
    assert TEXTS.canon(TEXTS.show(canon)) == canon
    assert len(set(canon)) == len(canon)


@given(WORDS, st.sampled_from([",", ";", " "]))
def test_a_list_keeps_its_order(words: list[str], joiner: str) -> None:
    kind = ListOf(Text(), joiner=" ")
    canon = kind.canon(joiner.join(words))
    assert canon == tuple(words)
    assert kind.canon(kind.form(canon)) == canon
    assert kind.same(canon, canon)
    assert kind.same(canon, canon[::-1]) == (canon == canon[::-1])


@given(st.lists(st.integers(min_value=0, max_value=5000)))
def test_numbers_are_sorted_by_value(numbers: list[int]) -> None:
    canon = NUMBERS.canon(";".join(map(str, numbers)))
    assert list(canon) == sorted(set(numbers))


@pytest.mark.parametrize("value", [None, "", " ", [], (), [""], ",;"])
def test_nothing_is_the_empty_set(value: object) -> None:
    assert TEXTS.canon(value) == ()
    assert TEXTS.form(()) == ""


def test_a_lone_value_is_a_list_of_one() -> None:
    assert NUMBERS.canon(5) == (5,)
    assert NUMBERS.canon([5, "6;7"]) == (5, 6, 7)


def test_an_array_is_sent_as_repeated_keys() -> None:
    kind = SetOf(Text(), array=True)
    assert kind.form(kind.canon("b,a")) == ("a", "b")


def test_without_separators_a_text_is_one_element() -> None:
    kind = ListOf(Text(), separators="", array=True)
    assert kind.canon("exact:hostname=a,b") == ("exact:hostname=a,b",)
    assert kind.canon(["a,b", "c d"]) == ("a,b", "c d")


def test_a_dict_is_no_list() -> None:
    with pytest.raises(SpellingError):
        TEXTS.canon({"a": 1})


def test_faults_name_the_element() -> None:
    kind = ListOf(Enum(("a", "b")))
    assert kind.fault(("a", "b")) is None
    assert str(kind.fault(("a", "c"))).startswith("element 2 must be one of")
    assert SetOf(Text(), min_items=1).fault(()) is not None
    assert SetOf(Text(), min_items=1).fault(("a",)) is None


def test_sets_of_maps() -> None:
    kind = SetOf(PropertyMap({"a": Sub(Integer()), "b": Sub(Flag())}), array=True, separators="")
    assert kind.canon(["a=2,b=1", "a=1"]) == kind.canon([{"a": 1}, {"b": True, "a": "2"}, "a=1"])


def test_option() -> None:
    assert NUMBERS.option == {"type": "list", "elements": "int"}
    assert TEXTS.option == {"type": "list", "elements": "str"}
    assert SetOf(PropertyMap({})).option == {"type": "list", "elements": "raw"}


@given(st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_a_set_of_which_only_the_declared_members_matter(declared: set[int], live: set[int]) -> None:
    kind = AtLeast(NUMBERS)
    want, have = kind.canon(list(declared)), kind.canon(list(live))
    assert kind.same(want, have) == (declared <= live)
    assert set(kind.carry(want, have)) == declared | live
