# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ACL rows (pve-access-control PVE/API2/ACL.pm): one binding, or all bindings of a path as a set.

GET access/acl leaves out, without a word, the rows of paths that the caller may not see. Each path is seen as a whole
or not at all, so one visible row proves its path; where there is none, the caller's privileges have to.
"""

from __future__ import annotations

import typing as t

from ..engine.family import Declaration, Drift, Endpoint, Family, Live, Privileges, Read, Reader, Refusal, Step
from ..engine.index import Export, Index, Sight, Wishes
from ..engine.key import NOTHING, Clear, Key
from ..engine.read import rows_of
from ..engine.sight import sees
from ..errors import DeclarationError, RefusedError
from ..wire.kind import Canon, Kind
from ..wire.scalars import Enum, Flag
from .access import MINTED, ROLEID
from .acl_rows import ACL_PATH, SUBJECTS, UGID, AtLeastRows, Row, Rows, addable, subject_fault

#: RPCEnvironment.pm check_perm_modify: who may change the rows of a path sees them.
_MODIFY = {"storage": "Datastore.Allocate", "vms": "VM.Allocate", "pool": "Pool.Allocate"}
#: Roles that hold this at these paths decide who may write ACL rows at all.
_KEYS_TO_THE_HOUSE = ("/", "/access")
#: A row goes with its role or subject, so a removal that finds one of them gone has nothing left to do.
_GONE = r"(role|user|group|token) '.*' does not exist|no such (user|token|group)"

_SINGLE = ("type", "ugid", "roleid")
ROWS = Rows()


def _is_set(declaration: Declaration) -> bool:
    return "bindings" in declaration.values


def _check(family: Family, declaration: Declaration) -> None:
    given = [name for name in _SINGLE if name in declaration.ident]
    if not _is_set(declaration):
        missing = [name for name in _SINGLE if name not in declaration.ident]
        if missing:
            raise DeclarationError(
                "one binding needs type, ugid and roleid; a set of them is declared with bindings.", option=missing[0]
            )
        fault = subject_fault(declaration.ident["type"], declaration.ident["ugid"])
        if fault:
            raise DeclarationError(f"{fault}.", option="ugid")
        return
    if given or "propagate" in declaration.values:
        option = given[0] if given else "propagate"
        raise DeclarationError("belongs into each of bindings when these are declared.", option=option)
    if declaration.state == "absent":
        raise DeclarationError(
            "is a set as a whole; to remove all rows of the path, declare bindings: [] with state: present.",
            option="bindings",
        )


# ---- read


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    path = declaration.ident["path"]
    rows = [row for row in rows_of(reader, "access/acl") if row.get("path") == path]
    found = rows if _is_set(declaration) else [row for row in rows if _is_it(row, declaration)]
    if not rows:
        _prove(family, declaration, reader)
    if _is_set(declaration):
        live = Live(present=True, values={"bindings": rows})
    else:
        live = Live(present=bool(found), values=found[0] if found else {})
    return Live(present=live.present, values=live.values, facts=_keepers(declaration, live, reader))


def _is_it(row: t.Mapping[str, t.Any], declaration: Declaration) -> bool:
    return all(row.get(name) == declaration.ident[name] for name in _SINGLE)


def _prove(family: Family, declaration: Declaration, reader: Reader) -> None:
    """An empty answer is believed only from who would see rows if there were any."""
    path = declaration.ident["path"]
    if sees("/access", ("Sys.Audit",), reader):
        return
    wanted = {"Permissions.Modify"}
    top, _slash, rest = path.strip("/").partition("/")
    if rest and top in _MODIFY:
        wanted.add(_MODIFY[top])
    if not sees(path, wanted, reader):
        raise RefusedError(
            f"{family.title(declaration.ident)}: this credential may not see the rows of the path, so whether there "
            "are any is not known; give it Sys.Audit on /access."
        )


def _keepers(declaration: Declaration, live: Live, reader: Reader) -> dict[str, t.Any]:
    """The roles that may write ACL rows; asked only where taking one away could lock everybody out."""
    if declaration.ident["path"] not in _KEYS_TO_THE_HOUSE or not _taken(declaration, live):
        return {}
    roles = rows_of(reader, "access/roles")
    return {"keepers": [row["roleid"] for row in roles if "Permissions.Modify" in str(row.get("privs")).split(",")]}


def _taken(declaration: Declaration, live: Live) -> list[Row]:
    """Rows that go, or that no longer propagate."""
    if _is_set(declaration):
        want = {row[:3]: row[3] for row in ROWS.canon(declaration.values["bindings"])}
        have = ROWS.canon(live.values.get("bindings") or ())
        gone = [row for row in have if row[:3] not in want] if declaration.exact else []
        return gone + [row for row in have if row[3] and want.get(row[:3]) is False]
    if not live.present:
        return []
    (row,) = ROWS.canon([live.values])
    narrowed = row[3] and declaration.values.get("propagate") is not None
    narrowed = bool(narrowed and not Flag().canon(declaration.values["propagate"]))
    return [row] if narrowed or declaration.state == "absent" else []


# ---- judge


def _kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    return {} if declaration.exact else {"bindings": AtLeastRows()}


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title, path = family.title(declaration.ident), declaration.ident["path"]
    if declaration.state == "present" and _added(declaration, live, drift) and not addable(path):
        yield Refusal(id="path", key=None, msg=f"{title}: PVE knows no object path {path}, and takes no row for it.")
    if declaration.extras.get("allow_self_lockout"):
        return
    lost = [row for row in _taken(declaration, live) if row[2] in live.facts.get("keepers", ())]
    for kind, ugid, roleid, _propagate in lost:
        yield Refusal(
            id="lockout",
            msg=f"{title}: taking {roleid} from {kind} {ugid} could leave nobody, this run included, who may write ACL "
            "rows; set allow_self_lockout: true if another way in is left.",
        )


def _added(declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> list[Row]:
    """Rows to write, new or with another propagate."""
    if not _is_set(declaration):
        propagate = Flag().canon(declaration.values.get("propagate", True))
        row = (*(declaration.ident[name] for name in _SINGLE), propagate)
        return [row] if drift or not live.present else []
    have = {row for item in drift if item.live is not NOTHING for row in map(tuple, item.live)}
    return [row for item in drift if item.want is not NOTHING for row in map(tuple, item.want) if row not in have]


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    """What is added comes first: a removal may end this run's own access."""
    path = declaration.ident["path"]
    if declaration.state == "absent":
        return tuple(_puts(path, ROWS.canon([live.values]), remove=True))
    gone = [row for row in _taken(declaration, live) if not _declares(declaration, row)]
    return (*_puts(path, _added(declaration, live, drift)), *_puts(path, gone, remove=True))


def _declares(declaration: Declaration, row: Row) -> bool:
    return not _is_set(declaration) or row[:3] in {want[:3] for want in ROWS.canon(declaration.values["bindings"])}


def _puts(path: str, rows: t.Iterable[Row], *, remove: bool = False) -> t.Iterator[Step]:
    """One PUT binds each of its roles to each of its subjects, so only subjects with the same roles share one."""
    roles_of: dict[tuple[str, str, bool], list[str]] = {}
    for kind, ugid, roleid, propagate in rows:
        roles_of.setdefault((kind, ugid, propagate or remove), []).append(roleid)
    together: dict[tuple[tuple[str, ...], bool], list[tuple[str, str]]] = {}
    for (kind, ugid, propagate), roles in roles_of.items():
        together.setdefault((tuple(sorted(roles)), propagate), []).append((kind, ugid))
    for (names_of_roles, propagate), subjects in together.items():
        form = {"path": path, "roles": ",".join(names_of_roles)}
        for kind, many in SUBJECTS.items():
            names = sorted(ugid for one, ugid in subjects if one == kind)
            if names:
                form[many] = ",".join(names)
        if remove:
            yield Step(method="PUT", path="access/acl", form={**form, "delete": "1"}, what="remove", gone=_GONE)
        else:
            form["propagate"] = "1" if propagate else "0"
            yield Step(method="PUT", path="access/acl", form=form, what="add")


def _retell(canons: t.Mapping[str, Canon], _wishes: Wishes) -> tuple[dict[str, Canon], dict[str, t.Any]] | None:
    """Without the rows of minted tokens, which are gone when the export is read."""
    rows = canons.get("bindings", ())
    kept = tuple(row for row in rows if not row[1].partition("!")[2].startswith(MINTED))
    if not kept:
        return None
    return {"bindings": kept}, {} if kept == rows else {"exact": False}


_PUT = Endpoint(method="PUT", path="access/acl", identity=("path",))

ACL = Family(
    name="acl",
    product="pve",
    noun="ACL",
    identity={"path": ACL_PATH, "type": Enum(tuple(SUBJECTS)), "ugid": UGID, "roleid": ROLEID},
    optional=_SINGLE,
    whole=("path",),
    read=Read(path="access/acl", rows={"path": "path"}, shared=True),
    index=(
        Index(
            path="access/acl",
            columns={"path": "path"},
            sight=Sight(path="/access", privileges=("Sys.Audit",), below=False),
        ),
    ),
    export=Export(probe={"bindings": []}, retell=_retell),
    create=_PUT,
    update=_PUT,
    delete=_PUT,
    keys={
        "propagate": Key(kind=Flag(), default=True, clear=Clear.NEVER),
        "bindings": Key(kind=ROWS, default=(), clear=Clear.NEVER),
    },
    options={
        "exact": {"type": "bool", "default": True},
        "allow_self_lockout": {"type": "bool", "default": False},
    },
    needs=("role", "user", "group", "api_token"),
    check=_check,
    kinds_hook=_kinds,
    read_hook=_read,
    refuse=_refuse,
    steps_hook=_steps,
    refuses={
        "path": "a row for a path that PVE does not know as one of an object",
        "lockout": "taking a role that may write ACL rows away at / or /access, unless allow_self_lockout",
    },
    privileges=Privileges(
        read="Sys.Audit on /access",
        write="Permissions.Modify on the path; for a role that holds no more than the caller, Datastore.Allocate on "
        "/storage/{storage}, VM.Allocate on /vms/{vmid} or Pool.Allocate on /pool/{pool} is enough",
    ),
)
