# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session that answers by script and fails on every call that was not expected."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, ReadOnlyError


@dataclass(frozen=True)
class Ended:
    """What waiting for a task gives."""

    warnings: bool = False
    log: tuple[str, ...] = ()


def error(status: int, message: str = "", errors: t.Mapping[str, str] | None = None) -> ApiError:
    """An error answer; method and path are filled in when it is raised."""
    return ApiError(method="?", path="?", status=status, message=message, errors=errors)


@dataclass
class Script:
    """``expect`` is what must be called, in order: (method, path, form or query or None, answer)."""

    expect: list[tuple[str, str, t.Any, t.Any]]
    read_only: bool = False
    ended: Ended = field(default_factory=Ended)
    calls: list[tuple[str, str]] = field(default_factory=list)

    def get(
        self, path: str, query: t.Mapping[str, t.Any] | None = None, *, shared: bool = False, role: str = "read"
    ) -> t.Any:
        return self._answer("GET", path, dict(query) if query else None)

    def write(self, method: str, path: str, form: t.Mapping[str, t.Any], *, task: bool = False) -> t.Any:
        if self.read_only:
            raise ReadOnlyError("read only", method=method, path=path)
        return self._answer(method, path, dict(form))

    def wait(self, upid: str, *, what: str = "") -> Ended:
        return self.ended

    def _answer(self, method: str, path: str, given: t.Any) -> t.Any:
        self.calls.append((method, path))
        assert self.expect, f"unexpected {method} {path} {given}"
        want_method, want_path, want, answer = self.expect.pop(0)
        assert (method, path) == (want_method, want_path), f"{method} {path} came instead of {want_method} {want_path}"
        if want is not None:
            assert given == want, f"{method} {path}: {given} came instead of {want}"
        if isinstance(answer, Exception):
            raise answer
        return answer

    def done(self) -> None:
        """Nothing that was expected is missing."""
        assert not self.expect, f"not called: {self.expect}"
