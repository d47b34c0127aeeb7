# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: declarations
short_description: The declarations of an estate, out of a folder of YAML files
version_added: 0.1.0
description:
  - Reads every C(.yml) and C(.yaml) file of a folder and of the folders in it, but for those whose names begin with a
    dot, and returns what they declare as one list, as the option O(homeflare.proxmox.estate#module:resources) takes it.
  - A file is a mapping. The key C(resources) holds a list of one-key dictionaries; every other key is the name of a
    family, with a list of its objects. How objects are split over files, and whether a file holds one family or many,
    makes no difference.
  - An object that is declared twice, in one file or in two, is an error that names the files.
  - Values may be templates, and files or single values may be encrypted by Ansible Vault.
author:
  - homeflare.proxmox contributors (@homeflare)
options:
  _terms:
    description:
      - Folders or files. What does not begin with C(/) is relative to the playbook or, when it is not there, to the
        folder from which C(ansible-playbook) was started.
    type: list
    elements: path
    required: true
seealso:
  - module: homeflare.proxmox.estate
"""

EXAMPLES = r"""
# estate/pools.yml
#   pool:
#     - {poolid: house, comment: The house}
#     - {poolid: garden}
#
# estate/web/ct-web.yml
#   resources:
#     - lxc:
#         node: pve1
#         vmid: 900
#         config: {hostname: ct-web, memory: 2048, rootfs: "local-zfs:8"}
#         password: "{{ vault_ct_web }}"
- name: All of it
  homeflare.proxmox.estate:
    resources: "{{ lookup('homeflare.proxmox.declarations', 'estate') }}"
"""

RETURN = r"""
_raw:
  description: The declarations, file after file.
  type: list
  elements: dict
"""

import os
import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils.declarations import DeclarationsError, merged

_ENDINGS = (".yml", ".yaml")


class LookupModule(LookupBase):
    """The lookup; a result of one list, which ``lookup`` gives as it is."""

    def run(
        self, terms: t.Sequence[str], variables: t.Mapping[str, t.Any] | None = None, **kwargs: t.Any
    ) -> list[list[dict[str, t.Any]]]:
        self.set_options(var_options=variables, direct=kwargs)
        files = [(name, self._content(path)) for term in terms for name, path in self._files(str(term))]
        if not files:
            raise AnsibleError(f"there is no .yml or .yaml file in {', '.join(map(str, terms))}")
        try:
            return [merged(files)]
        except DeclarationsError as error:
            raise AnsibleError(str(error)) from None

    def _files(self, term: str) -> list[tuple[str, str]]:
        """Names for messages, relative to where the term leads, and paths; sorted."""
        places = (self._loader.path_dwim(term), os.path.abspath(term))
        top = next((place for place in places if os.path.exists(place)), None)
        if top is None:
            raise AnsibleError(f"there is no folder and no file {' or '.join(dict.fromkeys(places))}")
        if os.path.isfile(top):
            return [(term, top)]
        found: list[str] = []
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [
                os.path.join(folder, name) for name in names if name.endswith(_ENDINGS) and not name.startswith(".")
            ]
        return [(os.path.join(term, os.path.relpath(path, top)), path) for path in sorted(found)]

    def _content(self, path: str) -> t.Any:
        """As ``include_vars`` loads a file: what it holds may be templates."""
        try:
            loaded = self._loader.load_from_file(path, cache="none", trusted_as_template=True)
        except TypeError:  # ansible-core before 2.19 trusts what it loads
            loaded = self._loader.load_from_file(path)
        return self._templar.template(loaded)
