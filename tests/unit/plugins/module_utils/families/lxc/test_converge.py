# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container from declaration to read-back: every request, in order."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, NotStoredError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.lxc.table import LXC
from ansible_collections.homeflare.proxmox.tests.unit.plugins.module_utils.families.lxc.support import (
    CONFIG,
    LIVE,
    TEMPLATE,
    declare,
)
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

PENDING = "nodes/pve1/lxc/900/pending"
MISSING = error(500, "Configuration file 'nodes/pve1/lxc/900.conf' does not exist")
CONFLICT = error(500, "detected modified configuration - file changed by other user? Try again.")
UPID = "UPID:pve1:0000:0000:0000:vzcreate:900:root@pam!ci:"
Call = tuple[str, str, t.Any, t.Any]


def read(config: t.Mapping[str, t.Any] | None = None, pending: t.Sequence[t.Mapping[str, t.Any]] = ()) -> list[Call]:
    return [("GET", CONFIG, None, dict(LIVE if config is None else config)), ("GET", PENDING, None, list(pending))]


def missing() -> list[Call]:
    return [
        ("GET", CONFIG, None, MISSING),
        ("GET", "cluster/resources", {"type": "vm"}, []),
        ("GET", "cluster/nextid", {"vmid": 900}, "900"),
        ("GET", "cluster/resources", {"type": "node"}, [{"node": "pve1", "status": "online"}]),
    ]


def put(form: dict[str, str], answer: t.Any = None, digest: str = LIVE["digest"]) -> Call:
    return ("PUT", CONFIG, {**form, "digest": digest}, answer)


def run(
    expect: list[Call], config: dict[str, t.Any], *, check_mode: bool = False, **options: t.Any
) -> tuple[dict[str, t.Any], Script]:
    wanted = declare(config, **options)
    script = Script(expect, read_only=check_mode)
    outcome = converge(LXC, wanted, script, check_mode=check_mode)
    script.done()
    return outcome.result(LXC, wanted), script


EQUAL: dict[str, t.Any] = {"hostname": "ct-example", "memory": 1024}
WRITABLE: dict[str, t.Any] = {"hostname": "ct-example", "memory": 2048}


def test_33_a_drifted_key_is_one_put_and_a_read_back() -> None:
    result, _script = run([*read(), put({"memory": "2048"}), *read({**LIVE, "memory": 2048})], WRITABLE)
    assert (result["changed"], result["action"], result["drift"]) == (True, "update", ["memory"])


def test_30_an_equal_container_is_two_reads_and_the_clusters_tag_style() -> None:
    config, pending = read()
    expect = [config, ("GET", "cluster/options", None, {}), pending]
    result, _script = run(expect, {**LIVE}, existing="match")
    assert (result["changed"], result["action"]) == (False, "none")


def test_60_check_mode_reads_and_says_the_same() -> None:
    result, script = run(read(), WRITABLE, check_mode=True)
    assert (result["changed"], result["action"], result["drift"]) == (True, "update", ["memory"])
    assert {method for method, _path in script.calls} == {"GET"}


def test_56_a_write_that_is_not_stored_fails_with_the_keys() -> None:
    with pytest.raises(NotStoredError, match="these keys still differ: memory"):
        run([*read(), put({"memory": "2048"}), *read()], WRITABLE)


def test_c9_the_same_steps_are_written_once_on_the_new_digest() -> None:
    edited = {**LIVE, "digest": "new", "cores": 8}
    run(
        [
            *read(),
            put({"memory": "2048"}, CONFLICT),
            *read(edited),
            put({"memory": "2048"}, digest="new"),
            *read({**edited, "memory": 2048}),
        ],
        WRITABLE,
    )


def test_c9_other_steps_are_not_written() -> None:
    edited = {**LIVE, "digest": "new", "net0": str(LIVE["net0"]).replace("53:04", "53:05")}
    config = {"hostname": "ct-example", "net0": "name=eth0,bridge=vmbr1,ip=dhcp"}
    sent = {"net0": "name=eth0,bridge=vmbr1,hwaddr=00:00:5E:00:53:04,ip=dhcp"}
    with pytest.raises(RefusedError, match="changed by someone else"):
        run([*read(), put(sent, CONFLICT), *read(edited)], config)


def test_27_protection_is_turned_off_then_the_volume_is_written_on_a_new_digest() -> None:
    first = {**LIVE, "protection": 1}
    second = {**LIVE, "protection": 0, "digest": "second"}
    mount = "local-lvm:8,mp=/data"
    run(
        [
            *read(first),
            put({"protection": "0"}),
            *read(second),
            put({"mp0": mount}, digest="second"),
            *read({**second, "mp0": "local-lvm:vm-900-disk-1,mp=/data,size=8G"}),
        ],
        {"hostname": "ct-example", "protection": 0, "mp0": mount},
    )


def status(running: bool) -> Call:
    return ("GET", "nodes/pve1/lxc/900/status/current", None, {"status": "running" if running else "stopped"})


def test_20_the_put_comes_before_the_resize_and_its_task_is_waited_for() -> None:
    grown = {**LIVE, "rootfs": "local-zfs:subvol-900-disk-0,acl=1,size=16G"}
    result, _script = run(
        [
            *read(),
            status(running=False),
            put({"rootfs": "local-zfs:subvol-900-disk-0,acl=1,size=8G"}),
            ("PUT", "nodes/pve1/lxc/900/resize", {"disk": "rootfs", "size": "16G"}, UPID),
            *read(grown),
        ],
        {"hostname": "ct-example", "rootfs": "local-zfs:16,acl=1"},
    )
    assert result["tasks"] == [UPID]


def test_20_a_running_container_is_resized_before_its_options_are_written_to_wait() -> None:
    disk = "local-zfs:subvol-900-disk-0"
    grown = {**LIVE, "rootfs": f"{disk},size=16G", "digest": "grown"}
    stored = {**grown, "rootfs": f"{disk},acl=1,size=16G", "digest": "stored"}
    waits = [{"key": "rootfs", "value": f"{disk},size=16G", "pending": f"{disk},acl=1,size=16G"}]
    result, _script = run(
        [
            *read(),
            status(running=True),
            ("PUT", "nodes/pve1/lxc/900/resize", {"disk": "rootfs", "size": "16G"}, UPID),
            *read(grown),
            put({"rootfs": f"{disk},acl=1,size=16G"}, digest="grown"),
            *read(stored, waits),
        ],
        {"hostname": "ct-example", "rootfs": "local-zfs:16,acl=1"},
    )
    assert result["pending"] == ["rootfs"]


def test_a_volume_has_the_size_that_is_in_effect_though_its_options_wait() -> None:
    waits = [{"key": "mp0", "value": "tank:subvol-900-disk-1,mp=/a,size=16G", "pending": "x"}]
    expect = read({**LIVE, "mp0": "tank:subvol-900-disk-1,mp=/b,size=8G"}, waits)
    result, _script = run(expect, {"hostname": "ct-example", "mp0": "tank:16,mp=/b"})
    assert (result["changed"], result["pending"]) == (False, ["mp0"])


def test_pending_keys_are_reported_after_the_write() -> None:
    after = read({**LIVE, "ostype": "alpine"}, [{"key": "ostype", "value": "debian", "pending": "alpine"}])
    config = {"hostname": "ct-example", "ostype": "alpine"}
    result, _script = run([*read(), put({"ostype": "alpine"}), *after], config)
    assert result["pending"] == ["ostype"]


@pytest.mark.parametrize("existing", ["update", "match", "refuse"])
def test_50_a_create_and_its_read_back(existing: str) -> None:
    config = {**EQUAL, "rootfs": "local-zfs:8"}
    form = {"vmid": "900", "ostemplate": TEMPLATE, "rootfs": "local-zfs:8", "hostname": "ct-example", "memory": "1024"}
    result, _script = run(
        [*missing(), ("POST", "nodes/pve1/lxc", form, UPID), *read()],
        config,
        create={"ostemplate": TEMPLATE},
        existing=existing,
    )
    assert (result["action"], result["tasks"]) == ("create", [UPID])


def test_50_a_create_with_start_looks_whether_it_runs() -> None:
    config = {**EQUAL, "rootfs": "local-zfs:8"}
    status = ("GET", "nodes/pve1/lxc/900/status/current", None, {"status": "stopped"})
    expect = [*missing(), ("POST", "nodes/pve1/lxc", None, UPID), *read(), status]
    wanted = declare(config, create={"ostemplate": TEMPLATE, "start": True})
    outcome = converge(LXC, wanted, Script(expect), check_mode=False)
    assert any("not running" in text for text in outcome.progress.warnings)


def test_24_what_an_image_overwrote_is_put_right_even_under_match() -> None:
    made = {**LIVE, "cmode": "console", "entrypoint": "/bin/app"}
    config = {"hostname": "ct-example", "rootfs": "local-zfs:8", "cmode": "shell"}
    run(
        [
            *missing(),
            ("POST", "nodes/pve1/lxc", None, UPID),
            *read(made),
            put({"cmode": "shell"}),
            *read({**made, "cmode": "shell"}),
        ],
        config,
        create={"ostemplate": "local:vztmpl/app.tar"},
        existing="match",
    )


TAKEN = error(500, "CT 900 already exists on node 'pve1'")
NEW = {**EQUAL, "rootfs": "local-zfs:8"}


def test_41_a_container_that_appeared_and_matches_is_fine() -> None:
    run([*missing(), ("POST", "nodes/pve1/lxc", None, TAKEN), *read(), *read()], NEW, create={"ostemplate": TEMPLATE})


def test_41_a_container_that_appeared_and_differs_is_left_alone() -> None:
    expect = [*missing(), ("POST", "nodes/pve1/lxc", None, TAKEN), *read({**LIVE, "memory": 4096})]
    with pytest.raises(RefusedError, match="appeared after it was read"):
        run(expect, NEW, create={"ostemplate": TEMPLATE})


def test_57_a_delete_and_the_proof_that_it_is_gone() -> None:
    obstacles = [
        ("GET", "nodes/pve1/lxc/900/status/current", None, {"status": "stopped"}),
        ("GET", "cluster/resources", {"type": "vm"}, [{"vmid": 900, "type": "lxc", "node": "pve1"}]),
        ("GET", "cluster/replication", None, []),
    ]
    expect = [("GET", CONFIG, None, LIVE), *obstacles, ("DELETE", "nodes/pve1/lxc/900", {}, UPID), *missing()]
    result, _script = run(expect, {"hostname": "ct-example"}, state="absent")
    assert (result["action"], result["tasks"]) == ("delete", [UPID])


def test_57_an_absent_container_is_fine() -> None:
    result, _script = run(missing(), {}, state="absent")
    assert (result["changed"], result["action"]) == (False, "none")


def test_c8_a_container_on_a_node_that_is_down_is_unknown_not_absent() -> None:
    for state in ("present", "absent"):
        with pytest.raises(ApiError, match="unknown"):
            run([("GET", CONFIG, None, error(595, "No route to host"))], EQUAL, state=state)


def test_26_the_tag_style_is_read_when_tags_are_declared() -> None:
    style = ("GET", "cluster/options", None, {"tag-style": {"ordering": "config"}})
    expect = [("GET", CONFIG, None, dict(LIVE)), style, ("GET", PENDING, None, [])]
    result, _script = run(expect, {"hostname": "ct-example", "tags": "alpha;beta"})
    assert result["changed"] is False


def test_29_env_is_read_with_the_role_that_may_see_it() -> None:
    granted = ("GET", "access/permissions", {"path": "/vms/900"}, {"/vms/900": {"VM.Audit": 1}})
    result, _script = run([*read(), granted], {"hostname": "ct-example"}, env=["A=b"])
    assert result["changed"] is False


def test_16_the_result_holds_declared_keys_and_nothing_hidden() -> None:
    config = {"hostname": "ct-example", "description": "managed", "memory": 2048}
    result, _script = run([*read(), put({"memory": "2048"}), *read({**LIVE, "memory": 2048})], config)
    assert result["object"] == {"vmid": 900, "node": "pve1", "hostname": "ct-example", "memory": 2048}
