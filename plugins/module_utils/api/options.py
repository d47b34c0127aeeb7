# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options that every family shares, and the environment variables that stand in for them."""

from __future__ import annotations

import typing as t

DEFAULT_BAO_PATH: t.Final = "{mount}/creds/{role}"

# Flat, because module_defaults replaces a dict as a whole. plugins/doc_fragments/connection.py says the same in words.
CONNECTION_OPTIONS: t.Final[dict[str, dict[str, t.Any]]] = {
    "api_hosts": {"type": "list", "elements": "str", "aliases": ["api_host"]},
    "pbs_hosts": {"type": "list", "elements": "str"},
    "ca_path": {"type": "path"},
    "tls_fingerprint": {"type": "list", "elements": "str"},
    "api_timeout": {"type": "int", "default": 60},
    "task_timeout": {"type": "int", "default": 600},
    "lock_wait": {"type": "int", "default": 0},
    "api_token_id": {"type": "str", "no_log": False},
    "api_token_secret": {"type": "str", "no_log": True},
    "bao_mount": {"type": "str"},
    "pbs_bao_mount": {"type": "str"},
    "bao_read_role": {"type": "str", "default": "read"},
    "bao_write_role": {"type": "str", "default": "provision"},
    "bao_path": {"type": "str", "default": DEFAULT_BAO_PATH},
    "bao_url": {"type": "str", "aliases": ["bao_addr"]},
    "bao_namespace": {"type": "str"},
    "bao_ca_cert": {"type": "path"},
    "bao_timeout": {"type": "int", "default": 60},
    "bao_auth_method": {"type": "str", "choices": ["token", "approle", "jwt", "none"]},
    "bao_auth_mount_point": {"type": "str"},
    "bao_token": {"type": "str", "no_log": True},
    "bao_token_file": {"type": "path", "no_log": False},
    "bao_role_id": {"type": "str"},
    "bao_secret_id": {"type": "str", "no_log": True},
    "bao_secret_id_file": {"type": "path", "no_log": False},
    "bao_jwt": {"type": "str", "no_log": True},
    "bao_jwt_role": {"type": "str"},
    "bao_token_id_field": {"type": "str", "no_log": False},
    "bao_secret_field": {"type": "str", "no_log": False},
}

# Resolved by our own code and not by Ansible's env fallback, because a variable that is present and empty counts.
# Each option has groups of names. In a group the first name that is present wins, even when it is empty;
# an empty group gives way to the next one.
ENVIRONMENT: t.Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "api_hosts": (("PROXMOX_API_HOSTS",),),
    "pbs_hosts": (("PBS_API_HOSTS",),),
    "ca_path": (("PROXMOX_CA_PATH",),),
    "tls_fingerprint": (("PROXMOX_TLS_FINGERPRINT",),),
    "api_token_id": (("PROXMOX_TOKEN_ID",),),
    "api_token_secret": (("PROXMOX_TOKEN_SECRET",),),
    "bao_mount": (("PROXMOX_BAO_MOUNT",),),
    "pbs_bao_mount": (("PBS_BAO_MOUNT",),),
    "bao_url": (("BAO_AGENT_ADDR", "VAULT_AGENT_ADDR"), ("BAO_ADDR", "VAULT_ADDR")),
    "bao_namespace": (("BAO_NAMESPACE", "VAULT_NAMESPACE"),),
    "bao_ca_cert": (("BAO_CACERT", "VAULT_CACERT"), ("BAO_CAPATH", "VAULT_CAPATH")),
    "bao_auth_method": (("BAO_AUTH_METHOD",),),
    "bao_token": (("BAO_TOKEN", "VAULT_TOKEN"),),
    "bao_role_id": (("BAO_ROLE_ID",),),
    "bao_secret_id": (("BAO_SECRET_ID",),),
    "bao_jwt": (("BAO_JWT",),),
}


class Options:
    """The options of one task over the environment. ``None`` is "not given", ``""`` is "given, and empty"."""

    def __init__(self, params: t.Mapping[str, t.Any], environ: t.Mapping[str, str]) -> None:
        self._params = params
        self._environ = environ

    def declared(self, option: str) -> t.Any:
        """The option as the task has it, or None."""
        value = self._params.get(option)
        if value is None:
            for alias in CONNECTION_OPTIONS[option].get("aliases", ()):
                value = self._params.get(alias, value)
        return value

    def environment(self, option: str) -> tuple[str, str] | None:
        """Name and value of the variable that stands in for the option, or None."""
        found: tuple[str, str] | None = None
        for group in ENVIRONMENT.get(option, ()):
            name = next((name for name in group if name in self._environ), None)
            if name is None:
                continue
            found = (name, self._environ[name])
            if found[1]:
                break
        return found

    def text(self, option: str) -> str | None:
        value = self.declared(option)
        if value is not None:
            return str(value)
        found = self.environment(option)
        if found is not None:
            return found[1]
        default = CONNECTION_OPTIONS[option].get("default")
        return None if default is None else str(default)

    def texts(self, option: str) -> tuple[str, ...]:
        """A list; a text is split at commas, as Ansible does."""
        value = self.declared(option)
        if value is None:
            value = self.text(option) or ""
        items = value.split(",") if isinstance(value, str) else value
        return tuple(text for text in (str(item).strip() for item in items) if text)

    def source(self, option: str) -> str:
        """How a message names the place where the value came from."""
        found = self.environment(option) if self.declared(option) is None else None
        return option if found is None else f"{option} (from {found[0]})"
