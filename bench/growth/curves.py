# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws the curves: CPU time, peak memory and size against the number of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.lib.charts import line_chart, write_png

Row = dict[str, object]
"""A point: kind (command, page or size), what, runs, and its figures by unit (s, MB)."""


def pictures(rows: Sequence[Row], folder: Path) -> None:
    """Write `growth-time.png` and `growth-memory.png` into the folder."""
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in ("command", "page", "size")}

    def chart(kind: str, title: str, unit: str, axis: str) -> dict[str, Any]:
        return line_chart(by_kind[kind], ("runs", "runs in the archive"), (unit, axis), title=title, each="what")

    time = [
        chart("command", "Commands and a save", "s", "CPU time (s)"),
        chart("page", "Pages", "s", "CPU time (s)"),
    ]
    memory = [
        chart("command", "Commands and a save", "MB", "peak memory (MB)"),
        chart("page", "Pages", "MB", "peak memory (MB)"),
        chart("size", "Archive", "MB", "size (MB)"),
    ]
    write_png(time, folder / "growth-time.png")
    write_png(memory, folder / "growth-memory.png")
