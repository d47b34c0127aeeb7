# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API tokens (pve-access-control PVE/API2/User.pm).

Read from the user: its token map holds the same three fields as the token's own endpoint, which no auditor may read.
PVE shows a secret once, in the answer that makes it; where it goes is declared first (``Family.sink``).
"""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ..engine.family import (
    Declaration,
    Drift,
    Endpoint,
    Family,
    Judgement,
    Live,
    Privileges,
    Reader,
    Refusal,
    Step,
)
from ..engine.index import Index
from ..engine.judge import generic
from ..engine.key import Clear, Key
from ..engine.read import as_object, read_row
from ..engine.steps import create_steps, delete_steps, to_step, update_form
from ..wire.scalars import Flag, Integer
from .access import COMMENT, MINTED, TOKENID, USERID
from .user import SEES_USERS, USER


def _read(family: Family, declaration: Declaration, reader: Reader) -> Live:
    user = read_row(family, declaration.ident, reader)
    if user is None:
        return Live(present=False, facts={"user_absent": True})
    tokens = as_object(user.get("tokens") or {}, f"access/users/{declaration.ident['userid']}")
    token = tokens.get(declaration.ident["tokenid"])
    return Live(present=token is not None, values=token or {})


def _refuse(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[Refusal]:
    """A longer life for a leased token would make a lasting credential of it; its engine must be able to end it."""
    title = family.title(declaration.ident)
    minted = declaration.extras.get("minted_prefix") or ""
    acts = drift or declaration.rewrite_secrets or declaration.state == "absent" or not live.present
    if acts and minted and declaration.ident["tokenid"].startswith(minted):
        yield Refusal(
            id="minted",
            msg=f"{title}: names that begin with {minted} belong to an engine that mints tokens (minted_prefix); they "
            "are not managed here.",
        )
    if declaration.state == "absent" or "secret_sink" in declaration.extras:
        return
    if not live.present:
        yield Refusal(
            id="no-sink",
            msg=f"{title} does not exist, and PVE shows the secret of a new token once; say with secret_sink where it "
            "goes.",
        )
    elif declaration.rewrite_secrets:
        yield Refusal(id="no-sink", msg=f"{title}: rotate needs secret_sink; PVE shows the new secret once.")


def _notes(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> t.Iterable[str]:
    title = family.title(declaration.ident)
    if live.facts.get("user_absent"):
        yield f"{title}: its user is not there yet; PVE refuses the token until it is."
    if live.present and any(item.key == "privsep" and item.want for item in drift):
        yield f"{title}: with privsep the token can do only what ACL rows of its own give it."


def _judge(family: Family, declaration: Declaration, live: Live) -> Judgement:
    """A rotation is an update without a drift."""
    judged = generic(family, declaration, live)
    if judged.action != "none" or not (declaration.rewrite_secrets and live.present):
        return judged
    if declaration.state == "absent" or judged.refusals:
        return judged
    return replace(judged, action="update", steps=_steps(family, declaration, live, ()))


def _steps(family: Family, declaration: Declaration, live: Live, drift: tuple[Drift, ...]) -> tuple[Step, ...]:
    if declaration.state == "absent":
        return tuple(replace(step, gone="no such token") for step in delete_steps(family, declaration, live))
    if not live.present:
        return tuple(replace(step, reveals=True) for step in create_steps(family, declaration, live))
    form, _cleared = update_form(family, declaration, live, drift)
    if not declaration.rewrite_secrets:
        return (to_step(family.update, declaration, form, what="update"),)
    form["regenerate"] = "1"
    return (to_step(family.update, declaration, form, what="new secret", reveals=True),)


_ITEM = "access/users/{userid}/token/{tokenid}"

API_TOKEN = Family(
    name="api_token",
    product="pve",
    noun="API token",
    identity={"userid": USERID, "tokenid": TOKENID},
    joiner="!",
    sink="value",
    read=USER.read,
    index=(
        Index(
            path="access/users",
            query={"full": "1"},
            inside="tokens",
            columns={"userid": "userid", "tokenid": "tokenid"},
            skip={"tokenid": f"{MINTED}.*"},
            sight=SEES_USERS,
        ),
    ),
    create=Endpoint(method="POST", path=_ITEM),
    update=Endpoint(method="PUT", path=_ITEM),
    delete=Endpoint(method="DELETE", path=_ITEM),
    keys={
        "comment": Key(kind=COMMENT, default="", clear=Clear.EMPTY),
        "expire": Key(kind=Integer(minimum=0), default=0, clear=Clear.NEVER),
        "privsep": Key(kind=Flag(), default=True, clear=Clear.NEVER),
    },
    options={"minted_prefix": {"type": "str", "default": MINTED}},
    needs=("user",),
    retain=True,
    read_hook=_read,
    refuse=_refuse,
    notes=_notes,
    steps_hook=_steps,
    judge_hook=_judge,
    refuses={
        "minted": "any change of a token whose name begins with minted_prefix: an engine makes and ends those",
        "no-sink": "a new token, or rotate, without secret_sink: PVE shows the secret once",
    },
    privileges=Privileges(
        read="Sys.Audit on /access/groups, or User.Modify",
        write="User.Modify on /access/groups/{group} of one of the user's groups (or on /access/groups), or to be the "
        "user itself",
    ),
)
