# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.connection import (
    CONNECTION_OPTIONS,
    Connection,
    Member,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.api.options import ENVIRONMENT
from ansible_collections.homeflare.proxmox.plugins.module_utils.errors import DeclarationError

from .loopback import Cert

STATIC = {"api_token_id": "ops@pve!deploy", "api_token_secret": "s3cret-value"}
BAO_ENV = {"BAO_ADDR": "https://bao.example:8200", "BAO_TOKEN": "s.abc"}


def connect(
    params: t.Mapping[str, t.Any], environ: t.Mapping[str, str] | None = None, product: str = "pve"
) -> Connection:
    return Connection.from_params({"api_hosts": ["pve1.example"], **params}, product, environ or {})


def minting(params: t.Mapping[str, t.Any], environ: t.Mapping[str, str] | None = None) -> t.Any:
    return connect({"bao_mount": "proxmox-c1", **params}, BAO_ENV if environ is None else environ).bao


@pytest.mark.parametrize(
    ("text", "product", "member"),
    [
        ("pve1.example", "pve", Member("pve1.example", 8006)),
        ("pve1.example:443", "pve", Member("pve1.example", 443)),
        ("https://pve1.example:8443/", "pve", Member("pve1.example", 8443)),
        ("192.0.2.1", "pbs", Member("192.0.2.1", 8007)),
        ("2001:db8::1", "pve", Member("2001:db8::1", 8006)),
        ("[2001:db8::1]:99", "pve", Member("2001:db8::1", 99)),
    ],
)
def test_a_member_is_host_or_host_and_port(text: str, product: str, member: Member) -> None:
    option = "api_hosts" if product == "pve" else "pbs_hosts"
    assert Connection.from_params({option: [text], **STATIC}, product, {}).members == (member,)


def test_an_ipv6_member_is_bracketed_in_its_authority() -> None:
    assert Member("2001:db8::1", 8006).authority == "[2001:db8::1]:8006"


@pytest.mark.parametrize(
    "text",
    [
        "pve1:",
        "pve1:0",
        "pve1:65536",
        "pve1:x",
        "a b",
        "http://pve1.example",
        "user@pve1",
        "pve1/x",
        "-a",
        "[2001:db8::1",
        "a:b:c:99999",
        "2001:db8::1::2",
        "fe80::1%a/b",
    ],
)
def test_a_malformed_member_is_refused_by_the_name_of_its_option(text: str) -> None:
    with pytest.raises(DeclarationError, match=r"api_hosts: .*is no host"):
        connect({"api_hosts": [text], **STATIC})


def test_members_come_from_the_alias_a_text_or_the_environment() -> None:
    assert len(Connection.from_params({"api_host": "a,b:1 ", **STATIC}, "pve", {}).members) == 2
    assert len(Connection.from_params(STATIC, "pve", {"PROXMOX_API_HOSTS": "a, b,c"}).members) == 3
    assert Connection.from_params(STATIC, "pbs", {"PBS_API_HOSTS": "x"}).members == (Member("x", 8007),)


@pytest.mark.parametrize(
    ("params", "environ", "option", "says"),
    [
        ({"api_hosts": [], **STATIC}, {}, "api_hosts", "at least one member"),
        ({}, {}, "bao_mount", "static token"),
        ({"bao_mount": "m", **STATIC}, BAO_ENV, "bao_mount", "not both"),
        ({"api_token_id": "ops@pve!x"}, {}, "api_token_secret", "belong together"),
        ({"api_token_secret": "x"}, {}, "api_token_id", "belong together"),
        ({**STATIC, "api_token_id": "deploy"}, {}, "api_token_id", "user@realm!name"),
        ({**STATIC, "api_token_id": "ops@pve!1x"}, {}, "api_token_id", "user@realm!name"),
        ({**STATIC, "api_token_secret": "a b"}, {}, "api_token_secret", "printable"),
        ({**STATIC, "api_token_secret": "a\n"}, {}, "api_token_secret", "printable"),
        ({**STATIC, "ca_path": "/nonexistent/ca.pem"}, {}, "ca_path", "does not exist"),
        ({**STATIC, "tls_fingerprint": ["AB:CD"]}, {}, "tls_fingerprint", "64 hexadecimal"),
        ({**STATIC, "api_timeout": 0}, {}, "api_timeout", "at least 1"),
        ({"bao_mount": "m"}, {"BAO_TOKEN": "s.x"}, "bao_url", "no default"),
        ({"bao_mount": "m", "bao_url": "bao.example"}, {"BAO_TOKEN": "s.x"}, "bao_url", "https://host:8200"),
        ({"bao_mount": "m", "bao_url": "https://b.example"}, {}, "bao_auth_method", "no token"),
        ({"bao_mount": "m", "bao_auth_method": "token"}, {"BAO_ADDR": "https://b"}, "bao_token", "needs one"),
        ({"bao_mount": "m", "bao_auth_method": "ldap"}, BAO_ENV, "bao_auth_method", "one of token"),
        ({"bao_mount": "m", "bao_auth_method": "approle"}, BAO_ENV, "bao_role_id", "needs it"),
        ({"bao_mount": "m", "bao_auth_method": "jwt"}, BAO_ENV, "bao_jwt", "needs it"),
        ({"bao_mount": "m", "bao_token": "s.a b"}, BAO_ENV, "bao_token", "printable"),
        ({"bao_mount": "m", "bao_token_file": "/nonexistent"}, {"BAO_ADDR": "https://b"}, "bao_token_file", "read"),
        ({"bao_mount": "m", "bao_ca_cert": "/nonexistent"}, BAO_ENV, "bao_ca_cert", "does not exist"),
        ({"bao_mount": "../sys"}, BAO_ENV, "bao_mount", "may hold only"),
        ({"bao_mount": "m", "bao_path": "{mount}/{nope}"}, BAO_ENV, "bao_path", "may hold only"),
    ],
)
def test_bad_input_is_refused_by_the_name_of_its_option(
    params: dict[str, t.Any], environ: dict[str, str], option: str, says: str
) -> None:
    with pytest.raises(DeclarationError, match=says) as caught:
        connect(params, environ)
    assert str(caught.value).startswith(option)


@pytest.mark.parametrize("secret", ["with space", "line\nbreak", "tab\t"])
def test_a_refused_secret_is_not_quoted(secret: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        connect({**STATIC, "api_token_secret": secret})
    assert secret not in str(caught.value)


def test_the_message_names_the_variable_that_a_bad_value_came_from() -> None:
    with pytest.raises(DeclarationError, match=r"ca_path \(from PROXMOX_CA_PATH\)"):
        connect(STATIC, {"PROXMOX_CA_PATH": "/nonexistent/ca.pem"})


def test_a_ca_file_without_a_certificate_is_refused(folder: Path) -> None:
    (folder / "ca.pem").write_text("no certificate")
    with pytest.raises(DeclarationError, match=r"ca_path: .*holds no certificate"):
        connect({**STATIC, "ca_path": str(folder / "ca.pem")})


def test_fingerprints_are_taken_in_every_usual_spelling(cert: Cert) -> None:
    colons = ":".join(cert.sha256[i : i + 2] for i in range(0, 64, 2)).upper()
    assert connect({**STATIC, "tls_fingerprint": f"{colons},{cert.sha256}"}).fingerprints == (cert.sha256,) * 2


def test_what_the_task_names_beats_the_other_kind_in_the_environment() -> None:
    leftover = {"PROXMOX_TOKEN_ID": "a@pve!b", "PROXMOX_TOKEN_SECRET": "x", **BAO_ENV}
    assert minting({}, leftover).mount == "proxmox-c1"
    assert connect(STATIC, {"PROXMOX_BAO_MOUNT": "m", **BAO_ENV}).bao is None


def test_mount_and_token_both_from_the_environment_are_refused() -> None:
    both = {"PROXMOX_TOKEN_ID": "a@pve!b", "PROXMOX_TOKEN_SECRET": "x", "PROXMOX_BAO_MOUNT": "m", **BAO_ENV}
    with pytest.raises(DeclarationError, match="not both"):
        connect({}, both)


def test_pbs_has_a_mount_of_its_own() -> None:
    params = {"pbs_hosts": ["pbs.example"], "bao_mount": "pve-mount", "pbs_bao_mount": "pbs-mount"}
    bao = Connection.from_params(params, "pbs", BAO_ENV).bao
    assert bao is not None
    assert bao.mount == "pbs-mount"


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"VAULT_ADDR": "http://v.example"}, "http://v.example"),
        ({"BAO_ADDR": "http://b.example", "VAULT_ADDR": "http://v.example"}, "http://b.example"),
        ({"BAO_ADDR": "http://b.example", "VAULT_AGENT_ADDR": "http://agent.example"}, "http://agent.example"),
        ({"BAO_AGENT_ADDR": "http://a.example", "VAULT_AGENT_ADDR": "http://agent.example"}, "http://a.example"),
        (
            {"BAO_AGENT_ADDR": "", "VAULT_AGENT_ADDR": "http://agent.example", "BAO_ADDR": "http://b.example"},
            "http://b.example",
        ),
    ],
)
def test_bao_before_vault_and_the_agent_before_the_server(environ: dict[str, str], url: str) -> None:
    assert minting({}, {"BAO_TOKEN": "s.x", **environ}).url == url


def test_a_bao_variable_that_is_present_and_empty_beats_vault() -> None:
    environ = {
        "BAO_ADDR": "http://b.example",
        "VAULT_NAMESPACE": "team",
        "BAO_NAMESPACE": "",
        "BAO_TOKEN": "",
        "VAULT_TOKEN": "s.v",
    }
    bao = minting({}, environ)
    assert (bao.namespace, bao.method, bao.token) == ("", "none", "")


def test_an_empty_bao_addr_hides_vault_addr() -> None:
    with pytest.raises(DeclarationError, match="bao_url"):
        minting({}, {"BAO_ADDR": "", "VAULT_ADDR": "http://v.example", "BAO_TOKEN": "s.x"})


@pytest.mark.parametrize(
    ("params", "environ", "method"),
    [
        ({}, {"BAO_ADDR": "http://b", "BAO_TOKEN": "s.x"}, "token"),
        ({}, {"BAO_ADDR": "http://b", "BAO_ROLE_ID": "r", "BAO_SECRET_ID": "s"}, "approle"),
        ({"bao_jwt": "a.b.c"}, {"BAO_ADDR": "http://b"}, "jwt"),
        ({}, {"BAO_AGENT_ADDR": "http://a"}, "none"),
        ({"bao_url": "unix:///run/bao.sock"}, {}, "none"),
        ({"bao_auth_method": "none"}, BAO_ENV, "none"),
    ],
)
def test_the_auth_method_follows_from_what_is_there(
    params: dict[str, t.Any], environ: dict[str, str], method: str
) -> None:
    assert minting(params, environ).method == method


def test_method_none_forgets_a_token_that_is_there() -> None:
    assert minting({"bao_auth_method": "none"}).token == ""


def test_file_contents_are_stripped(folder: Path) -> None:
    (folder / "t").write_text("s.fromfile\n")
    (folder / "s").write_text(" secret-id \n")
    assert minting({"bao_token_file": str(folder / "t")}, {"BAO_ADDR": "http://b"}).token == "s.fromfile"
    params = {"bao_role_id": "r", "bao_secret_id_file": str(folder / "s")}
    assert minting(params, {"BAO_ADDR": "http://b"}).secret_id == "secret-id"


def test_an_empty_secret_file_is_refused(folder: Path) -> None:
    (folder / "t").write_text("\n")
    with pytest.raises(DeclarationError, match=r"bao_token_file: .*is empty"):
        minting({"bao_token_file": str(folder / "t")}, {"BAO_ADDR": "http://b"})


def test_paths_of_both_roles_and_of_other_engines() -> None:
    bao = minting({"bao_write_role": "deploy"})
    assert (bao.creds_path("read"), bao.creds_path("provision")) == ("proxmox-c1/creds/read", "proxmox-c1/creds/deploy")
    assert minting({"bao_path": "{mount}/static-creds/{role}"}).creds_path("read") == "proxmox-c1/static-creds/read"


def test_pbs_takes_token_names_that_pve_does_not() -> None:
    params = {"pbs_hosts": ["pbs.example"], "api_token_id": "ops@pbs!1", "api_token_secret": "x"}
    assert Connection.from_params(params, "pbs", {}).token_id == "ops@pbs!1"


def test_no_secret_is_in_the_repr() -> None:
    assert "s3cret-value" not in repr(connect(STATIC))
    assert "s.abc" not in repr(minting({}))


def test_the_cluster_is_the_mount_or_the_sorted_members() -> None:
    assert connect({**STATIC, "api_hosts": ["b", "a"]}).cluster == connect({**STATIC, "api_hosts": ["a", "b"]}).cluster
    one, other = ({"bao_mount": "m", "api_hosts": hosts} for hosts in (["a"], ["a", "b"]))
    assert connect(one, BAO_ENV).cluster == connect(other, BAO_ENV).cluster


def test_every_option_with_a_secret_like_name_says_whether_it_is_one() -> None:
    for name, spec in CONNECTION_OPTIONS.items():
        if any(word in name for word in ("token", "secret", "password", "jwt")) and name != "bao_jwt_role":
            assert isinstance(spec.get("no_log"), bool), name
    hidden = {name for name, spec in CONNECTION_OPTIONS.items() if spec.get("no_log")}
    assert hidden == {"api_token_secret", "bao_token", "bao_secret_id", "bao_jwt"}


def test_the_environment_table_names_options_only() -> None:
    assert set(ENVIRONMENT) <= set(CONNECTION_OPTIONS)
