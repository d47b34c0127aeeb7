# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plain HTTP client, which knows nothing of the collection's."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.servers.lab import Lab


@dataclass(frozen=True)
class Reply:
    status: int
    reason: str
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def data(self) -> Any:
        return self.json["data"]

    @property
    def errors(self) -> Any:
        return self.json.get("errors", {})


class Client:
    """Asks one member, a connection a request."""

    def __init__(self, lab: Lab, token: str = "", member: int = 0, timeout: float = 10) -> None:
        self._host = lab.hosts[member]
        self._context = ssl.create_default_context(cafile=lab.ca_path)
        self._token = token or f"{lab.token_id}={lab.token_secret}"
        self._timeout = timeout

    def __call__(self, method: str, path: str, values: Mapping[str, Any] | None = None, **more: Any) -> Reply:
        """Values go into the query of GET and DELETE, else into a form; `body`, `headers` override."""
        headers = {"Authorization": f"PVEAPIToken={self._token}", **more.get("headers", {})}
        body = more.get("body")
        encoded = urllib.parse.urlencode(values or {}, doseq=True)
        if method in ("GET", "DELETE"):
            path += f"?{encoded}" if encoded else ""
        elif body is None:
            body = encoded
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        connection = http.client.HTTPSConnection(self._host, context=self._context, timeout=self._timeout)
        try:
            connection.request(method, "/api2/json" + path, body, headers)
            response = connection.getresponse()
            return Reply(response.status, response.reason, response.read().decode())
        finally:
            connection.close()
