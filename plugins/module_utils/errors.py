# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every error that a user can see, in one tree.

HomeflareError
 +- DeclarationError         an option or a key is wrong; nothing was asked of any server
 +- DependencyError          a Python library is missing
 +- MintError                OpenBao gave no credential
 +- ServerError              something about a request to PVE or PBS
 |   +- ApiError             a live server answered with an error status
 |   +- TransportError       no answer; ``sent`` says whether the request may have run
 |   +- ReadOnlyError        a write was tried in check mode or verify; nothing was sent
 +- TaskError                a PVE task
 |   +- TaskFailed           the task ended with an error
 |   +- TaskUnknown          the task was started and its outcome could not be read
 +- RefusedError             the judgement refused the change; nothing was written
 +- NotStoredError           PVE accepted the write and stores something else

Messages are for the person who reads the task's output: they never carry a secret, a header or a request body.
"""

from __future__ import annotations

import os
import traceback
import typing as t


class HomeflareError(Exception):
    """Base of all errors; ``str(error)`` is the failure message of the task.

    ``extra`` holds result keys that a caller adds on the way up, such as what was already written.
    """

    extra: dict[str, t.Any]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.extra = {}

    def details(self) -> dict[str, t.Any]:
        """Extra result keys of the failed task, JSON-able and without secrets."""
        return {}


class DeclarationError(HomeflareError):
    """Names the option (or ``config`` key) that is wrong, the reason, and the way out."""

    def __init__(self, message: str, *, option: str | None = None) -> None:
        super().__init__(message if option is None else f"{option}: {message}")
        self.option = option


class DependencyError(HomeflareError):
    """A library is missing on the machine that runs the task."""

    def __init__(self, library: str) -> None:
        super().__init__(
            f"The Python library {library} is missing in the interpreter that runs this task; "
            f"install it with: python -m pip install {library}"
        )
        self.library = library


class MintError(HomeflareError):
    """OpenBao refused, was not reached, or answered without a usable credential."""


class ServerError(HomeflareError):
    """Something about one request to PVE or PBS."""

    def __init__(self, message: str, *, method: str, path: str) -> None:
        super().__init__(message)
        self.method = method
        self.path = path


class ApiError(ServerError):
    """A live member answered with an error status.

    ``message`` is PVE's text in one line, ``errors`` the map of a parameter verification failure.
    """

    def __init__(
        self,
        *,
        method: str,
        path: str,
        status: int,
        message: str,
        errors: t.Mapping[str, str] | None = None,
        hint: str = "",
    ) -> None:
        self.status = status
        self.message = message
        self.errors = dict(errors or {})
        detail = "; ".join([message, *(f"{key}: {text}" for key, text in sorted(self.errors.items()))])
        super().__init__(
            f"{method} {path} -> {status}: {detail}" + (f" ({hint})" if hint else ""), method=method, path=path
        )

    def details(self) -> dict[str, t.Any]:
        return {"status": self.status, **({"errors": self.errors} if self.errors else {})}


class TransportError(ServerError):
    """No answer. ``sent`` is False only when it is proven that no byte of the request left."""

    def __init__(self, message: str, *, method: str, path: str, sent: bool) -> None:
        super().__init__(message, method=method, path=path)
        self.sent = sent


class ReadOnlyError(ServerError):
    """A client made for check mode or verify was asked to write."""


class TaskError(HomeflareError):
    """A PVE task; ``upid`` names it."""

    def __init__(self, message: str, *, upid: str | None, log: t.Sequence[str] = ()) -> None:
        super().__init__(message)
        self.upid = upid
        self.log = tuple(log)

    def details(self) -> dict[str, t.Any]:
        return {"tasks": [self.upid] if self.upid else [], "task_log": list(self.log)}


class TaskFailed(TaskError):
    """The task ended with an error."""


class TaskUnknown(TaskError):
    """The task was started, and its outcome could not be read."""


class RefusedError(HomeflareError):
    """The change was refused before any write. ``result`` is the whole result of the judged task."""

    def __init__(self, message: str, *, result: t.Mapping[str, t.Any] | None = None) -> None:
        super().__init__(message)
        self.result = dict(result or {})

    def details(self) -> dict[str, t.Any]:
        return self.result


class NotStoredError(HomeflareError):
    """After the write the declared keys still differ."""

    def __init__(self, message: str, *, result: t.Mapping[str, t.Any] | None = None) -> None:
        super().__init__(message)
        self.result = dict(result or {})

    def details(self) -> dict[str, t.Any]:
        return self.result


def internal(error: Exception) -> str:
    """A defect of ours in words: where it happened, never what was being handled."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno} in {frames[-1].name}" if frames else "unknown"
    return f"Internal error ({type(error).__name__} at {where}); please report it."
