# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Realms, HA, jobs and metric servers as PVE's own API server answered, in the order asked (measured 48 to 54)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.lab import Lab
from tests.servers.schema import MISSING, UNKNOWN

from .talk import Client

NODE_AFFINITY = "node-affinity"
HA, RULES, REALMS = "/cluster/ha/resources", "/cluster/ha/rules", "/access/domains"
BACKUP, REPLICATION, METRICS = "/cluster/backup", "/cluster/replication", "/cluster/metrics/server"


def without(data: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in ("digest", *names)}


def digest_of(data: Any) -> str:
    row = data[0] if isinstance(data, list) else data
    return str(row["digest"])


def said(ask: Client, *request: Any) -> tuple[int, str]:
    reply = ask(*request)
    return reply.status, reply.json.get("message", "").rstrip("\n")


def errors(ask: Client, *request: Any) -> dict[str, str]:
    reply = ask(*request)
    assert (reply.status, reply.reason) == (400, "Parameter verification failed.")
    return dict(reply.errors)


# ---- HA resources


def test_ha_resources_hold_what_was_sent(ask: Client) -> None:
    assert ask("GET", HA).data == []
    form = {"sid": "ct:102", "state": "started", "max_restart": 2, "max_relocate": 1, "comment": "ha ct"}
    assert ask("POST", HA, form).status == 200
    known = "create resource failed: resource ID 'ct:102' already defined"
    assert said(ask, "POST", HA, {"sid": "ct:102"}) == (500, known)
    assert said(ask, "POST", HA, {"sid": "102"}) == (500, known)
    shown = {**form, "type": "ct"}
    assert without(ask("GET", f"{HA}/102").data) == without(ask("GET", f"{HA}/ct:102").data) == shown
    assert digest_of(ask("GET", HA).data) == digest_of(ask("GET", f"{HA}/ct:102").data)
    assert ask("GET", HA, {"type": "vm"}).data == []


def test_ha_resources_must_be_guests(ask: Client) -> None:
    assert said(ask, "POST", HA, {"sid": "ct:999"}) == (500, "resource 'ct:999' does not exist in cluster")
    assert said(ask, "POST", HA, {"sid": "vm:102"}) == (500, "resource 'vm:102' - guest with ID 102 is not a VM")
    assert said(ask, "GET", f"{HA}/ct:999") == (500, "no such resource 'ct:999'")
    assert said(ask, "PUT", f"{HA}/ct:102", {"state": "stopped"})[1].endswith("no such resource 'ct:102'")
    assert said(ask, "DELETE", f"{HA}/ct:102") == (500, "cannot delete service 'ct:102', not HA managed!")
    assert said(ask, "GET", "/cluster/ha/groups") == (500, "cannot index groups: ha groups have been migrated to rules")
    refused = said(ask, "POST", HA, {"sid": "ct:102", "group": "g1"})
    assert refused == (500, "invalid parameter 'group': ha groups have been migrated to rules")


def test_ha_resources_delete_wins_and_an_empty_comment_goes(ask: Client) -> None:
    ask("POST", HA, {"sid": "ct:102", "state": "stopped", "max_restart": 2, "comment": "a"})
    assert ask("PUT", f"{HA}/ct:102", {"comment": ""}).status == 200
    assert "comment" not in ask("GET", f"{HA}/ct:102").data
    assert ask("PUT", f"{HA}/ct:102", {"max_restart": 5, "delete": "max_restart,state"}).status == 200
    assert without(ask("GET", f"{HA}/ct:102").data) == {"sid": "ct:102", "type": "ct"}
    unknown = "update resources config failed: no such option 'nope'"
    assert said(ask, "PUT", f"{HA}/ct:102", {"delete": "nope"}) == (500, unknown)
    enum = "value 'bogus' does not have a value in the enumeration 'started, stopped, enabled, disabled, ignored'"
    assert errors(ask, "PUT", f"{HA}/ct:102", {"state": "bogus"}) == {"state": enum}
    changed = said(ask, "PUT", f"{HA}/ct:102", {"state": "ignored", "digest": "0" * 40})
    assert changed[1].startswith("update resources config failed: detected modified configuration")


def test_a_resource_in_error_takes_nothing_but_disabled(lab: Lab, ask: Client) -> None:
    ask("POST", HA, {"sid": "ct:102", "state": "started"})
    lab.put_object("ha_status", "ct:102", {"state": "error"})
    states = {row.get("vmid"): row.get("hastate") for row in lab.get("/cluster/resources", {"type": "vm"})}
    assert states == {101: None, 102: "error", 201: None}
    refused = "service 'ct:102' in error state, must be disabled and fixed first"
    assert said(ask, "PUT", f"{HA}/ct:102", {"max_restart": 3}) == (500, refused)
    assert said(ask, "PUT", f"{HA}/ct:102", {"state": "disabled"}) == (200, "")
    assert said(ask, "PUT", f"{HA}/ct:102", {"max_restart": 3}) == (200, "")


# ---- HA rules


@pytest.fixture
def managed(ask: Client) -> Client:
    for sid in ("ct:101", "ct:102", "vm:201"):
        assert ask("POST", HA, {"sid": sid, "state": "ignored"}).status == 200
    return ask


def rule(ask: Client, name: str, **form: Any) -> tuple[int, str]:
    kind = {"type": NODE_AFFINITY} if "nodes" in form else {"type": "resource-affinity"}
    return said(ask, "POST", RULES, {"rule": name, **kind, **form})


def test_ha_rules_are_checked_by_the_schema_of_their_type(managed: Client) -> None:
    ask = managed
    form = {"rule": "r2", "type": NODE_AFFINITY, "resources": "ct:101"}
    assert errors(ask, "POST", RULES, form) == {"oneOf[node-affinity].nodes": MISSING}
    assert rule(ask, "r1", resources="ct:101", nodes="pve1:2", strict=1, comment="rule one") == (200, "")
    assert errors(ask, "PUT", f"{RULES}/r1", {"disable": 0}) == {"disable": UNKNOWN, "type": MISSING}
    other = {"type": "resource-affinity", "comment": "x"}
    assert said(ask, "PUT", f"{RULES}/r1", other) == (500, "update HA rules failed: unexpected property 'type'")
    assert errors(
        ask, "POST", RULES, {**form, "type": "resource-affinity", "affinity": "negative", "nodes": "pve1"}
    ) == {"nodes": UNKNOWN}


def test_ha_rules_read_in_order_with_defaults(managed: Client) -> None:
    ask = managed
    rule(ask, "zz", resources="vm:201,ct:101", nodes="pve2,pve1:5,pve3:0", comment="50%25 %41")
    rule(ask, "aa", resources="ct:102", nodes="pve1")
    shown = without(ask("GET", f"{RULES}/zz").data)
    assert shown == {
        "rule": "zz",
        "type": NODE_AFFINITY,
        "order": 1,
        "affinity": "positive",
        "resources": "ct:101,vm:201",
        "nodes": "pve1:5,pve2,pve3",
        "comment": "50% A",
    }
    assert [(row["rule"], row["order"]) for row in ask("GET", RULES).data] == [("zz", 1), ("aa", 2)]
    assert [row["rule"] for row in ask("GET", RULES, {"resource": "ct:102"}).data] == ["aa"]
    ask("DELETE", f"{RULES}/zz")
    assert ask("GET", f"{RULES}/aa").data["order"] == 1


def test_ha_rules_refuse_what_they_cannot_name(managed: Client) -> None:
    ask = managed
    prefix = "create ha rule failed: "
    assert rule(ask, "rr", resources="ct:101", nodes="nonode") == (
        500, prefix + "cannot use non-existent node(s) nonode."
    )  # fmt: skip
    managed_first = prefix + "cannot use unmanaged resource(s) ct:900."
    assert rule(ask, "rr", resources="ct:101,ct:900", affinity="negative") == (500, managed_first)
    assert rule(ask, "rr", resources="ct:101", nodes="pve1") == (200, "")
    assert rule(ask, "rr", resources="ct:101", nodes="pve1") == (500, prefix + "HA rule 'rr' already defined")
    assert said(ask, "PUT", f"{RULES}/rr", {"type": NODE_AFFINITY, "nodes": ""}) == (
        500, "update HA rules failed: no nodes were specified"
    )  # fmt: skip
    assert said(ask, "GET", f"{RULES}/nope") == (500, "no such ha rule 'nope'")
    both = {"type": NODE_AFFINITY, "strict": 1, "delete": "strict"}
    assert said(ask, "PUT", f"{RULES}/rr", both)[1].endswith(
        "cannot set and delete property 'strict' at the same time!"
    )
    assert said(ask, "PUT", f"{RULES}/rr", {"type": NODE_AFFINITY, "delete": "nodes"})[1].endswith(
        "unable to delete required option 'nodes'"
    )
    assert [ask("DELETE", f"{RULES}/rr").status for _ in range(2)] == [200, 200]


def test_a_false_disable_is_as_if_it_was_not_sent(managed: Client) -> None:
    ask = managed
    rule(ask, "rr", resources="ct:101", nodes="pve1", disable=1)
    ask("PUT", f"{RULES}/rr", {"type": NODE_AFFINITY, "disable": 0})
    assert ask("GET", f"{RULES}/rr").data["disable"] == 1
    ask("PUT", f"{RULES}/rr", {"type": NODE_AFFINITY, "delete": "disable"})
    assert "disable" not in ask("GET", f"{RULES}/rr").data


RULE_SETS = [
    ([], {"resources": "ct:101", "affinity": "positive"}, "rule is ineffective as there are less than two resources"),
    (
        [{"resources": "ct:101", "nodes": "pve1"}],
        {"resources": "ct:101,ct:102", "nodes": "pve2"},
        "resource 'ct:101' is already used in another node affinity rule",
    ),
    (
        [{"resources": "ct:101,ct:102", "affinity": "positive"}],
        {"resources": "ct:101,ct:102", "affinity": "negative"},
        "rule shares two or more resources with a positive resource affinity rule",
    ),
    (
        [{"resources": "ct:101", "nodes": "pve1:2,pve2"}],
        {"resources": "ct:101,ct:102", "affinity": "positive"},
        "resources are in node affinity rules with multiple priorities",
    ),
    (
        [{"resources": "ct:101", "nodes": "pve1"}, {"resources": "ct:102", "nodes": "pve2"}],
        {"resources": "ct:101,ct:102", "affinity": "positive"},
        "resources are in multiple node affinity rules",
    ),
    (
        [{"resources": "ct:101,ct:102", "nodes": "pve1"}],
        {"resources": "ct:101,ct:102", "affinity": "negative"},
        "two or more resources are restricted to less nodes than available to the resources",
    ),
]


@pytest.mark.parametrize(("before", "last", "why"), RULE_SETS)
def test_a_rule_that_cannot_hold_is_refused(managed: Client, before: list[Any], last: dict[str, Any], why: str) -> None:
    for number, form in enumerate(before):
        assert rule(managed, f"r{number}", **form) == (200, "")
    text = f"create ha rule failed: 400 Rule 'last' is invalid.\nresources: {why}"
    assert rule(managed, "last", **last) == (500, text)
    assert rule(managed, "last", **last, disable=1) == (200, "")


def test_purge_takes_a_resource_out_of_its_rules(managed: Client) -> None:
    ask = managed
    rule(ask, "pair", resources="ct:101,ct:102", nodes="pve1")
    rule(ask, "lone", resources="vm:201", nodes="pve1")
    ask("DELETE", f"{HA}/ct:101", {"purge": 0})
    assert ask("GET", f"{RULES}/pair").data["resources"] == "ct:101,ct:102"
    ask("POST", HA, {"sid": "ct:101"})
    ask("DELETE", f"{HA}/ct:101")
    ask("DELETE", f"{HA}/vm:201")
    assert [(row["rule"], row["resources"]) for row in ask("GET", RULES).data] == [("pair", "ct:102")]


# ---- backup jobs

JOB = {
    "id": "job1",
    "schedule": "02:30",
    "storage": "local",
    "vmid": "100",
    "mode": "snapshot",
    "enabled": 1,
    "compress": "zstd",
    "prune-backups": "keep-last=3",
    "comment": "nightly",
    "notes-template": "{{guestname}}",
    "mailto": "a@example.test",
}
PVF = "400 Parameter verification failed.\n"


def test_a_backup_job_reads_as_stored_with_objects_of_texts(ask: Client) -> None:
    assert ask("POST", BACKUP, JOB).data is None
    assert said(ask, "POST", BACKUP, {"id": "job1", "schedule": "02:30", "vmid": "100"}) == (
        500, "Job 'job1' already exists"
    )  # fmt: skip
    shown = {**JOB, "type": "vzdump", "prune-backups": {"keep-last": "3"}}
    assert ask("GET", f"{BACKUP}/job1").data == shown
    (row,) = ask("GET", BACKUP).data
    assert row.pop("next-run") > 0
    assert row == shown


def test_a_backup_job_says_that_it_is_absent(ask: Client) -> None:
    assert errors(ask, "GET", f"{BACKUP}/nope") == {"id": "No such job 'nope'"}
    assert said(ask, "PUT", f"{BACKUP}/nope", {"enabled": 1}) == (500, "no such vzdump job")
    assert said(ask, "DELETE", f"{BACKUP}/nope") == (500, PVF + "id: No such job 'nope'")


def test_a_backup_job_needs_a_schedule_and_one_selection(ask: Client) -> None:
    assert errors(ask, "POST", BACKUP, {"all": 1}) == {"schedule": "neither 'starttime' nor 'schedule' were set"}
    assert "invalid calendar event 'bogus'" in errors(ask, "POST", BACKUP, {"schedule": "bogus", "all": 1})["schedule"]
    both = {"schedule": "03:00", "all": 1, "vmid": "100"}
    assert said(ask, "POST", BACKUP, both) == (500, PVF + "all: option conflicts with option 'vmid'")
    assert said(ask, "POST", BACKUP, {"schedule": "03:00"}) == (500, PVF + "vmid: property is missing")
    assert ask("POST", BACKUP, {"schedule": "sat,sun", "storage": "nostore", "exclude": "100"}).status == 200
    (made,) = ask("GET", BACKUP).data
    assert len(made["id"]) == 36
    assert (made["all"], made["exclude"], made["enabled"]) == (1, "100", 1)


@pytest.mark.parametrize(
    ("form", "selection"),
    [
        ({"vmid": "100,101"}, {"vmid": "100,101"}),
        ({"all": 1, "delete": "vmid"}, {"all": 1}),
        ({"all": 1}, {"all": 1}),
        ({"exclude": "105"}, {"all": 1, "exclude": "105"}),
        ({"pool": "p1"}, {"pool": "p1"}),
        ({"pool": "p1", "exclude": "105"}, {"pool": "p1"}),
        ({"comment": "a", "delete": "comment"}, {"vmid": "100", "comment": "a"}),
    ],
)
def test_a_change_of_selection_drops_the_others(
    lab: Lab, ask: Client, form: dict[str, Any], selection: dict[str, Any]
) -> None:
    lab.edit("POST", "/pools", {"poolid": "p1"})
    ask("POST", BACKUP, {"id": "jj", "schedule": "daily", "vmid": "100"})
    assert said(ask, "PUT", f"{BACKUP}/jj", form) == (200, "")
    shown = ask("GET", f"{BACKUP}/jj").data
    assert {key: shown[key] for key in shown if key in ("vmid", "all", "pool", "exclude", "comment")} == selection


def test_what_a_backup_job_refuses(ask: Client) -> None:
    ask("POST", BACKUP, JOB)
    path = f"{BACKUP}/job1"
    assert said(ask, "PUT", path, {"delete": "nope"}) == (500, PVF + "delete: unknown option 'nope'")
    assert said(ask, "PUT", path, {"delete": "enabled"}) == (500, PVF + "delete: unknown option 'enabled'")
    assert said(ask, "PUT", path, {"delete": "vmid"}) == (500, PVF + "vmid: property is missing")
    assert said(ask, "PUT", path, {}) == (500, "no options specified")
    assert errors(ask, "PUT", path, {"script": "/x"}) == {"script": "Only root may set this option."}
    assert errors(ask, "PUT", path, {"notes-template": "x"}) == {
        "storage": "missing property required by 'notes-template'"
    }
    assert said(ask, "PUT", path, {"pool": "p9"}) == (403, "Permission check failed (pool 'p9' does not exist)")
    keep = "invalid format - keep-all cannot be set together with other options.\n"
    assert errors(ask, "PUT", path, {"prune-backups": "keep-all=1,keep-last=2"}) == {"prune-backups": keep}
    fleecing = "invalid format - 'storage' parameter is required when 'enabled' is set\n"
    assert errors(ask, "PUT", path, {"fleecing": "1"}) == {"fleecing": fleecing}


# ---- replication


def test_replication_marks_and_removes(lab: Lab, ask: Client) -> None:
    form = {"id": "101-0", "type": "local", "target": "pve2", "schedule": "*/15", "comment": "c", "rate": "10.0"}
    assert said(ask, "POST", REPLICATION, form) == (200, "")
    assert said(ask, "POST", REPLICATION, form) == (500, "replication job '101-0' already exists")
    shown = {**form, "rate": 10, "guest": 101, "jobnum": 0, "source": "pve1"}
    assert without(ask("GET", f"{REPLICATION}/101-0").data) == shown
    assert ask("GET", REPLICATION).data == [shown]
    ask("PUT", f"{REPLICATION}/101-0", {"disable": 1, "rate": 2.5, "delete": "comment,rate"})
    assert {"comment", "rate"} & set(ask("GET", f"{REPLICATION}/101-0").data) == set()
    assert errors(ask, "PUT", f"{REPLICATION}/101-0", {"target": "pve3"}) == {"target": UNKNOWN}
    ask("DELETE", f"{REPLICATION}/101-0")
    assert ask("GET", f"{REPLICATION}/101-0").data["remove_job"] == "full"
    ask("DELETE", f"{REPLICATION}/101-0", {"keep": 1})
    assert ask("GET", f"{REPLICATION}/101-0").data["remove_job"] == "local"
    lab.finish_replication("101-0")
    assert said(ask, "GET", f"{REPLICATION}/101-0") == (500, "no such replication job '101-0'")


def test_what_replication_refuses(ask: Client) -> None:
    def post(**form: Any) -> tuple[int, str]:
        return said(ask, "POST", REPLICATION, {"type": "local", "target": "pve2", **form})

    assert post(id="999-0") == (500, "Guest '999' does not exist.")
    assert post(id="101-0", target="pve9") == (500, "Target 'pve9' does not exist.")
    assert post(id="101-0", target="pve1") == (500, "Source and target must not be identical")
    missing = "missing replicate feature on volume 'local-dir:102/vm-102-disk-0.raw'"
    assert post(id="102-0") == (500, missing)
    assert post(id="101-0") == (200, "")
    assert post(id="101-1")[1] == "replication job for guest '101' to target 'local/pve2' already exists"
    bad = errors(ask, "POST", REPLICATION, {"id": "bad", "type": "local", "target": "pve2"})
    assert bad == {"id": "invalid format - invalid replication job id 'bad'\n"}
    assert said(ask, "PUT", f"{REPLICATION}/102-0", {"rate": 1}) == (500, "no such job '102-0'")
    assert said(ask, "DELETE", f"{REPLICATION}/102-0") == (500, "no such job '102-0'")
    assert said(ask, "DELETE", f"{REPLICATION}/102-0", {"force": 1}) == (200, "")
    assert errors(ask, "DELETE", f"{REPLICATION}/101-0", {"force": 1, "keep": 1}) == {
        "keep": "conflicts with parameter 'force'"
    }


# ---- metric servers


def test_metric_servers(lab: Lab, ask: Client) -> None:
    influx = {"type": "influxdb", "server": "127.0.0.1", "port": 9, "influxdbproto": "http", "token": "t0ken-value"}
    graphite = {"type": "graphite", "server": "192.0.2.21", "port": 2003, "path": "proxmox", "proto": "tcp"}
    assert said(ask, "POST", f"{METRICS}/inf2", {**influx, "disable": 1}) == (200, "")
    assert said(ask, "POST", f"{METRICS}/gr1", graphite) == (200, "")
    assert said(ask, "POST", f"{METRICS}/gr1", graphite) == (500, "Metric server 'gr1' already exists")
    assert errors(ask, "POST", f"{METRICS}/x1", {"type": "graphite"}) == {"server": MISSING, "port": MISSING}
    assert ask("GET", METRICS).data == [
        {"id": "gr1", "disable": 0, "type": "graphite", "server": "192.0.2.21", "port": 2003},
        {"id": "inf2", "disable": 1, "type": "influxdb", "server": "127.0.0.1", "port": 9},
    ]
    shown = {"type": "influxdb", "server": "127.0.0.1", "port": 9, "influxdbproto": "http", "disable": 1}
    assert ask("GET", f"{METRICS}/inf2").data == shown
    assert errors(ask, "PUT", f"{METRICS}/gr1", {"mtu": 1400}) == {"server": MISSING, "port": MISSING}
    again = {"server": "192.0.2.22", "port": 2004}
    assert said(ask, "PUT", f"{METRICS}/gr1", {**again, "delete": "path", "disable": 0}) == (200, "")
    assert ask("GET", f"{METRICS}/gr1").data == {"type": "graphite", "proto": "tcp", **again}
    both = said(ask, "PUT", f"{METRICS}/gr1", {**again, "proto": "udp", "delete": "proto"})
    assert both[1] == "cannot set and delete property 'proto' at the same time!"
    assert said(ask, "PUT", f"{METRICS}/gr1", {**again, "bucket": "b"})[1] == "unexpected property 'bucket'"
    assert said(ask, "GET", f"{METRICS}/nope") == (500, "status server entry 'nope' does not exist")
    assert said(ask, "PUT", f"{METRICS}/nope", again) == (500, "no such server 'nope'")
    assert ask("DELETE", f"{METRICS}/gr1").status == 200
    assert said(ask, "DELETE", f"{METRICS}/gr1")[1].startswith("cannot lookup undefined type!")


# ---- realms

LDAP = {"realm": "ldap1", "type": "ldap", "server1": "192.0.2.10", "base_dn": "dc=example,dc=test", "user_attr": "uid"}


def test_realms_that_every_pve_has(ask: Client) -> None:
    pam = {"realm": "pam", "type": "pam", "comment": "Linux PAM standard authentication"}
    assert ask("GET", REALMS).data == [
        pam, {"realm": "pve", "type": "pve", "comment": "Proxmox VE authentication server"}
    ]  # fmt: skip
    assert without(ask("GET", f"{REALMS}/pam").data) == {**without(pam, "realm"), "plugin": "PVE::Auth::PAM"}
    ask("PUT", f"{REALMS}/pam", {"comment": "ours"})
    assert ask("DELETE", f"{REALMS}/pam").status == 200
    assert ask("GET", REALMS).data[0] == pam


def test_a_realm_is_stored_without_its_password(lab: Lab, ask: Client) -> None:
    form = {
        **LDAP,
        "password": "correct-horse",
        "sync-defaults-options": "scope=both,full=1,purge=1",
        "check-connection": 1,
    }
    assert said(ask, "POST", REALMS, form) == (200, "")
    shown = without(ask("GET", f"{REALMS}/ldap1").data)
    assert shown == {
        **without(LDAP, "realm"),
        "sync-defaults-options": "remove-vanished=entry;properties;acl,scope=both",
    }
    assert said(ask, "POST", REALMS, form) == (500, "add auth server failed: domain 'ldap1' already exists")
    assert said(ask, "PUT", f"{REALMS}/ldap1", {"password": "another-horse"}) == (200, "")
    assert said(ask, "PUT", f"{REALMS}/ldap1", {}) == (500, "update auth server failed: no options specified")


def test_realms_delete_first_and_unchecked_then_set(ask: Client) -> None:
    ask("POST", REALMS, {**LDAP, "comment": "a", "port": 636})
    assert said(ask, "PUT", f"{REALMS}/ldap1", {"comment": "b", "delete": "comment,port,nope"}) == (200, "")
    shown = ask("GET", f"{REALMS}/ldap1").data
    assert shown["comment"] == "b"
    assert "port" not in shown
    assert said(ask, "PUT", f"{REALMS}/ldap1", {"delete": "base_dn"}) == (200, "")


def test_one_realm_is_the_default(ask: Client) -> None:
    ask("POST", REALMS, {**LDAP, "default": 1})
    ask("PUT", f"{REALMS}/pve", {"default": 1})
    assert [row["realm"] for row in ask("GET", REALMS).data if row.get("default")] == ["pve"]
    ask("PUT", f"{REALMS}/pve", {"default": 0})
    assert ask("GET", f"{REALMS}/pve").data["default"] == 0


def test_what_realms_refuse(ask: Client) -> None:
    openid = {"realm": "oo", "type": "openid", "issuer-url": "https://id.example", "client-id": "pve"}
    assert said(ask, "POST", REALMS, {**openid, "username-claim": "email", "client-key": "shown"}) == (200, "")
    assert ask("GET", f"{REALMS}/oo").data["client-key"] == "shown"
    assert errors(ask, "PUT", f"{REALMS}/oo", {"username-claim": "email"}) == {"username-claim": UNKNOWN}
    assert said(ask, "PUT", f"{REALMS}/oo", {"server1": "192.0.2.1"})[1].endswith("unexpected property 'server1'")
    only = "'check-connection' parameter can only be set for realms of type 'ldap' or 'ad'"
    assert said(ask, "PUT", f"{REALMS}/oo", {"check-connection": 1, "comment": "x"})[1].endswith(only)
    assert said(ask, "POST", REALMS, {"realm": "xx", "type": "ldap"})[1].startswith(
        "add auth server failed: missing value for required option"
    )
    assert said(ask, "POST", REALMS, {"realm": "xx", "type": "pam"})[1].endswith("unable to create builtin type 'pam'")
    assert said(ask, "GET", f"{REALMS}/nope") == (500, "domain 'nope' does not exist")
    assert said(ask, "PUT", f"{REALMS}/nope", {"comment": "x"})[1].endswith("domain 'nope' does not exist")
    assert said(ask, "DELETE", f"{REALMS}/nope")[1].endswith("authentication domain 'nope' does not exist")
