# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The content of a run in the archive, as lines: facts of the run, then a row for each result of each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.model import Run, Variant


def print_held(run: Run, logs: Sequence[bytes]) -> None:
    """Print a run's facts and results; `logs` are the raw record streams of its sessions."""
    from rtstone.cli._output import print_table
    from rtstone.model.text import printable
    from rtstone.model.variant import words
    from rtstone.stats import of_result

    facts = {
        "run": run.id,
        "started": run.started,
        "ended": run.ended,
        "target": run.target,
        "machine": " ".join(filter(None, (run.machine_name, f"({run.machine})" if run.machine else ""))),
        "label": run.label,
        "studies": ", ".join(run.studies),
        "profile": run.profile,
        "seed": str(run.seed),
        "status": run.status,
        "degraded": "; ".join(f"{d.text} (fix: {d.remedy})" if d.remedy else d.text for d in run.degraded),
        "warnings": "; ".join(run.warnings),
        "tool": run.tool,
        "raw logs": f"{len(logs)}, {sum(map(len, logs))} bytes" if logs else "none",
    }
    for name, value in facts.items():
        if value:
            typer.echo(f"{name:<10}{printable(value)}")
    typer.echo()
    rows = []
    there: dict[str, list[Variant]] = {}
    for r in run.results():
        there.setdefault(r.quantity, []).append(r.variant)
    for number, session in enumerate(run.sessions):
        clocks = {clock.id: clock for clock in reversed(session.clocks)}
        for r in session.results:
            of = of_result(r, clocks.get(r.clock))
            least, most = (
                "" if ns is None else f"{ns / 1000:.3f}" for ns in ((of.min, of.max) if of else (None, None))
            )
            rows.append(
                (str(number), r.quantity, words(r.variant, there[r.quantity]), str(r.count), least, most, r.status)
            )
    headings = ("session", "quantity", "variant", "count", "min/µs", "max/µs", "status")
    print_table(headings, rows, right=frozenset({0, 3, 4, 5}))
