# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is special to storages: proof of absence, what PVE drops without a word, keys of backups, who uses one."""

from __future__ import annotations

import re
import typing as t
from dataclasses import replace

from ...engine.compare import section_type
from ...engine.family import Declaration, Drift, Family, Live, Reader, Refusal, Step
from ...engine.key import NOTHING
from ...engine.read import as_object, read_table, rows_of
from ...engine.sight import prove_sight, sees
from ...engine.steps import create_steps, delete_steps, update_steps
from ...wire.kind import Kind
from .kinds import ALWAYS_SHARED, AUTOGEN, OFFERS, Marked

#: The keys of a guest's configuration that name a volume or a storage.
_VOLUMES = re.compile(r"rootfs|mp\d+|unused\d+|(ide|sata|scsi|virtio)\d+|efidisk0|tpmstate0|vmstate|vmstatestorage")


def read_storage(family: Family, declaration: Declaration, reader: Reader) -> Live:
    """The row of the list. PVE leaves out of it what the credential may not see."""
    live = read_table(family, declaration, reader)
    storage = str(declaration.ident["storage"])
    if not live.present:
        wanted = ("Datastore.Audit", "Datastore.AllocateSpace")
        prove_sight(family.title(declaration.ident), "storage", f"/storage/{storage}", wanted, reader)
        return live
    if declaration.state != "absent" or declaration.extras.get("force"):
        return live
    if declaration.confirm_destroy != family.handle(declaration.ident):
        return live
    return replace(live, facts=_users(storage, reader))


def _users(storage: str, reader: Reader) -> dict[str, t.Any]:
    """Storages and guests that name this one. A guest that cannot be read fails the task: it may be one of them."""
    rows = rows_of(reader, "storage")
    based = sorted(row["storage"] for row in rows if str(row.get("base") or "").startswith(f"{storage}:"))
    if not sees("/vms", ("VM.Audit",), reader):
        return {"based": based, "blind": True}
    guests = rows_of(reader, "cluster/resources", {"type": "vm"})
    named = [row["vmid"] for row in guests if _names(_config_of(row, reader), storage)]
    return {"based": based, "guests": sorted(map(str, named))}


def _config_of(row: t.Mapping[str, t.Any], reader: Reader) -> t.Mapping[str, t.Any]:
    path = f"nodes/{row['node']}/{row['type']}/{row['vmid']}/config"
    return as_object(reader.get(path), path)


def _names(config: t.Mapping[str, t.Any], storage: str) -> bool:
    """``scsi0: tank:vm-100-disk-0,size=8G``, ``ide2: file=tank:iso/x.iso,media=cdrom``, ``vmstatestorage: tank``."""
    volume = re.compile(rf"(^|[,=]){re.escape(storage)}(:|$)")
    return any(_VOLUMES.fullmatch(key) and volume.search(str(value)) for key, value in config.items())


def secret_kinds(declaration: Declaration, live: Live) -> t.Mapping[str, Kind]:
    """A master key is only known to be there; whether to send it again is what update_secret says."""
    return {"master-pubkey": Marked(no_linefeed=False, rewrite=declaration.rewrite_secrets)}


# ---- refusals


def refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = family.title(declaration.ident)
    local = declaration.ident["storage"] == "local"
    if declaration.state == "absent":
        yield from _refuse_absent(title, local, live)
        return
    if local and "nodes" in declaration.values:
        yield _no("local", title, "nodes cannot be restricted; PVE drops them at every read.", "nodes")
    kind_of_section = section_type(family, declaration, live)
    if kind_of_section is not None:
        yield from _not_offered(family, declaration, title, kind_of_section)
    yield from _refuse_keys(title, declaration, live, kind_of_section, {item.key: item for item in drift})


def _no(name: str, title: str, text: str, key: str | None = None) -> Refusal:
    return Refusal(id=name, key=key, msg=f"{title}: {text}")


def _refuse_absent(title: str, local: bool, live: Live) -> t.Iterable[Refusal]:
    if local:
        yield _no("local", title, "PVE makes it anew at every read, so it cannot be deleted; disable it instead.")
    if live.facts.get("based"):
        names = ", ".join(live.facts["based"])
        yield _no("in-use", title, f"it is the base of {names}, and PVE refuses to delete it.")
    if live.facts.get("guests"):
        names = ", ".join(live.facts["guests"])
        yield _no("in-use", title, f"guests {names} have volumes of it; move them away, or set force: true.")
    if live.facts.get("blind"):
        yield _no(
            "in-use",
            title,
            "this credential does not see the guests (VM.Audit on /vms), so it is not known whether one has volumes "
            "of it; give it that privilege, or set force: true.",
        )


def _not_offered(family: Family, declaration: Declaration, title: str, kind: str) -> t.Iterable[Refusal]:
    """Plugin.pm decode_value drops content and formats that a type does not have, and only warns in a log."""
    offer = OFFERS.get(kind)
    if offer is None:
        return
    asked = {
        "content": (set(_canon(family, declaration, "content")), offer.content),
        "content-dirs": (set(_canon(family, declaration, "content-dirs")), offer.content),
        "format": ({declaration.values.get("format", "raw")}, offer.formats or ("raw",)),
    }
    for key, (wanted, offered) in asked.items():
        for word in sorted(wanted - set(offered)):
            what = "format" if key == "format" else "content"
            text = f"{what} {word} is not offered by type {kind} (it has {', '.join(offered)})."
            yield _no("not-offered", title, text, key)
    shared = declaration.values.get("shared")
    if kind in ALWAYS_SHARED and shared is not None and not family.keys["shared"].kind.canon(shared):
        yield _no("always-shared", title, f"type {kind} is always shared.", "shared")


def _canon(family: Family, declaration: Declaration, key: str) -> t.Any:
    value = declaration.values.get(key)
    return () if value is None else family.keys[key].kind.canon(value)


def _refuse_keys(
    title: str, declaration: Declaration, live: Live, kind: str | None, drift: t.Mapping[str, Drift]
) -> t.Iterable[Refusal]:
    """Keys of encrypted backups. PBSPlugin.pm writes and unlinks the files; there is no way back."""
    key, master = "encryption-key", "master-pubkey"
    if not live.present and kind == "pbs":
        yield from _refuse_new_pbs(title, declaration)
    if not live.present or key not in drift:
        return
    if drift[key].want is NOTHING:
        if declaration.confirm_destroy != declaration.ident["storage"]:
            told = f'set confirm_destroy: "{declaration.ident["storage"]}"'
            yield _no("key", title, f"clearing {key} deletes the key that its backups need; {told} to do so.", key)
    elif drift[key].want == AUTOGEN:
        yield _no("key", title, "PVE makes an encryption key only for a new storage here; declare the key.", key)
    elif live.values.get(key) is not None and not declaration.rewrite_secrets:
        yield _no(
            "key",
            title,
            "another encryption key is in place, and the backups made so far need it; to replace it, keep a copy and "
            "set update_secret: always.",
            key,
        )
    if drift.get(master) and drift[key].want is NOTHING and drift[master].want is not NOTHING:
        yield _no("key", title, f"{master} is only of use with {key}.", master)


def _refuse_new_pbs(title: str, declaration: Declaration) -> t.Iterable[Refusal]:
    """on_add_hook unlinks every key file that it gets no content for, and no endpoint tells whether there is one."""
    key = declaration.values.get("encryption-key")
    if key is None and not declaration.extras.get("unencrypted"):
        yield _no(
            "key",
            title,
            "when PVE creates a storage of type pbs it deletes an encryption key that an earlier storage of this name "
            "left behind, and with it the way to read that storage's backups; declare encryption_key, or say that "
            "there is none with unencrypted: true.",
            "encryption-key",
        )
    if key is not None and declaration.extras.get("unencrypted"):
        yield _no("key", title, "unencrypted and encryption_key exclude each other.", "encryption-key")
    if key is None and "master-pubkey" in declaration.values:
        yield _no("key", title, "PVE takes master_pubkey only together with encryption_key.", "master-pubkey")
    if key == AUTOGEN and "secret_sink" not in declaration.extras:
        text = "PVE shows the key that it makes once; say with secret_sink where it goes."
        yield _no("no-sink", title, text, "encryption-key")


# ---- requests


def steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    """``shared`` is read of every shared type, and is no key of theirs."""
    if declaration.state == "absent":
        return delete_steps(family, declaration, live)
    if live.present:
        return update_steps(family, declaration, live, drift)
    always = section_type(family, declaration, live) in ALWAYS_SHARED
    values = {name: value for name, value in declaration.values.items() if not (always and name == "shared")}
    made = create_steps(family, replace(declaration, values=values), live)
    autogen = declaration.values.get("encryption-key") == AUTOGEN
    return tuple(replace(step, reveals=autogen) for step in made)
