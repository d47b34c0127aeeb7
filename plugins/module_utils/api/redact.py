# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps secrets out of texts, and texts in one line."""

from __future__ import annotations

import threading
import typing as t
import urllib.parse

MASK: t.Final = "********"
LONGEST: t.Final = 300


def redact(text: str, secrets: t.Iterable[str]) -> str:
    """The text with every secret masked, longest first so that ``id=secret`` goes as a whole."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def one_line(text: str, secrets: t.Iterable[str] = (), longest: int = LONGEST) -> str:
    """White space collapsed, secrets masked, then cut: never the other way, a cut secret is no longer recognised."""
    line = redact(" ".join(text.split()), secrets)
    return line if len(line) <= longest else line[: longest - 3] + "..."


class Secrets:
    """What must not be printed. Grows only; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: set[str] = set()

    def add(self, *secrets: str) -> None:
        with self._lock:
            for secret in filter(None, secrets):
                self._known |= {secret, urllib.parse.quote(secret, safe="")}

    def all(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._known)
