# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Storage definitions as PVE answered (measured 41), and whose privileges see and change what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.servers.lab import Lab
from tests.servers.schema import UNKNOWN
from tests.servers.sections.storage_types import TYPES

from .talk import Client
from .test_sections import errors, said, without

STORAGE = "/storage"
DIR = {"storage": "s1", "type": "dir", "path": "/srv/s1"}
PBS = {"storage": "pbs1", "type": "pbs", "server": "192.0.2.9", "datastore": "ds", "username": "u@pbs"}


def shown(ask: Client, name: str) -> dict[str, Any]:
    data = without(ask("GET", f"{STORAGE}/{name}").data, "storage")
    for key in ("content", "nodes"):
        if key in data:
            data[key] = ",".join(sorted(data[key].split(",")))
    return data


def test_a_storage_through_its_life(ask: Client) -> None:
    form = {
        **DIR,
        "content": "images,rootdir",
        "nodes": "pve1",
        "shared": 1,
        "prune-backups": "keep-last=3,keep-daily=7",
    }
    assert ask("POST", STORAGE, form).data == {"storage": "s1", "type": "dir"}
    assert shown(ask, "s1") == without(form, "storage")
    assert ask("PUT", f"{STORAGE}/s1", {"disable": 1}).data == {"storage": "s1", "type": "dir"}
    assert ask("PUT", f"{STORAGE}/s1", {"content": "backup", "nodes": "pve1,pve2"}).status == 200
    assert (shown(ask, "s1")["content"], shown(ask, "s1")["nodes"], shown(ask, "s1")["disable"]) == (
        "backup", "pve1,pve2", 1
    )  # fmt: skip
    assert ask("PUT", f"{STORAGE}/s1", {"delete": "nodes,prune-backups,disable"}).status == 200
    assert shown(ask, "s1") == {"type": "dir", "path": "/srv/s1", "shared": 1, "content": "backup"}
    assert ask("PUT", f"{STORAGE}/s1", {"content": ""}).status == 200
    assert shown(ask, "s1")["content"] == "none"
    assert ask("PUT", f"{STORAGE}/s1", {}).status == 200
    assert ask("PUT", f"{STORAGE}/s1", {"delete": "content"}).status == 200
    assert shown(ask, "s1")["content"] == "images,rootdir"
    assert ask("DELETE", f"{STORAGE}/s1").data is None
    absent = "storage 's1' does not exist"
    assert said(ask, "DELETE", f"{STORAGE}/s1") == (500, f"delete storage failed: {absent}")
    assert said(ask, "GET", f"{STORAGE}/s1") == (500, absent)
    assert said(ask, "PUT", f"{STORAGE}/s1", {"content": "iso"}) == (500, f"update storage failed: {absent}")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"type": "dir"}, "missing value for required option 'path'"),
        ({"type": "dir", "path": "/srv/s2", "server": "192.0.2.1"}, "unexpected property 'server'"),
        ({"type": "dir", "path": "/srv/s 2"}, "illegal path for directory storage: /srv/s 2"),
        ({**DIR, "storage": "local-dir"}, "create storage failed: storage ID 'local-dir' already defined"),
        ({"type": "esxi", "server": "192.0.2.1", "username": "root"}, "create storage failed: missing password"),
        ({"type": "lvm", "vgname": "vg", "content": "iso"},
         "create storage failed: storage does not support content type 'none'"),
        ({**DIR, "content": "none,iso"}, "create storage failed: unable to combine 'none' with other content types"),
        ({**PBS, "encryption-key": "{}"},
         "create storage failed: Value does not seems like a valid, JSON formatted encryption key!"),
        ({**PBS, "master-pubkey": "cGVt"},
         "create storage failed: 'master-pubkey' can only be used together with 'encryption-key'"),
    ],
)  # fmt: skip
def test_what_is_no_new_storage(ask: Client, form: dict[str, Any], message: str) -> None:
    assert said(ask, "POST", STORAGE, {"storage": "s2", **form}) == (500, message)
    assert len(ask("GET", STORAGE).data) == 5


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"delete": "path"}, "unable to delete required option 'path'"),
        ({"delete": "nope"}, "no such option 'nope'"),
        ({"delete": "snapshot-as-volume-chain"}, "unable to delete fixed option 'snapshot-as-volume-chain'"),
        ({"snapshot-as-volume-chain": 1}, "can't change value of fixed parameter 'snapshot-as-volume-chain'"),
        ({"content": "iso", "delete": "content"}, "cannot set and delete property 'content' at the same time!"),
        ({"server": "192.0.2.1"}, "unexpected property 'server'"),
        (
            {"content": "iso", "digest": "0" * 40},
            "detected modified configuration - file changed by other user? Try again.",
        ),
    ],
)
def test_what_is_no_change(ask: Client, form: dict[str, Any], message: str) -> None:
    ask("POST", STORAGE, DIR)
    before = shown(ask, "s1")
    assert said(ask, "PUT", f"{STORAGE}/s1", form) == (500, f"update storage failed: {message}")
    assert errors(ask, "PUT", f"{STORAGE}/s1", {"path": "/other"}) == {"path": UNKNOWN}
    assert shown(ask, "s1") == before


def test_the_schema_refuses_bad_values(ask: Client) -> None:
    def refused(**form: Any) -> dict[str, str]:
        return errors(ask, "POST", STORAGE, {**DIR, **form})

    assert refused(path="rel") == {"path": "invalid format - value does not look like a valid absolute path\n"}
    assert refused(content="bogus") == {"content": "invalid format - invalid content type 'bogus'\n"}
    assert refused(storage="1bad") == {"storage": "invalid format - storage ID '1bad' contains illegal characters\n"}
    assert refused(fingerprint="AA") == {"fingerprint": "value does not match the regex pattern"}
    assert refused(type="bogus")["type"].startswith("value 'bogus' does not have a value in the enumeration 'btrfs,")


def test_content_and_nodes_come_in_any_order(ask: Client) -> None:
    ask("POST", STORAGE, {**DIR, "content": "images,rootdir,iso,backup,vztmpl,snippets", "nodes": "pve1,pve2,pve3"})
    reads = [ask("GET", f"{STORAGE}/s1").data for _ in range(20)]
    for key in ("content", "nodes"):
        assert len({row[key] for row in reads}) > 1
        assert len({tuple(sorted(row[key].split(","))) for row in reads}) == 1


def test_types_that_are_always_shared_and_mounted(ask: Client) -> None:
    ask("POST", STORAGE, {"storage": "nfs1", "type": "nfs", "server": "192.0.2.9", "export": "/srv"})
    shared = shown(ask, "nfs1")
    assert (shared["shared"], shared["path"], shared["content"]) == (1, "/mnt/pve/nfs1", "images")
    assert said(ask, "PUT", f"{STORAGE}/nfs1", {"shared": 0})[1].endswith("unexpected property 'shared'")
    assert said(ask, "PUT", f"{STORAGE}/nfs1", {"content-dirs": "iso=a/b,backup=c"}) == (200, "")
    assert shown(ask, "nfs1")["content-dirs"] == {"iso": "a/b", "backup": "c"}


def test_unknown_content_of_a_type_is_dropped(ask: Client) -> None:
    ask("POST", STORAGE, {"storage": "vg1", "type": "lvm", "vgname": "vg", "content": "images,iso"})
    assert shown(ask, "vg1")["content"] == "images"


def test_local_is_always_there_and_on_every_node(ask: Client) -> None:
    assert ask("PUT", f"{STORAGE}/local", {"nodes": "pve1"}).status == 200
    assert "nodes" not in shown(ask, "local")
    assert ask("DELETE", f"{STORAGE}/local").status == 200
    assert shown(ask, "local") == {
        "type": "dir",
        "path": "/var/lib/vz",
        "prune-backups": "keep-all=1",
        "content": "backup,images,iso,rootdir,snippets,vztmpl",
    }


def test_secrets_are_never_read_and_an_encryption_key_leaves_a_mark(lab: Lab, ask: Client) -> None:
    key = {"kdf": None, "created": "x", "data": "c2VjcmV0LWtleQ==", "fingerprint": "aa:bb"}
    made = ask("POST", STORAGE, {**PBS, "password": "pbs-pass-word", "encryption-key": json.dumps(key)})
    assert json.loads(made.data["config"]["encryption-key"]) == key
    assert shown(ask, "pbs1") == {
        **without(PBS, "storage"),
        "content": "backup",
        "shared": 1,
        "encryption-key": "aa:bb",
    }
    assert "c2VjcmV0LWtleQ" not in ask("GET", STORAGE).text
    assert "pbs-pass-word" not in ask("GET", STORAGE).text
    assert ask("PUT", f"{STORAGE}/pbs1", {"password": "another-word"}).data["config"] == {}
    again = ask("PUT", f"{STORAGE}/pbs1", {"encryption-key": "autogen"}).data["config"]["encryption-key"]
    assert shown(ask, "pbs1")["encryption-key"] == json.loads(again)["fingerprint"] != "aa:bb"
    assert ask("PUT", f"{STORAGE}/pbs1", {"delete": "encryption-key"}).data == {
        "storage": "pbs1", "type": "pbs", "config": {}
    }  # fmt: skip
    assert "encryption-key" not in shown(ask, "pbs1")


def test_the_definition_and_the_nodes_view_agree(lab: Lab, ask: Client) -> None:
    ask("POST", STORAGE, {**DIR, "content": "iso", "nodes": "pve2"})
    rows = {row["storage"]: row for row in lab.get("/nodes/pve2/storage")}
    assert (rows["s1"]["content"], rows["s1"]["enabled"]) == ("iso", 1)
    assert {row["storage"]: row["enabled"] for row in lab.get("/nodes/pve1/storage")}["s1"] == 0
    ask("PUT", f"{STORAGE}/s1", {"disable": 1, "delete": "nodes"})
    assert {row["storage"]: row["enabled"] for row in lab.get("/nodes/pve2/storage")}["s1"] == 0
    ask("DELETE", f"{STORAGE}/s1")
    assert "s1" not in {row["storage"] for row in lab.get("/nodes/pve2/storage")}


def test_a_deleted_storage_takes_its_acl_rows_along(lab: Lab, ask: Client) -> None:
    ask("POST", STORAGE, DIR)
    lab.edit("PUT", "/access/acl", {"path": "/storage/s1", "groups": "hf-mint", "roles": "PVEDatastoreUser"})
    lab.edit("POST", "/pools", {"poolid": "p"})
    lab.edit("PUT", "/pools", {"poolid": "p", "storage": "s1"})
    ask("DELETE", f"{STORAGE}/s1")
    assert "/storage/s1" not in {row["path"] for row in lab.get("/access/acl")}
    assert lab.get("/pools", {"poolid": "p"})[0]["members"] == []


def test_a_base_of_another_storage_stays(ask: Client) -> None:
    ask(
        "POST",
        STORAGE,
        {"storage": "san", "type": "iscsi", "portal": "192.0.2.9", "target": "iqn.x", "content": "none"},
    )
    ask("POST", STORAGE, {"storage": "vg1", "type": "lvm", "vgname": "vg", "base": "san:0.0.0.lun"})
    used = "delete storage failed: can't remove storage - storage is used as base of another storage"
    assert said(ask, "DELETE", f"{STORAGE}/san") == (500, used)


def test_every_type_of_the_schema_has_a_row(lab: Lab) -> None:
    enum = lab.try_edit("POST", STORAGE, {**DIR, "type": "bogus"})["errors"]["type"]
    assert sorted(TYPES) == enum.partition("enumeration '")[2].rstrip("'").split(", ")


# ---- privileges

WRITES: list[tuple[str, str, dict[str, Any], str]] = [
    ("POST", "/storage", DIR, "/storage, Datastore.Allocate"),
    ("POST", "/access/domains", {"realm": "xx", "type": "ldap"}, "/access/realm, Realm.Allocate"),
    ("POST", "/cluster/ha/resources", {"sid": "ct:102"}, "/, Sys.Console"),
    ("POST", "/cluster/ha/rules", {"rule": "rr"}, "/, Sys.Console"),
    ("POST", "/cluster/backup", {"schedule": "daily", "all": 1}, "/, Sys.Modify"),
    ("POST", "/cluster/replication", {"id": "101-0", "type": "local", "target": "pve2"}, "/vms/101, VM.Replicate"),
    ("POST", "/cluster/metrics/server/mm", {"type": "graphite"}, "/, Sys.Modify"),
    ("POST", "/cluster/firewall/aliases", {"name": "ab", "cidr": "192.0.2.1"}, "/, Sys.Modify"),
]


@pytest.fixture
def token_of(lab: Lab) -> Any:
    def make(user: str) -> Client:
        made = lab.edit("POST", f"/access/users/{user}/token/one", {"privsep": 0})["data"]
        return Client(lab, f"{user}!one={made['value']}")

    lab.configure(privileges=True)
    return make


@pytest.mark.parametrize(("method", "path", "form", "missing"), WRITES, ids=[row[1] for row in WRITES])
def test_the_reader_may_write_nothing(
    token_of: Any, method: str, path: str, form: dict[str, Any], missing: str
) -> None:
    refused = said(token_of("hf-read@pve"), method, path, form)
    assert refused == (403, f"Permission check failed ({missing})")


def test_the_reader_sees_what_an_auditor_sees(lab: Lab, token_of: Any) -> None:
    reader = token_of("hf-read@pve")
    lab.edit("POST", "/cluster/replication", {"id": "101-0", "type": "local", "target": "pve2"})
    for path in ("/cluster/replication/101-0", "/cluster/ha/resources", "/access/domains/pam", "/cluster/backup"):
        assert reader("GET", path).status == 200
    assert len(reader("GET", "/storage").data) == 5
    assert said(reader, "GET", "/storage/local") == (
        403, "Permission check failed (/storage/local, Datastore.Allocate)"
    )  # fmt: skip


def test_lists_leave_out_what_may_not_be_seen(lab: Lab, token_of: Any) -> None:
    lab.edit("POST", "/access/users", {"userid": "limited@pve"})
    lab.edit("PUT", "/access/acl", {"path": "/storage/tank", "users": "limited@pve", "roles": "PVEDatastoreUser"})
    lab.edit("POST", "/cluster/replication", {"id": "101-0", "type": "local", "target": "pve2"})
    limited = token_of("limited@pve")
    assert [row["storage"] for row in limited("GET", "/storage").data] == ["tank"]
    assert limited("GET", "/cluster/replication").data == []
    assert said(limited, "GET", "/cluster/replication/101-0") == (
        403, "Permission check failed (/vms/101, VM.Audit)"
    )  # fmt: skip


def test_a_backup_job_asks_for_its_storage_too(lab: Lab, token_of: Any) -> None:
    lab.edit("POST", "/access/roles", {"roleid": "Jobs", "privs": "Sys.Modify,Sys.Audit"})
    lab.edit("POST", "/access/users", {"userid": "jobs@pve"})
    lab.edit("PUT", "/access/acl", {"path": "/", "users": "jobs@pve", "roles": "Jobs"})
    jobs = token_of("jobs@pve")
    form = {"id": "jj", "schedule": "daily", "all": 1}
    refused = "Permission check failed (/storage/{}, Datastore.Allocate)"
    assert said(jobs, "POST", "/cluster/backup", form) == (403, refused.format("local"))
    assert said(jobs, "POST", "/cluster/backup", {**form, "storage": "tank"}) == (403, refused.format("tank"))
    lab.edit("POST", "/cluster/backup", {**form, "storage": "tank"})
    assert said(jobs, "PUT", "/cluster/backup/jj", {"enabled": 0}) == (403, refused.format("tank"))
