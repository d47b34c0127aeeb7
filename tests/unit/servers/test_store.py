# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The generic store by rows made up for this test: what each field of a row does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.servers.sections.engine import DIGEST_CHANGED, handlers
from tests.servers.sections.table import Call, Section, Texts, TypeRow
from tests.servers.wire import Die

ITEM, LIST = "/things/{thing}", "/things"
PLAIN = Section(
    state="thing",
    identity=("thing",),
    item=ITEM,
    collection=LIST,
    texts=Texts(absent="no such thing '{thing}'", exists="thing '{thing}' already defined", post="create failed: "),
    delete="dies",
    digest_file="things.cfg",
)
TYPED = replace(
    PLAIN,
    types={
        "a": TypeRow(
            keys=frozenset({"note", "nodes"}), required=frozenset({"server"}), fixed=frozenset({"path", "server"})
        ),
        "b": TypeRow(keys=frozenset({"note"})),
    },
)


@dataclass
class World:
    """As much of the lab's state as the store looks at."""

    sections: tuple[Section, ...]
    store: dict[str, dict[Any, dict[str, Any]]] = field(default_factory=dict)


class Shop:
    def __init__(self, *sections: Section) -> None:
        self.world = World(sections)
        self._handlers = handlers(sections, ())

    def __call__(self, method: str, template: str, **values: Any) -> Any:
        call = Call(self.world, method, template, values, values, "root@pam")  # type: ignore[arg-type]
        return self._handlers[method, template](call)


def refused(shop: Shop, method: str, template: str, **values: Any) -> str:
    with pytest.raises(Die) as found:
        shop(method, template, **values)
    return found.value.message


def test_made_read_changed_listed_removed() -> None:
    shop = Shop(PLAIN)
    shop("POST", LIST, thing="t", note="x", empty="")
    read = shop("GET", ITEM, thing="t")
    assert len(read.pop("digest")) == 40
    assert read == {"note": "x"}
    shop("PUT", ITEM, thing="t", note="y", more=1)
    assert shop("GET", LIST) == [{"thing": "t", "note": "y", "more": 1}]
    shop("PUT", ITEM, thing="t", note="", delete="more")
    assert shop("GET", LIST) == [{"thing": "t"}]
    shop("DELETE", ITEM, thing="t")
    assert refused(shop, "GET", ITEM, thing="t") == "no such thing 't'"


def test_existing_and_absent_in_the_rows_words() -> None:
    shop = Shop(replace(PLAIN, texts=replace(PLAIN.texts, absent_put="update failed: gone", absent_delete="")))
    shop("POST", LIST, thing="t")
    assert refused(shop, "POST", LIST, thing="t") == "create failed: thing 't' already defined"
    assert refused(shop, "PUT", ITEM, thing="u") == "update failed: gone"
    assert shop("DELETE", ITEM, thing="u") is None


def test_absence_may_be_a_parameters_error_for_reads_only() -> None:
    shop = Shop(replace(PLAIN, absent_status=400, error_parameter="thing"))
    with pytest.raises(Die) as found:
        shop("GET", ITEM, thing="t")
    assert (found.value.status, found.value.errors) == (400, {"thing": "no such thing 't'"})
    with pytest.raises(Die) as found:
        shop("PUT", ITEM, thing="t")
    assert (found.value.status, found.value.errors) == (500, {})


def test_setting_and_deleting_one_key_differs_by_row() -> None:
    for policy, expected in (("delete", {}), ("set", {"note": "new"})):
        shop = Shop(replace(PLAIN, delete=policy))
        shop("POST", LIST, thing="t", note="old")
        shop("PUT", ITEM, thing="t", note="new", delete="note")
        assert shop("GET", LIST) == [{"thing": "t", **expected}]
    shop = Shop(PLAIN)
    shop("POST", LIST, thing="t", note="old")
    text = "cannot set and delete property 'note' at the same time!"
    assert refused(shop, "PUT", ITEM, thing="t", note="new", delete="note") == text
    assert shop("GET", LIST) == [{"thing": "t", "note": "old"}]


def test_a_row_without_delete_ignores_it_and_one_with_a_list_knows_its_keys() -> None:
    shop = Shop(replace(PLAIN, deletable=frozenset({"note"}), required=frozenset({"note"})))
    shop("POST", LIST, thing="t", note="old")
    assert refused(shop, "PUT", ITEM, thing="t", delete="nope") == "no such option 'nope'"
    assert refused(shop, "PUT", ITEM, thing="t", delete="note") == "unable to delete required option 'note'"


def test_types_say_what_is_required_fixed_and_unexpected() -> None:
    shop = Shop(TYPED)
    missing = "create failed: missing value for required option 'server'"
    assert refused(shop, "POST", LIST, thing="t", type="a") == missing
    assert refused(shop, "POST", LIST, thing="t", type="b", path="/x") == "create failed: unexpected property 'path'"
    shop("POST", LIST, thing="t", type="a", server="s", path="/x")
    assert refused(shop, "PUT", ITEM, thing="t", path="/x") == "can't change value of fixed parameter 'path'"
    assert refused(shop, "PUT", ITEM, thing="t", delete="path") == "unable to delete fixed option 'path'"
    assert refused(shop, "PUT", ITEM, thing="t", delete="server") == "unable to delete required option 'server'"
    assert refused(shop, "PUT", ITEM, thing="t", delete="x") == "no such option 'x'"
    shop("PUT", ITEM, thing="t", note="fine")


def test_the_digest_guards_the_whole_file() -> None:
    shop = Shop(PLAIN)
    shop("POST", LIST, thing="t")
    shop("POST", LIST, thing="u")
    seen = shop("GET", ITEM, thing="t")["digest"]
    shop("PUT", ITEM, thing="t", digest=seen, note="1")
    assert refused(shop, "PUT", ITEM, thing="u", digest=seen, note="1") == DIGEST_CHANGED
    assert shop("GET", ITEM, thing="u")["digest"] != seen


def test_secrets_are_kept_and_never_shown_and_defaults_are_shown_and_not_kept() -> None:
    shop = Shop(replace(PLAIN, secrets=frozenset({"password"}), shown_defaults={"port": 443}, digest_in_item=False))
    shop("POST", LIST, thing="t", password="pass")
    assert shop("GET", ITEM, thing="t") == {"port": 443}
    assert shop("GET", LIST) == [{"thing": "t", "port": 443}]
    assert shop.world.store["thing"]["t"] == {"password": "pass"}


def test_perl_truth_and_line_feeds_and_ignored_empty_texts() -> None:
    shop = Shop(replace(PLAIN, falsy_is_absent=True))
    shop("POST", LIST, thing="t", note="0", number=0)
    assert shop("GET", LIST) == [{"thing": "t", "number": 0}]
    shop = Shop(replace(PLAIN, line_feeds=False, empty="ignore"))
    shop("POST", LIST, thing="t", note="0")
    shop("PUT", ITEM, thing="t", note="")
    assert shop("GET", LIST) == [{"thing": "t", "note": "0"}]
    assert refused(shop, "PUT", ITEM, thing="t", note="a\nb") == "property contains a line feed"


def test_a_list_may_be_filtered_and_a_singleton_is_always_there() -> None:
    shop = Shop(replace(PLAIN, filters={"kind": "type"}))
    shop("POST", LIST, thing="t", type="a")
    shop("POST", LIST, thing="u", type="b")
    assert [row["thing"] for row in shop("GET", LIST, kind="b")] == ["u"]
    shop = Shop(replace(PLAIN, identity=(), singleton=True, collection="", digest_in_item=False))
    assert shop("GET", ITEM) == {}
    shop("PUT", ITEM, note="x")
    assert shop("GET", ITEM) == {"note": "x"}
