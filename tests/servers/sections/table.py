# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a row of the section store says. See the package's docstring for how to add one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..wire import Values

if TYPE_CHECKING:
    from ..world import World

Key = Any
Data = dict[str, Any]
# What SectionConfig.pm write_config writes only when it is true.
SECTION_TRUTH = frozenset({"comment", "disable"})


@dataclass
class Call:
    """A request to a family that the lab keeps, after authentication and the schema's checks."""

    world: World
    method: str
    template: str
    # Typed, path parameters included. None is a JSON null.
    values: Values
    # As they came, all texts.
    given: Values
    identity: str
    # What corrections want kept if the call succeeds.
    notes: Data = field(default_factory=dict)

    def objects(self, state: str) -> dict[Key, Data]:
        return self.world.store.setdefault(state, {})


@dataclass(frozen=True)
class TypeRow:
    """One type of a SectionConfig family: which keys it knows, which it needs at creation, which never change."""

    keys: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Texts:
    """PVE's words. `{name}` is filled from the identity and the request; an empty text means 200 and nothing done."""

    absent: str
    absent_put: str | None = None
    absent_delete: str | None = None
    exists: str = "already exists"
    unknown_delete: str = "no such option '{option}'"
    required_delete: str = "unable to delete required option '{option}'"
    fixed: str = "can't change value of fixed parameter '{option}'"
    conflict: str = "cannot set and delete property '{option}' at the same time!"
    # What stands before any refusal of a POST, PUT or DELETE: "create group failed: ".
    post: str = ""
    put: str = ""
    delete: str = ""


@dataclass(frozen=True)
class Section:
    state: str
    identity: tuple[str, ...]
    texts: Texts
    item: str = ""
    collection: str = ""
    # POST goes to the collection with the identity in the body, or (tokens) to the item's own path.
    create_on_item: bool = False
    # Statuses other than 500 for absence and existence; with 400 the text is put under this parameter's name.
    absent_status: int = 500
    exists_status: int = 500
    error_parameter: str = ""
    # What PUT does with `k=`: "clear" removes the key (a section file drops a bare key at the next parse), "ignore"
    # leaves it as it is.
    empty: str = "clear"
    # Perl truth: "" and "0" are not stored (user.cfg).
    falsy_is_absent: bool = False
    # Stored only when true, whatever PUT says of it: SectionConfig.pm write_config with `comment` and `disable`.
    kept_if_true: frozenset[str] = frozenset()
    # `delete=`: "" has none, "dies" refuses a key both set and deleted, else "delete" or "set" wins.
    delete: str = ""
    deletable: frozenset[str] | None = None
    # `delete=` takes any name: unknown, required and fixed ones too (realms).
    delete_unchecked: bool = False
    required: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    # SectionConfig: values with a line feed are refused.
    line_feeds: bool = True
    types: Mapping[str, TypeRow] = field(default_factory=dict)
    # Written into the object at creation, and shown by reads when the object does not hold the key.
    stored_defaults: Mapping[str, Any] = field(default_factory=dict)
    shown_defaults: Mapping[str, Any] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    # Parameters that steer the call and are no keys of the object.
    steering: frozenset[str] = frozenset()
    # The file whose SHA-1 is the digest: sections that share it share the digest. Empty: no digest.
    digest_file: str = ""
    digest_in_item: bool = True
    digest_in_list: bool = False
    singleton: bool = False
    # The order of the file instead of the keys'.
    in_file_order: bool = False
    # POST checks the type's keys before it takes the file's lock, so those refusals go without the prefix.
    early_checks: bool = False
    # A parameter of DELETE with which an absent object is no error.
    forgiving_delete: str = ""
    # What a PUT without any key answers; empty: 200.
    no_options: str = ""
    # List filters: parameter -> key that must equal it.
    filters: Mapping[str, str] = field(default_factory=dict)
    # What a handler does before it takes the file's lock: a canonical identity, refusals without the prefix.
    settle: Callable[[Call], None] | None = None
    show: Callable[[Call, Key, Data], Any] | None = None
    row: Callable[[Call, Key, Data], Any] | None = None
    before_create: Callable[[Call, Key, Data], None] | None = None
    before_update: Callable[[Call, Key, Data, Data], None] | None = None
    # Returns True when the object is to stay (it may have been marked).
    before_delete: Callable[[Call, Key, Data], bool | None] | None = None
    # The data of a POST's, PUT's answer; null without.
    created: Callable[[Call, Key, Data], Any] | None = None
    updated: Callable[[Call, Key, Data], Any] | None = None

    def key_of(self, values: Values) -> Key:
        if self.singleton:
            return ""
        parts = tuple(str(values[name]) for name in self.identity)
        return parts[0] if len(parts) == 1 else parts


@dataclass(frozen=True)
class Endpoint:
    """A function for one method and path, for what is no collection of objects."""

    method: str
    template: str
    answer: Callable[[Call], Any]
