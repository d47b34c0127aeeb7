# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fake of pvesh and pveum for what provision_baseline's script asks of them. Knows no other command."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

State = dict[str, Any]
KEYS = {"role": "roleid", "group": "groupid", "user": "userid"}
FIELDS = {
    "role": {"privs"},
    "group": {"comment"},
    "user": {"groups", "enable", "expire", "email", "firstname", "lastname", "comment"},
}


def options(words: list[str]) -> dict[str, str]:
    names, values = words[::2], words[1::2]
    assert len(names) == len(values), words
    assert all(name.startswith("--") for name in names), words
    return {name[2:]: value for name, value in zip(names, values)}


def rows(state: State, kind: str) -> list[State]:
    return [{KEYS[kind]: name, **values} for name, values in reversed(list(state[f"{kind}s"].items()))]


def pvesh(state: State, words: list[str]) -> Any:
    verb, path, *rest = words
    given = options(rest)
    assert verb == "get"
    assert given.pop("output-format") == "json"
    if path == "/access/acl":
        assert not given
        return state["acl"]
    kind = {"/access/roles": "role", "/access/groups": "group", "/access/users": "user"}[path]
    assert given == ({"full": "1"} if kind == "user" else {})
    return rows(state, kind)


def pveum(state: State, words: list[str]) -> None:
    kind, verb, name, *rest = words
    given = options(rest)
    if kind == "acl":
        grant(state, verb, name, given)
        return
    assert set(given) <= FIELDS[kind], given
    stored = state[f"{kind}s"]
    assert (name in stored) == (verb == "modify"), (verb, name)
    if "groups" in given:
        assert given["groups"] in state["groups"], "no such group"
    found = dict(stored.get(name, {}))
    for key, value in given.items():
        if value:
            found[key] = int(value) if key in ("enable", "expire") else value
        else:
            found.pop(key, None)
    stored[name] = found


def grant(state: State, verb: str, path: str, given: dict[str, str]) -> None:
    assert verb == "modify"
    assert set(given) == {"users", "roles", "propagate"}
    assert given["users"] in state["users"]
    assert given["roles"] in state["roles"]
    row = {"path": path, "type": "user", "ugid": given["users"], "roleid": given["roles"]}
    for found in state["acl"]:
        if row.items() <= found.items():
            found["propagate"] = int(given["propagate"])
            return
    state["acl"].append({**row, "propagate": int(given["propagate"])})


def main(program: str, words: list[str]) -> int:
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps([program, *words]) + "\n")
    if os.environ["FAKE_FAIL"] and os.environ["FAKE_FAIL"] in words[:2]:
        print("told to fail", file=sys.stderr)
        return 255
    path = Path(os.environ["FAKE_STATE"])
    state = json.loads(path.read_text())
    if program == "pvesh":
        print(json.dumps(pvesh(state, words)))
    else:
        pveum(state, words)
        path.write_text(json.dumps(state))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
