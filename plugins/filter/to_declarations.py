# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: to_declarations
short_description: Declarations as the text of a file that the estate role reads
version_added: 0.1.0
description:
  - Turns the list that M(homeflare.proxmox.estate_info) returns as RV(homeflare.proxmox.estate_info#module:resources)
    into YAML, as P(homeflare.proxmox.declarations#lookup) reads it.
  - A text that Ansible would take for a template, such as the C({{guestname}}) of a backup job's notes, is marked
    C(!unsafe), so that it is read back as it is. That is what C(to_nice_yaml) does not do.
author:
  - homeflare.proxmox contributors (@homeflare)
options:
  _input:
    description: The declarations.
    type: list
    elements: dict
    required: true
seealso:
  - module: homeflare.proxmox.estate_info
  - plugin: homeflare.proxmox.declarations
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: The pools of a running cluster
  homeflare.proxmox.estate_info:
    families: [pool]
  register: found

- name: As a file
  ansible.builtin.copy:
    dest: estate/pools.yml
    mode: "0644"
    content: "{{ found.resources | homeflare.proxmox.to_declarations }}"
"""

RETURN = r"""
_value:
  description: The text of the file.
  type: str
"""

import typing as t

from ansible.errors import AnsibleFilterError

from ..plugin_utils.declarations import DeclarationsError, written


def to_declarations(resources: t.Any) -> str:
    """The text of a file."""
    try:
        return written(resources)
    except DeclarationsError as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"to_declarations": to_declarations}
