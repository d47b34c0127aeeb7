# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The generic store: what GET, POST, PUT and DELETE do with a section, all from its row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

from ..formats import split_list
from ..wire import Die
from .table import Call, Data, Endpoint, Key, Section

Handler = Callable[[Call], Any]
DIGEST_CHANGED = "detected modified configuration - file changed by other user? Try again."
LINE_FEED = "property contains a line feed"


def digest(call: Call, section: Section) -> str:
    """SHA-1 over all objects of the file: it guards the file and not the object."""
    states = [row.state for row in call.world.sections if row.digest_file == section.digest_file]
    file = [[state, sorted(((str(k), v) for k, v in call.objects(state).items()))] for state in sorted(states)]
    return hashlib.sha1(json.dumps(file, sort_keys=True, default=sorted).encode()).hexdigest()


def handlers(sections: Iterable[Section], endpoints: Iterable[Endpoint]) -> dict[tuple[str, str], Handler]:
    """The function for each method and path template."""
    table: dict[tuple[str, str], Handler] = {}
    for section in sections:
        if section.collection:
            table["GET", section.collection] = _bind(read_list, section)
        if section.item:
            table["GET", section.item] = _bind(read_item, section)
            table["PUT", section.item] = _bind(update, section)
        if section.item and not section.singleton:
            table["DELETE", section.item] = _bind(remove, section)
            table["POST", section.item if section.create_on_item else section.collection] = _bind(create, section)
    for endpoint in endpoints:
        table[endpoint.method, endpoint.template] = endpoint.answer
    return table


def _bind(function: Callable[[Section, Call], Any], section: Section) -> Handler:
    def handler(call: Call) -> Any:
        if section.settle:
            section.settle(call)
        return function(section, call)

    return handler


def _fill(text: str, call: Call, **more: str) -> str:
    names = {name: str(value) for name, value in call.values.items() if value is not None}
    return text.format_map({**names, **more})


def _absent(section: Section, call: Call, text: str) -> Die:
    message = _fill(text, call)
    if section.absent_status == 400 and call.method == "GET":
        return Die("Parameter verification failed.", 400, {section.error_parameter: message})
    return Die(message, section.absent_status if call.method == "GET" else 500)


def _public(section: Section, call: Call, data: Data) -> Data:
    shown = {**section.shown_defaults, **data}
    return {name: value for name, value in shown.items() if name not in section.secrets}


def _identity(section: Section, key: Key) -> Data:
    if section.singleton:
        return {}
    return dict(zip(section.identity, key if isinstance(key, tuple) else (key,)))


def read_item(section: Section, call: Call) -> Any:
    key = section.key_of(call.values)
    data = call.objects(section.state).get(key, {} if section.singleton else None)
    if data is None:
        raise _absent(section, call, section.texts.absent)
    shown = section.show(call, key, data) if section.show else _public(section, call, data)
    if section.digest_file and section.digest_in_item:
        shown["digest"] = digest(call, section)
    return shown


def read_list(section: Section, call: Call) -> Any:
    rows = []
    objects = list(call.objects(section.state).items())
    for key, data in objects if section.in_file_order else sorted(objects, key=lambda pair: str(pair[0])):
        wanted = ((call.values.get(parameter), name) for parameter, name in section.filters.items())
        if any(value is not None and data.get(name) != value for value, name in wanted):
            continue
        row = (
            section.row(call, key, data) if section.row else {**_identity(section, key), **_public(section, call, data)}
        )
        if row is not None:
            rows.append({**row, "digest": digest(call, section)} if section.digest_in_list else row)
    return rows


def _type_checks(section: Section, kind: str, data: Data, creating: bool) -> None:
    """SectionConfig.pm check_config."""
    row = section.types.get(kind)
    if row is None:
        return
    for name in sorted(data):
        if name not in row.keys | row.required | row.fixed and name != "type":
            raise Die(f"unexpected property '{name}'")
        if not creating and name in row.fixed:
            raise Die(f"can't change value of fixed parameter '{name}'")
    if creating:
        for name in sorted(row.required - set(data)):
            raise Die(f"missing value for required option '{name}'")


def _incoming(section: Section, call: Call) -> Data:
    """The keys of the object that the request sets."""
    skip = {"delete", "digest", *section.identity, *section.steering}
    data = {name: value for name, value in call.values.items() if name not in skip}
    if not section.line_feeds and any("\n" in str(value) for value in data.values() if value is not None):
        raise Die(LINE_FEED)
    return data


def _store(section: Section, into: Data, incoming: Data) -> None:
    for name, sent in incoming.items():
        # A section file's lines are read without the white space around a value.
        value = sent.strip() if isinstance(sent, str) and not section.line_feeds else sent
        if value == "" and section.empty == "ignore":
            continue
        if value == "" or (value == "0" and section.falsy_is_absent):
            into.pop(name, None)
        elif value is not None:
            into[name] = value
    for name in section.kept_if_true & set(into):
        if into[name] in (0, "0"):
            del into[name]


def _created(section: Section, call: Call) -> Data:
    """The keys of a new object, checked."""
    incoming = {name: value for name, value in _incoming(section, call).items() if value is not None}
    _type_checks(section, str(incoming.get("type", "")), incoming, creating=True)
    return incoming


def create(section: Section, call: Call) -> Any:
    key, objects = section.key_of(call.values), call.objects(section.state)
    prefix = section.texts.post
    if section.early_checks:
        _created(section, call)
    if key in objects:
        raise _exists(section, call)
    try:
        incoming = _created(section, call)
        data: Data = dict(section.stored_defaults)
        _store(section, data, incoming)
        if section.before_create:
            section.before_create(call, key, data)
    except Die as problem:
        raise _prefixed(problem, prefix) from None
    objects[key] = data
    return section.created(call, key, data) if section.created else None


def _exists(section: Section, call: Call) -> Die:
    message = _fill(section.texts.exists, call)
    if section.exists_status == 400 and section.error_parameter:
        return Die("Parameter verification failed.", 400, {section.error_parameter: message})
    return Die(section.texts.post + message, section.exists_status)


def _prefixed(problem: Die, prefix: str) -> Die:
    if problem.status != 500 or problem.message.startswith(prefix):
        return problem
    return Die(prefix + problem.message, problem.status, problem.errors)


def update(section: Section, call: Call) -> Any:
    key, objects = section.key_of(call.values), call.objects(section.state)
    if section.singleton:
        objects.setdefault(key, {})
    if key not in objects:
        text = section.texts.absent_put
        raise _absent(section, call, section.texts.absent if text is None else text)
    try:
        data = _updated(section, call, key, objects[key])
    except Die as problem:
        raise _prefixed(problem, section.texts.put) from None
    objects[key] = data
    return section.updated(call, key, data) if section.updated else None


def _updated(section: Section, call: Call, key: Key, old: Data) -> Data:
    sent = call.values.get("digest")
    if section.digest_file and sent and sent != digest(call, section):
        raise Die(DIGEST_CHANGED)
    incoming = _incoming(section, call)
    if section.no_options and not incoming and not call.values.get("delete"):
        raise Die(section.no_options)
    for name in sorted(set(incoming) & section.fixed):
        raise Die(section.texts.fixed.format(option=name))
    _type_checks(section, str(old.get("type", "")), incoming, creating=False)
    data, deleted = dict(old), _deletions(section, call, old, incoming)
    if section.delete == "delete":
        incoming = {name: value for name, value in incoming.items() if name not in deleted}
    for name in deleted:
        data.pop(name, None)
    _store(section, data, incoming)
    if section.before_update:
        section.before_update(call, key, old, data)
    return data


def _deletions(section: Section, call: Call, old: Data, incoming: Data) -> list[str]:
    """The keys to delete, after the refusals that the row names."""
    if not section.delete:
        return []
    names = split_list(str(call.values.get("delete") or ""))
    if section.delete_unchecked:
        return names
    row = section.types.get(str(old.get("type", "")))
    known = section.deletable if row is None else row.keys | row.required | row.fixed
    for name in names:
        if known is not None and name not in known:
            raise Die(section.texts.unknown_delete.format(option=name))
        if name in section.required or (row is not None and name in row.required):
            raise Die(section.texts.required_delete.format(option=name))
        if row is not None and name in row.fixed:
            raise Die(f"unable to delete fixed option '{name}'")
        if section.delete == "dies" and name in incoming:
            raise Die(section.texts.conflict.format(option=name))
    return names


def remove(section: Section, call: Call) -> Any:
    key, objects = section.key_of(call.values), call.objects(section.state)
    if key not in objects:
        text = section.texts.absent_delete
        text = section.texts.absent if text is None else text
        if not text or (section.forgiving_delete and call.values.get(section.forgiving_delete)):
            return None
        raise _absent(section, call, text)
    try:
        stays = section.before_delete(call, key, objects[key]) if section.before_delete else None
    except Die as problem:
        raise _prefixed(problem, section.texts.delete) from None
    if not stays:
        objects.pop(key, None)
    return None
