# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import SpellingError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.lists import SetOf
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import Pair, PropertyMap, Sub
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Enum, Flag, Integer, Number, Text
from hypothesis import given
from hypothesis import strategies as st

KIND = PropertyMap(
    {
        "volume": Sub(Text(), required=True),
        "name": Sub(Text(), required=True),
        "backup": Sub(Flag(), default=False),
        "count": Sub(Integer(1, 10), alias=("cnt",)),
        "mac": Sub(Text(), filled=True, carried=True),
        "modes": Sub(SetOf(Enum(("a", "b", "c")), separators=";", joiner=";")),
        "rate": Sub(Number()),
        "type": Sub(Enum(("veth",)), default="veth", filled=True),
    },
    default_key="volume",
)

PLAIN = st.text(alphabet="abcXYZ019:/._-=", min_size=1, max_size=8).map(lambda text: text.strip("="))
MAPS = st.fixed_dictionaries(
    {"volume": PLAIN.filter(bool), "name": PLAIN.filter(bool)},
    optional={
        "backup": st.booleans(),
        "count": st.integers(1, 10),
        "mac": PLAIN.filter(bool),
        "modes": st.lists(st.sampled_from("abc"), min_size=1),
        "rate": st.decimals(0, 100, places=2).map(str),
        "type": st.just("veth"),
    },
)


def spell(values: t.Mapping[str, t.Any]) -> list[str]:
    def text(value: t.Any) -> str:
        if isinstance(value, list):
            return ";".join(value)
        return str(int(value)) if isinstance(value, bool) else str(value)

    return [f"{key}={text(value)}" for key, value in values.items()]


@given(MAPS, st.randoms(), st.sampled_from([",", ", ", ",,"]))
def test_a_dict_and_every_order_of_a_text_are_the_same(values: dict[str, t.Any], random: t.Any, joiner: str) -> None:
    parts = spell(values)
    random.shuffle(parts)
    canon = KIND.canon(values)
    assert KIND.canon(joiner.join(parts)) == canon
    assert list(canon) == sorted(canon)
    assert KIND.fault(canon) is None


@given(MAPS)
def test_the_form_and_the_shown_dict_read_back_as_the_same(values: dict[str, t.Any]) -> None:
    canon = KIND.canon(values)
    if "=" not in canon["volume"]:
        assert KIND.canon(KIND.form(canon)) == canon
    assert KIND.canon(KIND.show(canon)) == canon
    assert KIND.same(canon, canon)


@given(MAPS, MAPS)
def test_what_is_carried_is_what_was_declared_and_the_live_mac(
    declared: dict[str, t.Any], live: dict[str, t.Any]
) -> None:
    want, have = KIND.canon(declared), KIND.canon(live)
    sent = KIND.carry(want, have)
    assert {**sent, **want} == sent
    assert sent.get("mac") == want.get("mac", have.get("mac"))
    assert set(sent) - set(want) <= {"mac"}
    assert KIND.same(want, sent)


def test_the_form_is_printed_as_pve_prints_it() -> None:
    canon = KIND.canon("rate=1.50,count=3,backup=yes,name=n,volume=v,type=veth,modes=c;a")
    assert KIND.form(canon) == "v,name=n,backup=1,count=3,modes=a;c,rate=1.5"


def test_values_may_hold_equal_signs() -> None:
    assert KIND.canon("name=a=b,v")["name"] == "a=b"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("v,name=", "no value"),
        ("v,=n", "no key"),
        ("v,name=a,name=b", "name is given twice"),
        ("v,w,name=a", "more than one part"),
        ("v,volume=w,name=a", "volume is given twice"),
        ("v,name=a,cnt=1,count=2", "count is given twice"),
        ("v,nmae=a", "did you mean name?"),
        ("v,zzz=a", "known are backup"),
        ("v,name=a,count=x", "count: expected a whole number"),
        ("v,name=a,backup=perhaps", "backup: expected a flag"),
        ({"volume": "v", "name": "a,b"}, "name: must not hold a comma"),
        ({"volume": "v", "name": None}, "name has no value"),
        ({"volume": "v", "name": ["a"]}, "name: expected a text"),
        (None, "property string or a dict"),
        (True, "property string or a dict"),
        (["v"], "property string or a dict"),
    ],
)
def test_what_is_no_spelling(text: object, says: str) -> None:
    with pytest.raises(SpellingError, match=says.replace("?", r"\?")):
        KIND.canon(text)


def test_a_bare_part_needs_a_default_key() -> None:
    with pytest.raises(SpellingError, match="no key"):
        PropertyMap({"a": Sub(Flag())}).canon("1")


def test_unknown_keys_are_not_quoted_when_they_may_be_anything() -> None:
    with pytest.raises(SpellingError) as caught:
        KIND.canon("v,hunter2 is my secret=1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("v", "name is missing"),
        ("name=n", "volume is missing"),
        ("v,name=n,count=11", "count must be at most 10"),
        ("v,name=n,modes=d", "modes element 1 must be one of"),
        ({"volume": "v", "name": ""}, "name must not be empty"),
        ({"volume": "v", "name": "n", "modes": []}, "modes must not be empty"),
    ],
)
def test_faults(value: object, says: str) -> None:
    assert says in str(KIND.fault(KIND.canon(value)))


def test_a_check_sees_the_whole_map() -> None:
    kind = PropertyMap({"a": Sub(Integer()), "b": Sub(Integer())}, check=lambda m: "a and b" if len(m) > 1 else None)
    assert kind.fault(kind.canon("a=1")) is None
    assert kind.fault(kind.canon("a=1,b=2")) == "a and b"


def test_defaults_are_dropped_and_filled_sub_keys_are_not_compared() -> None:
    declared, live = KIND.canon("v,name=n,backup=0"), KIND.canon("v,name=n,mac=m,type=veth")
    assert KIND.same(declared, live)
    assert not KIND.same(KIND.canon("v,name=n,mac=x"), live)
    assert not KIND.same(KIND.canon("v,name=n,mac=x"), declared)
    assert not KIND.same(declared, KIND.canon("v,name=n,count=1"))
    assert not KIND.same(KIND.canon("v,name=n,count=1"), declared)


def test_an_object_with_text_values() -> None:
    kind = PropertyMap({"keep-last": Sub(Integer(0)), "keep-all": Sub(Flag(), default=False)})
    assert kind.canon({"keep-last": "3"}) == kind.canon("keep-last=3") == kind.canon({"keep-last": 3, "keep-all": "0"})


def test_a_number_alone_is_the_default_key() -> None:
    assert PropertyMap({"n": Sub(Integer())}, default_key="n").canon(3) == {"n": 3}


def test_open_maps_keep_what_they_do_not_know() -> None:
    kind = PropertyMap({"a": Sub(Flag())}, open=True)
    canon = kind.canon({"a": "yes", "other": 5})
    assert canon == {"a": True, "other": "5"}
    assert kind.form(canon) == "a=1,other=5"
    assert kind.fault(canon) is None


def test_the_order_of_printing() -> None:
    subs = {"order": Sub(Integer()), "up": Sub(Integer()), "down": Sub(Integer())}
    kind = PropertyMap(subs, default_key="order", bare_default=False, print_first=("order", "up"), repeat=True)
    assert kind.form(kind.canon("down=1,3,up=2,order=4")) == "order=4,up=2,down=1"


def test_a_key_that_is_a_value() -> None:
    subs = {"model": Sub(Enum(("virtio", "e1000")), required=True), "macaddr": Sub(Text()), "tag": Sub(Integer())}
    kind = PropertyMap(subs, default_key="model", pair=Pair(("virtio", "e1000"), "model", "macaddr"))
    canon = kind.canon("virtio=00:00:5E:00:53:01,tag=3")
    assert canon == kind.canon("tag=3,model=virtio,macaddr=00:00:5E:00:53:01")
    assert kind.form(canon) == "virtio=00:00:5E:00:53:01,tag=3"
    assert kind.form(kind.canon("e1000,tag=3")) == "e1000,tag=3"
    with pytest.raises(SpellingError, match="model is given twice"):
        kind.canon("virtio=a,e1000=b")


def test_an_empty_text_is_the_empty_map() -> None:
    assert KIND.canon("") == {}
    assert KIND.form({}) == ""
