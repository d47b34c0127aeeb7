# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the secrets engine does: roles, and tokens that it makes and takes away at the cluster. No gRPC here.

Paths: `config` (write: hosts, ca_path, token), `roles/<name>` (write, read, delete: user, ttl, max_ttl), `creds/<name>`
(read: mints). A lease's end deletes the token.
"""

from __future__ import annotations

import http.client
import json
import secrets
import ssl
import time
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

READ, CREATE, UPDATE, DELETE = "read", "create", "update", "delete"
REVOKE, RENEW, RESOLVE_PATH = "revoke", "renew", "resolve-path"
# How long PVE keeps a token that OpenBao failed to revoke.
GRACE_SECONDS = 60


class Refused(Exception):
    """A request that cannot be done; `kind` is go-plugin's error type."""

    INTERNAL, CODED, UNSUPPORTED_OPERATION, UNSUPPORTED_PATH, INVALID = 2, 3, 5, 6, 7

    def __init__(self, message: str, kind: int = INTERNAL, code: int = 0) -> None:
        super().__init__(message)
        self.kind, self.code = kind, code


@dataclass(frozen=True)
class Lease:
    """What a mint answers: the data, the seconds it lives, and what the revocation needs to know."""

    data: Mapping[str, Any]
    seconds: int
    internal: Mapping[str, str]


@dataclass(frozen=True)
class Role:
    user: str
    ttl: int
    max_ttl: int


@dataclass
class Cluster:
    """The cluster's API, with a token that may make and remove tokens."""

    hosts: list[str]
    ca_path: str
    token: str

    def call(self, method: str, path: str, values: Mapping[str, Any] | None = None) -> Any:
        problem: Exception = OSError("no host is configured")
        for host in self.hosts:
            context = ssl.create_default_context(cafile=self.ca_path)
            connection = http.client.HTTPSConnection(host, context=context, timeout=20)
            try:
                connection.connect()
            except OSError as why:
                problem = why
                continue
            try:
                return self._exchange(connection, method, path, values)
            finally:
                connection.close()
        raise Refused(f"no member of the cluster answers: {problem}")

    def _exchange(
        self, connection: http.client.HTTPSConnection, method: str, path: str, values: Mapping[str, Any] | None
    ) -> Any:
        headers = {"Authorization": f"PVEAPIToken={self.token}", "Content-Type": "application/x-www-form-urlencoded"}
        body = urllib.parse.urlencode(values or {}) if method in ("POST", "PUT") else None
        connection.request(method, "/api2/json" + urllib.parse.quote(path, safe="/@!"), body, headers)
        response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise Refused(f"the cluster answered {response.status} {response.reason}")
        return json.loads(text)["data"]


@dataclass
class Engine:
    cluster: Cluster | None = None
    roles: dict[str, Role] = field(default_factory=dict)

    def handle(self, operation: str, path: str, data: Mapping[str, Any], internal: Mapping[str, str]) -> Any:
        """The data of an answer, a Lease, or None for an empty answer."""
        if operation == RESOLVE_PATH:
            raise Refused("unsupported operation", Refused.UNSUPPORTED_OPERATION)
        if operation == REVOKE:
            return self._revoke(internal)
        if operation == RENEW:
            raise Refused("these leases are not renewable", Refused.INVALID)
        kind, _, name = path.partition("/")
        if kind == "config" and operation in (CREATE, UPDATE):
            self.cluster = Cluster(list(data["hosts"]), str(data["ca_path"]), str(data["token"]))
            return None
        if kind == "roles" and name:
            return self._role(operation, name, data)
        if kind == "creds" and name and operation == READ:
            return self._mint(name)
        raise Refused("unsupported path", Refused.UNSUPPORTED_PATH)

    def _role(self, operation: str, name: str, data: Mapping[str, Any]) -> Any:
        if operation in (CREATE, UPDATE):
            ttl = int(data["ttl"])
            self.roles[name] = Role(str(data["user"]), ttl, int(data.get("max_ttl", ttl)))
            return None
        if operation == DELETE:
            self.roles.pop(name, None)
            return None
        role = self.roles.get(name)
        return None if role is None else {"user": role.user, "ttl": role.ttl, "max_ttl": role.max_ttl}

    def _mint(self, name: str) -> Lease | None:
        role = self.roles.get(name)
        if role is None:
            return None
        if self.cluster is None:
            raise Refused("the engine is not configured")
        token = f"hf-{name}-{secrets.token_hex(6)}"
        values = {"privsep": 0, "expire": int(time.time()) + role.ttl + GRACE_SECONDS, "comment": "minted by OpenBao"}
        made = self.cluster.call("POST", f"/access/users/{role.user}/token/{token}", values)
        data = {"token_id": made["full-tokenid"], "secret": made["value"]}
        return Lease(data, role.ttl, {"user": role.user, "token": token})

    def _revoke(self, internal: Mapping[str, str]) -> None:
        if self.cluster is None:
            raise Refused("the engine is not configured")
        path = f"/access/users/{internal['user']}/token/{internal['token']}"
        try:
            self.cluster.call("DELETE", path)
        except Refused as why:
            if "no such token" not in str(why) and "no such user" not in str(why):
                raise
