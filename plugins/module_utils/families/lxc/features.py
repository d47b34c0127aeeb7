# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feature flags. PVE's permission check compares raw sub-keys, not meanings; it is mirrored here line by line.

LXC.pm check_ct_modify_config_perm: on an unprivileged container ``nesting`` alone may be changed by a token; any
other sub-key that differs as text, even ``keyctl=0`` against nothing, is for root@pam.
"""

from __future__ import annotations

import typing as t

from ...engine.family import Drift
from ...wire.kind import SpellingError
from .change import Change, Context, refuse, root_only, set_or_clear

_WORDS = {"on": "1", "yes": "1", "true": "1", "off": "0", "no": "0", "false": "0"}


def features_change(context: Context, item: Drift) -> Change:
    """A write that a token may do, or the refusal."""
    change = set_or_clear(context, item)
    if item.key in change.form:
        change = Change(form={item.key: _keep_live_text(context, str(change.form[item.key]))})
    if not context.unprivileged:
        return refuse("privileged-features", item.key, "on a privileged container only root@pam may change them.")
    if token_may(raw(context.current.get("features")), raw(change.form.get(item.key))):
        return change
    return root_only(context, item.key, change.form.get(item.key), "only root@pam may change flags other than nesting")


def token_may(old: t.Mapping[str, str], new: t.Mapping[str, str]) -> bool:
    """Whether PVE lets a token go from ``old`` to ``new``; an empty ``new`` is a delete."""
    if old and new:
        return all(key == "nesting" or old.get(key, "") == new.get(key, "") for key in {*old, *new})
    return set(old or new) <= {"nesting"}


def raw(value: object) -> dict[str, str]:
    """The sub-keys as PVE's parser hands them to its check: words of a flag become 1 and 0, the rest stays text."""
    parts = [part.partition("=") for part in str(value or "").split(",") if part]
    return {key: text if key == "mount" else _WORDS.get(text.lower(), text) for key, _equals, text in parts}


def _keep_live_text(context: Context, form: str) -> str:
    """The form with the live spelling of what does not change, so that PVE's check sees only real changes."""
    old, new = raw(context.current.get("features")), raw(form)
    kind = context.kinds["features"]
    for key, text in old.items():
        if key != "nesting" and _same(kind.canon, {key: text}, {key: new[key]} if key in new else {}):
            new[key] = text
    return ",".join(f"{key}={text}" for key, text in sorted(new.items()))


def _same(canon: t.Callable[[object], object], one: dict[str, str], other: dict[str, str]) -> bool:
    try:
        return canon(one) == canon(other)
    except SpellingError:
        return False
