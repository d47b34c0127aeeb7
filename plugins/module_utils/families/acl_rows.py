# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of an ACL: a path, a subject, and a set of rows (pve-access-control AccessControl.pm)."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ..wire.kind import Canon, Form, Kind, SpellingError
from ..wire.scalars import Flag, Text, read_text
from .access import GROUPID, ROLEID, TOKENID, USERID

#: A row: type, ugid, roleid, propagate.
Row = tuple[t.Any, ...]

#: The type of a subject -> the parameter that takes it.
SUBJECTS: t.Final[dict[str, str]] = {"user": "users", "group": "groups", "token": "tokens"}

_NAME = r"[A-Za-z0-9.\-_]+"
#: check_path: where a row may be added. One may be removed from anywhere.
_ADDABLE = re.compile(
    rf"""/|/access|/access/groups(/{_NAME})?|/access/realm(/{_NAME})?|/nodes(/{_NAME})?|/pool(/{_NAME}){{0,3}}|/sdn
    |/sdn/(controllers|dns|fabrics|ipams|prefix-lists|route-maps)(/{_NAME})?|/sdn/zones(/{_NAME}){{0,2}}
    |/sdn/zones/{_NAME}/{_NAME}/[1-9][0-9]{{0,3}}|/storage(/{_NAME})?|/vms(/[1-9][0-9]{{2,}})?
    |/mapping(/{_NAME}){{0,2}}""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class AclPath(Kind):
    """An object path, as normalize_path makes it: ``vms/100/`` and ``//vms/100`` are ``/vms/100``."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        return {"type": "str"}

    def canon(self, value: object) -> Canon:
        path = re.sub(r"/+", "/", read_text(value))
        if path.endswith("/"):
            path = path[:-1]
        return path if path.startswith("/") else f"/{path}"

    def fault(self, canon: Canon) -> str | None:
        fits = re.fullmatch(r"[A-Za-z0-9.\-_/]+", canon)
        return None if fits else "may hold only letters, digits, '.', '-', '_' and '/'"

    def form(self, canon: Canon) -> Form:
        return str(canon)


ACL_PATH = AclPath()
UGID = Text(max_length=128)


def addable(path: str) -> bool:
    return _ADDABLE.fullmatch(path) is not None


def subject_fault(kind: str, ugid: str) -> str | None:
    """Why PVE would not take this subject."""
    if kind not in SUBJECTS:
        return f"the type is one of {', '.join(SUBJECTS)}"
    if kind == "group":
        return GROUPID.fault(ugid)
    user, mark, token = ugid.partition("!")
    if bool(mark) != (kind == "token"):
        return "a token is named user@realm!name" if kind == "token" else "a user is named user@realm"
    if kind == "user" and ugid == "root@pam":
        # write_user_config leaves these rows out.
        return "PVE accepts rows of root@pam and never stores them; root@pam may do everything anyway"
    return USERID.fault(user) or (TOKENID.fault(token) if mark else None)


@dataclass(frozen=True)
class Rows(Kind):
    """A set of rows. The canonical form is sorted; a subject has a role once."""

    @property
    def option(self) -> t.Mapping[str, t.Any]:
        options = {
            "type": {"type": "str", "choices": list(SUBJECTS), "required": True},
            "ugid": {"type": "str", "required": True},
            "roleid": {"type": "str", "required": True},
            "propagate": {"type": "bool", "default": True},
        }
        return {"type": "list", "elements": "dict", "options": options}

    def canon(self, value: object) -> Canon:
        if not isinstance(value, (list, tuple)):
            raise SpellingError("expected a list of bindings")
        rows: dict[Row, bool] = {}
        for item in value:
            row = self._row(item)
            if rows.setdefault(row[:3], row[3]) is not row[3]:
                raise SpellingError("one binding is declared twice, with and without propagate")
        return tuple(sorted((*name, propagate) for name, propagate in rows.items()))

    def _row(self, item: object) -> Row:
        if not isinstance(item, t.Mapping):
            raise SpellingError("expected a list of dicts with type, ugid, roleid and propagate")
        propagate = item.get("propagate")
        names = (read_text(item.get(name)) for name in ("type", "ugid", "roleid"))
        return (*names, True if propagate is None else Flag().canon(propagate))

    def fault(self, canon: Canon) -> str | None:
        for number, (kind, ugid, roleid, _propagate) in enumerate(canon, start=1):
            fault = subject_fault(kind, ugid) or ROLEID.fault(roleid)
            if fault:
                return f"element {number} (sorted) {fault}"
        return None

    def form(self, canon: Canon) -> Form:
        """For a person; requests take rows apart."""
        return " ".join(f"{kind}:{ugid}:{roleid}:{int(propagate)}" for kind, ugid, roleid, propagate in canon)

    def show(self, canon: Canon) -> t.Any:
        return [dict(zip(("type", "ugid", "roleid", "propagate"), row, strict=True)) for row in canon]


@dataclass(frozen=True)
class AtLeastRows(Rows):
    """Other rows may be there besides."""

    def same(self, declared: Canon, live: Canon) -> bool:
        return set(declared) <= set(live)
