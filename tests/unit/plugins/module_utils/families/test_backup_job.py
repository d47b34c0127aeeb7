# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backup jobs: the selection as one of three, nested reads, what goes only together, what only root may set."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import Outcome, converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.backup_job import BACKUP_JOB
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

PATH = "cluster/backup/nightly"
ABSENT = error(400, "Parameter verification failed.", {"id": "No such job 'nightly'"})


def run(expect: list[t.Any], *, check: bool = False, **params: t.Any) -> Outcome:
    wanted = declaration_of(BACKUP_JOB, {"id": "nightly", **params})
    script = Script(expect, read_only=check)
    outcome = converge(BACKUP_JOB, wanted, script, check_mode=check)
    script.done()
    return outcome


def read(live: t.Any = None, **more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    if isinstance(live, Exception):
        return ("GET", PATH, None, live)
    return ("GET", PATH, None, {"id": "nightly", "type": "vzdump", "schedule": "02:30", "enabled": 1, **more})


def put(**form: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", PATH, {name.replace("_", "-"): value for name, value in form.items()}, None)


def drift(outcome: Outcome) -> list[str]:
    return [item.key for item in outcome.judgement.drift]


def test_declared_defaults_equal_a_job_that_stores_nothing() -> None:
    outcome = run(
        [read(vmid="100")],
        enabled=True,
        repeat_missed=False,
        comment="",
        mode="snapshot",
        compress="0",
        pigz=0,
        zstd=1,
        bwlimit=0,
        ionice=7,
        lockwait=180,
        stopwait=10,
        remove=True,
        protected=False,
        stdexcludes=True,
        quiet=False,
        stop=False,
        fleecing={"enabled": False},
        performance="max-workers=16",
        exclude_path=[],
        notes_template="",
        notification_mode="auto",
        mailto=[],
        mailnotification="always",
        all=False,
        vmid=[100],
    )
    assert not outcome.judgement.steps


def test_objects_that_a_read_nests_are_property_strings() -> None:
    live = {
        "prune-backups": {"keep-last": "3", "keep-daily": "7"},
        "fleecing": {"enabled": "1", "storage": "local-zfs"},
        "performance": {"max-workers": "8"},
    }
    run(
        [read(**live)],
        prune_backups="keep-daily=7,keep-last=3,keep-weekly=0",
        fleecing="1,storage=local-zfs",
        performance={"max-workers": 8},
    )


def test_no_retention_of_its_own_is_not_keep_all() -> None:
    """Without prune-backups the storage's retention prunes: to declare keep-all has to reach PVE."""
    run(
        [read(), put(prune_backups="keep-all=1"), read(**{"prune-backups": {"keep-all": "1"}})],
        prune_backups="keep-all=1",
    )


def test_a_job_is_always_created_with_its_id() -> None:
    form = {"id": "nightly", "schedule": "sat 03:00", "vmid": "100,101", "exclude-path": ("/a,b", "*.tmp")}
    run(
        [
            read(ABSENT),
            ("POST", "cluster/backup", form, None),
            read(schedule="sat 03:00", vmid="100,101", **{"exclude-path": ["/a,b", "*.tmp"]}),
        ],
        schedule="sat 03:00",
        vmid=[101, 100],
        exclude_path=["/a,b", "*.tmp"],
    )


def test_a_schedule_is_compared_as_it_was_typed() -> None:
    assert drift(run([read()], check=True, schedule="2:30")) == ["schedule"]


def test_the_order_of_exclude_path_counts_and_that_of_sets_does_not() -> None:
    live = {"exclude-path": ["a", "b"], "mailto": "b@x.example,a", "vmid": "101,100"}
    run([read(**live)], exclude_path=["a", "b"], mailto=["a", "b@x.example"], vmid=[100, 101])
    assert drift(run([read(**live)], check=True, exclude_path=["b", "a"])) == ["exclude-path"]


def test_compress_1_is_lzo() -> None:
    run([read(compress="lzo")], compress="1")
    run([read(compress="1")], compress="lzo")


SELECTED: dict[str, dict[str, t.Any]] = {
    "vmid": {"vmid": "100"},
    "pool": {"pool": "house"},
    "all": {"all": 1},
    "exclude": {"all": 1, "exclude": "105"},
}
DECLARED: dict[str, dict[str, t.Any]] = {
    "vmid": {"vmid": [100]},
    "pool": {"pool": "house"},
    "all": {"all": True},
    "exclude": {"exclude": [105]},
}
SENT = {"vmid": {"vmid": "100"}, "pool": {"pool": "house"}, "all": {"all": "1"}, "exclude": {"exclude": "105"}}


@pytest.mark.parametrize("before", SELECTED)
@pytest.mark.parametrize("after", DECLARED)
def test_a_selection_changes_by_one_key_and_pve_drops_the_rest(before: str, after: str) -> None:
    if before == after or (before, after) == ("exclude", "all"):
        assert not run([read(**SELECTED[before])], **DECLARED[after]).judgement.steps
        return
    outcome = run([read(**SELECTED[before]), put(**SENT[after]), read(**SELECTED[after])], **DECLARED[after])
    assert drift(outcome) == [after]


def test_all_with_exclude_goes_out_as_both() -> None:
    run(
        [read(vmid="100"), put(all="1", exclude="105"), read(all=1, exclude="105")],
        all=True,
        exclude=[105],
    )


def test_exclude_of_a_job_by_pool_is_no_part_of_its_selection() -> None:
    """PVE strips it on the next update, so it is not compared."""
    run([read(pool="house", exclude="105")], pool="house", exact=True)


def test_exclude_is_cleared_by_name() -> None:
    run([read(all=1, exclude="105"), put(delete="exclude"), read(all=1)], all=True, exclude=[])


@pytest.mark.parametrize(
    ("params", "option"),
    [
        ({"vmid": [100], "pool": "house"}, "pool"),
        ({"all": True, "vmid": [100]}, "vmid"),
        ({"exclude": [105], "vmid": [100]}, "exclude"),
        ({"exclude": [105], "pool": "house"}, "exclude"),
        ({"all": False}, "all"),
        ({"all": False, "exclude": [105]}, "all"),
    ],
)
def test_a_selection_that_contradicts_itself_is_refused(params: dict[str, t.Any], option: str) -> None:
    with pytest.raises(DeclarationError, match=f"^{option}: "):
        run([], **params)


def test_a_job_that_selects_nothing_is_not_created() -> None:
    with pytest.raises(RefusedError, match="creating it needs one of all, vmid and pool"):
        run([read(ABSENT)], schedule="02:30")
    with pytest.raises(RefusedError, match="creating it needs schedule"):
        run([read(ABSENT)], vmid=[100])


def test_notes_and_protection_take_the_storage_along() -> None:
    run(
        [
            read(storage="local"),
            put(notes_template="{{guestname}}", storage="local"),
            read(storage="local", **{"notes-template": "{{guestname}}"}),
        ],
        notes_template="{{guestname}}",
    )
    run(
        [read(storage="local"), put(protected="1", storage="nas"), read(storage="nas", protected=1)],
        protected=True,
        storage="nas",
    )
    run([read(storage="local", **{"notes-template": "x"}), put(delete="notes-template"), read()], notes_template="")


def test_notes_without_a_storage_are_refused() -> None:
    with pytest.raises(RefusedError, match="notes_template only together with storage"):
        run([read()], notes_template="x")


def test_enabled_has_no_clearing_and_is_set_instead() -> None:
    run([read(), put(enabled="0"), read(enabled=0)], enabled=False)
    for key in ("enabled", "schedule", "vmid", "pool", "all"):
        with pytest.raises(DeclarationError, match=f"^{key}: PVE does not let this key be deleted"):
            run([], delete=[key])


def test_exact_clears_what_may_be_cleared() -> None:
    live = {"comment": "x", "storage": "local", "all": 1, "script": "/x"}
    run([read(**live), put(delete="comment,storage"), read(all=1, script="/x")], exact=True)


@pytest.mark.parametrize("key", ["tmpdir", "dumpdir", "script"])
def test_what_only_root_may_set_is_refused_unless_it_is_so(key: str) -> None:
    params: dict[str, t.Any] = {key: "/srv/x"}
    with pytest.raises(RefusedError, match=f"only root@pam may set {key}.*pvesh set /cluster/backup/nightly --{key}"):
        run([read(vmid="100")], **params)
    run([read(**params)], **params)


def test_a_job_with_a_dumpdir_is_not_touched() -> None:
    with pytest.raises(RefusedError, match="has a dumpdir"):
        run([read(dumpdir="/srv/x")], comment="x")


@pytest.mark.parametrize(
    ("live", "params", "action"),
    [
        (ABSENT, {"schedule": "02:30", "all": True}, "create"),
        (None, {"schedule": "03:00", "delete": ["comment"]}, "update"),
        (None, {"state": "absent"}, "delete"),
        (ABSENT, {"state": "absent"}, "none"),
    ],
)
def test_c15_check_mode_sends_nothing_but_get(live: t.Any, params: dict[str, t.Any], action: str) -> None:
    wanted = declaration_of(BACKUP_JOB, {"id": "nightly", **params})
    script = Script([read(live)], read_only=True)
    assert converge(BACKUP_JOB, wanted, script, check_mode=True).judgement.action == action
    assert script.calls == [("GET", PATH)]


def test_deleting_keeps_to_the_job() -> None:
    run([read(), ("DELETE", PATH, {}, None), read(ABSENT)], state="absent")


@pytest.mark.parametrize(
    "failure",
    [
        error(400, "Parameter verification failed.", {"id": "value does not look right"}),
        error(403, "Permission check failed (/, Sys.Audit)"),
        error(500, "x"),
    ],
)
def test_a_failed_read_is_no_absence(failure: ApiError) -> None:
    with pytest.raises(ApiError):
        run([read(failure)], schedule="02:30", all=True)


@pytest.mark.parametrize(
    "params",
    [
        {"id": "a:1"},
        {"vmid": [99]},
        {"ionice": 9},
        {"comment": "x" * 513},
        {"notes_template": "a\nb"},
        {"fleecing": {"enabled": True}},
        {"prune_backups": "keep-all=1,keep-last=3"},
        {"performance": "max-workers=300"},
        {"mailto": ["a b@"]},
        {"compress": "zip"},
        {"schedule": "x" * 129},
    ],
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params)).replace('_', '[_-]')}: "):
        run([], **params)
