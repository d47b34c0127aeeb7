# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of an estate as a result, as a table on the screen, and as a report for a gate. Pure."""

from __future__ import annotations

import typing as t
from collections import Counter

from . import report
from .estate import CHANGED, FAILED, NOT_REACHED, OK, PLANNED, REFUSED, UNKNOWN, Row

CLEAN, DRIFT, CANNOT_TELL = "clean", "drift", "unknown"
COLUMNS = ("status", "action", "read", "family", "name", "drift", "pending")


def verdict(rows: t.Sequence[Row], *, allow_pending: bool = False) -> str:
    """``clean`` when every row is proven to have nothing to do; a read that failed is ``unknown``, whatever else is."""
    if any(row.status == UNKNOWN for row in rows):
        return CANNOT_TELL
    differs = any(row.status not in (OK, CHANGED) for row in rows)
    waits = any(row.judgement.pending for row in rows) and not allow_pending
    return DRIFT if differs or waits else CLEAN


def row_result(row: Row) -> dict[str, t.Any]:
    """One row as the result and the JSON report show it: names, never values."""
    family, judgement = row.resource.family, row.judgement
    return {
        "family": family.name,
        "name": family.handle(row.resource.declaration.ident),
        "status": row.status,
        "action": judgement.action,
        "read": row.read,
        "drift": [item.key for item in judgement.drift],
        "refusals": [{"id": item.id, "key": item.key, "msg": item.msg} for item in judgement.refusals],
        "pending": list(judgement.pending),
        "tasks": list(row.tasks),
        "written": list(row.written),
        "msg": row.msg,
    }


def summary(rows: t.Sequence[Row]) -> dict[str, int]:
    """How many rows ended in which way; ways that no row took are left out."""
    counted = Counter(row.status for row in rows)
    return {
        status: counted[status]
        for status in (OK, PLANNED, CHANGED, REFUSED, UNKNOWN, FAILED, NOT_REACHED)
        if counted[status]
    }


def result(rows: t.Sequence[Row], *, changed: bool, allow_pending: bool = False) -> dict[str, t.Any]:
    """The task's result, without its diff."""
    return {
        "changed": changed,
        "verdict": verdict(rows, allow_pending=allow_pending),
        "summary": summary(rows),
        "rows": [row_result(row) for row in rows],
    }


def diffs(rows: t.Sequence[Row], *, values: bool = False) -> list[dict[str, t.Any]]:
    """The table of all rows, then the diff of each that differs."""
    told = [{"prepared": table(rows)}]
    for row in rows:
        if row.live is not None and row.judgement.action != "none":
            item = row.resource
            told.append(report.diff(item.family, item.declaration, row.judgement, row.live, values=values))
    return told


def _cells(row: Row) -> tuple[str, ...]:
    told = row_result(row)
    return (
        told["status"],
        told["action"],
        told["read"],
        told["family"],
        told["name"],
        ", ".join(told["drift"]) if told["action"] == "update" else "",
        ", ".join(told["pending"]),
    )


def table(rows: t.Sequence[Row]) -> str:
    """Aligned text: a line a row, and under it why it was not written."""
    lines = [tuple(name.upper() for name in COLUMNS), *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    text: list[str] = []
    for line, row in zip(lines, [None, *rows], strict=True):
        text.append("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        if row is not None and row.msg:
            text.append(f"    {row.msg}")
    counted = ", ".join(f"{number} {status}" for status, number in summary(rows).items())
    return "\n".join([*text, f"{len(rows)} objects: {counted or 'none'}", ""])


def markdown(told: t.Mapping[str, t.Any]) -> str:
    """The report as a Markdown table; ``told`` is a result of this module."""
    head = [
        f"# Estate: {told['verdict']}",
        "",
        "| " + " | ".join(COLUMNS) + " | why |",
        "|---" * (len(COLUMNS) + 1) + "|",
    ]
    body = []
    for row in told["rows"]:
        cells = [row["status"], row["action"], row["read"], row["family"], row["name"]]
        cells += [", ".join(row["drift"]), ", ".join(row["pending"]), row["msg"]]
        body.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join([*head, *body, ""])
