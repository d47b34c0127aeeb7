# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firewall aliases: full replace, spellings, scopes, and who still names one."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.write import plan
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    ApiError,
    DeclarationError,
    RefusedError,
    ServerError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.firewall_alias import FIREWALL_ALIAS
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

Call = tuple[str, str, t.Any, t.Any]

BASE = "cluster/firewall"
ALIASES = f"{BASE}/aliases"
WEB = {"name": "Web", "cidr": "192.0.2.0/24", "comment": "servers", "ipversion": 4, "digest": "d1"}


def run(expect: list[t.Any], **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(FIREWALL_ALIAS, {"name": "web", **params})
    script = Script(expect)
    outcome = converge(FIREWALL_ALIAS, wanted, script, check_mode=False)
    script.done()
    return outcome.result(FIREWALL_ALIAS, wanted)


def listing(*rows: t.Mapping[str, t.Any], path: str = ALIASES) -> Call:
    return ("GET", path, None, list(rows))


def test_a_name_is_found_in_any_case_and_other_names_are_not() -> None:
    assert not run([listing({**WEB, "name": "web2"}, WEB)], name="wEB", cidr="192.0.2.0/24")["changed"]


def test_create_keeps_the_case_of_the_name() -> None:
    sent = {"name": "WEB", "cidr": "192.0.2.7", "comment": "c"}
    live = {"name": "WEB", "cidr": "192.0.2.7", "comment": "c"}
    run([listing(), ("POST", ALIASES, sent, None), listing(live)], name="WEB", cidr="192.0.2.7/32", comment=" c ")


def test_a_changed_network_keeps_the_comment_that_the_replace_would_drop() -> None:
    sent = {"cidr": "198.51.100.0/24", "comment": "servers", "digest": "d1"}
    live = {**WEB, "cidr": "198.51.100.0/24"}
    result = run([listing(WEB), ("PUT", f"{ALIASES}/Web", sent, None), listing(live)], cidr="198.51.100.0/24")
    assert result["drift"] == ["cidr"]


def test_a_changed_comment_sends_the_network_again_in_the_case_of_the_live_name() -> None:
    sent = {"cidr": "192.0.2.0/24", "comment": "new", "digest": "d1"}
    run([listing(WEB), ("PUT", f"{ALIASES}/Web", sent, None), listing({**WEB, "comment": "new"})], comment="new")


@pytest.mark.parametrize("clear", [{"comment": ""}, {"comment": "0"}, {"comment": "  "}, {"delete": ["comment"]}])
def test_a_comment_is_cleared_by_leaving_it_out(clear: dict[str, t.Any]) -> None:
    sent = {"cidr": "192.0.2.0/24", "digest": "d1"}
    bare = {key: value for key, value in WEB.items() if key != "comment"}
    run([listing(WEB), ("PUT", f"{ALIASES}/Web", sent, None), listing(bare)], **clear)


def test_a_missing_row_is_absent_and_a_refused_read_is_not() -> None:
    assert not run([listing()], state="absent")["changed"]
    with pytest.raises(ApiError):
        run([("GET", ALIASES, None, error(403, "Permission check failed (/, Sys.Audit)"))], cidr="192.0.2.1")


def test_creating_needs_a_network() -> None:
    with pytest.raises(RefusedError, match="Firewall alias web does not exist, and creating it needs cidr"):
        run([listing()])


def used(rules: list[t.Any], group: list[t.Any], ipset: list[t.Any], base: str = BASE) -> list[Call]:
    return [
        ("GET", f"{base}/rules", None, rules),
        ("GET", f"{base}/groups", None, [{"group": "g1"}]),
        ("GET", f"{base}/groups/g1", None, group),
        ("GET", f"{base}/ipset", None, [{"name": "s1"}]),
        ("GET", f"{base}/ipset/s1", None, ipset),
    ]


def test_a_delete_goes_with_the_digest_of_the_list() -> None:
    looks = used([{"source": "webs,+web"}], [{"dest": "192.0.2.1"}], [{"cidr": "dc/webs"}])
    run([listing(WEB), *looks, ("DELETE", f"{ALIASES}/Web", {"digest": "d1"}, None), listing()], state="absent")


@pytest.mark.parametrize(
    ("where", "rules", "group", "ipset"),
    [
        ("rules", [{"source": "192.0.2.1,dc/Web"}], [], []),
        ("group g1", [], [{"dest": "WEB"}], []),
        ("ipset s1", [], [], [{"cidr": "dc/web"}]),
    ],
)
def test_an_alias_that_is_named_is_kept(where: str, rules: list[t.Any], group: list[t.Any], ipset: list[t.Any]) -> None:
    with pytest.raises(RefusedError, match=f"is named by {where}"):
        run([listing(WEB), *used(rules, group, ipset)], state="absent")


def test_force_does_not_look() -> None:
    run([listing(WEB), ("DELETE", f"{ALIASES}/Web", {"digest": "d1"}, None), listing()], state="absent", force=True)


RESOURCES: Call = ("GET", "cluster/resources", {"type": "vm"}, [{"vmid": 100, "node": "pve2", "type": "lxc"}])


def test_a_guests_alias_is_found_on_the_node_that_has_the_guest() -> None:
    base = "nodes/pve2/lxc/100/firewall"
    path = f"{base}/aliases"
    sent = {"name": "web", "cidr": "192.0.2.7"}
    run(
        [RESOURCES, listing(path=path), ("POST", path, sent, None), RESOURCES, listing(sent, path=path)],
        vmid=100,
        cidr="192.0.2.7",
    )
    looks: list[Call] = [("GET", f"{base}/rules", None, [{"dest": "guest/web"}]), ("GET", f"{base}/ipset", None, [])]
    with pytest.raises(RefusedError, match="Firewall alias web of guest 100 is named by rules"):
        run([RESOURCES, listing(WEB, path=path), *looks], vmid=100, state="absent")


def _held(**privileges: int) -> Call:
    return ("GET", "access/permissions", {"path": "/vms/999"}, {"/vms/999": privileges})


def test_a_guest_that_is_not_seen_is_an_error() -> None:
    with pytest.raises(ServerError, match=r"Guest 999 is not in the answer .* VM.Audit on /vms/999"):
        run([RESOURCES, _held()], vmid=999, cidr="192.0.2.1")


def test_the_alias_of_a_guest_that_is_not_there_yet_is_planned() -> None:
    """Another declaration may create the guest."""
    declaration = declaration_of(FIREWALL_ALIAS, {"name": "web", "vmid": 999, "cidr": "192.0.2.1"})
    script = Script([RESOURCES, _held(**{"VM.Audit": 1})])
    live, judged = plan(FIREWALL_ALIAS, declaration, script)
    assert (live.present, judged.action, judged.refusals) == (False, "create", ())
    assert judged.notes == (
        "Firewall alias web of guest 999: the guest is not there yet; PVE refuses the alias until it is.",
    )


@pytest.mark.parametrize(
    ("params", "option"),
    [
        ({"name": "1web"}, "name"),
        ({"name": "w"}, "name"),
        ({"name": "w" * 65}, "name"),
        ({"cidr": "nope"}, "cidr"),
        ({"cidr": "192.0.2.1-192.0.2.9"}, "cidr"),
        ({"cidr": "192.0.2.0/33"}, "cidr"),
        ({"cidr": "192.0.2.0/255.255.255.0"}, "cidr"),
        ({"cidr": "dc/other"}, "cidr"),
        ({"comment": "a\nb"}, "comment"),
        ({"delete": ["cidr"]}, "cidr"),
        ({"vmid": 99}, "vmid"),
    ],
)
def test_bounds(params: dict[str, t.Any], option: str) -> None:
    with pytest.raises(DeclarationError, match=f"^{option}: "):
        run([], **params)
