# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every measured spelling: what a PVE server stored for what was sent, and what it refused."""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.kinds import kind_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind, SpellingError

VECTORS = pathlib.Path(__file__).parents[4] / "vectors" / "lxc-spellings.jsonl"
ROWS: list[dict[str, t.Any]] = [
    {"line": number, **json.loads(line)} for number, line in enumerate(VECTORS.read_text("utf-8").splitlines(), 1)
]

# What absence is equal to, for the rows whose write removed the key.
ABSENT = {"description": ""}

# PVE refuses these spellings; we read them and send the one that PVE takes.
FORGIVEN = {
    ("onboot", "true"): "1",
    ("onboot", "yes"): "1",
    ("onboot", "on"): "1",
    ("net1", "name=eth1, bridge=vmbr0"): "name=eth1,bridge=vmbr0",
}

STORED = [row for row in ROWS if row["status"] == 200]
REFUSED = [row for row in ROWS if row["status"] == 400]


def label(row: dict[str, t.Any]) -> str:
    return f"{row['line']}-{row['key']}"


def kind(row: dict[str, t.Any]) -> Kind:
    found = kind_of(row["key"])
    assert found is not None
    return found


def refusal(kind: Kind, value: object) -> str | None:
    try:
        return kind.fault(kind.canon(value))
    except SpellingError as error:
        return str(error)


@pytest.mark.parametrize("row", STORED, ids=label)
def test_what_was_sent_is_the_same_as_what_was_stored(row: dict[str, t.Any]) -> None:
    subject = kind(row)
    stored = row["stored"] if row["stored"] is not None else ABSENT[row["key"]]
    declared, live = subject.canon(row["declared"]), subject.canon(stored)
    assert subject.fault(declared) is None
    assert subject.same(declared, live)


@pytest.mark.parametrize("row", STORED, ids=label)
def test_what_we_would_send_reads_as_what_was_declared(row: dict[str, t.Any]) -> None:
    subject = kind(row)
    declared = subject.canon(row["declared"])
    assert subject.canon(subject.form(declared)) == declared


@pytest.mark.parametrize("row", STORED, ids=label)
def test_what_is_shown_can_be_declared(row: dict[str, t.Any]) -> None:
    subject = kind(row)
    declared = subject.canon(row["declared"])
    assert subject.canon(subject.show(declared)) == declared
    json.dumps(subject.show(declared))


@pytest.mark.parametrize("row", REFUSED, ids=label)
def test_what_pve_refuses_is_refused_or_sent_as_pve_takes_it(row: dict[str, t.Any]) -> None:
    subject = kind(row)
    forgiven = FORGIVEN.get((row["key"], row["declared"]))
    if forgiven is None:
        assert refusal(subject, row["declared"])
    else:
        assert refusal(subject, row["declared"]) is None
        assert subject.form(subject.canon(row["declared"])) == forgiven


def test_the_list_of_forgiven_spellings_holds_nothing_else() -> None:
    assert set(FORGIVEN) <= {(row["key"], row["declared"]) for row in REFUSED}


def test_different_stored_values_of_one_key_are_not_all_the_same() -> None:
    """Guards against a kind that makes everything equal."""
    for key in sorted({row["key"] for row in STORED}):
        subject = kind_of(key)
        assert subject is not None
        forms = {
            str(subject.canon(row["stored"] if row["stored"] is not None else ""))
            for row in STORED
            if row["key"] == key
        }
        assert len(forms) > 1, key


@pytest.mark.parametrize(
    ("key", "value"),
    [
        # a lone 0 is nothing to Perl
        ("startup", "0"),
        ("startup", "order=1,sideways=2"),
        ("startup", "down=-1"),
        ("net0", "name=eth0,ip=192.0.2.1/7"),
        ("net0", "name=eth0,ip=192.0.2.1/33"),
        ("net0", "name=eth0,ip=auto"),
        ("net0", "name=eth0,ip=DHCP"),
        ("net0", "name=eth0,ip=2001:db8::1/64"),
        ("net0", "name=eth0,ip6=192.0.2.1/24"),
        ("net0", "name=eth0,ip6=2001:db8::1"),
        ("net0", "name=eth0,ip6=2001:db8::1/129"),
        ("net0", "name=eth0,gw=192.0.2.1/24"),
        ("net0", "name=eth0,gw6=fe80::1%eth0"),
        ("net0", "name=eth0,gw=192.0.2.01"),
        ("net0", "name=eth0,hwaddr=00-00-5E-00-53-01"),
        ("net0", "name=eth0,hwaddr=00:00:5E:00:53"),
        ("net0", "name=eth0,mtu=65536"),
        ("net0", "name=eth0,mtu=1e3"),
        ("net0", "name=eth0,tag=4095"),
        ("net0", "name=eth0,trunks=1;a"),
        ("net0", "name=eth0,rate=fast"),
        ("net0", "name=eth 0"),
        ("net0", "name=eth0,firewall=2"),
        ("net0", "name=eth0,type=phys"),
        ("net0", "name=eth0,host-managed=1,ip6=auto"),
        ("net0", "name=eth0,bridge="),
        ("net0", "name=eth0,=vmbr0"),
        ("net0", "eth0"),
        ("net0", {"name": "eth0", "bridge": "vmbr0,tag=1"}),
        ("net0", {"name": "eth0", "bridge": None}),
        ("mp0", "local:1"),
        ("mp0", "mp=/data"),
        ("mp0", "local:1,mp=/a/../b"),
        ("mp0", "local:1,mp=../b"),
        ("mp0", "local:1,mp=/b/."),
        ("mp0", "local:1,mp=/b,size=1X"),
        ("mp0", "local:1,mp=/b,size=-1"),
        ("mp0", "local:1,mp=/b,mountoptions=noatime;sync"),
        ("mp0", "local:1,mp=/b,idmap=x:1:2:3"),
        ("mp0", "local:1,mp=/b,idmap=u:1:2:0"),
        ("mp0", "local:1,mp=/b,idmap=u:1:2:3;u:3:9:1"),
        ("mp0", "local:1,mp=/b,idmap=g:1:2:3;g:8:4:1"),
        ("mp0", "local:1,mp=/b,acl=maybe"),
        ("rootfs", "local:1,mp=/"),
        ("rootfs", "local:1,backup=1"),
        ("rootfs", "local:1,local:2"),
        ("dev0", "null"),
        ("dev0", "/dev/../etc/shadow"),
        ("dev0", "/dev/null,mode=660"),
        ("dev0", "/dev/null,mode=0999"),
        ("dev0", {"path": "/dev/null", "mode": 432}),
        ("dev0", "/dev/null,uid=-1"),
        ("dev0", "mode=0660"),
        ("features", "nesting=2"),
        ("features", "mount=nfs-4"),
        ("features", "nesting=1,nesting=0"),
        ("tags", "a;b/c"),
        ("tags", ".a"),
        ("hostname", "a" * 256),
        ("hostname", "a."),
        ("hostname", "a-"),
        ("hostname", "a..b"),
        ("searchdomain", "example.test _x"),
        ("nameserver", "192.0.2"),
        ("nameserver", "2001:db8::1%eth0"),
        ("nameserver", "FE80::1%eth0"),
        ("nameserver", "fe80::1%0eth"),
        ("timezone", "utc"),
        ("timezone", "Etc/UTC"),
        ("timezone", "Europe/Wien"),
        ("entrypoint", "/bin/a\n/bin/b"),
        ("entrypoint", ""),
        ("env", "NOVALUE"),
        ("env", ["A=1", "B-C=2"]),
        ("env", ["A=\x07"]),
        ("env", {"A": True}),
        ("hookscript", "x.sh"),
        ("memory", "512M"),
        ("memory", "1e3"),
        ("memory", ""),
        ("cores", True),
        ("cpulimit", "8192.01"),
        ("cpulimit", "much"),
        ("description", "x" * 8193),
        ("cmode", "TTY"),
        ("onboot", "2"),
        ("onboot", 2),
        ("onboot", ""),
    ],
)
def test_more_of_what_pve_refuses(key: str, value: object) -> None:
    subject = kind_of(key)
    assert subject is not None
    assert refusal(subject, value)


@pytest.mark.parametrize(
    ("key", "value", "form"),
    [
        (
            "net0",
            {"name": "eth0", "bridge": "vmbr0", "firewall": True, "tag": 5},
            "name=eth0,bridge=vmbr0,firewall=1,tag=5",
        ),
        ("net0", {"name": "eth0", "trunks": [30, 4, 4]}, "name=eth0,trunks=4;30"),
        ("net0", {"name": "eth0", "trunks": 7, "rate": 0.5}, "name=eth0,rate=0.5,trunks=7"),
        ("net0", "name=eth0,ip6=2001:DB8:0::1/064", "name=eth0,ip6=2001:db8::1/64"),
        ("net0", "name=eth0,host-managed=1,ip6=auto,link_down=1", "name=eth0,host-managed=1,ip6=auto,link_down=1"),
        ("rootfs", "local:8,size=8192M", "local:8,size=8G"),
        ("rootfs", {"volume": "local:8", "acl": False}, "local:8,acl=0"),
        ("mp0", "size=1024KiB,mp=/b,volume=/srv,replicate=0", "/srv,mp=/b,replicate=0,size=1M"),
        (
            "mp0",
            {"volume": "local:8", "mp": "/b", "mountoptions": ["nodev", "discard"]},
            "local:8,mp=/b,mountoptions=discard;nodev",
        ),
        ("mp0", "local:8,mp=/b,idmap=g:100:50:5;u:0123:456:1", "local:8,mp=/b,idmap=g:100:50:5;u:123:456:1"),
        ("mp0", "local:8,mp=/b,idmap=passthrough", "local:8,mp=/b,idmap=passthrough"),
        ("dev0", "mode=0660,/dev/null", "/dev/null,mode=0660"),
        ("features", {"nesting": True, "keyctl": False, "mount": ["nfs", "cifs"]}, "mount=cifs;nfs,nesting=1"),
        ("features", "nesting=0", ""),
        ("startup", 3, "order=3"),
        ("startup", "down=5, 2,order=4", "order=4,down=5"),
        ("startup", {"order": 0, "up": 10}, "order=0,up=10"),
        ("env", {"A": "x y ", "B": ""}, "A=x y \0B="),
        ("env", "A=1\0B=2", "A=1\0B=2"),
        ("nameserver", ["192.0.2.1", "fe80::A%eth0"], "192.0.2.1 fe80::a%eth0"),
        ("cpulimit", 1e-3, "0.001"),
        ("cpulimit", 1.0, "1"),
        ("description", "a\n\n", "a"),
        ("tags", ["B", "a", "b"], "a;b"),
    ],
)
def test_what_is_sent(key: str, value: object, form: str) -> None:
    subject = kind_of(key)
    assert subject is not None
    assert refusal(subject, value) is None
    assert subject.form(subject.canon(value)) == form


def test_a_mac_that_is_not_declared_is_not_drift_and_goes_along() -> None:
    net = kind_of("net0")
    assert net is not None
    declared = net.canon("name=eth0,bridge=vmbr1")
    live = net.canon("name=eth0,bridge=vmbr0,hwaddr=00:00:5e:00:53:01,type=veth")
    assert not net.same(declared, live)
    assert net.form(net.carry(declared, live)) == "name=eth0,bridge=vmbr1,hwaddr=00:00:5E:00:53:01"


def test_an_undeclared_sub_key_is_drift() -> None:
    net = kind_of("net0")
    assert net is not None
    assert not net.same(net.canon("name=eth0"), net.canon("name=eth0,tag=5"))
    assert not net.same(net.canon("name=eth0,hwaddr=00:00:5E:00:53:01"), net.canon("name=eth0"))


@pytest.mark.parametrize(
    ("declared", "live", "same"),
    [
        (50000, 10000, True),
        (50000, 50000, True),
        (1, 2, True),
        (2, 1, False),
        (100, 1024, False),
        (10000, 50000, False),
    ],
)
def test_cpuunits_is_what_either_cgroup_version_makes_of_it(declared: int, live: int, same: bool) -> None:
    subject = kind_of("cpuunits")
    assert subject is not None
    assert subject.same(declared, live) is same


@pytest.mark.parametrize("key", ["net32", "mp256", "dev256", "net01", "unused0", "digest", "lxc", "parent"])
def test_no_such_key(key: str) -> None:
    assert kind_of(key) is None


@pytest.mark.parametrize("volume", ["8", 8, "local", "local:", ":8", "local:-1", "data/x"])
@pytest.mark.parametrize("key", ["rootfs", "mp0"])
def test_a_volume_that_is_on_no_storage_and_no_path_is_named(key: str, volume: object) -> None:
    kind = kind_of(key)
    assert kind is not None
    fault = kind.fault(kind.canon({"volume": volume, **({"mp": "/b"} if key == "mp0" else {})}))
    assert fault == "volume must be storage:GiB, storage:volume or an absolute path"
