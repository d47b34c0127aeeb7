# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backup jobs (pve-manager PVE/API2/Backup.pm, pve-guest-common PVE/VZDump/Common.pm).

A job selects guests in one of three ways: all (with or without exclude), vmid, or pool. Setting one makes PVE drop the
others, so no clearing of them is ever sent.
"""

from __future__ import annotations

import typing as t

from ..engine.family import Absence, Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Refusal
from ..engine.index import Index
from ..engine.key import Clear, Key
from ..errors import DeclarationError
from ..wire.kind import Canon
from ..wire.lists import ListOf, SetOf
from ..wire.propstr import PropertyMap, Sub
from ..wire.scalars import Enum, Flag, Integer, Text
from .cluster import CONFIGID, GUESTS, NODE, SCHEDULE, STORAGE, FileText
from .retention import RETENTION

#: VZDump.pm compressor_info: 1 is lzo.
COMPRESS = Enum(("0", "gzip", "lzo", "zstd"), aliases={"1": "lzo"})
#: ParseUtils.pm EMAIL_RE and EMAIL_USER_RE.
MAIL = Text(
    pattern=r"[\w+\-~]+(\.[\w+\-~]+)*(@[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)*)?", expected="an email address or a user name"
)
#: API2/Backup.pm assert_param_permission_common; job-id, the fourth, is no parameter of a stored job.
ROOT_ONLY: t.Final = ("tmpdir", "dumpdir", "script")


def _fleecing_check(canon: t.Mapping[str, Canon]) -> str | None:
    return "storage is missing" if canon.get("enabled") and "storage" not in canon else None


FLEECING = PropertyMap(
    {"enabled": Sub(Flag(), default=False), "storage": Sub(STORAGE)}, default_key="enabled", check=_fleecing_check
)
PERFORMANCE = PropertyMap(
    {
        "max-workers": Sub(Integer(minimum=1, maximum=256), default=16),
        "pbs-entries-max": Sub(Integer(minimum=1), default=1_048_576),
    }
)


def _flag(*, default: bool = False, requires: str | None = None) -> Key:
    return Key(kind=Flag(), default=default, requires=requires)


def _integer(default: int, minimum: int | None = None, maximum: int | None = None) -> Key:
    return Key(kind=Integer(minimum=minimum, maximum=maximum), default=default)


def _shape(row: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
    """Exclude without a pool is all (Backup.pm update_job); a job by pool ignores the rest."""
    if row.get("pool"):
        return {name: value for name, value in row.items() if name not in ("all", "vmid", "exclude")}
    return {**row, "all": 1} if row.get("exclude") else row


def _selections(values: t.Mapping[str, t.Any]) -> list[str]:
    """The ways in which guests are declared to be selected; more than one contradicts itself."""
    everything = ["all"] if Flag().canon(values.get("all", False)) or values.get("exclude") else []
    return [*everything, *(name for name in ("vmid", "pool") if values.get(name))]


def _check(family: Family, declaration: Declaration) -> None:
    ways = _selections(declaration.values)
    if len(ways) > 1:
        raise DeclarationError(
            f"a job selects its guests by one of all (with or without exclude), vmid and pool; declared are "
            f"{' and '.join(ways)}.",
            option="exclude" if "all" not in declaration.values and "all" in ways else ways[-1],
        )
    if "all" in declaration.values and not ways:
        raise DeclarationError("without vmid or pool nothing would be selected.", option="all")
    if declaration.values.get("exclude") and declaration.values.get("all") in (False, 0, "0"):
        raise DeclarationError("exclude leaves guests out of all, so all cannot be false.", option="all")


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    if declaration.state == "absent":
        return
    if not live.present and not _selections(declaration.values):
        yield Refusal(
            id="missing", key="vmid", msg=f"{title} does not exist, and creating it needs one of all, vmid and pool."
        )
    yield from _refuse_root(title, declaration, live, drift)


def _refuse_root(title: str, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    command = f"pvesh set /cluster/backup/{declaration.ident['id']}"
    for item in drift:
        if item.key in ROOT_ONLY:
            yield Refusal(
                id="root-only",
                key=item.key,
                msg=f"{title}: only root@pam may set {item.key}, and a token never is; as root, run: "
                f"{command} --{item.key} ...",
            )
    if drift and live.values.get("dumpdir"):
        yield Refusal(
            id="dumpdir",
            msg=f"{title} has a dumpdir, and only root@pam may change such a job; as root, run: {command} ...",
        )


BACKUP_JOB = Family(
    name="backup_job",
    product="pve",
    noun="Backup job",
    identity={"id": CONFIGID},
    read=Read(path="cluster/backup/{id}", absence=(Absence(status=400, error_key="id", message=r"No such job '.*'"),)),
    index=(Index(path="cluster/backup", columns={"id": "id"}),),
    create=Endpoint(method="POST", path="cluster/backup", identity=("id",)),
    update=Endpoint(method="PUT", path="cluster/backup/{id}"),
    delete=Endpoint(method="DELETE", path="cluster/backup/{id}"),
    keys={
        "schedule": Key(kind=SCHEDULE, required=True, clear=Clear.NEVER),
        "enabled": Key(kind=Flag(), default=True, clear=Clear.NEVER),
        "repeat-missed": _flag(),
        "comment": Key(kind=FileText(max_length=512, zero_is_empty=True, strip="ends"), default=""),
        "all": Key(kind=Flag(), default=False, clear=Clear.NEVER),
        "vmid": Key(kind=GUESTS, clear=Clear.NEVER),
        "pool": Key(kind=Text(), clear=Clear.NEVER),
        "exclude": Key(kind=GUESTS, default=()),
        "node": Key(kind=NODE, default=""),
        "storage": Key(kind=STORAGE),
        "mode": Key(kind=Enum(("snapshot", "suspend", "stop")), default="snapshot"),
        "compress": Key(kind=COMPRESS, default="0"),
        "pigz": _integer(0),
        "zstd": _integer(1),
        "bwlimit": _integer(0, 0),
        "ionice": _integer(7, 0, 8),
        "lockwait": _integer(180, 0),
        "stopwait": _integer(10, 0),
        # Absent is the storage's own retention (VZDump.pm new), whatever default the schema names.
        "prune-backups": Key(kind=RETENTION),
        "remove": _flag(default=True),
        "protected": _flag(requires="storage"),
        "stdexcludes": _flag(default=True),
        "quiet": _flag(),
        "stop": _flag(),
        "fleecing": Key(kind=FLEECING, default={}),
        "performance": Key(kind=PERFORMANCE, default={}),
        "exclude-path": Key(kind=ListOf(FileText(), separators="", array=True), default=()),
        "notes-template": Key(kind=FileText(max_length=1024), default="", requires="storage"),
        "notification-mode": Key(kind=Enum(("auto", "legacy-sendmail", "notification-system")), default="auto"),
        "mailto": Key(kind=SetOf(MAIL), default=()),
        "mailnotification": Key(kind=Enum(("always", "failure")), default="always"),
        "pbs-change-detection-mode": Key(kind=Enum(("legacy", "data", "metadata"))),
        **{name: Key(kind=Text(), clear=Clear.NEVER) for name in ROOT_ONLY},
    },
    needs=("lxc", "vm", "pool", "storage"),
    shape=_shape,
    check=_check,
    refuse=_refuse,
    refuses={
        "missing": "a new job that selects no guests, by all, vmid or pool",
        "root-only": "a change of tmpdir, dumpdir or script, which only root@pam may set",
        "dumpdir": "any change of a job that has a dumpdir, which only root@pam may make",
    },
    privileges=Privileges(
        read="Sys.Audit on /",
        write="Sys.Modify on /, Datastore.Allocate on /storage/{storage} of the old and the new storage (local where "
        "none is set), VM.Backup on /pool/{pool}, Datastore.AllocateSpace on the storage of fleecing",
    ),
)
