# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the API is, and with what credential: the connection options of a task, checked and made final."""

from __future__ import annotations

import ipaddress
import re
import typing as t
from dataclasses import dataclass, field

from ..errors import DeclarationError
from .bao_access import BaoAccess, bao_access
from .checks import ca_file, seconds, secret, variables
from .options import CONNECTION_OPTIONS, Options

__all__ = ["CONNECTION_OPTIONS", "BaoAccess", "Connection", "Member"]

DEFAULT_PORTS: t.Final = {"pve": 8006, "pbs": 8007}
HOST_OPTIONS: t.Final = {"pve": "api_hosts", "pbs": "pbs_hosts"}
MOUNT_OPTIONS: t.Final = {"pve": "bao_mount", "pbs": "pbs_bao_mount"}

# PVE/AccessControl.pm, token_subid_regex; PBS (PROXMOX_SAFE_ID) also takes a digit first and a single character.
_TOKEN_IDS: t.Final = {
    "pve": re.compile(r"[^@!=\s]+@[^!=\s]+![A-Za-z][A-Za-z0-9._-]+"),
    "pbs": re.compile(r"[^@!=:\s]+@[^!=:\s]+![A-Za-z0-9_][A-Za-z0-9._-]*"),
}
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*\.?")
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Member:
    """One address of the API."""

    host: str
    port: int

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, kw_only=True)
class Connection:
    """One cluster (or one PBS) and the way in. Exactly one of ``bao`` and the static token is set."""

    product: str
    members: tuple[Member, ...]
    ca_path: str | None = None
    fingerprints: tuple[str, ...] = ()
    api_timeout: float = 60.0
    task_timeout: float = 600.0
    lock_wait: float = 0.0
    token_id: str | None = None
    token_secret: str | None = field(default=None, repr=False)
    bao: BaoAccess | None = None

    @property
    def cluster(self) -> str:
        """What "last good first" is remembered by: members may be listed differently, the mount is the cluster's."""
        if self.bao is not None:
            return f"{self.product} {self.bao.url} {self.bao.namespace} {self.bao.mount}"
        return " ".join([self.product, *sorted(member.authority for member in self.members)])

    @classmethod
    def from_params(cls, params: t.Mapping[str, t.Any], product: str, environ: t.Mapping[str, str]) -> Connection:
        """Raises DeclarationError naming the option."""
        options = Options(params, environ)
        token_id, token_secret, bao = _credential(options, product)
        fingerprints = tuple(_fingerprint(options, text) for text in options.texts("tls_fingerprint"))
        return cls(
            product=product,
            members=_members(options, product),
            ca_path=ca_file(options, "ca_path"),
            fingerprints=fingerprints,
            api_timeout=seconds(options, "api_timeout", least=1),
            task_timeout=seconds(options, "task_timeout", least=1),
            lock_wait=seconds(options, "lock_wait", least=0),
            token_id=token_id,
            token_secret=token_secret,
            bao=bao,
        )


def _members(options: Options, product: str) -> tuple[Member, ...]:
    option = HOST_OPTIONS[product]
    members = tuple(_member(options, option, text, DEFAULT_PORTS[product]) for text in options.texts(option))
    if not members:
        raise DeclarationError(
            f"name at least one member, as host or host:port (or set {variables(option)})", option=option
        )
    return tuple(dict.fromkeys(members))


def _member(options: Options, option: str, text: str, default_port: int) -> Member:
    bare = text[len("https://") :].rstrip("/") if text.startswith("https://") else text
    if bare.startswith("["):
        host, bracket, rest = bare[1:].partition("]")
        valid = bool(bracket) and _is_ipv6(host) and (not rest or rest.startswith(":"))
        port = rest[1:] if rest else str(default_port)
    elif _is_ipv6(bare):
        host, port, valid = bare, str(default_port), True
    else:
        host, colon, port = bare.partition(":")
        valid = _NAME.fullmatch(host) is not None
        port = port if colon else str(default_port)
    if not valid or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise DeclarationError(f"{text!r} is no host and no host:port", option=options.source(option))
    return Member(host, int(port))


def _is_ipv6(text: str) -> bool:
    address, percent, zone = text.partition("%")
    if percent and not re.fullmatch(r"[A-Za-z0-9._-]+", zone):
        return False
    try:
        return ipaddress.ip_address(address).version == 6
    except ValueError:
        return False


def _credential(options: Options, product: str) -> tuple[str | None, str | None, BaoAccess | None]:
    option = MOUNT_OPTIONS[product]
    given = (options.declared(option), options.declared("api_token_id"), options.declared("api_token_secret"))
    mount = options.text(option)
    token_id, token_secret = options.text("api_token_id"), options.text("api_token_secret")
    # What the task itself names beats what happens to be in the environment.
    if given[0] and not (given[1] or given[2]):
        token_id = token_secret = None
    elif (given[1] or given[2]) and not given[0]:
        mount = None
    if mount and (token_id or token_secret):
        raise DeclarationError(
            "give either a mount or api_token_id and api_token_secret, not both", option=options.source(option)
        )
    if mount:
        return None, None, bao_access(options, option, mount)
    if not (token_id or token_secret):
        message = f"name the mount that mints a credential (or set {variables(option)}), or give a static token"
        raise DeclarationError(message, option=option)
    if not token_id or not token_secret:
        missing = "api_token_secret" if token_id else "api_token_id"
        raise DeclarationError("api_token_id and api_token_secret belong together; this one is missing", option=missing)
    if not _TOKEN_IDS[product].fullmatch(token_id):
        raise DeclarationError("a token id looks like user@realm!name", option=options.source("api_token_id"))
    return token_id, secret(options, "api_token_secret", token_secret), None


def _fingerprint(options: Options, text: str) -> str:
    bare = text.lower().replace(":", "")
    bare = bare[len("sha256") :] if bare.startswith("sha256") else bare
    if not _FINGERPRINT.fullmatch(bare):
        message = "a fingerprint is the SHA-256 of the certificate: 64 hexadecimal digits, with or without colons"
        raise DeclarationError(message, option=options.source("tls_fingerprint"))
    return bare
