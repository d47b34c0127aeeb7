# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storages: the list and who may see it, keys by type, secrets, what is refused."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.redact import Secrets
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import argument_spec, declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import (
    DeclarationError,
    HomeflareError,
    NotStoredError,
    RefusedError,
    ServerError,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.storage.kinds import ALWAYS_SHARED, OFFERS
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.storage.table import STORAGE
from ansible_collections.homeflare.proxmox.plugins.module_utils.front.revealed import Revealed
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

Call = tuple[str, str, t.Any, t.Any]

DIR = {"storage": "tank", "type": "dir", "path": "/srv/tank", "content": "rootdir,images", "digest": "d1"}
PBS = {
    "storage": "tank",
    "type": "pbs",
    "server": "pbs.example",
    "datastore": "house",
    "content": "backup",
    "shared": 1,
    "digest": "d1",
}
KEY = json.dumps({"kdf": None, "data": "c2VjcmV0", "fingerprint": "aa:bb"})
VISIBLE: Call = ("GET", "access/permissions", {"path": "/storage/tank"}, {"/storage/tank": {"Datastore.Audit": 1}})


def listing(*rows: t.Mapping[str, t.Any]) -> Call:
    return ("GET", "storage", None, [{"storage": "other", "type": "dir", "path": "/x", "digest": "d1"}, *rows])


def run(expect: list[Call], *, check_mode: bool = False, **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(STORAGE, {"storage": "tank", **params})
    script = Script(expect, read_only=check_mode)
    outcome = converge(STORAGE, wanted, script, check_mode=check_mode)
    script.done()
    return outcome.result(STORAGE, wanted, diff_values=True)


def refused(match: str, expect: list[Call], **params: t.Any) -> dict[str, t.Any]:
    with pytest.raises(RefusedError, match=match) as caught:
        run(expect, **params)
    return caught.value.result


# Reading


def test_a_row_of_the_list_is_the_storage_and_no_item_is_read() -> None:
    assert not run([listing(DIR)], type="dir", path="/srv/tank/", content=["images", "rootdir"])["changed"]


def test_content_and_nodes_are_sets() -> None:
    live = {**DIR, "nodes": "pve2,pve1", "content": "iso,images,backup"}
    assert not run([listing(live)], nodes=["pve1", "pve2"], content=["backup", "images", "iso"])["changed"]


def test_a_missing_row_is_absent_only_for_one_who_would_see_it() -> None:
    nothing: Call = (*VISIBLE[:3], {"/storage/tank": {"VM.Audit": 1}})
    with pytest.raises(ServerError, match=r"needs Datastore.Audit or Datastore.AllocateSpace on /storage/tank"):
        run([listing(), nothing], type="dir", path="/srv/tank")
    with pytest.raises(ServerError, match="this credential would not see it"):
        run([listing(), (*VISIBLE[:3], {})], state="absent")


def test_the_right_to_allocate_space_shows_a_storage_too() -> None:
    allowed: Call = (*VISIBLE[:3], {"/storage/tank": {"Datastore.AllocateSpace": 0}})
    assert not run([listing(), allowed], state="absent")["changed"]


# Writing


def test_create_sends_what_is_declared_and_reads_back() -> None:
    sent = {
        "storage": "tank",
        "type": "dir",
        "path": "/srv/tank",
        "content": "backup,iso",
        "prune-backups": "keep-last=3",
    }
    result = run(
        [
            listing(),
            VISIBLE,
            ("POST", "storage", sent, {"storage": "tank", "type": "dir"}),
            listing({**DIR, "content": "iso,backup", "prune-backups": "keep-last=3"}),
        ],
        type="dir",
        path="/srv/tank/",
        content=["iso", "backup"],
        prune_backups="keep-last=3,keep-daily=0",
    )
    assert result["action"] == "create"


def test_an_update_is_the_drift_and_the_digest_and_never_type_or_path() -> None:
    result = run(
        [
            listing({**DIR, "disable": 1}),
            ("PUT", "storage/tank", {"content": "images", "disable": "0", "digest": "d1"}, {"storage": "tank"}),
            listing({**DIR, "content": "images", "disable": 0}),
        ],
        type="dir",
        path="/srv/tank",
        content=["images"],
        disable=False,
        shared=False,
    )
    assert result["drift"] == ["content", "disable"]


def test_cleared_keys_are_named_in_one_delete() -> None:
    run(
        [
            listing({**DIR, "nodes": "pve1", "prune-backups": "keep-all=1", "bwlimit": "default=1"}),
            ("PUT", "storage/tank", {"delete": "nodes,prune-backups,bwlimit", "digest": "d1"}, None),
            listing(DIR),
        ],
        delete=["nodes", "prune_backups"],
        bwlimit={},
    )


def test_clearing_content_that_is_the_default_of_its_type_is_no_change() -> None:
    """A read fills the default in, so there is nothing to see of what is stored."""
    assert not run([listing(DIR)], delete=["content"])["changed"]
    assert not run([listing(PBS)], delete=["content"])["changed"]


def test_exact_leaves_what_pve_has_filled_in() -> None:
    pool = {"storage": "tank", "type": "zfspool", "pool": "tank", "mountpoint": "/tank", "content": "images,rootdir"}
    assert not run([listing(pool)], type="zfspool", pool="tank", exact=True)["changed"]
    nfs = {
        "storage": "tank",
        "type": "nfs",
        "server": "192.0.2.1",
        "export": "/e",
        "path": "/mnt/pve/tank",
        "shared": 1,
    }
    assert not run([listing({**nfs, "content": "images"})], type="nfs", exact=True)["changed"]


@pytest.mark.parametrize(
    ("declared", "key"),
    [
        ({"type": "btrfs"}, "type"),
        ({"path": "/other"}, "path"),
        ({"snapshot_as_volume_chain": True}, "snapshot-as-volume-chain"),
    ],
)
def test_type_and_locators_are_fixed(declared: dict[str, t.Any], key: str) -> None:
    result = refused("is fixed at creation", [listing(DIR)], **declared)
    assert [row["key"] for row in result["refusals"]] == [key]
    assert not result["changed"]


def test_a_refusal_of_a_locator_shows_both_values() -> None:
    lvm = {"storage": "tank", "type": "lvm", "vgname": "a1", "content": "images"}
    refused(r"Storage tank: vgname is fixed at creation \(live a1, declared b1\)", [listing(lvm)], vgname="b1")


def test_a_key_fixed_for_one_type_moves_for_another() -> None:
    esxi = {
        "storage": "tank",
        "type": "esxi",
        "server": "a.example",
        "username": "u",
        "content": "import",
        "digest": "d",
    }
    run(
        [
            listing(esxi),
            ("PUT", "storage/tank", {"server": "b.example", "digest": "d"}, None),
            listing({**esxi, "server": "b.example"}),
        ],
        server="b.example",
    )
    rbd = {"storage": "tank", "type": "rbd", "pool": "rbd", "content": "images", "shared": 1}
    run([listing(rbd), ("PUT", "storage/tank", {"pool": "p2"}, None), listing({**rbd, "pool": "p2"})], pool="p2")
    zfs = {"storage": "tank", "type": "zfspool", "pool": "p1", "content": "images"}
    refused("pool is fixed", [listing(zfs)], pool="p2")


def test_a_key_of_another_type_is_refused_with_and_without_a_declared_type() -> None:
    with pytest.raises(DeclarationError, match=r"^server: is not a key of type dir"):
        run([], type="dir", path="/srv/tank", server="192.0.2.1")
    refused("is of type dir, which has no server", [listing(DIR)], server="192.0.2.1")


@pytest.mark.parametrize("name", ["comment", "maxfiles"])
def test_what_is_no_key_of_a_storage_is_no_option(name: str) -> None:
    assert name not in argument_spec(STORAGE)


@pytest.mark.parametrize(
    ("params", "needs"),
    [
        ({}, "type"),
        ({"type": "dir"}, "path"),
        ({"type": "nfs"}, "server.*export"),
        ({"type": "zfs"}, "pool.*portal.*target.*iscsiprovider.*blocksize"),
        ({"type": "pbs", "unencrypted": True}, "server.*datastore.*password"),
        ({"type": "esxi"}, "server.*username.*password"),
    ],
)
def test_what_a_type_needs_to_be_created(params: dict[str, t.Any], needs: str) -> None:
    refused(needs, [listing(), VISIBLE], **params)


# Content, formats, shared


@pytest.mark.parametrize("kind", sorted(OFFERS))
def test_content_that_a_type_does_not_offer_is_refused_before_any_write(kind: str) -> None:
    """Plugin.pm decode_value would drop it and say so in a log only."""
    live = {"storage": "tank", "type": kind, "content": ",".join(OFFERS[kind].default), "path": "/srv/tank"}
    strange = next((name for name in ("rootdir", "backup", "vztmpl", "none") if name not in OFFERS[kind].content), None)
    if strange is None:
        assert kind in ("dir", "btrfs")
        return
    refused(f"content {strange} is not offered by type {kind}", [listing(live)], content=[strange])


def test_none_stands_alone() -> None:
    with pytest.raises(DeclarationError, match=r"^content: none cannot be combined"):
        run([], content=["none", "iso"])
    assert not run([listing({**DIR, "content": "none"})], content=["none"])["changed"]


def test_formats_and_content_dirs_are_checked_against_the_type() -> None:
    btrfs = {**DIR, "type": "btrfs"}
    refused("format qcow2 is not offered by type btrfs", [listing(btrfs)], format="qcow2")
    cephfs = {"storage": "tank", "type": "cephfs", "content": "backup"}
    refused("content images is not offered by type cephfs", [listing(cephfs)], content_dirs={"images": "x"})


@pytest.mark.parametrize("kind", ALWAYS_SHARED)
def test_a_forced_shared_equals_only_true(kind: str) -> None:
    live = {"storage": "tank", "type": kind, "content": ",".join(OFFERS[kind].default), "shared": 1}
    assert not run([listing(live)], shared=True)["changed"]
    assert not run([listing(live)], delete=["shared"])["changed"]
    refused(f"type {kind} is always shared", [listing(live)], shared=False)


def test_a_forced_shared_is_not_sent_at_create() -> None:
    nfs = {"storage": "tank", "type": "nfs", "server": "192.0.2.1", "export": "/e", "content": "images", "shared": 1}
    sent = {"storage": "tank", "type": "nfs", "server": "192.0.2.1", "export": "/e"}
    expect = [listing(), VISIBLE, ("POST", "storage", sent, {}), listing(nfs)]
    run(expect, type="nfs", server="192.0.2.1", export="/e", shared=True)


def test_nodes_of_local_are_refused() -> None:
    local = {"storage": "local", "type": "dir", "path": "/var/lib/vz", "content": "iso"}
    wanted = declaration_of(STORAGE, {"storage": "local", "nodes": ["pve1"]})
    with pytest.raises(RefusedError, match="Storage local: nodes cannot be restricted"):
        converge(STORAGE, wanted, Script([listing(local)]), check_mode=True)


# Secrets


def test_a_password_is_sent_on_create_and_later_only_when_asked() -> None:
    sent = {"type": "cifs", "server": "192.0.2.1", "share": "s", "username": "u"}
    cifs = {"storage": "tank", "content": "images", "shared": 1, "digest": "d1", **sent}
    run(
        [listing(), VISIBLE, ("POST", "storage", {"storage": "tank", "password": "p", **sent}, {}), listing(cifs)],
        password="p",
        **sent,
    )
    assert not run([listing(cifs)], password="p", **sent)["changed"]
    written: Call = ("PUT", "storage/tank", {"password": "p", "digest": "d1"}, {})
    result = run([listing(cifs), written, listing(cifs)], password="p", update_secret="always")
    assert result["drift"] == ["password"]
    assert "p" not in (result["diff"]["after"]["password"], result["object"].get("password"))


def test_secrets_are_options_that_are_never_logged() -> None:
    spec = argument_spec(STORAGE)
    for name in ("password", "keyring", "encryption_key", "master_pubkey"):
        assert spec[name]["no_log"] is True


def test_the_answer_of_a_write_holds_the_key_and_the_result_does_not() -> None:
    answer = {"storage": "tank", "type": "pbs", "config": {"encryption-key": KEY}}
    locators = {"type": "pbs", "server": "pbs.example", "datastore": "house"}
    sent = {"storage": "tank", **locators, "password": "p", "encryption-key": KEY}
    live = {**PBS, "encryption-key": "aa:bb"}
    expect = [listing(), VISIBLE, ("POST", "storage", sent, answer), listing(live)]
    result = run(expect, password="p", encryption_key=KEY, **locators)
    assert "c2VjcmV0" not in json.dumps(result)


def test_an_encryption_key_equals_its_fingerprint_in_either_spelling() -> None:
    live = {**PBS, "encryption-key": "aa:bb"}
    assert not run([listing(live)], encryption_key=KEY)["changed"]
    assert not run([listing(live)], encryption_key=json.loads(KEY), update_secret="always")["changed"]
    assert not run([listing({**PBS, "encryption-key": 1})], encryption_key='{"data": "x"}')["changed"]


def test_another_encryption_key_replaces_the_one_in_place_only_when_asked() -> None:
    live = {**PBS, "encryption-key": "cc:dd"}
    result = refused("the backups made so far need it", [listing(live)], encryption_key=KEY)
    assert "c2VjcmV0" not in json.dumps(result)
    run(
        [
            listing(live),
            ("PUT", "storage/tank", {"encryption-key": KEY, "digest": "d1"}, {"config": {"encryption-key": KEY}}),
            listing({**live, "encryption-key": "aa:bb"}),
        ],
        encryption_key=KEY,
        update_secret="always",
    )


def test_an_encryption_key_is_added_where_there_is_none() -> None:
    sent = {"encryption-key": KEY, "digest": "d1"}
    run(
        [listing(PBS), ("PUT", "storage/tank", sent, {}), listing({**PBS, "encryption-key": "aa:bb"})],
        encryption_key=KEY,
    )


def test_clearing_the_encryption_key_asks_for_confirmation() -> None:
    live = {**PBS, "encryption-key": "aa:bb"}
    refused('set confirm_destroy: "tank"', [listing(live)], delete=["encryption_key"])
    refused('set confirm_destroy: "tank"', [listing(live)], exact=True)
    sent = {"delete": "encryption-key", "digest": "d1"}
    expect = [listing(live), ("PUT", "storage/tank", sent, {}), listing(PBS)]
    run(expect, delete=["encryption_key"], confirm_destroy="tank")


def test_a_master_key_is_compared_by_its_presence() -> None:
    live = {**PBS, "encryption-key": "aa:bb", "master-pubkey": 1}
    assert not run([listing(live)], master_pubkey="cGVt")["changed"]
    sent = {"master-pubkey": "cGVt", "digest": "d1"}
    run([listing(live), ("PUT", "storage/tank", sent, {}), listing(live)], master_pubkey="cGVt", update_secret="always")
    run(
        [listing({**PBS, "encryption-key": "aa:bb"}), ("PUT", "storage/tank", sent, {}), listing(live)],
        master_pubkey="cGVt",
    )


NEW_PBS = {"type": "pbs", "server": "pbs.example", "datastore": "house", "password": "p"}


def test_a_pbs_storage_is_not_created_without_a_word_on_its_key() -> None:
    """PBSPlugin.pm on_add_hook unlinks a key file that it gets no content for."""
    result = refused("say that there is none with unencrypted: true", [listing(), VISIBLE], **NEW_PBS)
    assert not result["changed"]
    sent = {"storage": "tank", **NEW_PBS}
    run([listing(), VISIBLE, ("POST", "storage", sent, {}), listing(PBS)], unencrypted=True, **NEW_PBS)
    refused("exclude each other", [listing(), VISIBLE], unencrypted=True, encryption_key=KEY, **NEW_PBS)


def test_a_master_key_needs_an_encryption_key_at_create() -> None:
    refused("only together with encryption_key", [listing(), VISIBLE], unencrypted=True, master_pubkey="x", **NEW_PBS)


def test_autogen_is_only_for_a_new_storage_and_a_declared_sink() -> None:
    refused("say with secret_sink where it goes", [listing(), VISIBLE], encryption_key="autogen", **NEW_PBS)
    refused("only for a new storage", [listing(PBS)], encryption_key="autogen")
    live = {**PBS, "encryption-key": "aa:bb"}
    assert not run([listing(live)], encryption_key="autogen", update_secret="always")["changed"]


def test_the_step_that_generates_a_key_reveals_it_and_no_other_does() -> None:
    for key, reveals in (("autogen", True), (KEY, False)):
        params = {"storage": "tank", "encryption_key": key, "secret_sink": {"file": "/tmp/key"}, **NEW_PBS}
        wanted = declaration_of(STORAGE, params)
        outcome = converge(STORAGE, wanted, Script([listing(), VISIBLE], read_only=True), check_mode=True)
        assert [step.reveals for step in outcome.judgement.steps] == [reveals]


class Memory:
    """A sink of the tests' own."""

    where = "memory"

    def __init__(self, *, broken: bool = False) -> None:
        self.kept: dict[str, str] = {}
        self.broken = broken

    def prepare(self) -> None:
        pass

    def put(self, handle: str, secret: str) -> None:
        if self.broken:
            raise HomeflareError("memory is full")
        self.kept[handle] = secret

    def close(self) -> None:
        pass


def autogen(sink: Memory, *more: Call) -> dict[str, t.Any]:
    params = {"storage": "tank", "encryption_key": "autogen", "secret_sink": {"file": "/x"}, **NEW_PBS}
    wanted = declaration_of(STORAGE, params)
    hidden: set[str] = set()
    revealed = Revealed(STORAGE, wanted, sink, Secrets(), hidden.update)
    sent = {"storage": "tank", "encryption-key": "autogen", **NEW_PBS}
    answer = {"storage": "tank", "type": "pbs", "config": {"encryption-key": KEY}}
    script = Script([listing(), VISIBLE, ("POST", "storage", sent, answer), *more])
    outcome = converge(STORAGE, wanted, script, check_mode=False, ready=revealed.ready, answered=revealed.answered)
    script.done()
    assert KEY in hidden
    return outcome.result(STORAGE, wanted, diff_values=True)


def test_a_generated_key_goes_to_its_sink_and_to_no_result() -> None:
    sink = Memory()
    result = autogen(sink, listing({**PBS, "encryption-key": "aa:bb"}))
    assert sink.kept == {"tank": KEY}
    assert "c2VjcmV0" not in json.dumps(result)


def test_a_generated_key_that_its_sink_did_not_take_is_still_on_the_nodes() -> None:
    with pytest.raises(HomeflareError, match=r"is lost: memory is full. PVE keeps it too"):
        autogen(Memory(broken=True))
    assert "rotate" not in argument_spec(STORAGE)


@pytest.mark.parametrize("key", ["nonsense", "[]", '{"kdf": null}'])
def test_what_is_no_encryption_key_is_refused_without_quoting_it(key: str) -> None:
    with pytest.raises(DeclarationError, match=r"^encryption_key: must be autogen, or") as caught:
        run([], encryption_key=key)
    assert key not in str(caught.value)


# Deleting

GUESTS = [{"vmid": 100, "type": "lxc", "node": "pve1"}, {"vmid": 101, "type": "qemu", "node": "pve2"}]
SEES_GUESTS: Call = ("GET", "access/permissions", {"path": "/vms"}, {"/vms": {"VM.Audit": 1}})
RESOURCES: Call = ("GET", "cluster/resources", {"type": "vm"}, GUESTS)


def configs(container: dict[str, t.Any], machine: dict[str, t.Any]) -> list[Call]:
    return [
        ("GET", "nodes/pve1/lxc/100/config", None, container),
        ("GET", "nodes/pve2/qemu/101/config", None, machine),
    ]


def absent(*more: Call, **params: t.Any) -> dict[str, t.Any]:
    return run([listing(DIR), *more], state="absent", **{"confirm_destroy": "tank", **params})


def test_a_delete_is_confirmed_by_name() -> None:
    refused('set confirm_destroy: "tank"', [listing(DIR)], state="absent")
    refused('set confirm_destroy: "tank"', [listing(DIR)], state="absent", confirm_destroy="other")


def test_a_storage_that_no_guest_names_is_deleted_and_the_absence_proven() -> None:
    other = configs(
        {"rootfs": "tank2:subvol-1,size=8G", "description": "tank:x"}, {"scsi0": "xtank:vm-1", "ide2": "none"}
    )
    gone: list[Call] = [("DELETE", "storage/tank", {}, None), listing(), VISIBLE]
    assert absent(listing(DIR), SEES_GUESTS, RESOURCES, *other, *gone)["action"] == "delete"


@pytest.mark.parametrize(
    ("container", "machine", "named"),
    [
        ({"rootfs": "tank:subvol-100-disk-0,size=8G"}, {}, "100"),
        ({}, {"scsi0": "file=tank:vm-101-disk-0,size=8G"}, "101"),
        ({"mp3": "tank:1/x.raw,mp=/d"}, {"vmstatestorage": "tank"}, "100, 101"),
        ({"unused0": "tank:x"}, {"ide2": "tank:iso/a.iso,media=cdrom"}, "100, 101"),
    ],
)
def test_a_storage_that_a_guest_names_is_kept(
    container: dict[str, t.Any], machine: dict[str, t.Any], named: str
) -> None:
    with pytest.raises(RefusedError, match=f"guests {named} have volumes of it"):
        absent(listing(DIR), SEES_GUESTS, RESOURCES, *configs(container, machine))


def test_guests_that_are_not_seen_may_be_the_ones() -> None:
    with pytest.raises(RefusedError, match="does not see the guests"):
        absent(listing(DIR), (*SEES_GUESTS[:3], {"/vms": {}}))


def test_a_guest_that_cannot_be_read_fails_the_delete() -> None:
    with pytest.raises(ServerError, match="595"):
        absent(
            listing(DIR),
            SEES_GUESTS,
            RESOURCES,
            ("GET", "nodes/pve1/lxc/100/config", None, error(595, "No route to host")),
        )


def test_force_deletes_without_looking_and_without_a_lie() -> None:
    absent(("DELETE", "storage/tank", {}, None), listing(), VISIBLE, force=True)
    with pytest.raises(NotStoredError, match="still there"):
        absent(("DELETE", "storage/tank", {}, None), listing(DIR), force=True)


def test_the_base_of_another_storage_is_kept() -> None:
    lvm = {"storage": "vg", "type": "lvm", "vgname": "vg", "base": "tank:0.0.1.scsi-x"}
    with pytest.raises(RefusedError, match="it is the base of vg"):
        absent(listing(DIR, lvm), SEES_GUESTS, (*RESOURCES[:3], []))


def test_local_is_never_deleted() -> None:
    local = {"storage": "local", "type": "dir", "path": "/var/lib/vz"}
    params = {"storage": "local", "state": "absent", "confirm_destroy": "local", "force": True}
    with pytest.raises(RefusedError, match="PVE makes it anew"):
        converge(STORAGE, declaration_of(STORAGE, params), Script([listing(local)]), check_mode=True)


# Bounds, before anything is asked


@pytest.mark.parametrize(
    ("params", "option"),
    [
        ({"storage": "1bad"}, "storage"),
        ({"type": "bogus"}, "type"),
        ({"path": "rel"}, "path"),
        ({"content": ["bogus"]}, "content"),
        ({"prune_backups": "keep-all=1,keep-last=2"}, "prune_backups"),
        ({"prune_backups": "keep-never=1"}, "prune_backups"),
        ({"content_dirs": ["iso=../x"]}, "content_dirs"),
        ({"content_dirs": "isos=x"}, "content_dirs"),
        ({"bwlimit": "clone=-1"}, "bwlimit"),
        ({"max_protected_backups": -2}, "max_protected_backups"),
        ({"port": 65536}, "port"),
        ({"options": "a b"}, "options"),
        ({"nodes": ["pve_1"]}, "nodes"),
        ({"fingerprint": "aa:bb"}, "fingerprint"),
        ({"is_mountpoint": "perhaps"}, "is_mountpoint"),
        ({"password": "x" * 257}, "password"),
    ],
)
def test_what_pve_would_refuse_is_refused_by_name(params: dict[str, t.Any], option: str) -> None:
    with pytest.raises(DeclarationError, match=f"^{option}: "):
        run([], **params)
