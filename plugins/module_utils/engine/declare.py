# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options -> Declaration, checked against the table before anything is asked of a server. Pure."""

from __future__ import annotations

import difflib
import re
import typing as t
from dataclasses import replace

from ..errors import DeclarationError
from ..wire.kind import SpellingError
from .compare import has_key
from .family import Declaration, Family
from .key import NOTHING, Clear, Key

#: Option names that look like secrets and are none need ``no_log: false`` said aloud.
SECRET_NAME = re.compile(r"pass|secret|token|key", re.IGNORECASE)


def argument_spec(family: Family) -> dict[str, dict[str, t.Any]]:
    """The options of a family's module, but for the connection."""
    spec: dict[str, dict[str, t.Any]] = {
        name: {**_plain_option(kind.option), **({} if name in family.optional else {"required": True})}
        for name, kind in family.identity.items()
    }
    spec["state"] = {"type": "str", "choices": ["present", "absent"], "default": "present"}
    if any(_clearable(key) for key in family.keys.values()):
        spec["delete"] = {"type": "list", "elements": "str", "default": []}
        if not family.config:
            spec["exact"] = {"type": "bool", "default": family.exact}
    if any(key.secret and not key.create_only for key in family.keys.values()):
        spec["update_secret"] = {
            "type": "str",
            "choices": ["on_create", "always"],
            "default": "on_create",
            "no_log": False,
        }
    if family.retain:
        spec["confirm_destroy"] = {"type": "str"}
    if family.sink:
        spec["secret_sink"] = _sink_option()
        spec.update({} if family.recover else {"rotate": {"type": "bool", "default": False}})
    spec["diff_values"] = {"type": "bool", "default": False}
    spec.update(_key_options(family))
    spec.update({name: dict(option) for name, option in family.options.items()})
    return {name: _with_no_log(name, option) for name, option in spec.items()}


def _sink_option() -> dict[str, t.Any]:
    return {
        "type": "dict",
        "options": {"file": {"type": "path"}, "bao_path": {"type": "str"}},
        "mutually_exclusive": [["file", "bao_path"]],
        "required_one_of": [["file", "bao_path"]],
    }


def _key_options(family: Family) -> dict[str, dict[str, t.Any]]:
    if family.config:
        return {family.config: {"type": "dict", "default": {}}}
    return {
        key.option_name(name): {**_plain_option(key.kind.option), **({"no_log": True} if _is_secret(key) else {})}
        for name, key in family.keys.items()
        if not key.internal
    }


def _is_secret(key: Key) -> bool:
    return key.secret or key.hidden


def _plain_option(option: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in option.items()}


def _with_no_log(name: str, option: dict[str, t.Any]) -> dict[str, t.Any]:
    if "no_log" not in option and SECRET_NAME.search(name):
        return {**option, "no_log": False}
    return option


def _clearable(key: Key) -> bool:
    kept = key.create_only is True or key.required is True or key.secret
    return key.clear is not Clear.NEVER and not kept


def declaration_of(family: Family, params: t.Mapping[str, t.Any]) -> Declaration:
    """The checked declaration of a task's parameters. Raises DeclarationError naming the option."""
    declaration = Declaration(
        ident=_identity(family, params),
        state=str(params.get("state") or "present"),
        values=_values(family, params),
        delete=tuple(params.get("delete") or ()),
        exact=bool(params.get("exact")),
        rewrite_secrets=params.get("update_secret") == "always" or bool(params.get("rotate")),
        confirm_destroy=params.get("confirm_destroy"),
        extras=_extras(family, params),
    )
    if family.check and family.config:
        family.check(family, declaration)
    declaration = _normalised(family, declaration)
    for name, value in declaration.values.items():
        _check_value(family, name, value)
    _check_selector(family, declaration)
    if family.check and not family.config:
        family.check(family, declaration)
    return declaration


def _extras(family: Family, params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    names = (*family.options, "secret_sink") if family.sink else tuple(family.options)
    return {name: params[name] for name in names if params.get(name) is not None}


def _identity(family: Family, params: t.Mapping[str, t.Any]) -> dict[str, str]:
    ident: dict[str, str] = {}
    for name, kind in family.identity.items():
        value = params.get(name)
        if value is None and name in family.optional:
            continue
        if value is None or value == "":
            raise DeclarationError("is needed to name the object.", option=name)
        try:
            canon = kind.canon(value)
        except SpellingError as error:
            raise DeclarationError(f"{error}.", option=name) from None
        fault = kind.fault(canon)
        if fault:
            raise DeclarationError(f"{fault}.", option=name)
        ident[name] = str(kind.form(canon))
    return ident


def _values(family: Family, params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    if family.config:
        return {str(name): value for name, value in (params.get(family.config) or {}).items()}
    named = ((name, params.get(key.option_name(name))) for name, key in family.keys.items() if not key.internal)
    return {name: value for name, value in named if value is not None}


def _normalised(family: Family, declaration: Declaration) -> Declaration:
    """Unknown keys refused, ``delete`` in PVE's names, an empty value taken as a wish to clear."""
    for name in declaration.values:
        if name not in family.keys:
            raise DeclarationError(unknown_key(family, name), option=family.config or name)
    delete = tuple(dict.fromkeys(_key_named(family, name) for name in declaration.delete))
    for name in delete:
        if name in declaration.values:
            raise DeclarationError(
                "declared both as a value and under delete; keep one of the two.", option=family.option_of(name)
            )
        if not _clearable(family.keys[name]):
            raise DeclarationError(
                "PVE does not let this key be deleted; give it a value instead.", option=family.option_of(name)
            )
    return replace(declaration, delete=delete)


def unknown_key(family: Family, name: str) -> str:
    """Says that a key is not one of the family's, with the nearest that is."""
    return f"{name} is not a key that this module manages.{near(name, family.keys)}"


def near(name: str, names: t.Iterable[str]) -> str:
    """A hint at the nearest known name, or nothing."""
    found = difflib.get_close_matches(name, list(names), n=1)
    return f" Did you mean {found[0]}?" if found else ""


def _key_named(family: Family, name: str) -> str:
    for key_name, key in family.keys.items():
        if name in (key_name, key.option_name(key_name)) and not key.internal:
            return key_name
    raise DeclarationError(unknown_key(family, name), option="delete")


def _check_value(family: Family, name: str, value: object) -> None:
    key, option = family.keys[name], family.option_of(name)
    if value is None or (value in ("", [], {}, ()) and not _may_be_empty(family, key)):
        raise DeclarationError(
            f"an empty value is not sent to PVE; to clear the key, use delete: [{option}].", option=option
        )
    try:
        canon = key.kind.canon(value)
    except SpellingError as error:
        raise DeclarationError(f"{error}.", option=option) from None
    fault = key.kind.fault(canon)
    if fault and value not in ("", [], {}, ()):
        raise DeclarationError(f"{fault}.", option=option)


def _may_be_empty(family: Family, key: Key) -> bool:
    """Empty is a value of its own only where absence equals it."""
    return family.empty_clears and key.default is not NOTHING and key.default in ("", [], {}, ())


def _check_selector(family: Family, declaration: Declaration) -> None:
    wanted = declaration.values.get(family.selector) if family.selector else None
    if wanted is None:
        return
    for name in (*declaration.values, *declaration.delete):
        if not has_key(family.keys[name], str(wanted)):
            raise DeclarationError(f"is not a key of {family.selector} {wanted}.", option=family.option_of(name))
