# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The raw floor: one process, one kept-alive connection, one GET after another. It compares nothing.

Run as a program of its own: ``python floor.py HOST:PORT CA_FILE < PATHS``, with the token in PROXMOX_TOKEN, and nothing
of ours imported.
"""

from __future__ import annotations

import os
import sys

import requests


def main() -> int:
    host, ca = sys.argv[1:]
    with requests.Session() as session:
        session.trust_env = False
        session.verify = ca
        session.headers["Authorization"] = f"PVEAPIToken={os.environ['PROXMOX_TOKEN']}"
        for path in sys.stdin.read().split():
            answer = session.get(f"https://{host}/api2/json{path}", timeout=60)
            answer.raise_for_status()
            answer.json()
    return 0


if __name__ == "__main__":
    sys.exit(main())
