# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The families that the lab keeps itself: one generic store and a table row for each endpoint family.

How to add a family
-------------------
1. Write a `Section` (table.py) in a file of this folder, after PVE's source and the measured answers, and put it in
   that file's `SECTIONS`. Paths are the templates of PVE's API schema, which also checks the parameters: required,
   unknown, type, bounds, enumeration, pattern and property strings need nothing in the row.
2. Add the file to `SECTIONS` below. That is all: GET, POST, PUT and DELETE work (engine.py), a reset brings the seed
   back, `Lab.edit` changes objects by hand.

What a row says: identity; how PUT treats `k=`, `delete=`, a key both set and deleted, a fixed key; defaults that
reads show; secrets that reads never show; the digest's file; the types with their required, fixed and own keys; and
the status and text for "absent", "exists" and so on. A row that needs more gives functions: `show` and `row` make the
answers of item and list, `settle` does what a handler does before it locks the file (a canonical identity, early
refusals), `before_create`, `before_update` and `before_delete` may change the data or refuse with
`Die`. What is no collection of objects at all (ACL, permissions) is an `Endpoint`: a function for a method and path.

`Section.state` is the name of its part of the store: {key: {name: value}}, key being the identity, a text or a tuple.
"""

from __future__ import annotations

from . import access, acl, cluster, ha, jobs, metrics, realms, storage
from .table import Endpoint, Section

SECTIONS: tuple[Section, ...] = (
    *access.SECTIONS,
    *realms.SECTIONS,
    *cluster.SECTIONS,
    *ha.SECTIONS,
    *jobs.SECTIONS,
    *metrics.SECTIONS,
    *storage.SECTIONS,
)
ENDPOINTS: tuple[Endpoint, ...] = (*acl.ENDPOINTS, *access.ENDPOINTS, *cluster.ENDPOINTS, *ha.ENDPOINTS)

__all__ = ["ENDPOINTS", "SECTIONS", "Endpoint", "Section"]
