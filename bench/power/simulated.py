# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs made up from known laws, so that it is known which verdict is right: a check file's baseline runs and the runs that it judges."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rtstone.judge.check import Checks, Known, judge, parse
from rtstone.model import Run
from support.varying import LAWS, OPS, REPETITIONS, TYPICAL_NS, run_of

BASELINE_ROWS = 5
BOUND_ROWS = 5
WITHIN = 0.01
"""Standard deviation from one repetition to the next, beside that from one run to the next."""
SETS = 20
"""Of a repetition, each with that deviation from its repetition's level too."""
FEW_RUNS = 3


def file_of(baselines: int = BASELINE_ROWS, bounds: int = BOUND_ROWS) -> Checks:
    """A check file with so many rows of each kind, a quantity each; the bounds lie exactly at the truth, where errors are likeliest."""
    names = [f"q{i}" for i in range(baselines + bounds)]
    text = ['schema = "rtstone.check"', 'version = "1.0"']
    for i, name in enumerate(names):
        text += ["[[baseline]]" if i < baselines else "[[bound]]", f'measurement = "{name}"', 'pass = "batch"']
        text += ['runs = ["any"]', "judged = 1"] if i < baselines else [f'require = ["median <= {TYPICAL_NS}ns"]']
    known = Known(
        quantities={name: (name,) for name in names},
        passes=dict.fromkeys(names, ("batch",)),
        studies={},
        loads=("none",),
    )
    return parse("\n".join(text), "simulated.toml", Path(), known)


def runs_of(
    draw: np.random.Generator,
    count: int,
    rows: int,
    between: float,
    *,
    bounds: int = 0,
    law: str = "normal",
    shift: float = 0.0,
) -> list[Run]:
    """So many runs with a figure for each row and repetition; `shift`: how much slower all of them are."""
    varies = np.full(rows, between)
    if count < FEW_RUNS:
        # The bounds of one or two runs are said of these runs, whatever others would show.
        varies[rows - bounds :] = 0.0
    levels = varies * LAWS[law](draw, (count, 1, rows)) + WITHIN * draw.standard_normal((count, REPETITIONS, rows))
    sets = levels[..., None] + WITHIN * draw.standard_normal((*levels.shape, SETS))
    totals = np.rint(OPS * TYPICAL_NS * (1 + shift) * np.exp(sets)).astype(np.int64)
    return [run_of(f"{draw.integers(1 << 60):x}-{i}", totals[i]) for i in range(count)]


def failed(
    draw: np.random.Generator,
    checks: Checks,
    runs: tuple[int, int],
    between: float,
    *,
    law: str = "normal",
    shift: float = 0.0,
) -> tuple[bool, bool]:
    """One check file, judged: whether it failed, and whether its first baseline row did. `runs`: judged, and of the baseline."""
    rows = len(checks.baselines) + len(checks.bounds)
    now = runs_of(draw, runs[0], rows, between, bounds=len(checks.bounds), law=law, shift=shift)
    before = tuple(runs_of(draw, runs[1], rows, between, law=law))
    report = judge(checks, now, dict.fromkeys(range(len(checks.baselines)), before))
    first = next((row.outcome == "regressed" for row in report.rows if row.kind == "baseline"), False)
    return report.outcome in ("exceeded", "regressed"), first
