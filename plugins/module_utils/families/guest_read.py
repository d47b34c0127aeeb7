# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a guest: its config, the proof that it is absent, what waits for a restart, what stands against a delete.

A missing config is a 500 without a status or text of its own (AbstractConfig.pm ``load_config`` dies), and the same
500 comes from a mistyped node name, a guest of the other type and a timeout. So absence is proven, never assumed.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..engine.family import Reader, Refusal
from ..engine.read import as_object, rows_of
from ..engine.sight import held
from ..errors import ApiError, ServerError

_TYPE_NOUNS = {"lxc": "container", "qemu": "VM"}


@dataclass(frozen=True)
class Place:
    """Where a guest is said to be."""

    type: str
    noun: str
    node: str
    vmid: int

    @property
    def path(self) -> str:
        return f"nodes/{self.node}/{self.type}/{self.vmid}"

    @property
    def title(self) -> str:
        return f"{self.noun} {self.vmid}"


@dataclass(frozen=True)
class Found:
    """A config, or None with the refusals that the search brought up; without refusals the guest is proven absent."""

    config: t.Mapping[str, t.Any] | None
    refusals: tuple[Refusal, ...] = ()


def read_config(place: Place, reader: Reader, *, role: str = "read") -> Found:
    """The config as PVE merges it with what is pending, or the proof of absence. Every other answer is an error."""
    path = f"{place.path}/config"
    try:
        data = reader.get(path, role=role)
    except ApiError as error:
        if error.status != 500:
            raise _with_hint(error, f"whether {_low(place.title)} exists is unknown") from error
        return Found(None, prove_absence(place, reader, error))
    if data is None:
        nothing = ApiError(method="GET", path=path, status=200, message="the answer holds no data")
        return Found(None, prove_absence(place, reader, nothing))
    return Found(as_object(data, path))


def prove_absence(place: Place, reader: Reader, cause: ApiError) -> tuple[Refusal, ...]:
    """Empty when no guest holds the vmid and the node is there; refusals when another holds it; else raises.

    cluster/resources leaves out what the caller may not audit, but the config GET that came before checks the same
    privilege before it looks for the file, and it answered 500, not 403. cluster/nextid asks the whole vmlist and
    needs no privilege (API2/Cluster.pm), so it closes the rest of the gap.
    """
    rows = [row for row in _rows(reader, "vm") if _number(row.get("vmid")) == place.vmid]
    for row in rows:
        if row.get("type") == place.type and row.get("node") == place.node:
            hint = f"{place.title} is listed on {place.node} but its config could not be read"
            raise _with_hint(cause, hint) from cause
        return (_not_here(place, row),)
    if _id_is_taken(place, reader):
        hint = f"no guest is listed under {place.vmid}, yet PVE says that the id is taken"
        raise _with_hint(cause, hint) from cause
    return _node_refusals(place, reader)


def _not_here(place: Place, row: t.Mapping[str, t.Any]) -> Refusal:
    held = _TYPE_NOUNS.get(str(row.get("type")), str(row.get("type")))
    meant = _TYPE_NOUNS[place.type]
    return Refusal(
        id="not-here",
        key="vmid",
        msg=f"vmid {place.vmid} is held by a {held} on node {row.get('node')}, not by a {meant} on {place.node}; "
        "a move is a migration, not an update.",
    )


def _id_is_taken(place: Place, reader: Reader) -> bool:
    try:
        reader.get("cluster/nextid", {"vmid": place.vmid})
    except ApiError as error:
        if error.status == 400 and "vmid" in error.errors:
            return True
        raise
    return False


def _node_refusals(place: Place, reader: Reader) -> tuple[Refusal, ...]:
    row = next((row for row in _rows(reader, "node") if row.get("node") == place.node), None)
    if row is None:
        return (Refusal(id="no-node", key="node", msg=f"Node {place.node} is not a member of this cluster."),)
    if row.get("status") == "offline":
        return (Refusal(id="no-node", key="node", msg=f"Node {place.node} is offline; nothing can be done on it."),)
    return ()


def _rows(reader: Reader, kind: str) -> list[t.Mapping[str, t.Any]]:
    return rows_of(reader, "cluster/resources", {"type": kind})


def _number(value: object) -> int | None:
    return int(str(value)) if str(value).isdecimal() else None


def _low(title: str) -> str:
    return title[:1].lower() + title[1:] if title.startswith("Container") else title


def _with_hint(error: ApiError, hint: str) -> ApiError:
    return ApiError(
        method=error.method,
        path=error.path,
        status=error.status,
        message=error.message,
        errors=error.errors,
        hint=hint,
    )


@dataclass(frozen=True)
class Pending:
    """What the config says now (``current``), and which keys change only at the next start."""

    current: t.Mapping[str, t.Any]
    keys: tuple[str, ...]


def read_pending(place: Place, reader: Reader, config: t.Mapping[str, t.Any]) -> Pending:
    """GET config shows pending values as if they were in effect; only this list tells them apart."""
    rows = rows_of(reader, f"{place.path}/pending", shared=False)
    waits = {str(row["key"]): row.get("value") for row in rows if _waits(row)}
    current = {key: value for key, value in {**config, **waits}.items() if value is not None}
    return Pending(current, tuple(waits))


def _waits(row: t.Mapping[str, t.Any]) -> bool:
    return row.get("pending") is not None or bool(row.get("delete"))


def read_status(place: Place, reader: Reader) -> t.Mapping[str, t.Any]:
    """The guest's status; ``status`` in it is running or stopped."""
    path = f"{place.path}/status/current"
    status = reader.get(path)
    if not isinstance(status, dict) or status.get("status") not in ("running", "stopped"):
        raise ServerError(f"GET {path}: the answer does not say whether it runs.", method="GET", path=path)
    return status


def read_obstacles(place: Place, reader: Reader) -> dict[str, bool]:
    """Whether the guest runs, is under HA, or is replicated: PVE refuses to destroy it then."""
    status = read_status(place, reader)
    listed: t.Mapping[str, t.Any] = next(
        (row for row in _rows(reader, "vm") if _number(row.get("vmid")) == place.vmid), {}
    )
    service = status.get("ha")
    managed = isinstance(service, dict) and str(service.get("managed") or 0) != "0"
    jobs = rows_of(reader, "cluster/replication")
    return {
        "running": status["status"] == "running",
        "ha": managed or bool(listed.get("hastate")),
        "replicated": any(_number(job.get("guest")) == place.vmid for job in jobs),
    }


def read_tag_style(reader: Reader) -> t.Any:
    """datacenter.cfg's ``tag-style``, which any user may read; None where it is not set."""
    options = reader.get("cluster/options", shared=True)
    return options.get("tag-style") if isinstance(options, dict) else None


def may_read_env(place: Place, reader: Reader, *, role: str) -> bool:
    """Whether this credential sees ``env``: a read leaves it out without VM.Config.Options, and says nothing."""
    return "VM.Config.Options" in held(f"/vms/{place.vmid}", reader, role=role)
