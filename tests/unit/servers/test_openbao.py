# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenBao and its engine: tokens are made at the cluster, counted there, and gone with their lease."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.bao import BaoError
from tests.servers.lab import ENGINE_TOKEN_ID, Lab, LabError
from tests.servers.openbao_engine.engine import Cluster, Engine, Lease, Refused

from .talk import Client


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab.start(tmp_path_factory.mktemp("lab"), members=2, bao_tls=True) as lab:
        yield lab


@pytest.fixture
def clean(lab: Lab) -> Lab:
    lab.reset()
    assert lab.bao is not None
    lab.bao.set_ttl(300)
    return lab


def login(lab: Lab) -> str:
    assert lab.bao is not None
    answer = lab.bao.call("POST", "auth/approle/login", {"role_id": lab.role_id, "secret_id": lab.secret_id})
    return str(answer["auth"]["client_token"])


def mint(lab: Lab, role: str, token: str, mount: str = "") -> Any:
    assert lab.bao is not None
    return lab.bao.call("GET", f"{mount or lab.mount}/creds/{role}", token=token)


def test_a_minted_token_works_and_ends_with_the_login(clean: Lab) -> None:
    assert clean.bao is not None
    token = login(clean)
    lease = mint(clean, "provision", token)
    assert lease["lease_id"].startswith("proxmox-lab/creds/provision/")
    assert (lease["lease_duration"], lease["renewable"]) == (300, False)
    full, secret = lease["data"]["token_id"], lease["data"]["secret"]
    assert full.startswith("hf-provision@pve!hf-provision-")
    assert Client(clean, f"{full}={secret}")("GET", "/version").status == 200
    assert clean.minted_tokens(settle=0) == [full]
    assert len(clean.mints()) == 1
    # The engine's own requests are no writes of a client.
    assert clean.writes() == []
    clean.bao.call("POST", "auth/token/revoke-self", token=token)
    assert clean.minted_tokens(settle=5) == []
    assert Client(clean, f"{full}={secret}")("GET", "/version").status == 401


def test_a_lease_ends_by_itself(clean: Lab) -> None:
    assert clean.bao is not None
    clean.bao.set_ttl(1)
    mint(clean, "read", clean.bao_token)
    assert len(clean.minted_tokens(settle=0)) == 1
    assert clean.minted_tokens(settle=10) == []


def test_the_static_mount_has_no_lease(clean: Lab) -> None:
    answer = mint(clean, "read", clean.bao_token, clean.kv_mount)
    assert (answer["lease_id"], answer["lease_duration"]) == ("", 300)
    assert answer["data"] == {"token_id": clean.token_id, "secret": clean.token_secret, "ttl": "300s"}
    assert clean.mints() == []


def test_a_jwt_logs_in(clean: Lab) -> None:
    assert clean.bao is not None
    answer = clean.bao.call("POST", "auth/jwt/login", {"role": "lab", "jwt": clean.bao.jwt()})
    assert "lab" in answer["auth"]["policies"]


def test_what_is_not_there_and_what_is_not_allowed(clean: Lab) -> None:
    assert clean.bao is not None
    with pytest.raises(BaoError, match="404"):
        mint(clean, "nope", clean.bao_token)
    with pytest.raises(BaoError, match="403"):
        clean.bao.call("POST", f"{clean.mount}/roles/read", {"user": "x@pve", "ttl": 1}, token=clean.bao_token)


def test_tokens_outlive_openbao_and_a_reset_of_that_lab_is_refused(lab: Lab, tmp_path: Any) -> None:
    with Lab.start(tmp_path / "lab") as other:
        lease = mint(other, "read", other.bao_token)
        other.stop_bao()
        with pytest.raises(OSError, match="refused"):
            mint(other, "read", other.bao_token)
        assert Client(other, "{token_id}={secret}".format(**lease["data"]))("GET", "/version").status == 200
        with pytest.raises(LabError, match="OpenBao was stopped"):
            other.reset()


# ---- the engine alone, without OpenBao


def engine_of(lab: Lab) -> Engine:
    token = lab.seed.tokens[ENGINE_TOKEN_ID]
    engine = Engine(Cluster(lab.hosts, lab.ca_path, f"{ENGINE_TOKEN_ID}={token}"))
    engine.handle("update", "roles/read", {"user": "hf-read@pve", "ttl": "60"}, {})
    return engine


def test_the_engine_mints_and_revokes_at_the_next_member_when_one_is_down(clean: Lab) -> None:
    engine = engine_of(clean)
    clean.stop_member(0)
    lease = engine.handle("read", "creds/read", {}, {})
    assert isinstance(lease, Lease)
    assert clean.minted_tokens(settle=0) == [lease.data["token_id"]]
    info = clean.get("/access/users/hf-read@pve/token/" + lease.internal["token"])
    assert (info["privsep"], info["comment"]) == (0, "minted by OpenBao")
    assert 60 < info["expire"] - time.time() < 180
    engine.handle("revoke", "creds/read", {}, lease.internal)
    assert clean.minted_tokens(settle=0) == []
    # A token that is gone is as good as revoked; a cluster that does not answer is not.
    engine.handle("revoke", "creds/read", {}, lease.internal)
    clean.stop_member(1)
    with pytest.raises(Refused, match="no member of the cluster answers"):
        engine.handle("revoke", "creds/read", {}, lease.internal)


def test_roles_are_kept_shown_and_dropped(clean: Lab) -> None:
    engine = engine_of(clean)
    assert engine.handle("read", "roles/read", {}, {}) == {"user": "hf-read@pve", "ttl": 60, "max_ttl": 60}
    engine.handle("delete", "roles/read", {}, {})
    assert engine.handle("read", "roles/read", {}, {}) is None
    assert engine.handle("read", "creds/read", {}, {}) is None


@pytest.mark.parametrize(
    ("operation", "path", "kind"),
    [
        ("resolve-path", "creds/read", Refused.UNSUPPORTED_OPERATION),
        ("read", "nothing", Refused.UNSUPPORTED_PATH),
        ("renew", "creds/read", Refused.INVALID),
    ],
)
def test_what_the_engine_does_not_do(operation: str, path: str, kind: int) -> None:
    with pytest.raises(Refused) as found:
        Engine().handle(operation, path, {}, {})
    assert found.value.kind == kind


def test_an_engine_that_was_not_configured_says_so() -> None:
    engine = Engine()
    engine.handle("update", "roles/read", {"user": "hf-read@pve", "ttl": 60}, {})
    with pytest.raises(Refused, match="not configured"):
        engine.handle("read", "creds/read", {}, {})
