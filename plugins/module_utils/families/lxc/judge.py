# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgement on a container. Pure: what was read is in, what would be written is out."""

from __future__ import annotations

import functools
import re
import typing as t
from dataclasses import replace

from ...engine.compare import compare, kinds_of
from ...engine.family import Declaration, Drift, Family, Judgement, Live, Refusal, Step
from ...engine.key import NOTHING
from ...wire.kind import Form, Kind
from ...wire.propstr import PropertyMap
from ...wire.tags import Tags
from ..guest import (
    Recognition,
    absent_refusals,
    existing_refusal,
    locked,
    not_recognised,
    pending_keys,
    recognise,
    unproven,
)
from ..guest_read import Place
from .change import Change, Context, Handler, refuse, root_only_handler, set_or_clear
from .create import judge_create
from .features import features_change
from .marks import expected_mark, marks_of
from .mounts import MOUNT_KEY, mount_change
from .nets import NET_KEY, net_change, net_kinds

#: CGroup.pm clamp_cpu_shares, cgroup v2.
_MOST_CPU_UNITS = 10000


def place_of(declaration: Declaration) -> Place:
    """Where the container is said to be."""
    ident = declaration.ident
    return Place(type="lxc", noun="Container", node=str(ident["node"]), vmid=int(ident["vmid"]))


def whole(declaration: Declaration) -> Declaration:
    """The declaration with ``env`` and ``detach`` where the table knows them, and without a pasted digest."""
    values = {key: value for key, value in declaration.values.items() if key != "digest"}
    if declaration.extras.get("env") is not None:
        values["env"] = declaration.extras["env"]
    detached = tuple(declaration.extras.get("detach") or ())
    return replace(declaration, values=values, delete=tuple(dict.fromkeys((*declaration.delete, *detached))))


def kinds_hook(net: PropertyMap, declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    """Tags by the cluster's tag-style, and interfaces of a container that came out of an OCI image."""
    kinds = net_kinds(net, declaration, live)
    style = live.facts.get("tag_style")
    if style:
        kinds["tags"] = tags_of(style)
    return kinds


def tags_of(style: object) -> Tags:
    """The kind of tags under a ``tag-style`` (a map, or a text as older answers have it)."""
    if isinstance(style, str):
        style = dict(part.partition("=")[::2] for part in style.split(","))
    words = style if isinstance(style, t.Mapping) else {}
    sensitive = str(words.get("case-sensitive", 0)).lower() in ("1", "true", "on", "yes")
    return Tags(case_sensitive=sensitive, ordered=words.get("ordering") == "config")


def judge(family: Family, declaration: Declaration, live: Live) -> Judgement:
    """Drift, refusals, steps."""
    declaration = whole(declaration)
    place = place_of(declaration)
    if live.facts.get("refusals"):
        return Judgement(refusals=live.facts["refusals"])
    if declaration.state == "absent" and not live.present:
        return Judgement()
    drift, notes = _comparable(declaration, live, compare(family, declaration, live))
    context = Context(place, declaration, live, kinds_of(family, declaration, live))
    if declaration.state == "absent":
        return _judge_absent(family, context, drift, notes)
    notes = (*notes, *_clamped(context))
    if not live.present:
        return judge_create(context, drift, notes)
    if not drift:
        refusal = None if declaration.created else existing_refusal(place, declaration, ())
        return Judgement(
            refusals=(refusal,) if refusal else (),
            notes=(*notes, *_not_started(context)),
            pending=pending_keys(declaration, live),
        )
    return _judge_update(family, context, drift, notes)


def _comparable(
    declaration: Declaration, live: Live, drift: tuple[Drift, ...]
) -> tuple[tuple[Drift, ...], tuple[str, ...]]:
    """Without ``env`` where this credential does not see it: absence from such a read is no evidence."""
    if not live.facts.get("env_unreadable"):
        return drift, ()
    note = (
        "env: not comparable with this credential, which lacks VM.Config.Options on "
        f"/vms/{declaration.ident['vmid']}; it was left alone."
    )
    return tuple(item for item in drift if item.key != "env"), (note,)


def _clamped(context: Context) -> tuple[str, ...]:
    declared = context.declaration.values.get("cpuunits")
    if declared is None or context.kinds["cpuunits"].canon(declared) <= _MOST_CPU_UNITS:
        return ()
    return (f"cpuunits: PVE stores at most {_MOST_CPU_UNITS} on nodes with cgroup v2.",)


def _not_started(context: Context) -> tuple[str, ...]:
    """The start is a task inside the create's task, and its failure does not fail the create."""
    if context.live.facts.get("running") is not False or not context.declaration.created:
        return ()
    return (f"{context.place.title} was created, but it is not running: see the log of its start task.",)


# ---- update


def handler_of(key: str) -> Handler:
    """Who judges the drift of this key."""
    return next((handler for pattern, handler in _HANDLERS if re.fullmatch(pattern, key)), set_or_clear)


def _read_only(context: Context, item: Drift) -> Change:
    live, declared = ("not set" if side is NOTHING else int(side) for side in (item.live, item.want))
    return refuse(
        "read-only",
        item.key,
        f"fixed at creation (live {live}, declared {declared}); only backup and restore changes it.",
    )


_HANDLERS: t.Final[tuple[tuple[str, Handler], ...]] = (
    (MOUNT_KEY.pattern, mount_change),
    (NET_KEY.pattern, net_change),
    (r"dev\d+|hookscript", root_only_handler),
    ("features", features_change),
    ("unprivileged", _read_only),
)


def _judge_update(family: Family, context: Context, drift: tuple[Drift, ...], notes: tuple[str, ...]) -> Judgement:
    changes = {item.key: handler_of(item.key)(context, item) for item in drift}
    gate = _gate(family, context, changes)
    refusals = gate or _all_refusals(context, changes)
    steps, partial = ((), False) if refusals else _steps(context, changes)
    said = () if refusals else tuple(note for change in changes.values() for note in change.notes)
    if not refusals and not context.declaration.created:
        said = (*unproven(context.place, _recognition(family, context)), *said)
    return Judgement(
        action="update",
        drift=drift,
        refusals=refusals,
        steps=steps,
        partial=partial,
        notes=(*notes, *said),
        pending=pending_keys(context.declaration, context.live),
    )


def _gate(family: Family, context: Context, changes: t.Mapping[str, Change]) -> tuple[Refusal, ...]:
    """What stands before the single keys: ``existing``, and whether this is the guest that is meant."""
    if context.declaration.created:
        return ()
    standing = existing_refusal(context.place, context.declaration, list(changes))
    if standing:
        return (standing,)
    recognition = _recognition(family, context)
    writable = any(not change.refusals for change in changes.values())
    return (not_recognised(context.place, recognition),) if writable and not recognition.ok else ()


def _recognition(family: Family, context: Context) -> Recognition:
    marks = marks_of(family, context.kinds, context.declaration, context.live)
    return recognise(context.declaration, marks, functools.partial(expected_mark, context.kinds))


def _all_refusals(context: Context, changes: t.Mapping[str, Change]) -> tuple[Refusal, ...]:
    found = [refusal for change in changes.values() for refusal in change.refusals]
    lock = locked(context.place, context.live)
    protected = [] if _unprotects(changes) else _protected(context, changes)
    return (*([lock] if lock else []), *found, *protected)


def _unprotects(changes: t.Mapping[str, Change]) -> bool:
    change = changes.get("protection")
    return change is not None and change.form.get("protection", "0") == "0"


def _held(context: Context, changes: t.Mapping[str, Change]) -> list[str]:
    """Volume keys whose write PVE refuses now. The check reads the live config, even when the same request would
    turn protection off (LXC/Config.pm update_pct_config)."""
    if str(context.current.get("protection", "0")) != "1":
        return []
    return [key for change in changes.values() for key in change.volumes]


def _protected(context: Context, changes: t.Mapping[str, Change]) -> t.Iterable[Refusal]:
    for key in _held(context, changes):
        yield Refusal(
            id="protected",
            key=key,
            msg=f"{key}: the container has protection on, which forbids changing its volumes; declare protection: 0.",
        )


def _steps(context: Context, changes: t.Mapping[str, Change]) -> tuple[tuple[Step, ...], bool]:
    """Protection off goes alone and first; else one PUT and then the resizes.

    Of a running container a mount that is written waits for the next start, with the size that it was sent with, and a
    resize would change only the value that it replaces (API2/LXC.pm resize_vm): there the resize goes first.
    """
    if _held(context, changes):
        return (_put(context, {"protection": changes["protection"]}, "turn protection off"),), True
    resizes = [_resize(context, key, size) for change in changes.values() for key, size in change.resize]
    if context.live.facts.get("running") and any(change.form and change.resize for change in changes.values()):
        return tuple(resizes), True
    puts = [_put(context, changes, "update")] if any(c.form or c.clear for c in changes.values()) else []
    return (*puts, *resizes), False


def _put(context: Context, changes: t.Mapping[str, Change], what: str) -> Step:
    form: dict[str, Form] = {}
    for change in changes.values():
        form.update(change.form)
    clear = [key for change in changes.values() for key in change.clear]
    if clear:
        form["delete"] = ",".join(clear)
    path = f"{context.place.path}/config"
    return Step(method="PUT", path=path, form=form, digest=context.live.digest, what=what)


def _resize(context: Context, key: str, size: str) -> Step:
    """Absolute, never ``+``: sent twice, it still means the same. The digest has changed with the PUT."""
    form = {"disk": key, "size": size}
    return Step(method="PUT", path=f"{context.place.path}/resize", form=form, task=True, what=f"resize {key}")


# ---- absent


def _judge_absent(family: Family, context: Context, drift: tuple[Drift, ...], notes: tuple[str, ...]) -> Judgement:
    marks = marks_of(family, context.kinds, context.declaration, context.live)
    recognition = _recognition(family, context)
    refusals = absent_refusals(context.place, context.declaration, context.live, drift, marks, recognition)
    step = Step(method="DELETE", path=context.place.path, task=True, what="delete")
    return Judgement(
        action="delete",
        drift=drift,
        refusals=refusals,
        steps=() if refusals else (step,),
        notes=notes if refusals else (*notes, _taken_along(context)),
    )


def _taken_along(context: Context) -> str:
    volumes = sorted(key for key in context.live.values if MOUNT_KEY.fullmatch(key) or key.startswith("unused"))
    return (
        f"Deleting {context.place.title.lower()} destroys its volumes ({', '.join(volumes)}), its snapshots, its "
        "ACL entries and its firewall rules."
    )
