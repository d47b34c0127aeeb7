# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One option at a time: read it, check it, or say by its name what is wrong."""

from __future__ import annotations

import os
import re
import ssl
import typing as t

from ..errors import DeclarationError
from .options import ENVIRONMENT, Options

_SECRET: t.Final = re.compile(r"[!-~]+")


def printable(value: str) -> bool:
    """Whether it can stand in a header."""
    return _SECRET.fullmatch(value) is not None


def secret(options: Options, option: str, value: str) -> str:
    # It travels in a header: a line break there would be an error text that quotes it.
    if not printable(value):
        raise DeclarationError(
            "a secret is printable ASCII without spaces or line breaks", option=options.source(option)
        )
    return value


def secret_file(options: Options, option: str, name: str) -> str:
    try:
        with open(os.path.expanduser(name), encoding="utf-8") as stream:
            text = stream.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise DeclarationError(f"{name} cannot be read: {reason}", option=options.source(option)) from None
    if not text:
        raise DeclarationError(f"{name} is empty", option=options.source(option))
    return secret(options, option, text)


def ca_file(options: Options, option: str) -> str | None:
    name = options.text(option)
    if not name:
        return None
    path = os.path.expanduser(name)
    if not os.path.exists(path):
        raise DeclarationError(f"{name} does not exist", option=options.source(option))
    try:
        if not os.path.isdir(path):
            ssl.create_default_context(cafile=path)
    except OSError:
        raise DeclarationError(f"{name} holds no certificate that can be read", option=options.source(option)) from None
    return path


def words(options: Options, option: str, text: str) -> str:
    bare = text.strip("/")
    known = bare.replace("{mount}", "").replace("{role}", "") if option == "bao_path" else bare
    if not bare or not re.fullmatch(r"[A-Za-z0-9._/@+-]*", known) or ".." in known.split("/"):
        message = "it may hold only letters, digits, '.', '_', '-', '@', '+' and '/'"
        raise DeclarationError(message, option=options.source(option))
    return bare


def seconds(options: Options, option: str, *, least: int) -> float:
    text = options.text(option) or ""
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < least:
        raise DeclarationError(f"it is a number of seconds, at least {least}", option=options.source(option))
    return float(text)


def variables(option: str) -> str:
    return ", ".join(name for group in ENVIRONMENT[option] for name in group)
