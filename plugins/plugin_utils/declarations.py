# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declarations out of several files as one list, in which no object is declared twice; and back into a file. Pure."""

from __future__ import annotations

import typing as t

import yaml

from ..module_utils.engine.family import Family
from ..module_utils.errors import DeclarationError
from ..module_utils.front.registry import FAMILIES, family_named
from ..module_utils.wire.kind import SpellingError

Entry = dict[str, t.Any]


class DeclarationsError(ValueError):
    """What is wrong with the files, all of it, naming each."""


def merged(files: t.Sequence[tuple[str, t.Any]]) -> list[Entry]:
    """The resources of all files (name, content), in the order of the files."""
    entries: list[tuple[str, Entry]] = []
    wrong: list[str] = []
    for name, content in files:
        try:
            entries += [(name, entry) for entry in _entries(name, content)]
        except DeclarationsError as error:
            wrong.append(str(error))
    wrong += _twice(entries)
    if wrong:
        raise DeclarationsError(" ".join(wrong))
    return [entry for _name, entry in entries]


def _entries(name: str, content: t.Any) -> list[Entry]:
    """``resources:`` is a list of one-key dicts; any other key is a family, with a list of its objects."""
    if content is None:
        return []
    if not isinstance(content, t.Mapping):
        raise DeclarationsError(f"{name}: must be a mapping of resources, or of families.")
    entries: list[Entry] = []
    for key, value in content.items():
        listed = _list(name, str(key), value)
        if key == "resources":
            entries += [_resource(name, item) for item in listed]
        else:
            family = _family(name, str(key))
            entries += [{family.name: _options(name, family.name, item)} for item in listed]
    return entries


def _list(name: str, key: str, value: t.Any) -> list[t.Any]:
    if value is None:
        return []
    if isinstance(value, (str, t.Mapping)) or not isinstance(value, t.Sequence):
        raise DeclarationsError(f"{name}: {key} must be a list.")
    return list(value)


def _resource(name: str, item: t.Any) -> Entry:
    if not isinstance(item, t.Mapping) or len(item) != 1:
        raise DeclarationsError(f"{name}: each of resources must be one key, the family, with its options below it.")
    ((key, options),) = item.items()
    family = _family(name, str(key))
    return {family.name: _options(name, family.name, options)}


def _options(name: str, family: str, options: t.Any) -> dict[str, t.Any]:
    if not isinstance(options, t.Mapping):
        raise DeclarationsError(f"{name}: each {family} must be a dictionary of its options.")
    return dict(options)


def _family(name: str, key: str) -> Family:
    try:
        return family_named(key, name, besides=["resources"])
    except DeclarationError as error:
        raise DeclarationsError(str(error)) from None


def _twice(entries: t.Sequence[tuple[str, Entry]]) -> list[str]:
    """An object counts as the same in every spelling of its name."""
    seen: dict[tuple[str, ...], str] = {}
    said: list[str] = []
    for name, entry in entries:
        ((key, options),) = entry.items()
        family = FAMILIES[key]
        ident = _ident(family, options)
        if not ident:
            continue
        same = (key, *family.same(ident))
        first = seen.get(same)
        if first is not None:
            where = f"twice in {name}" if first == name else f"in {first} and in {name}"
            said.append(f"{family.title(ident)} is declared {where}.")
        seen.setdefault(same, name)
    return [*said, *_parts(entries, seen)]


def _parts(entries: t.Sequence[tuple[str, Entry]], seen: t.Mapping[tuple[str, ...], str]) -> t.Iterator[str]:
    """Objects that stand in one declaration as a part of a whole, and in another on their own."""
    for name, entry in entries:
        ((key, options),) = entry.items()
        family = FAMILIES[key]
        ident = _ident(family, options)
        whole = family.whole_of(ident) if ident else None
        over = seen.get((key, *family.same(whole))) if whole else None
        if whole and over is not None:
            yield f"{family.title(ident)} is declared in {name}, and {family.title(whole)} as a whole in {over}."


def _ident(family: Family, options: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Empty where the name itself is wrong: the module says it better."""
    ident: dict[str, str] = {}
    for option, kind in family.identity.items():
        if options.get(option) is None:
            continue
        try:
            ident[option] = str(kind.form(kind.canon(options[option])))
        except SpellingError:
            return {}
    return ident


# ---- back into a file


class _Dumper(yaml.SafeDumper):
    """Plain values, no anchors, lists set in below their key, and texts that are no templates."""

    def ignore_aliases(self, data: t.Any) -> bool:  # noqa: ARG002
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if any(mark in text for mark in ("{{", "{%", "{#")):
        return dumper.represent_scalar("!unsafe", text, style='"')
    if not text.isprintable():  # other styles fold some of what breaks lines
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return dumper.represent_str(text)


_Dumper.add_representer(str, _text)


def written(resources: t.Any) -> str:
    """The text of a file that holds these declarations and nothing else."""
    entries = _entries("to_declarations", {"resources": _builtin(resources)})
    body = yaml.dump({"resources": entries}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"---\n{body}"


def _builtin(value: t.Any) -> t.Any:
    """Plain Python: what comes out of a play is tagged or marked by its origin."""
    if isinstance(value, t.Mapping):
        return {str(key): _builtin(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_builtin(part) for part in value]
    if isinstance(value, str):
        return "".join(value)
    if isinstance(value, bool) or value is None:
        return value
    return int(value) if isinstance(value, int) else float(value) if isinstance(value, float) else str(value)
