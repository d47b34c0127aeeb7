# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a secret that an answer shows once to its sink, and nowhere else."""

from __future__ import annotations

import typing as t

from ..api.bao_access import bao_access
from ..api.connection import Connection
from ..api.options import Options
from ..api.redact import Secrets
from ..api.sink import Sink, make_sink
from ..engine.family import Declaration, Family, Judgement, Step
from ..errors import HomeflareError
from .caller import Caller, Hide


class Revealed:
    """The callbacks of ``converge`` for a family with a sink."""

    def __init__(
        self, family: Family, declaration: Declaration, sink: Sink | None, secrets: Secrets, hide: Hide
    ) -> None:
        self._field = (family.sink or "").split(".")
        self._recover = family.recover or "Run once more with rotate: true to get another."
        self._title = family.title(declaration.ident)
        self._handle = family.handle(declaration.ident)
        self._sink = sink
        self._secrets = secrets
        self._hide = hide

    @classmethod
    def of(
        cls,
        family: Family,
        declaration: Declaration,
        params: t.Mapping[str, t.Any],
        caller: Caller,
        connection: Connection,
    ) -> Revealed:
        """A path in OpenBao is written with the task's own access to it, whether or not it also mints there."""
        secrets = Secrets()
        options = Options(params, caller.environ)
        given = declaration.extras.get("secret_sink") if family.sink else None
        sink = None
        if given:
            sink = make_sink(
                given, options, lambda: connection.bao or bao_access(options, "secret_sink", "sink"), secrets
            )
        return cls(family, declaration, sink, secrets, caller.hide)

    def ready(self, judgement: Judgement) -> None:
        if self._sink is not None and any(step.reveals for step in judgement.steps):
            self._sink.prepare()

    def answered(self, step: Step, answer: t.Any) -> None:
        if not step.reveals:
            return
        secret = answer
        for name in self._field:
            secret = secret.get(name) if isinstance(secret, dict) else None
        if not isinstance(secret, str) or not secret:
            raise HomeflareError(f"{self._title}: PVE's answer holds no secret. {self._recover}")
        self._secrets.add(secret)
        self._hide(self._secrets.all())
        if self._sink is None:
            raise HomeflareError(f"{self._title}: there is no sink for its secret, which is lost. {self._recover}")
        try:
            self._sink.put(self._handle, secret)
        except HomeflareError as error:
            message = f"{self._title} has a new secret, which is lost: {error}. {self._recover}"
            raise HomeflareError(message) from None

    def close(self) -> None:
        self._hide(self._secrets.all())
        if self._sink is not None:
            self._sink.close()
