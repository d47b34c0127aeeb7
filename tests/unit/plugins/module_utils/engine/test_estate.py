# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many at once: survey, order, refusals, postponed deletes, failures in the middle."""

from __future__ import annotations

import dataclasses
import json
import threading
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine import estate, estate_report
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.estate import Resource
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import (
    Declaration,
    Drift,
    Family,
    Live,
    Refusal,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Text
from ansible_collections.homeflare.proxmox.tests.unit.sample_family import PLACE
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Ended

ROOM = dataclasses.replace(PLACE, name="room", noun="Room", needs=("place",))
GUEST = dataclasses.replace(PLACE, name="guest", noun="Guest", needs=("room", "somewhere else"))
WHOLE = {"type": "house", "server": "a.example"}


class Shelf:
    """Places as a server keeps them; calls in the order in which they came."""

    def __init__(self, places: dict[str, dict[str, t.Any]] | None = None, broken: dict[str, int] | None = None) -> None:
        self.places = {name: {**WHOLE, **place} for name, place in (places or {}).items()}
        self.broken = broken or {}
        self.calls: list[str] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    def get(self, path: str, query: t.Any = None, *, shared: bool = False, role: str = "read") -> t.Any:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self._answer("GET", path)
        finally:
            with self.lock:
                self.at_once -= 1

    def write(self, method: str, path: str, form: t.Mapping[str, t.Any], *, task: bool = False) -> t.Any:
        name = str(form.get("id") or path.rpartition("/")[2])
        self.calls.append(f"{method} {name}")
        if f"{method} {name}" in self.broken:
            raise ApiError(method=method, path=path, status=self.broken[f"{method} {name}"], message="broken")
        if method == "DELETE":
            del self.places[name]
        else:
            self.places.setdefault(name, {}).update({key: value for key, value in form.items() if key != "id"})
        return None

    def wait(self, upid: str, *, what: str = "") -> Ended:
        return Ended()

    def _answer(self, method: str, path: str) -> t.Any:
        name = path.rpartition("/")[2]
        if f"{method} {name}" in self.broken:
            raise ApiError(method=method, path=path, status=self.broken[f"{method} {name}"], message="broken")
        if name not in self.places:
            raise ApiError(method=method, path=path, status=500, message=f"no such place '{name}'")
        return dict(self.places[name])


def resource(name: str, family: Family = PLACE, *, state: str = "present", **values: t.Any) -> estate.Resource:
    given = {} if state == "absent" else {**WHOLE, **values}
    return estate.Resource(f"resources[{name}]", family, Declaration(ident={"id": name}, state=state, values=given))


def run(shelf: Shelf, *resources: estate.Resource) -> list[estate.Row]:
    rows = estate.survey(resources, lambda _family: shelf, 4)
    estate.postpone(rows)
    estate.carry_out(rows, lambda _family: shelf, lambda _item: (None, None), lambda _text: None)
    return rows


def statuses(rows: list[estate.Row]) -> list[str]:
    return [row.status for row in rows]


def test_what_is_as_declared_is_read_once_and_never_written() -> None:
    shelf = Shelf({"a": {}, "b": {}})
    rows = run(shelf, resource("a"), resource("b"))
    assert (statuses(rows), shelf.calls) == (["ok", "ok"], [])
    assert estate_report.verdict(rows) == "clean"


def test_reads_go_side_by_side_up_to_the_limit() -> None:
    gate = threading.Barrier(4, timeout=10)

    class Slow(Shelf):
        def _answer(self, method: str, path: str) -> t.Any:
            gate.wait()
            return super()._answer(method, path)

    shelf = Slow({str(number): {} for number in range(8)})
    resources = [resource(str(number)) for number in range(8)]
    estate.survey(resources, lambda _family: shelf, 4)
    assert shelf.most_at_once == 4


def test_a_defect_in_one_resource_leaves_the_others_told_and_what_was_written_as_well() -> None:
    class Odd(Shelf):
        def _answer(self, method: str, path: str) -> t.Any:
            if path.endswith("odd") or (path.endswith("late") and "POST late" in self.calls):
                raise KeyError("a secret")
            return super()._answer(method, path)

    rows = run(Odd({"a": {}}), resource("odd"), resource("a"), resource("late"), resource("next"))
    assert statuses(rows) == ["unknown", "ok", "failed", "not reached"]
    assert rows[2].written == ("create",)
    for row in (rows[0], rows[2]):
        assert row.msg.startswith("Internal error (KeyError at test_estate.py:")
        assert "secret" not in row.msg


def test_what_is_needed_is_written_first_and_deletes_go_the_other_way_round() -> None:
    shelf = Shelf({"old-place": {}, "old-guest": {}})
    run(
        shelf,
        resource("old-place", state="absent"),
        resource("new-guest", GUEST),
        resource("old-guest", GUEST, state="absent"),
        resource("new-room", ROOM),
        resource("new-place"),
    )
    assert shelf.calls == ["POST new-place", "POST new-room", "POST new-guest", "DELETE old-guest", "DELETE old-place"]


def test_a_name_below_another_is_written_after_it() -> None:
    nested = dataclasses.replace(PLACE, nested=True)
    rows = [estate.Row(resource(name, nested)) for name in ("a/b/c", "a", "a/b")]
    gone = [estate.Row(resource(name, nested, state="absent")) for name in ("x", "x/y")]
    assert [row.resource.declaration.ident["id"] for row in estate.in_order([*gone, *rows])] == [
        "a",
        "a/b",
        "a/b/c",
        "x/y",
        "x",
    ]


def test_families_that_need_each_other_are_a_defect_that_is_named() -> None:
    circle = dataclasses.replace(PLACE, needs=("room",))
    with pytest.raises(ValueError, match=r"(room|place) -> (room|place) -> (room|place)"):
        estate.in_order([estate.Row(resource("a", circle)), estate.Row(resource("b", ROOM))])


def test_c8_a_read_that_fails_is_unknown_and_the_others_still_converge() -> None:
    shelf = Shelf({"a": {"comment": "old"}}, broken={"GET b": 595})
    rows = run(shelf, resource("a", comment="new"), resource("b", state="absent"))
    assert statuses(rows) == ["changed", "unknown"]
    assert estate_report.verdict(rows) == "unknown"
    assert rows[1].read == "unreadable"


def test_a_failure_in_the_middle_stops_and_says_what_was_and_what_was_not_written() -> None:
    shelf = Shelf(broken={"POST b": 500})
    rows = run(shelf, resource("a"), resource("b"), resource("c"))
    assert statuses(rows) == ["changed", "failed", "not reached"]
    assert "broken" in rows[1].msg
    shelf.broken.clear()
    assert statuses(run(shelf, resource("a"), resource("b"), resource("c"))) == ["ok", "changed", "changed"]


def test_an_interrupt_marks_the_row_under_way_and_leaves_the_rest() -> None:
    class Interrupted(Shelf):
        def write(self, method: str, path: str, form: t.Mapping[str, t.Any], *, task: bool = False) -> t.Any:
            if form.get("id") == "b":
                raise KeyboardInterrupt
            return super().write(method, path, form, task=task)

    shelf = Interrupted()
    rows = estate.survey([resource("a"), resource("b"), resource("c")], lambda _family: shelf, 1)
    with pytest.raises(KeyboardInterrupt):
        estate.carry_out(rows, lambda _family: shelf, lambda _item: (None, None), lambda _text: None)
    assert statuses(rows) == ["changed", "failed", "not reached"]


def test_an_object_that_is_declared_twice_is_named_with_both_places() -> None:
    (said,) = estate.duplicates([resource("a"), resource("b"), resource("a")])
    assert said == "resources[a]: Place a is declared at resources[a] already."


def test_what_only_says_where_it_is_makes_no_other_object_and_some_names_have_no_case() -> None:
    kinds = {"id": PLACE.identity["id"], "town": Text()}
    family = dataclasses.replace(PLACE, identity=kinds, joiner=" in ", alone=("id",), caseless=("id",))
    first, second = (
        Resource(f"resources[{number}]", family, Declaration(ident=ident))
        for number, ident in enumerate([{"id": "a", "town": "x"}, {"id": "A", "town": "y"}])
    )
    (said,) = estate.duplicates([first, second])
    assert said == "resources[1]: Place A in y is declared at resources[0] already, as Place a in x."


def test_a_part_beside_its_whole_is_told_for_each_would_undo_the_other() -> None:
    kinds = {"id": PLACE.identity["id"], "room": Text()}
    family = dataclasses.replace(PLACE, identity=kinds, optional=("room",), whole=("id",))
    idents = [{"id": "a", "room": "x"}, {"id": "a"}, {"id": "b", "room": "x"}]
    resources = [
        Resource(f"resources[{number}]", family, Declaration(ident=ident)) for number, ident in enumerate(idents)
    ]
    (said,) = estate.duplicates(resources)
    assert said == "resources[0]: Place a x is a part of Place a, which resources[1] declares whole."


def _held(_family: Family, declaration: Declaration, live: Live, _drift: tuple[Drift, ...]) -> list[Refusal]:
    held = declaration.state == "absent" and live.values.get("note")
    return [Refusal(id="held", msg="something is still in it", until_gone=True)] if held else []


def test_a_delete_that_waits_for_another_delete_is_tried_after_it() -> None:
    box = dataclasses.replace(PLACE, refuse=_held)

    class Emptied(Shelf):
        def write(self, method: str, path: str, form: t.Mapping[str, t.Any], *, task: bool = False) -> t.Any:
            answer = super().write(method, path, form, task=task)
            if method == "DELETE" and path.endswith("inner"):
                self.places["box"].pop("note")
            return answer

    inner = resource("inner", state="absent")
    shelf = Emptied({"box": {"note": "holds inner"}, "inner": {}})
    assert statuses(run(shelf, resource("box", box, state="absent"), inner)) == ["changed", "changed"]
    assert shelf.calls == ["DELETE inner", "DELETE box"]
    stays = Shelf({"box": {"note": "holds more"}, "inner": {}})
    assert statuses(run(stays, resource("box", box, state="absent"), inner)) == ["failed", "changed"]
    alone = estate.survey([resource("box", box, state="absent")], lambda _family: Shelf({"box": {"note": "x"}}), 1)
    estate.postpone(alone)
    assert statuses(alone) == ["refused"]


def test_the_table_and_the_reports_name_keys_and_never_values() -> None:
    shelf = Shelf({"a": {"comment": "old secret"}}, broken={"GET b": 595})
    rows = estate.survey([resource("a", comment="new secret"), resource("b")], lambda _family: shelf, 1)
    told = estate_report.result(rows, changed=False)
    texts = [estate_report.table(rows), estate_report.markdown(told), json.dumps(told)]
    for text in texts:
        assert "comment" in text
        assert "secret" not in text
    assert "| planned | update | found | place | a | comment |" in texts[1]
    assert told["summary"] == {"planned": 1, "unknown": 1}


def test_keys_that_wait_for_a_restart_are_drift_unless_allowed() -> None:
    row = estate.Row(resource("a"), status=estate.OK, live=Live(present=True))
    row.judgement = dataclasses.replace(row.judgement, pending=("memory",))
    assert estate_report.verdict([row]) == "drift"
    assert estate_report.verdict([row], allow_pending=True) == "clean"
