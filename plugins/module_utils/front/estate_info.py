# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A running cluster as the declarations of an estate. It only reads."""

from __future__ import annotations

import typing as t

from ..api.connection import CONNECTION_OPTIONS
from ..engine import census, export
from ..engine.census import Census
from ..engine.declare import argument_spec, near
from ..engine.export import Ident
from ..engine.family import Family
from ..engine.index import Wishes
from ..errors import DeclarationError, HomeflareError
from .caller import Caller
from .estate import Sessions
from .registry import FAMILIES, family_named

ESTATE_INFO_OPTIONS: t.Final[dict[str, dict[str, t.Any]]] = {
    **CONNECTION_OPTIONS,
    "families": {"type": "list", "elements": "str"},
    "only": {"type": "dict", "default": {}},
    "generated": {"type": "bool", "default": False},
    "descriptions": {"type": "bool", "default": False},
    "defaults": {"type": "dict", "default": {}},
    "templates": {"type": "dict", "default": {}},
    "parallel": {"type": "int", "default": 8},
}


def run_estate_info(params: t.Mapping[str, t.Any], caller: Caller) -> dict[str, t.Any]:
    """The result of the task. Raises HomeflareError."""
    families = _families(params.get("families"))
    only = _only(params["only"])
    wishes = Wishes(
        generated=params["generated"],
        descriptions=params["descriptions"],
        defaults=_defaults(params["defaults"]),
        templates={str(name): str(volume) for name, volume in params["templates"].items()},
    )
    if params["parallel"] < 1:
        raise DeclarationError("must be at least 1.", option="parallel")
    sessions = Sessions(params, caller, read_only=True)
    try:
        for family in {family.product: family for family in families}.values():
            sessions.of(family)  # a wrong connection option is told before anything is read
        taken = census.take(
            families,
            sessions.of,
            parallel=params["parallel"],
            choose=lambda family, ident: _is_chosen(family, ident, only),
            wishes=wishes,
        )
    finally:
        caller.hide(sessions.secrets())
        sessions.close()
    lists = {gap.family: gap.why for gap in taken.unread if not gap.name}
    if families and all(family.name in lists for family in families):
        raise HomeflareError(f"None of the families could be listed, so nothing is known. {lists[families[0].name]}")
    if taken.unread:
        caller.warn(f"{len(taken.unread)} parts of the estate could not be told; they are listed under unread.")
    return _result(taken)


def _result(taken: Census) -> dict[str, t.Any]:
    return {
        "changed": False,
        "resources": taken.resources,
        "unseen": [{"family": gap.family, "why": gap.why} for gap in taken.unseen],
        "unread": [gap.told() for gap in taken.unread],
        "obstacles": [{"family": gap.family, "name": gap.name, "why": gap.why} for gap in taken.obstacles],
        # Not "skipped": Ansible takes that for a task that did not run.
        "unmanaged": taken.skipped,
    }


def _is_chosen(family: Family, ident: Ident, only: t.Mapping[str, t.Sequence[str]]) -> bool:
    return export.chosen(family, ident, only.get(family.name, ()))


# ---- options


def _family(name: object, option: str) -> Family:
    family = family_named(name, option)
    if not family.index:
        raise DeclarationError(f"{name} cannot be listed, so it cannot be exported.", option=option)
    return family


def _families(names: t.Sequence[str] | None) -> list[Family]:
    """All of Proxmox VE where none are named: another product is another server."""
    if names is None:
        return [family for family in FAMILIES.values() if family.index and family.product == "pve"]
    return [_family(name, "families") for name in dict.fromkeys(names)]


def _only(given: t.Mapping[str, t.Any]) -> dict[str, list[str]]:
    only: dict[str, list[str]] = {}
    for name, patterns in given.items():
        texts = [patterns] if isinstance(patterns, (str, int)) else patterns
        if not isinstance(texts, list) or not all(isinstance(text, (str, int)) for text in texts):
            raise DeclarationError("must be a pattern or a list of patterns.", option=f"only.{name}")
        only[_family(name, "only").name] = [str(text) for text in texts]
    return only


def _defaults(given: t.Mapping[str, t.Any]) -> dict[str, dict[str, t.Any]]:
    """Only options of the family's module: a mistyped one would come to light at the rebuild."""
    defaults: dict[str, dict[str, t.Any]] = {}
    for name, options in given.items():
        family = _family(name, "defaults")
        if not isinstance(options, dict):
            raise DeclarationError("must be a dict of options.", option=f"defaults.{name}")
        spec = argument_spec(family)
        known = spec.keys() - family.identity.keys()
        for option in options:
            if spec.get(option, {}).get("no_log"):
                raise DeclarationError(
                    f"{option} of {name} is a secret, and an export holds none; put a reference to a vault into the "
                    "declarations instead.",
                    option="defaults",
                )
            if option not in known:
                raise DeclarationError(f"{name} has no option {option}.{near(option, known)}", option="defaults")
        defaults[family.name] = dict(options)
    return defaults
