# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Access control as PVE's own server answered (measured 31 to 38)."""

from __future__ import annotations

import pytest

from tests.servers.lab import Lab

from .talk import Client

NO_NODE = "hostname lookup 'pve9' failed - failed to get address info for: pve9: Name or service not known"


def test_a_user_and_its_groups(ask: Client) -> None:
    ask("POST", "/access/groups", {"groupid": "devs", "comment": "Dev team"})
    ask("POST", "/access/groups", {"groupid": "ops"})
    made = {"userid": "bob@pve", "comment": "Bob ä", "email": "bob@example.test", "groups": "ops,devs", "keys": ""}
    assert ask("POST", "/access/users", {**made, "password": "secret123"}).status == 200
    live = {"enable": 1, "expire": 0, "comment": "Bob ä", "email": "bob@example.test"}
    assert ask("GET", "/access/users/bob@pve").data == {**live, "groups": ["devs", "ops"], "tokens": None}
    assert ask("GET", "/access/groups/devs").data == {"members": ["bob@pve"], "comment": "Dev team"}
    assert {"groupid": "ops", "users": "bob@pve"} in ask("GET", "/access/groups").data

    ask("PUT", "/access/users/bob@pve", {"groups": "ops"})
    ask("PUT", "/access/users/bob@pve", {"groups": "devs", "append": 1})
    assert ask("GET", "/access/users/bob@pve").data["groups"] == ["devs", "ops"]
    ask("PUT", "/access/users/bob@pve", {"groups": "", "comment": "0", "email": ""})
    assert ask("GET", "/access/users/bob@pve").data == {"enable": 1, "expire": 0, "groups": [], "tokens": None}


def test_the_list_of_users_shows_more_when_asked(ask: Client) -> None:
    plain = {row["userid"]: row for row in ask("GET", "/access/users").data}
    assert plain["root@pam"] == {"userid": "root@pam", "enable": 1, "expire": 0, "realm-type": "pam"}
    full = {row["userid"]: row for row in ask("GET", "/access/users", {"full": 1}).data}
    assert full["hf-read@pve"]["groups"] == "hf-mint"
    assert {"tokenid": "lab", "expire": 0, "privsep": 0} in full["root@pam"]["tokens"]


@pytest.mark.parametrize(
    ("method", "path", "values", "status", "message"),
    [
        ("GET", "/access/users/nope@pve", {}, 500, "no such user ('nope@pve')"),
        ("DELETE", "/access/users/nope@pve", {}, 500, "no such user ('nope@pve')"),
        ("POST", "/access/users", {"userid": "root@pam"}, 500, "create user failed: user 'root@pam' already exists"),
        ("POST", "/access/users", {"userid": "a@pve", "groups": "no"}, 500, "create user failed: no such group 'no'"),
        ("GET", "/access/groups/nope", {}, 500, "group 'nope' does not exist"),
        ("DELETE", "/access/groups/nope", {}, 500, "delete group failed: group 'nope' does not exist"),
        ("POST", "/access/groups", {"groupid": "hf-mint"}, 500, "create group failed: group 'hf-mint' already exists"),
        ("GET", "/access/roles/Nope", {}, 500, "role 'Nope' does not exist"),
        ("DELETE", "/access/roles/Nope", {}, 500, "delete role failed: role 'Nope' does not exist"),
        ("PUT", "/access/roles/PVEAdmin", {"privs": ""}, 500, "auto-generated role 'PVEAdmin' cannot be modified"),
        ("DELETE", "/access/roles/PVEAdmin", {}, 500, "auto-generated role 'PVEAdmin' cannot be deleted"),
        ("GET", "/access/users/root@pam/token/no", {}, 500, "no such token 'no' for user 'root@pam'"),
        ("PUT", "/access/users/root@pam/token/no", {"comment": "x"}, 500, "no such token 'no' for user 'root@pam'"),
        ("PUT", "/access/acl", {"path": "/vms", "users": "no@pve", "roles": "PVEAdmin"}, 500,
         "ACL update failed: user 'no@pve' does not exist"),
        ("PUT", "/access/acl", {"path": "/vms", "users": "root@pam", "roles": "No"}, 500,
         "ACL update failed: role 'No' does not exist"),
        ("GET", "/nope", {}, 501, "Method 'GET /nope' not implemented"),
        ("PATCH", "/pools", {}, 501, "Method 'PATCH /pools' not implemented"),
        ("GET", "/nodes/pve9/lxc", {}, 500, NO_NODE),
    ],
)  # fmt: skip
def test_refusals_in_pves_words(
    ask: Client, method: str, path: str, values: dict[str, str], status: int, message: str
) -> None:
    reply = ask(method, path, values)
    assert (reply.status, reply.reason) == (status, message)
    assert reply.json == {"data": None, "message": message + "\n"}


@pytest.mark.parametrize(
    ("method", "path", "values", "errors"),
    [
        ("POST", "/access/roles", {"roleid": "PVECustom", "privs": "VM.Audit"},
         {"roleid": "cannot use role ID starting with the (case-insensitive) 'PVE' namespace"}),
        ("POST", "/access/roles", {"roleid": "Bad", "privs": "No.Such"},
         {"privs": "invalid format - invalid privilege 'No.Such'\n"}),
        ("POST", "/access/users/root@pam/token/lab", {}, {"tokenid": "Token already exists."}),
        ("PUT", "/access/acl", {"path": "/bogus", "users": "root@pam", "roles": "PVEAdmin"},
         {"path": "invalid ACL path '/bogus'"}),
        ("PUT", "/access/acl", {"path": "/vms/abc", "users": "root@pam", "roles": "PVEAdmin"},
         {"path": "invalid ACL path '/vms/abc'"}),
        ("PUT", "/access/users/root@pam/token/lab", {"delete": "expire"}, None),
    ],
)  # fmt: skip
def test_refused_parameters(
    ask: Client, method: str, path: str, values: dict[str, str], errors: dict[str, str] | None
) -> None:
    reply = ask(method, path, values)
    if errors is None:
        assert "unknown option 'expire'" in reply.text
        return
    assert (reply.status, reply.reason, reply.errors) == (400, "Parameter verification failed.", errors)


def test_roles_are_replaced_appended_and_emptied(ask: Client) -> None:
    ask("POST", "/access/roles", {"roleid": "Custom", "privs": "VM.Audit,Datastore.Audit VM.PowerMgmt"})
    assert ask("GET", "/access/roles/Custom").data == {"VM.Audit": 1, "Datastore.Audit": 1, "VM.PowerMgmt": 1}
    ask("PUT", "/access/roles/Custom", {"privs": "VM.Audit"})
    ask("PUT", "/access/roles/Custom", {"privs": "VM.Config.Disk", "append": 1})
    rows = {row["roleid"]: row for row in ask("GET", "/access/roles").data}
    assert rows["Custom"] == {"roleid": "Custom", "privs": "VM.Audit,VM.Config.Disk", "special": 0}
    assert rows["PVEPoolUser"] == {"roleid": "PVEPoolUser", "privs": "Pool.Audit", "special": 1}
    ask("PUT", "/access/roles/Custom", {"privs": ""})
    assert ask("GET", "/access/roles/Custom").data == {}


def test_acl_rows_come_and_go(lab: Lab, ask: Client) -> None:
    lab.edit("POST", "/access/users", {"userid": "bob@pve"})
    ask(
        "PUT", "/access/acl", {"path": "/vms/100/", "users": "bob@pve", "roles": "PVEVMUser,PVEAuditor", "propagate": 0}
    )
    mine = [row for row in ask("GET", "/access/acl").data if row["ugid"] == "bob@pve"]
    base = {"path": "/vms/100", "type": "user", "ugid": "bob@pve", "propagate": 0}
    assert mine == [{**base, "roleid": "PVEAuditor"}, {**base, "roleid": "PVEVMUser"}]
    again = {"path": "/vms/100", "users": "bob@pve", "roles": "PVEVMUser", "delete": 1}
    assert [ask("PUT", "/access/acl", again).status for _ in range(2)] == [200, 200]
    assert len([row for row in ask("GET", "/access/acl").data if row["ugid"] == "bob@pve"]) == 1
    lab.edit("DELETE", "/access/users/bob@pve")
    assert [row for row in ask("GET", "/access/acl").data if row["ugid"] == "bob@pve"] == []


def test_a_row_for_root_is_accepted_and_never_written(ask: Client) -> None:
    assert ask("PUT", "/access/acl", {"path": "/", "users": "root@pam", "roles": "PVEAdmin"}).status == 200
    assert [row for row in ask("GET", "/access/acl").data if row["ugid"] == "root@pam"] == []


def test_a_token_shows_its_secret_once(ask: Client) -> None:
    made = ask("POST", "/access/users/root@pam/token/t1", {"comment": "c1", "privsep": 0, "expire": 0}).data
    assert made["full-tokenid"] == "root@pam!t1"
    assert made["info"] == {"expire": "0", "privsep": "0", "comment": "c1"}
    assert ask("GET", "/access/users/root@pam/token/t1").data == {"expire": 0, "privsep": 0, "comment": "c1"}
    assert ask("POST", "/access/users/root@pam/token/t2", {}).data["info"] == {"privsep": 1}
    changed = ask("PUT", "/access/users/root@pam/token/t1", {"comment": "", "privsep": 1}).data
    assert changed == {"expire": 0, "privsep": "1"}
    rotated = ask("PUT", "/access/users/root@pam/token/t1", {"regenerate": 1}).data
    assert rotated["value"] != made["value"]
    assert {"tokenid": "t2", "expire": 0, "privsep": 1} in ask("GET", "/access/users/root@pam/token").data


def test_cluster_options_are_read_back_as_objects(ask: Client) -> None:
    assert ask("GET", "/cluster/options").data == {"mac_prefix": "BC:24:11", "description": "", "allowed-tags": []}
    style = {"tag-style": "case-sensitive=1,ordering=config", "registered-tags": "b;a", "description": "hello"}
    ask("PUT", "/cluster/options", {**style, "keyboard": "de"})
    ask("PUT", "/cluster/options", {"delete": "keyboard"})
    assert ask("GET", "/cluster/options").data == {
        "mac_prefix": "BC:24:11",
        "tag-style": {"case-sensitive": 1, "ordering": "config"},
        "registered-tags": ["a", "b"],
        "allowed-tags": ["a", "b"],
        "description": "hello\n",
    }


def test_privileges_follow_the_acl_when_they_are_checked(lab: Lab) -> None:
    secret = lab.edit("POST", "/access/users/hf-read@pve/token/tt", {"privsep": 0})["data"]["value"]
    ask = Client(lab, f"hf-read@pve!tt={secret}")
    assert ask("POST", "/access/groups", {"groupid": "x"}).status == 200
    lab.configure(privileges=True)
    reply = ask("POST", "/access/groups", {"groupid": "y"})
    assert (reply.status, reply.reason) == (403, "Permission check failed (/access/groups, Group.Allocate)")
    assert ask("POST", "/pools", {"poolid": "bad pool"}).reason == "Permission check failed (, Pool.Allocate)"
    assert ask("GET", "/nodes/pve1/lxc/101/config").status == 200
    held = ask("GET", "/access/permissions", {"path": "/vms/101"}).data
    assert held["/vms/101"]["VM.Audit"] == 1
    assert "VM.Allocate" not in held["/vms/101"]
    lab.edit("PUT", "/access/acl", {"path": "/vms/101", "users": "hf-read@pve", "roles": "NoAccess"})
    assert ask("GET", "/nodes/pve1/lxc/101/config").reason == "Permission check failed (/vms/101, VM.Audit)"


def test_a_separated_token_holds_only_what_both_hold(lab: Lab) -> None:
    lab.configure(privileges=True)
    lab.edit("POST", "/access/users/hf-provision@pve/token/sep", {})
    who = {"userid": "hf-provision@pve!sep", "path": "/storage/local"}
    assert lab.get("/access/permissions", who) == {"/storage/local": {}}
    lab.edit("PUT", "/access/acl", {"path": "/storage", "tokens": "hf-provision@pve!sep", "roles": "PVEDatastoreAdmin"})
    held = lab.get("/access/permissions", who)["/storage/local"]
    assert sorted(held) == ["Datastore.Allocate", "Datastore.AllocateSpace", "Datastore.Audit"]
