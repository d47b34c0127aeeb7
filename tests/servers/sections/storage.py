# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Storage definitions (pve-storage API2/Storage/Config.pm, Storage/Plugin.pm; measured 41).

storage.cfg is kept here. fakepve holds a copy of each definition without its secrets, for the volumes and the status
of a node's storages are its own. Every storage can be activated: a fault of kind `status` is how one is not online.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import random
import re
import secrets
import time
from typing import Any

from .. import privileges
from ..formats import split_list
from ..wire import Die, Values
from .storage_types import TYPES
from .table import SECTION_TRUTH, Call, Data, Key, Section, Texts

SECRET_STATE = "storage_secret"
# What parse_config makes of a storage.cfg without it.
LOCAL: Data = {
    "type": "dir",
    "path": "/var/lib/vz",
    "prune-backups": "keep-all=1",
    "content": "backup,images,iso,rootdir,snippets,vztmpl",
}
BAD_KEY = "Value does not seems like a valid, JSON formatted encryption key!"


def _settle(call: Call) -> None:
    if call.method != "POST":
        return
    values = call.values
    if not values.get("nodes"):
        values.pop("nodes", None)
    kind = TYPES[values["type"]]
    if kind.mounted and not values.get("path"):
        values["path"] = f"/mnt/pve/{values['storage']}"
    if values["type"] in ("dir", "btrfs") and values.get("path"):
        if not re.fullmatch(r"/[-/a-zA-Z0-9_.@]+", str(values["path"])):
            raise Die(f"illegal path for directory storage: {values['path']}")
        values["path"] = "/" + "/".join(part for part in str(values["path"]).split("/") if part not in ("", "."))


def _create(call: Call, key: Key, data: Data) -> None:
    kind = data["type"]
    _written(call, key, data)
    if kind == "esxi" and not call.values.get("password"):
        raise Die("missing password")
    if kind == "zfs":
        data.setdefault("zfs-base-path", "/dev/zvol")
    call.objects(SECRET_STATE).pop(key, None)  # what was left of an earlier storage of that name
    _keep_secrets(call, key, data, creating=True)


def _update(call: Call, key: Key, old: Data, new: Data) -> None:
    _written(call, key, new)
    _keep_secrets(call, key, new, creating=False)


def _written(call: Call, key: Key, data: Data) -> None:
    """Plugin.pm decode_value of what is sent, and encode_value."""
    kind = TYPES[data["type"]]
    if call.values.get("content") is not None:
        found = {item for item in split_list(str(call.values["content"])) if item in kind.content}
        if "none" in found and len(found) > 1:
            raise Die("unable to combine 'none' with other content types")
        if not found and "none" not in kind.content:
            raise Die("storage does not support content type 'none'")
        data["content"] = ",".join(sorted(found)) or "none"
    if call.values.get("content-dirs") is not None:
        pairs = [item for item in split_list(str(call.values["content-dirs"])) if item.split("=")[0] in kind.content]
        data["content-dirs"] = ",".join(sorted(pairs))
    if data.get("nodes"):
        data["nodes"] = ",".join(sorted(set(split_list(str(data["nodes"])))))


def _keep_secrets(call: Call, key: Key, data: Data, creating: bool) -> None:
    """extract_sensitive_params and the plugins' hooks: secrets go to files of their own, PBS keys leave a mark."""
    kind = TYPES[data["type"]]
    kept = dict(call.objects(SECRET_STATE).get(key, {}))
    deleted = split_list(str(call.values.get("delete") or ""))
    for name in kind.secrets:
        mark = data.pop(name, None)
        sent = call.values.get(name)
        if sent:
            kept[name], mark = _secret(call, name, str(sent))
        elif name in deleted:
            kept.pop(name, None)
            mark = None
        if mark is not None and name in ("encryption-key", "master-pubkey"):
            data[name] = mark
    if "master-pubkey" in kept and "encryption-key" not in kept and creating:
        raise Die("'master-pubkey' can only be used together with 'encryption-key'")
    call.objects(SECRET_STATE)[key] = kept


def _secret(call: Call, name: str, sent: str) -> tuple[str, Any]:
    """What is kept, and the mark that stays in storage.cfg."""
    if name != "encryption-key":
        return sent, 1
    if sent == "autogen":
        sent = _new_key()
    try:
        fingerprint = json.loads(sent).get("fingerprint")
        json.loads(sent)["data"]
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Die(BAD_KEY) from None
    call.notes["encryption-key"] = sent
    return sent, fingerprint or 1


def _new_key() -> str:
    """As `proxmox-backup-client key create --kdf none` writes it."""
    raw = secrets.token_bytes(32)
    digest = binascii.hexlify(hashlib.sha256(raw).digest()).decode()
    now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    fingerprint = ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))
    made = {"kdf": None, "created": now, "modified": now, "data": base64.b64encode(raw).decode()}
    return json.dumps({**made, "fingerprint": fingerprint})


def _answer(call: Call, key: Key, data: Data) -> Data:
    _copy(call, key, data)
    answer: Data = {"storage": key, "type": data["type"]}
    if data["type"] == "pbs":
        answer["config"] = dict(call.notes)
    return answer


def _copy(call: Call, key: Key, data: Data) -> None:
    """The same change at fakepve."""
    hidden = TYPES[data["type"]].secrets
    values: Values = {
        name: value
        for name, value in call.values.items()
        if value is not None and name not in ("storage", "digest", "delete", *hidden)
    }
    deleted = [name for name in split_list(str(call.values.get("delete") or "")) if name not in hidden]
    if deleted:
        values["delete"] = ",".join(deleted)
    path = "/storage" if call.method == "POST" else f"/storage/{key}"
    if call.method == "POST":
        values["storage"] = key
    if values:
        _asked(call, call.method, path, values)


def _asked(call: Call, method: str, path: str, values: Values) -> None:
    answer = call.world.backend.ask(method, path, values)
    if answer.status != 200:
        raise Die(f"the lab's copy at fakepve was refused: {method} {path}: {answer.message} {answer.errors or ''}")


def _delete(call: Call, key: Key, data: Data) -> bool:
    for name, other in call.objects("storage").items():
        if name != key and str(other.get("base", "")).startswith(f"{key}:"):
            raise Die("can't remove storage - storage is used as base of another storage")
    call.objects(SECRET_STATE).pop(key, None)
    acl = call.objects("acl")
    for row in [row for row in acl if acl[row]["path"] == f"/storage/{key}"]:
        del acl[row]
    if key == "local":
        call.objects("storage")[key] = dict(LOCAL)
        _asked(call, "PUT", "/storage/local", {name: LOCAL[name] for name in ("content", "prune-backups")})
        return True
    _asked(call, "DELETE", f"/storage/{key}", {})
    return False


def _shuffled(items: list[str] | tuple[str, ...]) -> str:
    """The order of a Perl hash's keys, which is another at every read."""
    return ",".join(random.sample(items, len(items)))


def shown(key: Key, data: Data) -> Data:
    """Plugin.pm parse_config, then API2/Storage/Config.pm $api_storage_config."""
    kind = TYPES[data["type"]]
    out = {**data, "storage": key}
    out["content"] = _shuffled(split_list(str(data.get("content") or "")) or kind.default)
    if data.get("nodes"):
        out["nodes"] = _shuffled(split_list(str(data["nodes"])))
    if data.get("content-dirs"):
        out["content-dirs"] = dict(item.split("=", 1) for item in split_list(str(data["content-dirs"])))
    if kind.shared:
        out["shared"] = 1
    if key == "local":
        out.pop("nodes", None)
    return out


def _row(call: Call, key: Key, data: Data) -> Data | None:
    seen = privileges.has(call.world, call.identity, f"/storage/{key}", "Datastore.Audit", "Datastore.AllocateSpace")
    return shown(key, data) if seen else None


STORAGE = Section(
    state="storage",
    identity=("storage",),
    item="/storage/{storage}",
    collection="/storage",
    settle=_settle,
    texts=Texts(
        absent="storage '{storage}' does not exist",
        absent_put="update storage failed: storage '{storage}' does not exist",
        absent_delete="delete storage failed: storage '{storage}' does not exist",
        exists="storage ID '{storage}' already defined",
        post="create storage failed: ",
        put="update storage failed: ",
        delete="delete storage failed: ",
    ),
    types={name: kind.row for name, kind in TYPES.items()},
    kept_if_true=SECTION_TRUTH,
    delete="dies",
    early_checks=True,
    digest_file="storage.cfg",
    digest_in_list=True,
    line_feeds=False,
    filters={"type": "type"},
    show=lambda call, key, data: shown(key, data),
    row=_row,
    before_create=_create,
    before_update=_update,
    before_delete=_delete,
    created=_answer,
    updated=_answer,
)

SECTIONS = (STORAGE,)
