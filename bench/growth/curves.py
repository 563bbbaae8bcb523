# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws the curves: CPU time, peak memory and size against the number of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rtstone.show.report import draw

Row = dict[str, object]
"""A point: kind (command, page or size), what, runs, and its figures by unit (s, MB)."""


def pictures(rows: Sequence[Row], folder: Path) -> None:
    """Write `growth-time.png` and `growth-memory.png` into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in ("command", "page", "size")}
    commands, pages, sizes = by_kind.values()
    time = [_panel(commands, "Commands and a save", "s", "CPU time (s)"), _panel(pages, "Pages", "s", "CPU time (s)")]
    memory = [
        _panel(commands, "Commands and a save", "MB", "peak memory (MB)"),
        _panel(pages, "Pages", "MB", "peak memory (MB)"),
        _panel(sizes, "Archive", "MB", "size (MB)"),
    ]
    for name, panels in (("growth-time", time), ("growth-memory", memory)):
        spec = {"hconcat": panels, "resolve": {"scale": {"color": "independent"}}, "padding": 12}
        (folder / f"{name}.png").write_bytes(draw(spec, "png"))


def _panel(rows: Sequence[Row], title: str, unit: str, axis: str) -> dict[str, Any]:
    """A line for each thing, and a point for each number of runs. Both axes start at 0."""
    return {
        "title": title,
        "width": 320,
        "height": 260,
        "data": {"values": list(rows)},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "runs", "type": "quantitative", "title": "runs in the archive", "axis": {"tickCount": 4}},
            "y": {"field": unit, "type": "quantitative", "title": axis},
            "color": {"field": "what", "type": "nominal", "sort": None, "legend": {"title": None, "columns": 3}},
        },
    }
