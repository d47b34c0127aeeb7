# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replication jobs (pve-manager PVE/API2/ReplicationConfig.pm, pve-guest-common PVE/ReplicationConfig.pm).

A delete only marks the job (``remove_job``); the node of the guest then removes it in its own time. A migration of the
guest to the job's target turns the job round: what was the target is then the source.
"""

from __future__ import annotations

import dataclasses
import re
import typing as t
from dataclasses import dataclass

from ..engine.family import (
    Absence,
    Declaration,
    Drift,
    Endpoint,
    Family,
    Judgement,
    Live,
    Privileges,
    Read,
    Reader,
    Refusal,
    Step,
)
from ..engine.index import Index, Sight
from ..engine.judge import generic
from ..engine.key import Clear, Key
from ..engine.read import read_table, rows_of
from ..engine.steps import create_steps, to_step, update_steps
from ..errors import DeclarationError
from ..wire.kind import Canon, Kind
from ..wire.scalars import AnyText, Enum, Flag, Number, Text, read_text
from .cluster import NODE, SCHEDULE


@dataclass(frozen=True)
class JobId(Text):
    """``<vmid>-<number>``; both are whole numbers, so ``100-01`` is ``100-1`` (parse_replication_job_id)."""

    pattern: str | None = r"[1-9][0-9]{2,8}-[0-9]{1,9}"
    expected: str | None = "<vmid>-<number>"

    def canon(self, value: object) -> Canon:
        text = read_text(value)
        found = re.fullmatch(r"([1-9][0-9]{2,8})-([0-9]{1,9})", text)
        return f"{found[1]}-{int(found[2])}" if found else text


def _is_turned(declaration: Declaration, live: Live) -> bool:
    """PVE/ReplicationConfig.pm switch_replication_job_target_nolock."""
    target = declaration.values.get("target")
    return bool(target) and live.values.get("source") == target and live.values.get("target") != target


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    """The declared target of a job that was turned round is where the guest is now, and any live one is right."""
    follows = declaration.extras.get("follow_migration", True)
    return {"target": AnyText()} if follows and _is_turned(declaration, live) else {}


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    live = read_table(family, declaration, reader)
    if live.present or declaration.state == "absent":
        return live
    return Live(present=False, facts={"jobs": rows_of(reader, "cluster/replication")})


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    """A guest has one job a target (PVE/ReplicationConfig.pm write_config)."""
    guest = str(declaration.ident["id"]).partition("-")[0]
    target = declaration.values.get("target")
    for job in live.facts.get("jobs", ()):
        if str(job.get("guest")) == guest and target and job.get("target") == target:
            yield Refusal(
                id="same-target",
                key="target",
                msg=f"{family.title(declaration.ident)}: guest {guest} is replicated to {target} already, by job "
                f"{job.get('id')}, and PVE keeps one job a target; declare that one.",
            )


def _judge(family: Family, declaration: Declaration, live: Live) -> Judgement:
    marked = live.present and live.values.get("remove_job") is not None
    if declaration.state == "absent":
        force = declaration.extras.get("force")
        return _marked(declaration) if marked and not force else generic(family, declaration, live)
    if marked:
        declaration = dataclasses.replace(declaration, delete=(*declaration.delete, "remove_job"))
    judgement = generic(family, declaration, live)
    if not _kinds(declaration, live):
        return judgement
    note = (
        f"{family.title(declaration.ident)}: the guest was migrated to {live.values['source']}, and PVE turned the job "
        f"round; it now replicates to {live.values.get('target')}. That is left as it is (follow_migration)."
    )
    return dataclasses.replace(judgement, notes=(*judgement.notes, note))


def _marked(declaration: Declaration) -> Judgement:
    """Nothing is left to ask of PVE; with ``wait`` the end of it is awaited."""
    return Judgement(wait=float(declaration.extras.get("wait_timeout", 0)) if declaration.extras.get("wait") else 0)


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    if declaration.state == "present":
        return (update_steps if live.present else create_steps)(family, declaration, live, drift)
    form = {name: "1" for name in ("keep", "force") if declaration.extras.get(name)}
    return (to_step(family.delete, declaration, form, what="delete"),)


def _check(family: Family, declaration: Declaration) -> None:
    if declaration.extras.get("keep") and declaration.extras.get("force"):
        raise DeclarationError("cannot go with keep: a forced removal cleans up nothing.", option="force")


REPLICATION_JOB = Family(
    name="replication_job",
    product="pve",
    noun="Replication job",
    identity={"id": JobId()},
    read=Read(path="cluster/replication/{id}", absence=(Absence(status=500, message=r"no such replication job '.*'"),)),
    index=(
        Index(
            path="cluster/replication",
            columns={"id": "id"},
            sight=Sight(path="/vms", privileges=("VM.Audit",)),
        ),
    ),
    create=Endpoint(method="POST", path="cluster/replication", identity=("id",), form={"type": "local"}),
    update=Endpoint(method="PUT", path="cluster/replication/{id}"),
    delete=Endpoint(method="DELETE", path="cluster/replication/{id}"),
    keys={
        "target": Key(kind=NODE, create_only=True, required=True, clear=Clear.NEVER),
        "schedule": Key(kind=SCHEDULE, default="*/15"),
        "rate": Key(kind=Number(minimum=1)),
        "disable": Key(kind=Flag(), default=False),
        "comment": Key(kind=Text(max_length=4096, zero_is_empty=True, strip="ends"), default=""),
        "remove_job": Key(kind=Enum(("local", "full")), internal=True),
    },
    digest=True,
    needs=("lxc", "vm"),
    options={
        "follow_migration": {"type": "bool", "default": True},
        "keep": {"type": "bool", "default": False},
        "force": {"type": "bool", "default": False},
        "wait": {"type": "bool", "default": False},
        "wait_timeout": {"type": "int", "default": 300},
    },
    kinds_hook=_kinds,
    check=_check,
    read_hook=_read,
    refuse=_refuse,
    steps_hook=_steps,
    judge_hook=_judge,
    refuses={
        "same-target": "a second job of a guest to the same target",
    },
    privileges=Privileges(read="VM.Audit on /vms/{vmid}", write="VM.Replicate on /vms/{vmid}"),
)
