# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Realms: keys by type, what PVE deletes without asking, secrets, the two that always exist."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.converge import converge
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.declare import declaration_of
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import ApiError, DeclarationError, RefusedError
from ansible_collections.homeflare.proxmox.plugins.module_utils.families.realm import REALM
from ansible_collections.homeflare.proxmox.tests.unit.scripted import Script, error

ITEM = "access/domains/corp"
ABSENT = ("GET", ITEM, None, error(500, "domain 'corp' does not exist"))
LDAP = {"type": "ldap", "server1": "192.0.2.10", "base_dn": "dc=example,dc=test", "user_attr": "uid", "digest": "d1"}
AD = {"type": "ad", "server1": "192.0.2.10", "domain": "corp.example", "digest": "d1"}
OPENID = {"type": "openid", "issuer-url": "https://id.example", "client-id": "pve", "digest": "d1"}
MINIMAL = {
    "ldap": {name: value for name, value in LDAP.items() if name != "digest"},
    "ad": {name: value for name, value in AD.items() if name != "digest"},
    "openid": {"type": "openid", "issuer_url": "https://id.example", "client_id": "pve"},
}


def run(expect: list[t.Any], *, check_mode: bool = False, **params: t.Any) -> dict[str, t.Any]:
    wanted = declaration_of(REALM, {"realm": "corp", **params})
    script = Script(expect, read_only=check_mode)
    outcome = converge(REALM, wanted, script, check_mode=check_mode)
    script.done()
    return {**outcome.result(REALM, wanted, diff_values=True), "warnings": outcome.progress.warnings}


def read(row: dict[str, t.Any], **more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", ITEM, None, {name: value for name, value in {**row, **more}.items() if value is not None})


def put(**form: str) -> tuple[str, str, t.Any, t.Any]:
    return ("PUT", ITEM, {**{name.replace("_of_", "-"): value for name, value in form.items()}, "digest": "d1"}, None)


def test_a_realm_is_created_with_what_is_declared() -> None:
    post = ("POST", "access/domains", {"realm": "corp", **MINIMAL["ldap"], "port": "389", "verify": "1"}, None)
    run([ABSENT, post, read(LDAP, port=389, verify=1)], **MINIMAL["ldap"], port=389, verify=True)


@pytest.mark.parametrize(
    ("kind", "missing"),
    [
        ("ldap", {"server1", "base_dn", "user_attr"}),
        ("ad", {"server1", "domain"}),
        ("openid", {"issuer-url", "client-id"}),
    ],
)
def test_each_type_has_its_own_required_keys(kind: str, missing: set[str]) -> None:
    with pytest.raises(RefusedError) as caught:
        run([ABSENT], type=kind)
    assert {row["key"] for row in caught.value.result["refusals"]} == missing


def test_an_ad_realm_may_have_a_base_and_an_ldap_realm_has_no_domain() -> None:
    assert not run([read(AD, base_dn="dc=x")], type="ad", base_dn="dc=x")["changed"]
    with pytest.raises(DeclarationError, match=r"^domain: is not a key of type ldap"):
        run([], type="ldap", domain="corp.example")
    with pytest.raises(RefusedError, match="of type ldap, which has no issuer_url"):
        run([read(LDAP)], issuer_url="https://id.example")


@pytest.mark.parametrize("key", ["base_dn", "user_attr"])
def test_a_key_that_its_type_requires_is_never_deleted_though_pve_would(key: str) -> None:
    with pytest.raises(RefusedError, match=f"cannot be without {key}"):
        run([read(LDAP)], delete=[key])


@pytest.mark.parametrize("key", ["server1", "domain", "issuer_url", "client_id"])
def test_a_required_key_is_never_deleted_though_pve_would(key: str) -> None:
    with pytest.raises(DeclarationError, match="give it a value instead"):
        run([], delete=[key])


def test_an_optional_key_goes_by_its_name_with_the_digest() -> None:
    run([read(AD, base_dn="dc=x", port=636), put(delete="port,base_dn"), read(AD)], delete=["base_dn", "port"])


def test_exact_keeps_what_is_required_and_clears_the_rest() -> None:
    live = read(LDAP, comment="c", port=636, mode="ldap", capath="/etc/ssl/certs")
    run([live, put(delete="comment,port"), read(LDAP)], type="ldap", exact=True)


@pytest.mark.parametrize("change", [{"type": "ad"}, {"username_claim": "email"}])
def test_what_is_fixed_at_creation_is_refused(change: dict[str, str]) -> None:
    row = LDAP if "type" in change else OPENID
    with pytest.raises(RefusedError, match="is fixed at creation"):
        run([read(row)], **change)
    with pytest.raises(DeclarationError):
        run([], delete=[next(iter(change))])


def test_an_absent_claim_is_the_subject() -> None:
    assert not run([read(OPENID)], username_claim="subject")["changed"]


@pytest.mark.parametrize(
    ("row", "declared"),
    [
        (LDAP, {"default": False}),
        (LDAP, {"mode": "ldap", "verify": "no", "capath": "/etc/ssl/certs", "case_sensitive": True, "comment": ""}),
        (LDAP, {"user_classes": ["user", "person", "inetorgperson", "posixaccount"]}),
        (LDAP, {"group_classes": "univentionGroup,groupOfNames,group,ipausergroup"}),
        ({**LDAP, "secure": 1}, {"mode": "ldaps"}),
        ({**LDAP, "port": "636"}, {"port": 636}),
        ({**LDAP, "sync_attributes": "email=mail,firstname=gn"}, {"sync_attributes": "firstname=gn, email=mail"}),
        ({**LDAP, "sync_attributes": "email=mail"}, {"sync_attributes": {"email": "mail"}}),
        (OPENID, {"scopes": "profile email", "query_userinfo": True, "autocreate": False}),
        ({**OPENID, "audiences": "a b"}, {"audiences": ["b", "a"]}),
    ],
)
def test_spellings_and_defaults_that_are_equal(row: dict[str, t.Any], declared: dict[str, t.Any]) -> None:
    assert not run([read(row)], **declared)["changed"]


SYNC = "sync-defaults-options"


@pytest.mark.parametrize(
    "declared",
    [
        "remove-vanished=entry;acl,scope=users",
        "scope=users,enable-new=1,remove-vanished=acl;entry",
        {"scope": "users", "remove-vanished": ["entry", "acl"], "enable-new": True},
    ],
)
def test_sync_options_are_a_map_whose_list_is_a_set(declared: t.Any) -> None:
    live = {**LDAP, SYNC: "scope=users,remove-vanished=acl;entry"}
    assert not run([read(live)], sync_defaults_options=declared)["changed"]


def test_none_vanishing_is_the_default_and_another_scope_is_a_change() -> None:
    live = {**LDAP, SYNC: "scope=users"}
    assert not run([read(live)], sync_defaults_options="scope=users,remove-vanished=none")["changed"]
    after = {**LDAP, SYNC: "scope=both"}
    run([read(live), put(sync_of_defaults_of_options="scope=both"), read(after)], sync_defaults_options="scope=both")


# secrets


def test_a_password_is_sent_at_creation_and_on_request_and_never_shown() -> None:
    post = ("POST", "access/domains", {"realm": "corp", **MINIMAL["ldap"], "password": "hush hush"}, None)
    assert "hush" not in repr(run([ABSENT, post, read(LDAP)], **MINIMAL["ldap"], password="hush hush"))
    assert not run([read(LDAP)], password="hush hush")["changed"]
    result = run([read(LDAP), put(password="hush hush"), read(LDAP)], password="hush hush", update_secret="always")
    assert result["drift"] == ["password"]
    assert "hush" not in repr(result)


def test_a_client_key_that_pve_shows_is_compared_and_not_shown() -> None:
    assert not run([read(OPENID, **{"client-key": "hush"})], client_key="hush")["changed"]
    after = read(OPENID, **{"client-key": "hush2"})
    result = run([read(OPENID, **{"client-key": "hush"}), put(client_of_key="hush2"), after], client_key="hush2")
    assert result["drift"] == ["client-key"]
    assert "hush" not in repr(result)


def test_two_factor_options_may_hold_a_key_and_are_not_shown() -> None:
    live = read(LDAP, tfa="type=yubico,id=1,key=hush")
    assert not run([live], tfa={"type": "yubico", "key": "hush", "id": 1})["changed"]
    result = run([live, put(tfa="type=oath"), read(LDAP, tfa="type=oath")], tfa="type=oath")
    assert "hush" not in repr(result)


# the default realm, connection checks


def test_becoming_the_default_says_who_it_was() -> None:
    others = ("GET", "access/domains", None, [{"realm": "pam"}, {"realm": "pve", "default": 1}, {"realm": "corp"}])
    result = run([read(LDAP), others, put(default="1"), read(LDAP, default=1)], default=True)
    assert "becomes the default in place of pve" in result["warnings"][0]
    assert not run([read(LDAP, default=1)], default=True)["changed"]
    run([read(LDAP, default=1), put(default="0"), read(LDAP, default=0)], default=False)


def test_a_connection_check_goes_along_with_a_write_and_causes_none() -> None:
    assert not run([read(LDAP)], server1="192.0.2.10", check_connection=True)["changed"]
    checked = [read(LDAP), put(server1="192.0.2.11", **{"check-connection": "1"}), read(LDAP, server1="192.0.2.11")]
    run(checked, server1="192.0.2.11", check_connection=True)
    with pytest.raises(RefusedError, match="only ldap and ad realms"):
        run([read(OPENID)], check_connection=True)


# the two that always exist


def built_in(**more: t.Any) -> tuple[str, str, t.Any, t.Any]:
    row = {"type": "pam", "comment": "Linux PAM standard authentication", "digest": "d1", **more}
    return ("GET", "access/domains/pam", None, row)


def test_a_built_in_realm_takes_a_comment_and_its_own_text_is_none() -> None:
    assert not run([built_in()], realm="pam", delete=["comment"])["changed"]
    assert not run([built_in()], realm="pam", comment="Linux PAM standard authentication")["changed"]
    write = ("PUT", "access/domains/pam", {"comment": "c", "digest": "d1"}, None)
    run([built_in(), write, built_in(comment="c")], realm="pam", comment="c")
    write = ("PUT", "access/domains/pam", {"delete": "comment", "digest": "d1"}, None)
    run([built_in(comment="c"), write, built_in()], realm="pam", comment="")


def test_a_built_in_realm_is_neither_made_nor_deleted() -> None:
    users = ("GET", "access/users", None, [])
    with pytest.raises(RefusedError, match="always exists, and cannot be deleted"):
        run([built_in(), users], realm="pam", state="absent", confirm_destroy="pam")
    with pytest.raises(RefusedError, match="realms pam and pve always exist"):
        run([ABSENT], type="pve")


# deleting


def users(*names: str) -> tuple[str, str, t.Any, t.Any]:
    return ("GET", "access/users", None, [{"userid": name} for name in ("root@pam", "a@xcorp", *names)])


def test_a_realm_is_deleted_only_by_its_name_and_tells_whom_it_leaves_behind() -> None:
    with pytest.raises(RefusedError, match=r"still has users \(a@corp, b@corp\).*confirm_destroy"):
        run([read(LDAP), users("b@corp", "a@corp")], state="absent")
    with pytest.raises(RefusedError, match="confirm_destroy") as caught:
        run([read(LDAP), users()], state="absent")
    assert "still has users" not in str(caught.value)
    gone = ("DELETE", ITEM, {}, None)
    run([read(LDAP), users("a@corp"), gone, ABSENT], state="absent", confirm_destroy="corp")
    assert not run([ABSENT], state="absent")["changed"]


@pytest.mark.parametrize("status", [401, 403, 500, 595])
def test_a_failed_read_is_no_absent_realm(status: int) -> None:
    with pytest.raises(ApiError):
        run([("GET", ITEM, None, error(status, "no"))], **MINIMAL["ldap"])


@pytest.mark.parametrize(
    "params",
    [
        {"realm": "1st"},
        {"realm": "r" * 33},
        {"type": "radius"},
        {"port": 0},
        {"comment": "a\nb"},
        {"base_dn": "x" * 257},
        {"user_attr": "u"},
        {"groups_claim": "a b"},
        {"sync_defaults_options": "scope=all"},
        {"sync_defaults_options": "full=1"},
        {"tfa": "id=1"},
        {"mode": "starttls"},
    ],
)
def test_bad_input_is_refused_before_any_request(params: dict[str, t.Any]) -> None:
    with pytest.raises(DeclarationError, match=f"^{next(iter(params))}: "):
        run([], **params)
