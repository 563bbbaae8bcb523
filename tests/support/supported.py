# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The measurements of each port, as the ports themselves report them, as the table of SUPPORTED.md."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rtstone.model import Session

YES, SUBSTITUTE, NO = "yes", "by a substitute", "—"


def of_session(found: Session) -> dict[str, str]:
    """Each measurement of a session -> whether it was made, and whether by a substitute."""
    cells: dict[str, str] = {}
    for result in found.results:
        if result.status == "skipped":
            cells[result.measurement] = NO
        else:
            assert result.status == "ok", (result.measurement, result.status, result.text)
            substituted = any(note.kind == "substituted" for note in result.notes)
            cells[result.measurement] = SUBSTITUTE if substituted else YES
    return cells


def of_engine(engine: Path) -> dict[str, str]:
    """Each measurement of an engine on this machine -> whether it can be made.

    The engine lists them without measuring.
    """
    told = json.loads(subprocess.run([str(engine), "list", "--json"], capture_output=True, check=True).stdout)
    return {
        one["name"]: (SUBSTITUTE if one["substitutes"] else YES) if one["supported"] else NO
        for one in told["measurements"]
    }


def table(ports: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The lines of the table: a row for each measurement, a column for each port."""
    rows = [f"| measurement | {' | '.join(f'`{port}`' for port in ports)} |", "|-" * (len(ports) + 1) + "|"]
    names = list(next(iter(ports.values())))
    rows += [f"| {name} | {' | '.join(cells.get(name, NO) for cells in ports.values())} |" for name in names]
    return rows
