# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the drift of one key asks for: a part of the PUT, a resize, or a refusal."""

from __future__ import annotations

import shlex
import typing as t
from dataclasses import dataclass, field

from ...engine.family import Declaration, Drift, Live, Refusal
from ...engine.key import NOTHING
from ...wire.kind import Form, Kind
from ..guest_read import Place


@dataclass(frozen=True)
class Context:
    """What every handler may look at. ``current`` is the config without what is pending: PVE checks against it."""

    place: Place
    declaration: Declaration
    live: Live
    kinds: t.Mapping[str, Kind]

    @property
    def current(self) -> t.Mapping[str, t.Any]:
        found: t.Mapping[str, t.Any] = self.live.facts.get("current", self.live.values)
        return found

    @property
    def unprivileged(self) -> bool:
        """Of the live container, or of the one that would be created (whose default is 1)."""
        if self.live.present:
            return str(self.current.get("unprivileged", "0")) == "1"
        declared = self.declaration.values.get("unprivileged", True)
        return bool(self.kinds["unprivileged"].canon(declared))


@dataclass(frozen=True)
class Change:
    """One key's part of the plan.

    resize   absolute sizes, as resize takes them
    volumes  keys whose write PVE refuses under protection
    """

    form: t.Mapping[str, Form] = field(default_factory=dict)
    clear: tuple[str, ...] = ()
    resize: tuple[tuple[str, str], ...] = ()
    volumes: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()


Handler = t.Callable[[Context, Drift], Change]


def refuse(name: str, key: str, msg: str) -> Change:
    """A change that is not made."""
    return Change(refusals=(Refusal(id=name, key=key, msg=f"{key}: {msg}"),))


def set_or_clear(context: Context, item: Drift) -> Change:
    """The usual case: the declared value, or ``delete`` where it is to go or has no form (features all off)."""
    if item.want is NOTHING:
        return Change(clear=(item.key,))
    kind = context.kinds[item.key]
    carried = item.want if item.live is NOTHING else kind.carry(item.want, item.live)
    form = kind.form(carried)
    return Change(form={item.key: form}) if form not in ("", ()) else Change(clear=(item.key,))


def pct_set(context: Context, key: str, form: Form | None) -> str:
    """The line that root runs on the node."""
    if form is None:
        return f"pct set {context.place.vmid} --delete {key}"
    return f"pct set {context.place.vmid} --{key} {shlex.quote(str(form))}"


def root_only(context: Context, key: str, form: Form | None, why: str = "only root@pam may set this") -> Change:
    """PVE compares the user with ``root@pam`` itself, so a token of root fails too (LXC.pm
    check_ct_modify_config_perm)."""
    line = pct_set(context, key, form)
    return refuse("root-only", key, f"{why}, and an API token never is. Run on {context.place.node}: {line}")


def root_only_handler(context: Context, item: Drift) -> Change:
    """Keys that no token may set, change or delete: devices and the hookscript."""
    change = set_or_clear(context, item)
    return root_only(context, item.key, change.form.get(item.key))
