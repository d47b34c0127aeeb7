# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a family is: one table that the engine, the argument spec, the docs and the tests read."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ..errors import ApiError
from ..wire.kind import Canon, Form, Kind
from .index import BY_TABLE, Export, Index
from .key import Key


@dataclass(frozen=True, kw_only=True)
class Absence:
    """How this family says that an object is not there: a status and a text (or the ``errors`` entry of a 400)."""

    status: int
    message: str = ""
    error_key: str = ""

    def matches(self, error: ApiError) -> bool:
        text = error.errors.get(self.error_key, "") if self.error_key else error.message
        return error.status == self.status and re.search(self.message, text) is not None


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One call. ``{name}`` in the path is an identity value; ``identity`` names those that go into form or query,
    where ``form`` goes along with every such call."""

    method: str
    path: str
    identity: tuple[str, ...] = ()
    task: bool = False
    form: t.Mapping[str, Form] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Read:
    """How to read one object.

    rows   None: the answer is the object; else the answer is a list, and ``rows`` names the row's identity keys as
           {identity name: row key}
    query  sent with the GET; values may hold ``{name}``
    shared the same GET serves every object of the family (a list)
    """

    path: str
    query: t.Mapping[str, str] = field(default_factory=dict)
    rows: t.Mapping[str, str] | None = None
    shared: bool = False
    absence: tuple[Absence, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Privileges:
    """Path and privilege, for the documentation."""

    read: str
    write: str


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What a task says. ``values`` holds PVE keys as declared, ``extras`` the family's own options.

    ``rewrite_secrets`` sends write-only keys to an object that is there already; ``created`` says that this run has
    just made the object, so that what a family says about objects that it finds does not apply.
    """

    ident: t.Mapping[str, t.Any]
    state: str = "present"
    values: t.Mapping[str, t.Any] = field(default_factory=dict)
    delete: tuple[str, ...] = ()
    exact: bool = False
    rewrite_secrets: bool = False
    created: bool = False
    confirm_destroy: str | None = None
    extras: t.Mapping[str, t.Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Live:
    """What the API answered. ``values`` are raw, by PVE key; ``facts`` whatever else the family read."""

    present: bool
    values: t.Mapping[str, t.Any] = field(default_factory=dict)
    facts: t.Mapping[str, t.Any] = field(default_factory=dict)

    @property
    def digest(self) -> str | None:
        digest = self.values.get("digest")
        return digest if isinstance(digest, str) else None


@dataclass(frozen=True, kw_only=True)
class Drift:
    """One declared key that differs. ``live`` or ``want`` is NOTHING when absent."""

    key: str
    live: Canon
    want: Canon
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A change that is not made: one plain sentence that says what, why and the way out.

    until_gone   it falls away once what still uses the object is deleted, which an estate may do first
    passes       a lock of PVE's, which falls away by itself: worth the seconds of ``lock_wait``
    """

    id: str
    msg: str
    key: str | None = None
    until_gone: bool = False
    passes: bool = False


@dataclass(frozen=True, kw_only=True)
class Step:
    """One write. ``what`` names it for a person, ``digest`` is sent when set, ``task``: the answer is a UPID.

    reveals   the answer shows a secret once (``Family.sink``): a lost answer is a failure, whatever is stored
    gone      the text of an error that means that there is nothing left to remove; the read-back has the last word
    """

    method: str
    path: str
    form: t.Mapping[str, Form] = field(default_factory=dict)
    digest: str | None = None
    task: bool = False
    what: str = ""
    reveals: bool = False
    gone: str = ""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The one answer to declared against live.

    partial   the steps close only a part of the drift: write them, read and judge again
    notes     warnings that are true whether or not anything is written
    pending   declared keys that PVE holds until the guest restarts
    wait      PVE finishes this by itself, without a write: read again for so many seconds until it has
    """

    action: str = "none"  # none, create, update, delete
    drift: tuple[Drift, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    steps: tuple[Step, ...] = ()
    partial: bool = False
    notes: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    wait: float = 0


class Reader(t.Protocol):
    """The only thing that a family may ask of the network: GET. Raises ApiError and TransportError."""

    def get(
        self, path: str, query: t.Mapping[str, t.Any] | None = None, *, shared: bool = False, role: str = "read"
    ) -> t.Any:
        """The ``data`` of the answer. ``shared`` lets one answer serve every object of a run (cleared by any write)."""


ReadHook = t.Callable[["Family", Declaration, Reader], Live]
RefuseHook = t.Callable[["Family", Declaration, Live, tuple[Drift, ...]], t.Iterable[Refusal]]
StepsHook = t.Callable[["Family", Declaration, Live, tuple[Drift, ...]], tuple[Step, ...]]
JudgeHook = t.Callable[["Family", Declaration, Live], Judgement]
CheckHook = t.Callable[["Family", Declaration], None]
ShapeHook = t.Callable[[t.Mapping[str, t.Any]], t.Mapping[str, t.Any]]
KindsHook = t.Callable[[Declaration, Live], t.Mapping[str, Kind]]
NotesHook = t.Callable[["Family", Declaration, Live, tuple[Drift, ...]], t.Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of objects. Everything that is not a hook is data.

    identity     option name -> Kind, in the order in which a person names the object
    optional     identity options that a declaration may leave out
    alone        identity options that tell an object from all others, where the rest only say where it is (a vmid);
                 empty: all of them together
    whole        identity options that, given without the rest, name everything that shares them (an ACL path)
    caseless     identity options in which upper and lower case are the same name
    delete_array the ``delete`` parameter is an array: repeated, not comma-joined
    selector     the key whose value picks the types of ``Key.types`` (``type``)
    needs        families whose objects must be there first
    nested       a name may hold ``/``, and what stands before it must be there first
    retain       deleting loses what cannot be rebuilt: ``confirm_destroy`` is asked for
    exact        default of the option ``exact``
    config       name of the dict option that holds the keys (guests); None: every key is an option of its own
    shape        an answer's row -> the values by PVE key
    kinds_hook   kinds that depend on the declaration or on what was read, in place of the table's
    joiner       between identity values where a person names the object
    sink         the field of an answer that holds a secret which PVE shows once: it goes to the option ``secret_sink``
                 and nowhere else, and the option ``rotate`` asks for a new one (``Declaration.rewrite_secrets``);
                 a dot leads into an object of the answer
    recover      how a secret that did not reach its sink is still had, where that is not by ``rotate``
    check        more checks of a declaration, before anything is read
    index, export   where all objects are listed, and how they are told where not by the table alone
    notes        warnings, for what PVE itself will refuse unless another declaration comes first
    read_hook, refuse, steps_hook, judge_hook   what is special to this family, all pure but for GETs through Reader
    options      options beside the keys (argument spec), given to the family as ``Declaration.extras``
    refuses      every refusal of its hooks, by id, as a phrase for the documentation
    """

    name: str
    product: str
    noun: str
    identity: t.Mapping[str, Kind]
    keys: t.Mapping[str, Key]
    read: Read
    create: Endpoint | None
    update: Endpoint | None
    delete: Endpoint | None
    privileges: Privileges
    digest: bool = False
    delete_array: bool = False
    selector: str | None = None
    needs: tuple[str, ...] = ()
    nested: bool = False
    retain: bool = False
    exact: bool = False
    config: str | None = None
    empty_clears: bool = True
    joiner: str = " "
    optional: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    caseless: tuple[str, ...] = ()
    sink: str | None = None
    recover: str | None = None
    index: tuple[Index, ...] = ()
    export: Export = BY_TABLE
    shape: ShapeHook | None = None
    kinds_hook: KindsHook | None = None
    check: CheckHook | None = None
    read_hook: ReadHook | None = None
    refuse: RefuseHook | None = None
    notes: NotesHook | None = None
    steps_hook: StepsHook | None = None
    judge_hook: JudgeHook | None = None
    options: t.Mapping[str, t.Mapping[str, t.Any]] = field(default_factory=dict)
    refuses: t.Mapping[str, str] = field(default_factory=dict)

    def title(self, ident: t.Mapping[str, t.Any]) -> str:
        """How messages name one object: ``Pool house``."""
        return f"{self.noun} {self.handle(ident)}"

    def handle(self, ident: t.Mapping[str, t.Any]) -> str:
        """The object's name alone: what ``confirm_destroy`` must repeat."""
        return self.joiner.join(str(ident[name]) for name in self.identity if name in ident)

    def same(self, ident: t.Mapping[str, t.Any]) -> tuple[str, ...]:
        """Equal for two names of one object."""
        names = self.alone or self.identity
        named = {name: str(ident.get(name, "")) for name in names}
        return tuple(text.lower() if name in self.caseless else text for name, text in named.items())

    def whole_of(self, ident: t.Mapping[str, t.Any]) -> dict[str, t.Any] | None:
        """The name of the whole that this object is a part of; None where it is no part."""
        if not self.whole or set(ident) == set(self.whole):
            return None
        return {name: ident[name] for name in self.whole}

    def option_of(self, key: str) -> str:
        """The option that declares this PVE key; inside a ``config`` dict keys are PVE's own."""
        return key if self.config else self.keys[key].option_name(key)
