# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a secret goes that PVE shows once. A sink is made ready, and proven so, before there is a secret to lose."""

from __future__ import annotations

import contextlib
import os
import tempfile
import typing as t

from ..errors import DeclarationError, HomeflareError, MintError, RefusedError
from .bao_access import BaoAccess
from .bao_kv import BaoKv
from .checks import words
from .lease import Leases
from .options import Options
from .redact import Secrets

OPTION: t.Final = "secret_sink"


class Sink(t.Protocol):
    """``prepare`` raises when the secret could not be kept; ``put`` keeps it."""

    where: str

    def prepare(self) -> None:
        """Before the secret is asked for."""

    def put(self, handle: str, secret: str) -> None:
        """Keep the secret of the object that is called so."""

    def close(self) -> None:
        """Let go of what was opened."""


def make_sink(given: t.Mapping[str, t.Any], options: Options, bao: t.Callable[[], BaoAccess], secrets: Secrets) -> Sink:
    """The sink of the option ``secret_sink``. Raises DeclarationError."""
    if given.get("file"):
        return FileSink(str(given["file"]))
    if given.get("bao_path"):
        return BaoSink(words(options, OPTION, str(given["bao_path"])), bao(), secrets)
    raise DeclarationError("name either a file or a bao_path.", option=OPTION)


class FileSink:
    """A file that holds the secret and nothing else. It is there as a whole or not at all, and its owner's alone."""

    def __init__(self, path: str) -> None:
        if not os.path.isabs(path):
            raise DeclarationError("the file needs an absolute path.", option=OPTION)
        self.where = path
        self._made = ""
        self._stream = -1

    def prepare(self) -> None:
        """The file that the secret will be written to is open before the secret exists."""
        folder, name = os.path.split(self.where)
        if os.path.lexists(self.where) and (os.path.islink(self.where) or not os.path.isfile(self.where)):
            raise RefusedError(f"{OPTION}: {self.where} is there and is no plain file; nothing was written.")
        try:
            # mkstemp makes it for its owner alone (0600).
            self._stream, self._made = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        except OSError as error:
            message = f"{OPTION}: {folder} takes no file ({error.strerror}); nothing was written."
            raise RefusedError(message) from None

    def put(self, handle: str, secret: str) -> None:
        del handle
        try:
            os.write(self._stream, f"{secret}\n".encode())
            os.fsync(self._stream)
            os.replace(self._made, self.where)
        except OSError as error:
            raise HomeflareError(f"{self.where} could not be written ({error.strerror})") from None
        self._made = ""

    def close(self) -> None:
        if self._stream >= 0:
            os.close(self._stream)
            self._stream = -1
        if self._made:
            with contextlib.suppress(OSError):
                os.unlink(self._made)
            self._made = ""


class BaoSink:
    """A path of a KV engine, with the fields ``token_id`` and ``secret``: what a mint answers, too."""

    def __init__(self, path: str, access: BaoAccess, secrets: Secrets) -> None:
        self.where = f"OpenBao {path}"
        self._path = path
        self._kv = BaoKv(access, secrets)
        self._leases = Leases(access, secrets)
        self._target = ("", 1, "")

    def prepare(self) -> None:
        token = self._leases.login()
        try:
            path, version = self._kv.locate(self._path, token)
            allowed = self._kv.may_write(path, token)
        except MintError as error:
            raise RefusedError(f"{OPTION}: {error}; nothing was written.") from None
        if not allowed:
            raise RefusedError(
                f"{OPTION}: this login may not write {path} in OpenBao (create and update are needed); nothing was "
                "written."
            )
        self._target = (path, version, token)

    def put(self, handle: str, secret: str) -> None:
        path, version, token = self._target
        self._kv.put(path, version, token, {"token_id": handle, "secret": secret})

    def close(self) -> None:
        """Logins are shared by the run, and end with it."""
