# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task that holds a whole estate."""

from __future__ import annotations

import json
import os
import signal
import threading
import typing as t
from contextlib import contextmanager

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ..api.connection import CONNECTION_OPTIONS, Connection
from ..api.session import Session
from ..engine import estate, estate_report
from ..engine.declare import argument_spec, declaration_of
from ..engine.estate import Resource, Row
from ..engine.family import Family
from ..errors import DeclarationError, HomeflareError
from .caller import Caller
from .registry import family_named
from .revealed import Revealed
from .run import wording

ESTATE_OPTIONS: t.Final[dict[str, dict[str, t.Any]]] = {
    **CONNECTION_OPTIONS,
    "resources": {"type": "list", "elements": "dict", "required": True},
    "mode": {"type": "str", "choices": ["apply", "verify"], "default": "apply"},
    "parallel": {"type": "int", "default": 8},
    "report": {"type": "path"},
    "allow_pending": {"type": "bool", "default": False},
    "diff_values": {"type": "bool", "default": False},
}

ESTATE_QUIET: t.Final = ("resources",)

#: How many resources are named that fail for one cause.
TITLES: t.Final = 3


class EstateFailed(HomeflareError):
    """The estate was not brought to its declarations; the whole result is in ``told``."""

    def __init__(self, message: str, told: t.Mapping[str, t.Any]) -> None:
        super().__init__(message)
        self.told = dict(told)

    def details(self) -> dict[str, t.Any]:
        return self.told


def run_estate(params: t.Mapping[str, t.Any], caller: Caller) -> dict[str, t.Any]:
    """The result of the task. Raises HomeflareError; EstateFailed holds every row."""
    if params["parallel"] < 1:
        raise DeclarationError("must be at least 1.", option="parallel")
    if params.get("report"):
        _check_report(params["report"])
    declared = _resources(params["resources"], caller)
    verify = params["mode"] == "verify"
    sessions = Sessions(params, caller, read_only=verify or caller.check_mode)
    try:
        run = _Run(params, caller, declared, sessions)
        return run.verified() if verify else run.applied()
    finally:
        caller.hide(sessions.secrets())
        sessions.close()


def _check_report(path: str) -> None:
    """Said before the work, not after it."""
    folder = os.path.dirname(path) or "."
    wrong = (
        (os.path.isdir(path), "is a folder"),
        (not os.path.isdir(folder), f"there is no folder {folder}"),
        (not os.access(folder, os.W_OK | os.X_OK), f"the folder {folder} cannot be written to"),
    )
    for is_so, why in wrong:
        if is_so:
            raise DeclarationError(f"{why}.", option="report")


# ---- the declared resources


class _Declared(t.NamedTuple):
    resource: Resource
    params: t.Mapping[str, t.Any]


def _resources(given: t.Sequence[t.Mapping[str, t.Any]], caller: Caller) -> list[_Declared]:
    """Every resource checked against its family's options; all that is wrong is told at once."""
    declared: list[_Declared] = []
    wrong: list[str] = []
    for number, entry in enumerate(given):
        try:
            declared.append(_resource(f"resources[{number}]", entry, caller))
        except DeclarationError as error:
            wrong.append(str(error))
    wrong += estate.duplicates([item.resource for item in declared])
    if wrong:
        raise DeclarationError(" ".join(wrong))
    return declared


def _resource(place: str, entry: t.Mapping[str, t.Any], caller: Caller) -> _Declared:
    if len(entry) != 1:
        raise DeclarationError("must be one key, the family, with its options below it.", option=place)
    ((name, options),) = entry.items()
    family = family_named(name, place)
    if not isinstance(options or {}, dict):
        raise DeclarationError("must be a dictionary of its options.", option=f"{place} ({family.name})")
    checked = ArgumentSpecValidator(argument_spec(family)).validate(dict(options or {}))
    caller.hide(checked._no_log_values)
    if checked.error_messages:
        raise DeclarationError(wording(checked.error_messages), option=f"{place} ({family.name})")
    try:
        declaration = declaration_of(family, checked.validated_parameters)
    except DeclarationError as error:
        raise DeclarationError(str(error), option=f"{place} ({family.name})") from None
    return _Declared(Resource(place, family, declaration), checked.validated_parameters)


# ---- the run


class Sessions:
    """One session a product, made when the first family of it is read."""

    def __init__(self, params: t.Mapping[str, t.Any], caller: Caller, *, read_only: bool) -> None:
        self._params, self._caller, self._read_only = params, caller, read_only
        self._made: dict[str, tuple[Connection, Session]] = {}
        self._lock = threading.Lock()

    def of(self, family: Family) -> Session:
        return self._pair(family.product)[1]

    def connection(self, family: Family) -> Connection:
        return self._pair(family.product)[0]

    def _pair(self, product: str) -> tuple[Connection, Session]:
        with self._lock:
            if product not in self._made:
                caller = self._caller
                connection = Connection.from_params(self._params, product, caller.environ)
                session = Session(connection, read_only=self._read_only, warn=caller.warn, progress=caller.progress)
                self._made[product] = (connection, session)
            return self._made[product]

    def secrets(self) -> set[str]:
        return {secret for _connection, session in self._made.values() for secret in session.secrets()}

    def close(self) -> None:
        for _connection, session in self._made.values():
            session.close()


def _named(row: Row) -> str:
    """What is said of a resource, with its name in front unless it begins with it."""
    title = row.resource.title
    return row.msg if row.msg.startswith(title) else f"{title}: {row.msg}"


def _causes(rows: t.Sequence[Row]) -> str:
    """Each cause once: a cluster that is down is one cause, however many resources it keeps from being read."""
    by_cause: dict[str, list[Row]] = {}
    for row in rows:
        if row.msg:
            by_cause.setdefault(row.msg, []).append(row)
    return "; ".join(_named(same[0]) if len(same) == 1 else f"{_titles(same)}: {msg}" for msg, same in by_cause.items())


def _titles(rows: t.Sequence[Row]) -> str:
    shown = ", ".join(row.resource.title for row in rows[:TITLES])
    return shown if len(rows) <= TITLES else f"{shown} and {len(rows) - TITLES} more"


class _Run:
    """Survey, then whatever the mode asks for, then the report."""

    def __init__(
        self,
        params: t.Mapping[str, t.Any],
        caller: Caller,
        declared: t.Sequence[_Declared],
        sessions: Sessions,
    ) -> None:
        self.params, self.caller, self.sessions = params, caller, sessions
        self.by_place = {item.resource.place: item for item in declared}
        for family in {item.resource.family.product: item.resource.family for item in declared}.values():
            sessions.of(family)  # a wrong connection option is told before anything is read
        self.rows: list[Row] = estate.survey([item.resource for item in declared], sessions.of, int(params["parallel"]))

    def verified(self) -> dict[str, t.Any]:
        told = self.told(changed=False)
        self.write_report(told)
        if told["verdict"] != estate_report.CLEAN:
            self.show()
            unknown = told["verdict"] == estate_report.CANNOT_TELL
            what = "It is not known whether the estate is as declared" if unknown else "The estate is not as declared"
            raise EstateFailed(f"{what}: {self.counts(told)}.", told)
        return told

    def applied(self) -> dict[str, t.Any]:
        estate.postpone(self.rows)
        refused = [_named(row) for row in self.rows if row.status == estate.REFUSED]
        planned = any(row.status == estate.PLANNED for row in self.rows)
        if refused:
            told = self.told(changed=False)
            self.write_report(told)
            self.show()
            raise EstateFailed(f"Refused, and nothing was written. {' '.join(refused)}", told)
        if not self.caller.check_mode and planned:
            self.write()
        told = self.told(changed=planned if self.caller.check_mode else self.has_written())
        self.write_report(told)
        bad = [row for row in self.rows if row.status in (estate.UNKNOWN, estate.FAILED, estate.NOT_REACHED)]
        if bad:
            self.show()
            raise EstateFailed(self.failure(bad, told), told)
        for row in self.rows:
            for text in row.warnings:
                self.caller.warn(text)
        return told

    def show(self) -> None:
        """Ansible prints no diff of a task that failed, so the table is told on its own."""
        self.caller.progress(estate_report.table(self.rows))

    def has_written(self) -> bool:
        return any(row.status == estate.CHANGED or row.written for row in self.rows)

    def write(self) -> None:
        with _interrupts():
            try:
                estate.carry_out(
                    self.rows, self.sessions.of, self.hooks, self.caller.progress, lock_wait=self.lock_wait()
                )
            except KeyboardInterrupt:
                told = self.told(changed=self.has_written())
                self.write_report(told)
                self.show()
                raise EstateFailed(f"Interrupted: {self.counts(told)}. Run it again to finish.", told) from None

    def hooks(self, resource: Resource) -> tuple[t.Any, t.Any]:
        params = self.by_place[resource.place].params
        merged = {**self.params, **params}
        revealed = Revealed.of(
            resource.family,
            resource.declaration,
            merged,
            self.caller,
            self.sessions.connection(resource.family),
        )
        return revealed.ready, revealed.answered

    def lock_wait(self) -> float:
        return float(self.params.get("lock_wait") or 0)

    def told(self, *, changed: bool) -> dict[str, t.Any]:
        told = estate_report.result(self.rows, changed=changed, allow_pending=bool(self.params["allow_pending"]))
        return {**told, "diff": estate_report.diffs(self.rows, values=bool(self.params["diff_values"]))}

    def counts(self, told: t.Mapping[str, t.Any]) -> str:
        return ", ".join(f"{number} {status}" for status, number in told["summary"].items())

    def failure(self, bad: t.Sequence[Row], told: t.Mapping[str, t.Any]) -> str:
        return f"{_causes(bad)} ({self.counts(told)}). It is safe to run it again."

    def write_report(self, told: t.Mapping[str, t.Any]) -> None:
        """JSON, or Markdown when the name ends in .md; complete or not at all."""
        path = self.params.get("report")
        if not path:
            return
        kept = {name: value for name, value in told.items() if name != "diff"}
        text = estate_report.markdown(kept) if path.endswith(".md") else json.dumps(kept, indent=2) + "\n"
        try:
            with open(f"{path}.new", "w", encoding="utf-8") as report:
                report.write(text)
            os.replace(f"{path}.new", path)
        except OSError as error:
            raise EstateFailed(f"report: cannot be written: {error.strerror}.", told) from None


@contextmanager
def _interrupts() -> t.Iterator[None]:
    """Ansible ends a worker by SIGTERM: what was written is told before it goes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)  # Ansible sends a second one at once
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
