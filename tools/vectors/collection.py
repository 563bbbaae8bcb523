# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Gathers the vectors: each file with the conclusions that a reader must reach."""

from __future__ import annotations

import json
from typing import Any

KNOWN = {
    "bad_lines",
    "console_lines",
    "duplicates",
    "gaps",
    "malformed",
    "missing_records",
    "no_bye",
    "unknown_records",
}


class Vectors:
    """Every file with the conclusions that a reader must reach."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.streams: list[dict[str, Any]] = []
        self.plans: list[dict[str, Any]] = []

    def stream(self, name: str, what: str, data: bytes, verdict: str, statuses: list[list[str]], **losses: int) -> None:
        """`statuses`: of each session, each item's (ok, invalid, failed, skipped, incomplete); [] where nothing is believed."""
        lines = data.split(b"\n")
        lines = lines[:-1] if lines[-1] == b"" else lines
        if not losses.keys() <= KNOWN:
            raise ValueError(losses)
        bad = losses.get("bad_lines", 0)
        framed = sum(line.startswith(b"~") for line in lines)
        if losses.get("console_lines", 0) != len(lines) - framed:
            raise ValueError(name)
        self.files[f"streams/{name}.stream"] = data
        entry = {"file": f"streams/{name}.stream", "verdict": verdict, "lines": len(lines), "frames": framed - bad}
        counts = {key: losses.get(key, 0) for key in sorted(KNOWN)}
        self.streams.append(entry | counts | {"sessions": statuses, "what": what})

    def good(self, name: str, what: str, data: bytes, *statuses: str, **counts: int) -> None:
        """A complete session; its one item is `ok` unless it is said otherwise."""
        self.stream(name, what, data, "complete", [list(statuses) or ["ok"]], **counts)

    def plan(self, name: str, what: str, data: bytes, items: int, engine_only: bool = False) -> None:
        """`items`: how many are accepted, 0 when the plan is refused."""
        verdict = "accepted" if items else "refused"
        self.files[f"plans/{verdict}/{name}.plan"] = data
        entry = {"file": f"plans/{verdict}/{name}.plan", "verdict": verdict, "items": items, "engine_only": engine_only}
        self.plans.append(entry | {"what": what})

    def index(self) -> bytes:
        """index.json, one vector a line: a C test finds its numbers without a JSON library."""
        streams, plans = (",\n".join("  " + json.dumps(row) for row in rows) for rows in (self.streams, self.plans))
        return f'{{\n"streams": [\n{streams}\n],\n"plans": [\n{plans}\n]\n}}\n'.encode()
