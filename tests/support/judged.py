# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Check files, runs from a seed or of exact samples, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from rtstone.judge.check import Checks, Known, Report, parse
from rtstone.judge.check._bounds import Evidence, weigh
from rtstone.judge.check._select import select
from rtstone.model import Clock, Run, Variant
from support.runs import CLOCK, make_result, make_run, make_session

KNOWN = Known(quantities={"irq": ("irq",)}, passes={"irq": ("single", "batch")}, studies={}, loads=("none", "cpu"))
BASELINE = '[[baseline]]\nmeasurement = "irq"\nruns = ["x"]\n'


def checks(*require: str, more: str = "", head: str = "") -> Checks:
    """A check file with a bound for each requirement, between `head` and `more` (TOML)."""
    text = f'schema = "rtstone.check"\nversion = "1.0"\n{head}\n'
    if require:
        text += '[[bound]]\nmeasurement = "irq"\nrequire = [\n' + "".join(f'"{r}",\n' for r in require) + "]\n"
    return parse(text + more, "f.toml", Path(), KNOWN)


def run(*levels: float, count: int = 2_000, name: str = "a", spread: float = 0.05, seed: int = 1) -> Run:
    """A run with a repetition for each level (ns), its samples log-normal about that."""
    draw = np.random.default_rng(seed)
    sessions = []
    for number, level in enumerate(levels):
        values = [int(v) for v in level * np.exp(draw.normal(0, spread, count))]
        sessions.append(make_session((make_result("irq", values=values),), repetition=number))
    return make_run(name, sessions=tuple(sessions))


def exactly(
    *repetitions: Sequence[int],
    name: str = "a",
    clock: Clock = CLOCK,
    first: int = 0,
    batch: bool = False,
    board: bool = False,
) -> Run:
    """A run of exactly these samples (ticks of 1 ns), a repetition each. Below 256 ticks, a histogram is exact."""
    variant = Variant(pass_="batch" if batch else "single")
    sessions = tuple(
        make_session((make_result("irq", values=list(values), variant=variant),), repetition=number, clocks=(clock,))
        for number, values in enumerate(repetitions, first)
    )
    run = make_run(name, sessions=sessions, degraded=())
    return msgspec.structs.replace(run, time="instruction-time", target="board:x/k") if board else run


def several(levels: list[float], seed: int = 5) -> tuple[Run, ...]:
    """A run for each level (ns), with three repetitions near it."""
    return tuple(
        run(level, level * 1.002, level * 0.998, name=f"b{seed + i}", seed=seed + i) for i, level in enumerate(levels)
    )


def outcomes(report: Report) -> list[str]:
    """The outcome of each row."""
    return [row.outcome for row in report.rows]


def with_result(whole: Run, **changes: object) -> Run:
    """The run with another first result."""
    result = msgspec.structs.replace(whole.sessions[0].results[0], **changes)
    sessions = (msgspec.structs.replace(whole.sessions[0], results=(result,)), *whole.sessions[1:])
    return msgspec.structs.replace(whole, sessions=sessions)


def bound_of(require: str, *, batch: bool = False) -> Checks:
    """A check file with one bound, of single samples or of batches."""
    which = "batch" if batch else "single"
    return checks(more=f'[[bound]]\nmeasurement = "irq"\npass = "{which}"\nrequire = ["{require}"]\n')


def evidence(require: str, *runs: Run, batch: bool = False) -> Evidence:
    """The evidence of the runs for a requirement, at a confidence of 95 %."""
    (bound,) = bound_of(require, batch=batch).bounds
    return weigh(bound, select(runs, bound.selection, bound.load), 0.95)
