# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating a container: everything that PVE would refuse, or do in a way that nobody asked for, is said before."""

from __future__ import annotations

import typing as t

from ...engine.family import Drift, Judgement, Refusal, Step
from ...wire.kind import Form
from ...wire.volumes import parse_volume
from .change import Change, Context, refuse, root_only, root_only_handler
from .features import raw, token_may
from .mounts import MOUNT_KEY

#: Sub-options of ``create`` and their names in the request.
CREATE_ONLY: t.Final[t.Mapping[str, str]] = {
    "ostemplate": "ostemplate",
    "start": "start",
    "pool": "pool",
    "bwlimit": "bwlimit",
    "ignore_unpack_errors": "ignore-unpack-errors",
}
#: Sent only when they are on.
_FLAGS: t.Final = ("start", "ignore_unpack_errors")
#: Options of their own, write-only.
SECRETS: t.Final[t.Mapping[str, str]] = {"password": "password", "ssh_public_keys": "ssh-public-keys"}


def judge_create(context: Context, drift: tuple[Drift, ...], notes: tuple[str, ...]) -> Judgement:
    """One POST, or every reason why not."""
    changes = [_declared(context, item) for item in drift]
    refusals = (*_incomplete(context, drift), *(refusal for change in changes for refusal in change.refusals))
    form: dict[str, Form] = {"vmid": str(context.place.vmid), **_options(context)}
    for change in changes:
        form.update(change.form)
    step = Step(method="POST", path=f"nodes/{context.place.node}/lxc", form=form, task=True, what="create")
    return Judgement(
        action="create",
        drift=drift,
        refusals=refusals,
        steps=() if refusals else (step,),
        partial=_may_be_oci(context),
        notes=(*notes, *_privileged(context)),
    )


def _incomplete(context: Context, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    title = context.place.title
    if not _create(context).get("ostemplate"):
        yield Refusal(
            id="no-template",
            key="create",
            msg=f"{title} does not exist and no ostemplate is given, so there is nothing to create it from.",
        )
    # PVE would take 4 GiB of the storage "local" (API2/LXC.pm create_vm).
    if not any(item.key == "rootfs" for item in drift):
        yield Refusal(id="no-rootfs", key="rootfs", msg=f"Creating {title.lower()} needs rootfs as storage:GiB.")


def _create(context: Context) -> t.Mapping[str, t.Any]:
    return context.declaration.extras.get("create") or {}


def _declared(context: Context, item: Drift) -> Change:
    """One declared key in the form of the POST; an empty value is left out, and so are features that are all off."""
    key = item.key
    if MOUNT_KEY.fullmatch(key):
        return _volume(context, item)
    if key.startswith("dev") or key == "hookscript":
        return root_only_handler(context, item)
    form = context.kinds[key].form(item.want)
    if form in ("", ()):
        return Change()
    if key == "features":
        return _features(context, item, str(form))
    return Change(form={key: form})


def _volume(context: Context, item: Drift) -> Change:
    volume = parse_volume(item.want["volume"])
    form = context.kinds[item.key].form(item.want)
    if volume.kind == "volume":
        return refuse(
            "existing-volume",
            item.key,
            "names an existing volume; the template would be unpacked over it. Give storage:GiB.",
        )
    if volume.kind != "new":
        return root_only(context, item.key, form, "only root@pam may mount a path or a device of the node")
    return Change(form={item.key: form})


def _features(context: Context, item: Drift, form: str) -> Change:
    if not context.unprivileged:
        return refuse("privileged-features", item.key, "on a privileged container only root@pam may change them.")
    if not token_may({}, raw(form)):
        return root_only(context, item.key, form, "only root@pam may set flags other than nesting")
    return Change(form={item.key: form})


def _options(context: Context) -> dict[str, Form]:
    sources = ((_create(context), CREATE_ONLY), (context.declaration.extras, SECRETS))
    found = {
        sent: source.get(name) or None if name in _FLAGS else source.get(name)
        for source, names in sources
        for name, sent in names.items()
    }
    return {sent: _plain(value) for sent, value in found.items() if value is not None and value not in ("", [])}


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return "\n".join(str(part).strip() for part in value)
    return str(value)


def _may_be_oci(context: Context) -> bool:
    """An image may overwrite ``cmode``, ``entrypoint`` and ``env``: what it did is put right by one more PUT.

    LXC/Create.pm archive_is_oci_format looks only into files that end in ``.tar``.
    """
    return str(_create(context).get("ostemplate") or "").endswith(".tar")


def _privileged(context: Context) -> tuple[str, ...]:
    if context.unprivileged:
        return ()
    return ("unprivileged: creating a privileged container needs Sys.Modify on /.",)
