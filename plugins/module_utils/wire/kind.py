# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of value is: how it is read, compared, checked and sent."""

from __future__ import annotations

import typing as t

Canon = t.Any
"""A canonical form: built of str, int, float, bool, None, tuple and dict; compared with ``==``; JSON-able."""

Form = t.Union[str, tuple[str, ...]]
"""What goes into a request: one text, or a tuple for a key that is repeated (``type: array``)."""


class SpellingError(ValueError):
    """The value is no spelling of its kind. The text says what was expected and never quotes the value."""


class Kind:
    """One kind of value. Subclasses are frozen and hold no state.

    ``canon`` takes every spelling that a declaration (YAML: str, int, float, bool, list, dict) or an answer of the
    API (JSON) may use, and gives one canonical form for all spellings that PVE treats as the same.
    """

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        """Ansible argument spec of an option of this kind."""
        return {"type": "raw"}

    def canon(self, value: object) -> Canon:
        """The canonical form. Raises SpellingError."""
        raise NotImplementedError

    def fault(self, canon: Canon) -> str | None:  # noqa: ARG002
        """Why PVE would refuse this value (bounds, enum, pattern), or None. Asked of declared values only."""
        return None

    def form(self, canon: Canon) -> Form:
        """The spelling that is sent."""
        raise NotImplementedError

    def same(self, declared: Canon, live: Canon) -> bool:
        """Whether live already is what is declared."""
        return bool(declared == live)

    def carry(self, declared: Canon, live: Canon) -> Canon:  # noqa: ARG002
        """What to send over a live value: ``declared`` plus what PVE would otherwise generate anew."""
        return declared

    def show(self, canon: Canon) -> t.Any:
        """The form for a person: JSON-able, as one would write it in YAML."""
        return canon
