# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""PVE's API schema: which endpoint a path is, and what its parameters must look like.

The schema is data that the installed fakepve package carries; it is read when the tests run and no code of that
package is imported. The checks are written after pve-common JSONSchema.pm (check_prop, check_object) and
RESTHandler.pm (normalize_legacy_param_formats), with PVE's own texts, which clients show to people.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import formats, formats_config
from .wire import Value, Values

Schema = Mapping[str, Any]
UNKNOWN = "property is not defined in schema and the schema does not allow additional properties"
MISSING = "property is missing and it is not optional"

# How many `net[n]` and the like there are (pve-container LXC/Config.pm, qemu-server).
INDEXED = {"net": 32, "mp": 256, "unused": 256, "dev": 256, "ide": 4, "sata": 6, "scsi": 31, "virtio": 16}
INDEXED_DEFAULT = 32
# Marks the end of a template in the tree; no segment holds a slash.
END = "/"


@dataclass(frozen=True)
class Route:
    template: str
    parameters: Mapping[str, str]
    methods: Mapping[str, Schema]


class ApiSchema:
    def __init__(self, paths: Mapping[str, Mapping[str, Schema]]) -> None:
        self.paths = paths
        self._root: dict[str, Any] = {}
        for template in paths:
            node = self._root
            for segment in template.strip("/").split("/"):
                node = node.setdefault("{}" if segment.startswith("{") else segment, {})
            node[END] = template

    def match(self, segments: list[str]) -> Route | None:
        """The endpoint of a path given as decoded segments; a literal segment goes before a variable one."""
        template = self._walk(self._root, segments, 0)
        if template is None:
            return None
        names = template.strip("/").split("/")
        found = {name[1:-1]: segment for name, segment in zip(names, segments) if name.startswith("{")}
        return Route(template, found, self.paths[template])

    def _walk(self, node: Mapping[str, Any], segments: list[str], at: int) -> str | None:
        if at == len(segments):
            template = node.get(END)
            return template if isinstance(template, str) else None
        for step in (segments[at], "{}"):
            child = node.get(step)
            if isinstance(child, dict) and segments[at]:
                found = self._walk(child, segments, at + 1)
                if found:
                    return found
        return None


@functools.lru_cache(maxsize=1)
def load() -> ApiSchema:
    spec = importlib.util.find_spec("fakepve")  # looks the package up without importing it
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the test servers need the package fakepve: pip install fakepve")
    data = Path(next(iter(spec.submodule_search_locations))) / "data" / "pve-api.json.gz"
    return ApiSchema(json.loads(gzip.decompress(data.read_bytes()))["paths"])


def _rule(properties: Mapping[str, Schema], name: str) -> Schema | None:
    rule = properties.get(name)
    if rule is not None or not name[-1:].isdigit():
        return rule
    stem = name.rstrip("0123456789")
    number = name[len(stem) :]
    if number != "0" and number.startswith("0"):
        return None
    if int(number) >= INDEXED.get(stem, INDEXED_DEFAULT):
        return None
    return properties.get(stem + "[n]")


def validate(method: Schema, values: Values) -> tuple[Values, dict[str, str]]:
    """The values as the handler gets them (numbers are numbers), and PVE's text for each that is refused."""
    parameters, places = _flat(method.get("parameters") or {}, values)
    properties: Mapping[str, Schema] = parameters.get("properties") or {}
    errors: dict[str, str] = {}
    clean: Values = {}
    for name, value in values.items():
        rule = _rule(properties, name)
        if rule is None:
            if not parameters.get("additionalProperties", 0):
                errors[name] = UNKNOWN
            continue
        clean[name] = check(rule, _legacy_lists(rule, value), places.get(name, name), errors)
        needed = rule.get("requires")
        if needed and value is not None and values.get(needed) is None:
            errors[needed] = f"missing property required by '{name}'"
    for name, rule in properties.items():
        if not rule.get("optional") and not name.endswith("[n]") and values.get(name) is None:
            errors.setdefault(places.get(name, name), MISSING)
    return clean, errors


def declared(method: Schema, values: Values) -> Mapping[str, Schema]:
    """The parameters that a method takes with these values."""
    found: Mapping[str, Schema] = _flat(method.get("parameters") or {}, values)[0].get("properties") or {}
    return found


def _flat(parameters: Schema, values: Values) -> tuple[Schema, dict[str, str]]:
    """Parameters without `allOf` and `oneOf` (the type that the request names), and how errors name those of a type."""
    if "allOf" not in parameters:
        return parameters, {}
    properties: dict[str, Schema] = {}
    places: dict[str, str] = {}
    for part in parameters["allOf"]:
        properties.update(part.get("properties") or {})
        if "oneOf" not in part:
            continue
        selector = part["type-property"]
        properties[selector] = part["type-property-schema"]
        for kind in part["oneOf"]:
            if kind["instance-type"] == values.get(selector):
                properties.update(kind["properties"])
                places.update({name: f"oneOf[{kind['instance-type']}].{name}" for name in kind["properties"]})
    return {"properties": properties, "additionalProperties": 0}, places


def _legacy_lists(rule: Schema, value: Value) -> Value:
    """Repeated keys are a list for `type: array` and are joined for a `-list` format; a scalar becomes a list."""
    if value is None:
        return None
    if rule.get("type") == "array":
        return value if isinstance(value, list) else [value]
    listed = isinstance(rule.get("format"), str) and rule["format"].endswith("-list")
    return ",".join(str(item) for item in value) if listed and isinstance(value, list) else value


def _wrong_type(kind: str, value: Value) -> str:
    shown = "ARRAY" if isinstance(value, list) else "HASH" if isinstance(value, dict) else value
    return f"type check ('{kind}') failed - got '{shown}'"


def check(rule: Schema, value: Value, path: str, errors: dict[str, str]) -> Value:
    """One value against its rule. An undefined value passes: PVE takes it for one that was not given."""
    if value is None:
        return None
    kind = rule.get("type", "string")
    if kind == "array":
        return _check_array(rule, value, path, errors)
    if kind == "object":
        return value
    if isinstance(value, (list, dict)):
        errors[path] = _wrong_type(kind, value)
        return value
    text = str(value)
    typed = _typed(kind, text)
    problem = _wrong_type(kind, value) if typed is None else _problem(rule, text, typed, path)
    if problem:
        errors[path] = problem
    return text if typed is None else typed


def _check_array(rule: Schema, value: Value, path: str, errors: dict[str, str]) -> Value:
    items = [check(rule.get("items") or {}, item, f"{path}[{n}]", errors) for n, item in enumerate(value)]
    if len(items) < int(rule.get("minItems", 0)):
        errors[path] = f"array must have at least {rule['minItems']} items"
    return items


def _typed(kind: str, text: str) -> Value:
    """The value in its type, or None if it is not of it. Only 0 and 1 are booleans (JSONSchema.pm check_type)."""
    if kind == "integer":
        return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None
    if kind == "number":
        # A number stays as it was written: PVE stores and shows `0.50`.
        return text if re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text) else None
    if kind == "boolean":
        return int(text) if text in ("0", "1") else None
    return text


def _problem(rule: Schema, text: str, typed: Value, path: str) -> str | None:
    """What is wrong, in PVE's order: format, pattern, length, range, enumeration."""
    fmt = rule.get("format")
    if fmt:
        why = _format(fmt, text, path)
        if why:
            return f"invalid format - {why}\n"
    if rule.get("type", "string") == "string":
        if "pattern" in rule and not _pattern(rule["pattern"]).fullmatch(text.removesuffix("\n")):
            return "value does not match the regex pattern"
        if len(text) > int(rule.get("maxLength", len(text))):
            return f"value may only be {rule['maxLength']} characters long"
        if len(text) < int(rule.get("minLength", 0)):
            return f"value must be at least {rule['minLength']} characters long"
    if rule.get("type") in ("integer", "number"):
        if "maximum" in rule and float(typed) > float(rule["maximum"]):
            return f"value must have a maximum value of {rule['maximum']}"
        if "minimum" in rule and float(typed) < float(rule["minimum"]):
            return f"value must have a minimum value of {rule['minimum']}"
    if "enum" in rule and text not in [str(item) for item in rule["enum"]]:
        return f"value '{text}' does not have a value in the enumeration '{', '.join(map(str, rule['enum']))}'"
    return None


def _format(fmt: Any, text: str, path: str) -> str | None:
    """What a format says: a property string, spelled out or named, or a plain one."""
    if isinstance(fmt, dict):
        return property_string(fmt, text, path)
    named = formats_config.PROPERTY_STRINGS.get(fmt)
    if named is None:
        return formats.check(fmt, text)
    return property_string(named, text, path) or formats_config.validate(fmt, parse_property_string(named, text))


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\(\?\^([a-z]*):", lambda m: f"(?{m[1]}:" if m[1] else "(?:", pattern), re.DOTALL)


TRUE = re.compile(r"(1|on|yes|true)", re.IGNORECASE)
FALSE = re.compile(r"(0|off|no|false)", re.IGNORECASE)


def parse_named(name: str, text: str) -> dict[str, str]:
    """A property string of a format that has a name (formats_config.py)."""
    return parse_property_string(formats_config.PROPERTY_STRINGS[name], text)


def parse_property_string(fmt: Mapping[str, Schema], text: str) -> dict[str, str]:
    """A property string's parts, booleans as 0 and 1; it must be a good one."""
    default_key = next((name for name, rule in fmt.items() if rule.get("default_key")), "")
    found: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        name, value = (name, value) if equals else (default_key, part)
        found[name] = _flag(value) if fmt[name].get("type") == "boolean" else value
    return found


def _flag(text: str) -> str:
    return "1" if TRUE.fullmatch(text) else "0" if FALSE.fullmatch(text) else text


def property_string(fmt: Mapping[str, Schema], text: str, path: str = "") -> str | None:
    """What is wrong with a property string (JSONSchema.pm parse_property_string), or None."""
    default_key = next((name for name, rule in fmt.items() if rule.get("default_key")), None)
    found: dict[str, str] = {}
    for part in text.split(","):
        if not part:
            continue
        name, equals, value = part.partition("=")
        if not equals:
            name, value = default_key or "", part
            if not name:
                return "value without key, but schema does not define a default key"
        if not name or (equals and not value):
            return "missing key in comma-separated list property"
        alias = (fmt.get(name) or {}).get("alias")
        name = str(alias) if alias else name
        if name in found:
            return f"duplicate key in comma-separated list property: {name}"
        found[name] = value
    return _property_values(fmt, found, path + "." if path else "")


def _property_values(fmt: Mapping[str, Schema], found: Mapping[str, str], prefix: str) -> str | None:
    errors: dict[str, str] = {}
    for name, value in found.items():
        rule = fmt.get(name)
        if rule is None:
            errors[name] = UNKNOWN
            continue
        if rule.get("type") == "boolean":
            value = _flag(value)
        check(rule, value, name, errors)
    for name, rule in fmt.items():
        if not rule.get("optional") and not rule.get("alias") and name not in found:
            errors[name] = MISSING
    if not errors:
        return None
    return "format error\n" + "".join(
        f"{prefix}{name}: {why.rstrip()}\n" for name, why in sorted(errors.items())
    ).rstrip("\n")
