# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A census: lists of every shape, reads side by side, and nothing that is dropped without a word."""

from __future__ import annotations

import dataclasses
import threading
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import census
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.census import Census
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Family
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.index import Index, Sight, Wishes
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, TransportError
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Text
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE

LIST = Index(path="places", columns={"id": "id"})
WHOLE = {"type": "house", "server": "a.example"}


class Server:
    """Answers by path; an exception is raised. Counts what is asked at a time."""

    def __init__(self, answers: t.Mapping[str, t.Any]) -> None:
        self.answers, self.asked = answers, list[str]()
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def get(self, path: str, query: t.Any = None, *, shared: bool = False, role: str = "read") -> t.Any:
        with self.lock:
            self.asked.append(path)
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            found = self.answers.get(f"{path}?{query['path']}" if query and "path" in query else path, [])
            if isinstance(found, Exception):
                raise found
            return found
        finally:
            with self.lock:
                self.now -= 1


def places(*names: str, index: Index = LIST, **more: t.Any) -> tuple[Family, dict[str, t.Any]]:
    family = dataclasses.replace(PLACE, index=(index,), **more)
    return family, {index.path: [{"id": name} for name in names], **{f"places/{name}": WHOLE for name in names}}


def take(family: Family, answers: t.Mapping[str, t.Any], *, parallel: int = 4, choose: t.Any = None) -> Census:
    server = Server(answers)
    return census.take(
        [family], lambda _family: server, parallel=parallel, choose=choose or (lambda *_: True), wishes=Wishes()
    )


def ids(found: Census) -> list[str]:
    return [options["id"] for entry in found.resources for options in entry.values()]


def refused(path: str, status: int = 403) -> ApiError:
    return ApiError(method="GET", path=path, status=status, message="Permission check failed")


def test_objects_are_told_in_order_whatever_the_order_of_the_list() -> None:
    found = take(*places("p10", "p9", "p1"))
    assert ids(found) == ["p1", "p9", "p10"]
    assert (found.unseen, found.unread, found.skipped) == ([], [], {})


def test_a_read_that_fails_is_named_and_the_others_are_told() -> None:
    family, answers = places("a", "b", "c")
    answers["places/b"] = refused("places/b")
    answers["places/c"] = TransportError("no answer", method="GET", path="places/c", sent=True)
    found = take(family, answers)
    assert ids(found) == ["a"]
    assert [(gap.name, gap.key) for gap in found.unread] == [("b", ""), ("c", "")]
    assert found.unread[0].told()["key"] is None


def test_an_object_that_goes_away_in_the_middle_is_named() -> None:
    family, answers = places("a")
    answers["places/a"] = ApiError(method="GET", path="places/a", status=500, message="no such place 'a'")
    (gap,) = take(family, answers).unread
    assert (gap.name, "gone" in gap.why) == ("a", True)


def test_a_key_that_cannot_be_told_is_named() -> None:
    family, answers = places("a")
    answers["places/a"] = {**WHOLE, "max-rooms": 99}
    found = take(family, answers)
    assert ids(found) == ["a"]
    assert [(gap.name, gap.key) for gap in found.unread] == [("a", "max_rooms")]


@pytest.mark.parametrize(("status", "kind"), [(403, "unseen"), (401, "unread"), (500, "unread"), (595, "unread")])
def test_a_list_that_fails_is_told(status: int, kind: str) -> None:
    family, answers = places("a")
    found = take(family, {**answers, "places": refused("places", status)})
    assert found.resources == []
    assert len(getattr(found, kind)) == len(found.unseen) + len(found.unread) == 1
    assert str(status) in getattr(found, kind)[0].why


@pytest.mark.parametrize("answer", [None, {}, "x", [1]])
def test_an_answer_that_is_no_list_is_no_empty_list(answer: object) -> None:
    family, answers = places("a")
    assert len(take(family, {**answers, "places": answer or {"not": "a list"}}).unread) == 1


def test_a_name_that_is_none_of_the_familys_is_told() -> None:
    family, answers = places("a", "B!")
    found = take(family, answers)
    assert ids(found) == ["a"]
    assert "lists a name" in found.unread[0].why


# ---- shapes of lists


def test_rows_that_are_not_meant_and_rows_that_cannot_be_managed() -> None:
    index = dataclasses.replace(LIST, where={"kind": "place|hut"}, skip={"special": "1", "id": "root.*"})
    family, answers = places("a", index=index)
    answers["places"] = [
        {"id": "a", "kind": "place"},
        {"id": "b", "kind": "ship"},
        {"id": "c", "kind": "hut", "special": True},
        {"id": "rooted", "kind": "place"},
        {"id": "d"},
    ]
    found = take(family, answers)
    assert ids(found) == ["a"]
    assert found.skipped == {"place": ["c", "rooted"]}


def test_objects_inside_the_rows_of_a_list() -> None:
    index = Index(path="owners", columns={"id": "name"}, inside="places")
    family, answers = places("a", "b")
    answers["owners"] = [{"owner": "kim", "places": [{"name": "b"}, {"name": "a"}]}, {"owner": "sam"}]
    assert ids(take(dataclasses.replace(family, index=(index,)), answers)) == ["a", "b"]


def test_lists_under_the_rows_of_another_list() -> None:
    """As a guest's firewall is under the guest, wherever it is; what fails of them is told alone."""
    outer = Index(
        path="towns", columns={"town": "name"}, where={"kind": "real"}, sight=Sight(path="/t", privileges=("See",))
    )
    index = Index(path="towns/{land}/{name}/places", columns={"id": "id"}, under=outer)
    family = dataclasses.replace(
        PLACE, identity={**PLACE.identity, "town": Text()}, optional=("town",), index=(LIST, index)
    )
    answers = {
        "places": [{"id": "a"}],
        "towns": [
            {"name": "x/y", "land": "l1", "kind": "real"},
            {"name": "n", "land": "l2", "kind": "real"},
            {"name": "z", "land": "l1", "kind": "toy"},
        ],
        "towns/l1/x%2Fy/places": [{"id": "a"}, {"id": "b"}],
        "towns/l2/n/places": refused("towns/l2/n/places", 595),
        "places/a": WHOLE,
        "places/b": WHOLE,
        "access/permissions?/t": {"/t": {"See": 1}},
    }
    found = take(family, answers)
    told = [(options["id"], options.get("town")) for entry in found.resources for options in entry.values()]
    assert told == [("a", None), ("a", "x/y"), ("b", "x/y")]
    assert [gap.why.split(" -> ")[0] for gap in found.unread] == ["GET towns/l2/n/places"]
    assert found.unseen == []
    assert len(take(family, {**answers, "towns": refused("towns")}).unseen) == 1


# ---- what a credential does not see


@pytest.mark.parametrize(
    ("held", "below", "sees"),
    [
        ({"/p": {"See": 1}}, True, True),
        ({"/p": {"Other": 1, "Look": 1}}, True, True),
        ({"/p": {"See": 0}}, True, False),
        ({"/p": {"See": 0}}, False, True),
        ({"/p": {}}, False, False),
        ({}, True, False),
        ([], True, False),
    ],
)
def test_a_list_that_leaves_out_what_is_not_seen_is_named(held: object, below: bool, sees: bool) -> None:
    sight = Sight(path="/p", privileges=("See", "Look"), below=below)
    family, answers = places("a", index=dataclasses.replace(LIST, sight=sight))
    found = take(family, {**answers, "access/permissions?/p": held})
    assert ids(found) == ["a"]
    assert [gap.family for gap in found.unseen] == ([] if sees else ["place"])
    if not sees:
        assert "See or Look on /p" in found.unseen[0].why


def test_a_failed_question_about_oneself_is_told() -> None:
    family, answers = places("a", index=dataclasses.replace(LIST, sight=Sight(path="/p", privileges=("See",))))
    assert len(take(family, {**answers, "access/permissions?/p": refused("access/permissions", 500)}).unread) == 1


def test_lists_that_pve_filters_without_a_word_have_a_sight() -> None:
    """API2/{AccessControl,Pool,Cluster,ReplicationConfig}.pm, API2/Storage/Config.pm: user => 'all', then a filter."""
    filtered = {"acl", "api_token", "firewall_alias", "group", "lxc", "pool", "replication_job", "storage", "user"}

    def has_sight(family: Family) -> bool:
        return any(index.sight or (index.under and index.under.sight) for index in family.index)

    assert {name for name, family in FAMILIES.items() if has_sight(family)} == filtered


# ---- how it is asked


def test_only_what_is_chosen_is_read() -> None:
    family, answers = places("a", "b", "c")
    server = Server(answers)
    found = census.take(
        [family],
        lambda _family: server,
        parallel=2,
        choose=lambda _family, ident: ident["id"] == "b",
        wishes=Wishes(),
    )
    assert ids(found) == ["b"]
    assert sorted(server.asked) == ["places", "places/b"]


def test_reads_are_side_by_side_within_bounds() -> None:
    family, answers = places(*(f"p{number}" for number in range(40)))
    barrier = threading.Barrier(3, timeout=10)

    class Meeting(Server):
        """Three readers have to meet in each of the first reads, or nobody goes on."""

        def get(self, path: str, query: t.Any = None, *, shared: bool = False, role: str = "read") -> t.Any:
            found = super().get(path, query)
            if path.startswith("places/") and path in ("places/p0", "places/p1", "places/p2"):
                barrier.wait()
            return found

    server = Meeting(answers)
    found = census.take([family], lambda _family: server, parallel=3, choose=lambda *_: True, wishes=Wishes())
    assert len(found.resources) == 40
    assert server.most <= 3


@pytest.mark.parametrize("inner", ["text", 7, {"id": "a"}, ["a", None]])
def test_a_row_that_holds_no_rows_inside_is_told_as_unread(inner: object) -> None:
    family, answers = places(index=Index(path="places", columns={"id": "id"}, inside="rooms"))
    found = take(family, {**answers, "places": [{"rooms": [{"id": "b"}]}, {"rooms": inner}], "places/b": WHOLE})
    (gap,) = found.unread
    assert gap.why == "GET places: the answer has a row with no usable rooms, so nothing is known."


def test_a_row_without_the_name_that_its_own_list_needs_is_told_as_unread() -> None:
    outer = Index(path="towns", columns={})
    family, answers = places(index=Index(path="towns/{town}/places", columns={"id": "id"}, under=outer))
    (gap,) = take(family, {**answers, "towns": [{"name": "x"}]}).unread
    assert gap.why == "GET towns: the answer has a row with no usable town, so nothing is known."
