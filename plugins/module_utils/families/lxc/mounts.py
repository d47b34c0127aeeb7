# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rootfs and mount points: what may be written over a live one, and how.

``storage:GiB`` is never written over what is there: for a mount point PVE would allocate a fresh volume and set the
old one aside, and for rootfs it stores the text as it is, so the container loses its root (LXC/Config.pm
vmconfig_apply_pending). A write names the live volume and its live size, and growth is a resize.
"""

from __future__ import annotations

import re
import typing as t

from ...engine.family import Drift
from ...engine.key import NOTHING
from ...wire.kind import Canon, SpellingError
from ...wire.propstr import PropertyMap
from ...wire.sizes import MIB, format_size
from ...wire.volumes import Volume, owner, parse_volume
from .change import Change, Context, refuse, root_only
from .mount_kinds import MOUNT, ROOTFS, mount_options

MOUNT_KEY: t.Final = re.compile(r"rootfs|mp\d+")

#: LVM rounds a volume up to whole extents, and a later rescan stores the rounded size.
TOLERANCE: t.Final = 4 * MIB


class Mount(PropertyMap):
    """A mount compared by meaning: ``storage:8`` is any volume of that storage with 8 GiB."""

    def same(self, declared: Canon, live: Canon) -> bool:
        if "volume" not in live:
            return False
        want, have = parse_volume(declared["volume"]), parse_volume(live["volume"])
        return _same_volume(want, have) and _same_options(declared, live) and growth(declared, live) == 0


LXC_MOUNT: t.Final = Mount(MOUNT.subs, default_key=MOUNT.default_key)
LXC_ROOTFS: t.Final = Mount(ROOTFS.subs, default_key=ROOTFS.default_key)


def _same_volume(want: Volume, have: Volume) -> bool:
    if want.kind == "new":
        return have.kind == "volume" and want.storage == have.storage
    return want.text == have.text


def _same_options(declared: t.Mapping[str, Canon], live: t.Mapping[str, Canon]) -> bool:
    return mount_options(declared) == mount_options(live)


def wanted_size(mount: t.Mapping[str, Canon]) -> int | None:
    """Bytes that are declared, or None where no size is."""
    size = mount.get("size")
    return size if isinstance(size, int) else parse_volume(mount["volume"]).size


def growth(declared: t.Mapping[str, Canon], live: t.Mapping[str, Canon]) -> int:
    """Bytes to add (negative: to take away). 0 within the tolerance, or where one side says no size."""
    want, have = wanted_size(declared), live.get("size")
    if want is None or have is None or 0 <= have - want < TOLERANCE:
        return 0
    return int(want - have)


def _kind_of(key: str) -> Mount:
    return LXC_ROOTFS if key == "rootfs" else LXC_MOUNT


def rewrites_and_grows(key: str, declared: object, live: object) -> bool:
    """Whether a mount asks for a PUT and a resize both, whose order depends on whether the container runs."""
    kind = _kind_of(key)
    try:
        want, have = kind.canon(declared), kind.canon(live)
    except SpellingError:
        return False
    return "volume" in have and growth(want, have) > 0 and not _same_options(want, have)


def with_size_of(key: str, pending: object, current: object) -> object:
    """A pending mount with the size that its volume has now: a resize changes only the current value."""
    kind = _kind_of(key)
    try:
        waits, now = kind.canon(pending), kind.canon(current)
    except SpellingError:
        return pending
    if "size" not in now or waits.get("volume") != now.get("volume"):
        return pending
    return kind.form({**waits, "size": now["size"]})


def mount_change(context: Context, item: Drift) -> Change:
    """The verdict on one drifted mount."""
    if item.live is NOTHING:
        return _attach(context, item)
    if "volume" not in item.live:
        return refuse("unreadable", item.key, "its live value is in a form that is not known here; it is left alone.")
    if item.want is NOTHING:
        return _detach(context, item)
    want, have = parse_volume(item.want["volume"]), parse_volume(item.live["volume"])
    if not (want.managed and have.managed):
        return root_only(context, item.key, context.kinds[item.key].form(item.want), _why_root(want, have))
    return _another_volume(item.key, want, have) or _rewrite(context, item)


def _another_volume(key: str, want: Volume, have: Volume) -> Change | None:
    """What is attached stays attached: another volume is a move or a swap, and neither is an update."""
    if want.storage != have.storage:
        return refuse(
            "storage-move",
            key,
            f"volume is on {have.storage}, declared on {want.storage}; move it with a move-volume task first.",
        )
    if want.kind == "volume" and want.text != have.text:
        return refuse(
            "volume-swap", key, "declared volume is not the attached one; attaching it would detach the live volume."
        )
    return None


def _why_root(want: Volume, have: Volume) -> str:
    what = "bind mount" if "bind" in (want.kind, have.kind) else "device mount"
    return f"only root@pam may set or change a {what}"


def _attach(context: Context, item: Drift) -> Change:
    """A mount point that is not there yet (rootfs always is)."""
    key, volume = item.key, parse_volume(item.want["volume"])
    form = context.kinds[key].form(item.want)
    if not volume.managed:
        return root_only(context, key, form, _why_root(volume, volume))
    if key in context.current:
        return refuse("detach-pending", key, "its detachment waits for a restart; restart the container first.")
    if volume.kind == "new":
        return Change(form={key: form}, volumes=(key,))
    if not context.declaration.extras.get("attach_existing"):
        return refuse(
            "existing-volume",
            key,
            "names an existing volume; give storage:GiB to allocate a new one, "
            "or set attach_existing: true to attach it.",
        )
    if owner(volume.text) != context.place.vmid:
        return refuse("foreign-volume", key, "names a volume that does not belong to this container; move it first.")
    return Change(form={key: form}, volumes=(key,))


def _detach(context: Context, item: Drift) -> Change:
    """A token may drop a bind mount; a volume becomes unusedN, which has to be asked for."""
    is_volume = parse_volume(item.live["volume"]).managed
    if is_volume and item.key not in (context.declaration.extras.get("detach") or ()):
        return refuse("detach", item.key, "detaching leaves the volume as unusedN; list it under detach to allow it.")
    return Change(clear=(item.key,), volumes=(item.key,))


def _rewrite(context: Context, item: Drift) -> Change:
    """Other options, more space, or both: the PUT comes first and carries the live volume and size."""
    key, more = item.key, growth(item.want, item.live)
    if more < 0:
        want, have = format_size(int(item.live["size"]) + more), format_size(item.live["size"])
        return refuse("shrink", key, f"declared {want} is smaller than live {have}; volumes only grow.")
    form: dict[str, t.Any] = {}
    if not _same_options(item.want, item.live):
        kept = {part: item.live[part] for part in ("volume", "size") if part in item.live}
        form[key] = context.kinds[key].form({**mount_options(item.want), **kept})
    resize = ((key, format_size(int(item.live["size"]) + more)),) if more else ()
    return Change(form=form, resize=resize, volumes=tuple(form))
