# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A secret that PVE shows once goes to its sink, is masked, and is nowhere else."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.redact import Secrets
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import HomeflareError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.api_token import API_TOKEN
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.revealed import Revealed
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script

SECRET = "5e3c7e1a-0000-4000-8000-0000000000fe"
USER = "access/users/ops@pve"
TOKEN = f"{USER}/token/deploy"
STORED = {"expire": 0, "privsep": 1}


class Memory:
    """A sink of the tests' own."""

    where = "memory"

    def __init__(self, *, broken: str = "") -> None:
        self.events: list[tuple[str, ...]] = []
        self.broken = broken

    def prepare(self) -> None:
        self.events.append(("prepare",))
        if self.broken == "prepare":
            raise RefusedError("secret_sink: full")

    def put(self, handle: str, secret: str) -> None:
        self.events.append(("put", handle, secret))
        if self.broken == "put":
            raise HomeflareError("memory is full")

    def close(self) -> None:
        self.events.append(("close",))


def run(expect: list[t.Any], sink: Memory | None, **params: t.Any) -> tuple[dict[str, t.Any], set[str]]:
    given = {"userid": "ops@pve", "tokenid": "deploy", "minted_prefix": "hf-", **params}
    if sink is not None:
        given["secret_sink"] = {"file": "/x"}
    wanted = declaration_of(API_TOKEN, given)
    hidden: set[str] = set()
    revealed = Revealed(API_TOKEN, wanted, sink, Secrets(), hidden.update)
    script = Script(expect)
    try:
        outcome = converge(
            API_TOKEN, wanted, script, check_mode=False, ready=revealed.ready, answered=revealed.answered
        )
    finally:
        revealed.close()
    script.done()
    return outcome.result(API_TOKEN, wanted, diff_values=True), hidden


def read(*names: str, **token: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", USER, None, {"enable": 1, "tokens": {name: {**STORED, **token} for name in names} or None})


ANSWER = {"full-tokenid": "ops@pve!deploy", "info": {"privsep": "1"}, "value": SECRET}


def test_a_new_secret_goes_to_the_sink_at_once_and_to_no_result() -> None:
    sink = Memory()
    post = ("POST", TOKEN, {"comment": "c"}, ANSWER)
    result, hidden = run([read(), post, read("deploy", comment="c")], sink, comment="c")
    assert sink.events == [("prepare",), ("put", "ops@pve!deploy", SECRET), ("close",)]
    assert SECRET in hidden
    assert SECRET not in repr(result)
    assert (result["changed"], result["action"]) == (True, "create")


def test_nothing_is_made_for_a_sink_that_is_not_ready() -> None:
    with pytest.raises(RefusedError, match="full"):
        run([read()], Memory(broken="prepare"))


def test_a_sink_is_not_asked_when_no_secret_comes() -> None:
    sink = Memory()
    run([read("deploy")], sink, privsep=True)
    run([read("deploy"), ("PUT", TOKEN, {"expire": "9"}, {}), read("deploy", expire=9)], sink, expire=9)
    assert sink.events == [("close",), ("close",)]


def test_a_secret_that_could_not_be_kept_is_told_and_still_masked() -> None:
    with pytest.raises(HomeflareError, match=r"is lost: memory is full\. Run once more with rotate: true") as caught:
        run([read(), ("POST", TOKEN, {}, ANSWER)], Memory(broken="put"))
    assert SECRET not in str(caught.value)
    assert caught.value.extra["changed"] is True


def test_an_answer_without_a_secret_is_a_failure() -> None:
    with pytest.raises(HomeflareError, match="holds no secret"):
        run([read(), ("POST", TOKEN, {}, {"info": {}})], Memory())


def test_a_rotation_puts_the_new_secret_and_is_a_change_every_time() -> None:
    sink = Memory()
    flat = {"full-tokenid": "ops@pve!deploy", "value": SECRET, "privsep": 1, "expire": 0}
    put = ("PUT", TOKEN, {"regenerate": "1"}, flat)
    result, _hidden = run([read("deploy"), put, read("deploy")], sink, rotate=True)
    assert (result["changed"], result["action"], result["drift"]) == (True, "update", [])
    assert ("put", "ops@pve!deploy", SECRET) in sink.events
