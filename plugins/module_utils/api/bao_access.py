# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How OpenBao is reached and logged in to: the ``bao_`` options, made final."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ..errors import DeclarationError
from .checks import ca_file, seconds, secret, secret_file, variables, words
from .options import CONNECTION_OPTIONS, DEFAULT_BAO_PATH, Options

# The engines in the wild differ: where an engine has a short and a full id, the full one is the usable one.
TOKEN_ID_FIELDS: t.Final = ("token_id_full", "token_id")
SECRET_FIELDS: t.Final = ("secret", "token_secret")


@dataclass(frozen=True, kw_only=True)
class BaoAccess:
    """How credentials are minted. ``token`` is empty in agent mode; ``socket`` is set for ``unix://``."""

    url: str
    method: str
    mount: str
    read_role: str = "read"
    write_role: str = "provision"
    path: str = DEFAULT_BAO_PATH
    namespace: str = ""
    ca_cert: str | None = None
    timeout: float = 60.0
    auth_mount: str = ""
    token: str = field(default="", repr=False)
    role_id: str = ""
    secret_id: str = field(default="", repr=False)
    jwt: str = field(default="", repr=False)
    jwt_role: str = ""
    token_id_fields: tuple[str, ...] = TOKEN_ID_FIELDS
    secret_fields: tuple[str, ...] = SECRET_FIELDS

    def role_name(self, role: str) -> str:
        """What OpenBao calls the role for reading (``read``) or for writing."""
        return self.read_role if role == "read" else self.write_role

    def creds_path(self, role: str) -> str:
        return self.path.replace("{mount}", self.mount).replace("{role}", self.role_name(role))


def bao_access(options: Options, option: str, mount: str) -> BaoAccess:
    url = _url(options)
    method, token = _method(options, url)
    return BaoAccess(
        url=url,
        method=method,
        mount=words(options, option, mount),
        read_role=words(options, "bao_read_role", options.text("bao_read_role") or ""),
        write_role=words(options, "bao_write_role", options.text("bao_write_role") or ""),
        path=words(options, "bao_path", options.text("bao_path") or ""),
        namespace=(options.text("bao_namespace") or "").strip("/"),
        ca_cert=ca_file(options, "bao_ca_cert"),
        timeout=seconds(options, "bao_timeout", least=1),
        auth_mount=words(options, "bao_auth_mount_point", options.text("bao_auth_mount_point") or method),
        token=token,
        token_id_fields=_fields(options, "bao_token_id_field", TOKEN_ID_FIELDS),
        secret_fields=_fields(options, "bao_secret_field", SECRET_FIELDS),
        **_login(options, method),
    )


def _fields(options: Options, option: str, default: tuple[str, ...]) -> tuple[str, ...]:
    name = options.text(option)
    return (name,) if name else default


def _url(options: Options) -> str:
    url = (options.text("bao_url") or "").rstrip("/")
    if not url:
        message = f"name the address of OpenBao (or set one of {variables('bao_url')}); there is no default"
        raise DeclarationError(message, option="bao_url")
    if url.startswith("unix:///") and len(url) > len("unix:///"):
        return url
    match = re.fullmatch(r"https?://([^/:@\s\[\]]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", url)
    if match is None:
        raise DeclarationError(
            "an address looks like https://host:8200 or unix:///path", option=options.source("bao_url")
        )
    return url


def _method(options: Options, url: str) -> tuple[str, str]:
    """The auth method, and the token when it is ``token``."""
    method = options.text("bao_auth_method") or ""
    token = options.text("bao_token")
    if token is None or not token:
        from_file = options.text("bao_token_file")
        token = secret_file(options, "bao_token_file", from_file) if from_file else token
    if not method:
        method = _guess_method(options, url, token)
    if method not in CONNECTION_OPTIONS["bao_auth_method"]["choices"]:
        raise DeclarationError("it is one of token, approle, jwt, none", option=options.source("bao_auth_method"))
    if method != "token":
        return method, ""
    if not token:
        raise DeclarationError("the auth method token needs one (or BAO_TOKEN, or bao_token_file)", option="bao_token")
    return method, secret(options, "bao_token", token)


def _guess_method(options: Options, url: str, token: str | None) -> str:
    if token:
        return "token"
    if options.text("bao_role_id"):
        return "approle"
    if options.text("bao_jwt"):
        return "jwt"
    variable = options.environment("bao_url") if options.declared("bao_url") is None else None
    agent = url.startswith("unix://") or (variable is not None and variable[0].endswith("_AGENT_ADDR"))
    # A token that is there and empty says "the agent has one"; a token that is not there is more likely forgotten.
    if agent or token == "":
        return "none"
    message = "no token, role id or JWT was found; set one, or say none where an agent or a proxy adds its own token"
    raise DeclarationError(message, option="bao_auth_method")


def _login(options: Options, method: str) -> dict[str, t.Any]:
    if method == "approle":
        secret_id = options.text("bao_secret_id")
        name = options.text("bao_secret_id_file")
        if not secret_id and name:
            secret_id = secret_file(options, "bao_secret_id_file", name)
        role_id = _needed(options, "bao_role_id", method)
        return {"role_id": role_id, "secret_id": secret(options, "bao_secret_id", secret_id) if secret_id else ""}
    if method == "jwt":
        jwt = secret(options, "bao_jwt", _needed(options, "bao_jwt", method))
        return {"jwt": jwt, "jwt_role": options.text("bao_jwt_role") or ""}
    return {}


def _needed(options: Options, option: str, method: str) -> str:
    value = options.text(option)
    if not value:
        raise DeclarationError(f"the auth method {method} needs it", option=option)
    return value
