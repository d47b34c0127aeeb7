# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from decimal import Decimal

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind, SpellingError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import (
    COMMENT0,
    DESCRIPTION,
    DESCRIPTION0,
    CheckedText,
    Enum,
    Flag,
    Integer,
    Number,
    Text,
)
from hypothesis import given
from hypothesis import strategies as st

FLAG = Flag()
NUMBER = Number()


@pytest.mark.parametrize("value", [True, 1, "1", "true", "True", "YES", "on", " on "])
def test_true_flags(value: object) -> None:
    assert FLAG.canon(value) is True
    assert FLAG.form(FLAG.canon(value)) == "1"


@pytest.mark.parametrize("value", [False, 0, "0", "false", "No", "OFF"])
def test_false_flags(value: object) -> None:
    assert FLAG.canon(value) is False
    assert FLAG.form(FLAG.canon(value)) == "0"


@pytest.mark.parametrize("value", [2, "2", -1, "", "maybe", None, 1.0, [], {}])
def test_what_is_no_flag(value: object) -> None:
    with pytest.raises(SpellingError):
        FLAG.canon(value)


@given(st.integers(min_value=-(10**25), max_value=10**25))
def test_integers_are_read_from_numbers_and_texts(number: int) -> None:
    kind = Integer()
    assert kind.canon(number) == kind.canon(str(number)) == kind.canon(f" {number} ") == number
    assert kind.canon(kind.form(number)) == number


@pytest.mark.parametrize("value", [True, 1.0, "1.0", "1e3", "", "x", None, "٣", "9" * 5000])
def test_what_is_no_integer(value: object) -> None:
    with pytest.raises(SpellingError):
        Integer().canon(value)


@pytest.mark.parametrize(("value", "right"), [(1, False), (2, True), (5, True), (6, False)])
def test_bounds_are_inclusive(value: int, right: bool) -> None:
    assert (Integer(2, 5).fault(value) is None) is right
    assert (Number(2, 5).fault(str(value)) is None) is right


def test_clamped_values_are_the_same_one_way_only() -> None:
    kind = Integer(clamps=((None, 10), (2, None)))
    assert kind.same(50, 10)
    assert kind.same(50, 50)
    assert kind.same(0, 2)
    assert not kind.same(10, 50)
    assert not kind.same(3, 2)


@given(st.decimals(min_value=-(10**9), max_value=10**9, allow_nan=False, allow_infinity=False, places=6))
def test_numbers_compare_by_value_and_are_plain(number: Decimal) -> None:
    canon = NUMBER.canon(str(number))
    assert NUMBER.canon(f"{number}0") == canon
    assert NUMBER.canon(NUMBER.form(canon)) == canon
    assert Decimal(canon) == number
    assert "e" not in canon.lower()


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_floats_are_sent_plain(number: float) -> None:
    canon = NUMBER.canon(number)
    assert "e" not in canon.lower()
    assert float(canon) == number
    assert NUMBER.canon(NUMBER.show(canon)) == canon


def test_one_is_one() -> None:
    assert len({NUMBER.canon(value) for value in (1, 1.0, "1", "1.", "1.00", "01", "+1", "1e0")}) == 1


@pytest.mark.parametrize("value", [True, "", "x", None, float("nan"), float("inf"), "1e9999", "0x1", [1]])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(SpellingError):
        NUMBER.canon(value)


@given(st.text())
def test_a_plain_text_is_itself(text: str) -> None:
    kind = Text(no_linefeed=False)
    assert kind.canon(text) == text
    assert kind.form(text) == text
    assert kind.fault(text) is None


@given(st.text())
def test_a_description_is_the_same_with_newlines_behind(text: str) -> None:
    for kind in (DESCRIPTION, DESCRIPTION0):
        canon = kind.canon(text)
        assert kind.canon(text + "\n") == canon
        assert kind.canon(canon) == canon


def test_strip() -> None:
    assert Text(strip="trailing-newlines").canon(" a \n\n") == " a "
    assert Text(strip="all-trailing").canon(" a \n\n") == " a"
    assert Text().canon(" a \n") == " a \n"


def test_zero_is_empty() -> None:
    assert COMMENT0.canon("0") == COMMENT0.canon(0) == ""
    assert COMMENT0.canon("00") == "00"
    assert DESCRIPTION.canon("0") == "0"


def test_lengths_are_characters() -> None:
    kind = Text(min_length=2, max_length=3)
    assert kind.fault("ü𝄞é") is None
    assert kind.fault("ü") is not None
    assert kind.fault("ü𝄞éé") is not None


@pytest.mark.parametrize("text", ["a\nb", "a\n", "\r"])
def test_section_files_take_no_line_feed(text: str) -> None:
    assert Text().fault(text) is not None
    assert CheckedText(lambda _: None).fault(text) is not None
    assert Text(no_linefeed=False).fault(text) is None


def test_a_pattern_matches_the_whole_text_and_is_explained() -> None:
    kind = Text(pattern="[a-z]+", expected="letters")
    assert kind.fault("abc") is None
    assert kind.fault("abc1") == "must be letters"
    assert "[a-z]" in str(Text(pattern="[a-z]+").fault("1"))


def test_texts_from_numbers_but_not_from_flags() -> None:
    assert Text().canon(12) == "12"
    for value in (True, None, [], {}):
        with pytest.raises(SpellingError):
            Text().canon(value)


def test_fold() -> None:
    assert Text(fold=True).canon("AbC") == "abc"


def test_enum() -> None:
    kind = Enum(("started", "stopped"), {"enabled": "started"})
    assert kind.canon("enabled") == kind.canon("started") == "started"
    assert kind.fault("started") is None
    assert kind.fault("Started") is not None
    assert kind.fault(kind.canon("")) is not None
    assert kind.option == {"type": "str", "choices": ["started", "stopped", "enabled"]}


@pytest.mark.parametrize(
    ("kind", "type_"),
    [(Flag(), "bool"), (Integer(), "int"), (Number(), "float"), (Text(), "str"), (CheckedText(lambda _: None), "str")],
)
def test_option_types(kind: Kind, type_: str) -> None:
    assert kind.option["type"] == type_


def test_errors_do_not_quote_the_value() -> None:
    for kind in (Flag(), Integer(), Number()):
        with pytest.raises(SpellingError) as caught:
            kind.canon("s3cret")
        assert "s3cret" not in str(caught.value)
    assert "s3cret" not in str(Text(pattern="[a-z]").fault("s3cret"))
    assert "s3cret" not in str(Enum(("a",)).fault("s3cret"))
