# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person is told of a value that a family does not take."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.registry import FAMILIES
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import PropertyMap
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import Text


def _kinds(kind: Kind, place: str) -> t.Iterator[tuple[str, Kind]]:
    """A kind and all that it is made of."""
    yield place, kind
    if isinstance(kind, PropertyMap):
        for name, sub in kind.subs.items():
            yield from _kinds(sub.kind, f"{place}.{name}")
    elif dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            inner = getattr(kind, field.name)
            if isinstance(inner, Kind):
                yield from _kinds(inner, place)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_what_a_text_must_be_is_told_in_words(name: str) -> None:
    """A pattern is for a machine; the message that it is not met has to say what is."""
    family = FAMILIES[name]
    tops = {**family.identity, **{key: row.kind for key, row in family.keys.items()}}
    found = [pair for place, kind in tops.items() for pair in _kinds(kind, place)]
    wordless = {place for place, kind in found if isinstance(kind, Text) and kind.pattern and not kind.expected}
    assert wordless == set()
