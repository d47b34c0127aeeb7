# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What containers and VMs share in judging: is this the guest that is meant, may it be written, may it be deleted.

A vmid is reused and a digit is mistyped, so the number alone never proves which guest it is. Messages of these gates
name keys and never values: what stands in a stranger's config is not ours to show.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ..engine.family import Declaration, Drift, Live, Refusal
from ..errors import DeclarationError
from .guest_read import Place

EXISTING: t.Final = ("update", "match", "refuse")

#: What a guest is known by, as text: a hostname, a MAC, a volume id. None where a value says nothing about identity.
MarkOf = t.Callable[[str, t.Any], t.Union[str, None]]


# ---- identity


@dataclass(frozen=True)
class Marks:
    """Identity marks by key: what is declared, and what is live."""

    declared: t.Mapping[str, str]
    live: t.Mapping[str, str]


@dataclass(frozen=True)
class Recognition:
    """``differs`` names the identity keys that are not as expected; ``proven`` says that there was one to compare."""

    differs: tuple[str, ...]
    proven: bool

    @property
    def ok(self) -> bool:
        return not self.differs


def recognise(declaration: Declaration, marks: Marks, expected_mark: MarkOf) -> Recognition:
    """Whether the live guest is the declared one, by ``identity`` where given, else by every declared mark."""
    identity = declaration.extras.get("identity")
    if identity:
        return _as_told(_as_map(identity), declaration, marks, expected_mark)
    compared = [key for key in marks.declared if key == "hostname" or (key in marks.live and key != "tags")]
    differs = tuple(key for key in compared if marks.declared[key] != marks.live.get(key))
    return Recognition(differs=differs, proven=bool(compared))


def _as_told(
    identity: t.Mapping[str, object], declaration: Declaration, marks: Marks, expected_mark: MarkOf
) -> Recognition:
    differs = []
    for key, value in identity.items():
        if key == "vmid":
            same = value is None or str(value) == str(declaration.ident["vmid"])
        else:
            # A key that already has its declared value is recognised too: the line may stay after the rename.
            wanted = {marks.declared.get(key), None if value is None else expected_mark(key, value)} - {None}
            same = marks.live.get(key) in wanted
        if not same:
            differs.append(key)
    return Recognition(differs=tuple(differs), proven=bool(identity))


def _as_map(identity: object) -> dict[str, object]:
    if isinstance(identity, t.Mapping):
        return {str(key): value for key, value in identity.items()}
    names = [identity] if isinstance(identity, (str, int)) else list(t.cast("t.Iterable[object]", identity))
    return {str(name): None for name in names}


def check_identity(declaration: Declaration, marked_keys: t.Collection[str], declared: t.Collection[str]) -> None:
    """The option ``identity``: a map of expected live values, or a list of keys that must equal live."""
    identity = declaration.extras.get("identity")
    if not identity:
        return
    if not isinstance(identity, (t.Mapping, list, tuple, str)):
        raise DeclarationError("expected a map of key and live value, or a list of keys", option="identity")
    for key, value in _as_map(identity).items():
        if key != "vmid" and key not in marked_keys:
            raise DeclarationError(f"{key} is no key that a guest can be recognised by", option="identity")
        if key != "vmid" and value in (None, "") and key not in declared:
            raise DeclarationError(f"{key} is neither declared nor given a live value to expect", option="identity")


def not_recognised(place: Place, recognition: Recognition) -> Refusal:
    """The refusal of a write to what may be another guest."""
    verb = "differs" if len(recognition.differs) == 1 else "differ"
    why = f"is not the declared guest ({', '.join(recognition.differs)} {verb})"
    way = "If it is meant, give the live value under identity for the one run that changes it."
    return Refusal(id="not-recognised", msg=f"{place.title} on {place.node} {why}. Nothing was written. {way}")


def unproven(place: Place, recognition: Recognition) -> tuple[str, ...]:
    """A warning about a change of a guest that is told by its vmid alone."""
    if recognition.proven:
        return ()
    return (
        (
            f"{place.title} is told by its vmid alone, which is reused and mistyped; declare its hostname as well, "
            "or set identity: [vmid]."
        ),
    )


# ---- what is there already


def existing_refusal(place: Place, declaration: Declaration, keys: t.Sequence[str]) -> Refusal | None:
    """What ``existing`` says about a guest that is there, when ``keys`` of it differ."""
    existing = declaration.extras.get("existing") or "update"
    if existing == "refuse":
        return Refusal(id="exists", msg=f"{place.title} already exists on {place.node}.")
    if existing == "match" and keys:
        return Refusal(
            id="not-ours-differs",
            msg=f"{place.title} on {place.node} exists and differs in: {', '.join(keys)}. Nothing was written. "
            "Declare the live values, or set existing: update.",
        )
    return None


def locked(place: Place, live: Live) -> Refusal | None:
    """PVE refuses every write to a locked config (AbstractConfig.pm ``check_lock``), and there is no way around."""
    lock = live.values.get("lock")
    if not lock:
        return None
    why = " by a create that did not finish" if lock == "create" else ""
    msg = f"{place.title} is locked ({lock}){why}; nothing was written."
    return Refusal(id="locked", key="lock", passes=True, msg=msg)


def pending_keys(declaration: Declaration, live: Live) -> tuple[str, ...]:
    """Declared keys that PVE holds until the guest starts again."""
    ours = {*declaration.values, *declaration.delete}
    return tuple(key for key in live.facts.get("pending", ()) if key in ours)


# ---- delete


def absent_refusals(
    place: Place, declaration: Declaration, live: Live, drift: tuple[Drift, ...], marks: Marks, recognition: Recognition
) -> tuple[Refusal, ...]:
    """Everything that stands against deleting this guest, all together."""
    guard = list(_guard(place, declaration, drift, marks, recognition))
    return (*guard, *_obstacles(place, declaration, live))


def _guard(
    place: Place, declaration: Declaration, drift: tuple[Drift, ...], marks: Marks, recognition: Recognition
) -> t.Iterable[Refusal]:
    told = _as_map(declaration.extras.get("identity") or {})
    if not marks.declared and not any(key != "vmid" and value is not None for key, value in told.items()):
        yield Refusal(
            id="absent-thin",
            msg="state: absent needs at least one identifying key besides vmid (hostname, a MAC, a volume or a tag).",
        )
    keys = [*(item.key for item in drift), *(key for key in recognition.differs if told)]
    if keys:
        names = ", ".join(dict.fromkeys(keys))
        yield Refusal(
            id="absent-differs",
            msg=f"{place.title} differs from the declaration in: {names}; it may be another guest. "
            "Nothing was deleted.",
        )


def _obstacles(place: Place, declaration: Declaration, live: Live) -> t.Iterable[Refusal]:
    title, facts = place.title, live.facts
    if facts.get("running"):
        yield Refusal(id="running", msg=f"{title} is running; stop it first. Nothing was deleted.")
    if str(live.values.get("protection", "0")) == "1":
        yield Refusal(id="protected", key="protection", msg=f"{title} has protection on; it was not deleted.")
    lock = locked(place, live)
    if lock:
        yield lock
    if facts.get("ha") or facts.get("replicated"):
        msg = f"{title} is under HA or replication; remove that first. Nothing was deleted."
        yield Refusal(id="ha-or-repl", until_gone=True, msg=msg)
    allowed = declaration.extras.get("absent_allow_unused") or ()
    unused = sorted(key for key in live.values if re.fullmatch(r"unused\d+", key) and key not in allowed)
    if unused:
        yield Refusal(
            id="unused",
            key=unused[0],
            msg=f"{title} carries {', '.join(unused)}, whose volumes a delete destroys and no declaration covers. "
            "List them under absent_allow_unused to allow it. Nothing was deleted.",
        )
