# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs whose figures are drawn from known laws, many and cheaply.

They show how often a comparison is wrong, and which differences it finds.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from rtstone.model import Clock, Losses, Result, Run, Session, Variant

TYPICAL_NS = 10_000
REPETITIONS = 5
OPS = 1_000_000
"""Of a set, so that a figure is known to a fraction of a nanosecond."""
_CLOCK = Clock(id=0, name="made-up", hz=1_000_000_000, resolution_ticks=1)
_VARIANT = Variant(pass_="batch")
_LOSSES = Losses()

Law = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]
LAWS: dict[str, Law] = {
    "normal": lambda draw, shape: draw.standard_normal(shape),
    "heavy (Student, 3)": lambda draw, shape: draw.standard_t(3, shape) / np.sqrt(3),
    "skewed (exponential)": lambda draw, shape: draw.standard_exponential(shape) - 1,
}
"""How runs vary, with mean 0 and standard deviation 1, on logarithms."""


def sides(
    draw: np.random.Generator,
    runs: int,
    *,
    rows: int,
    between: float = 0.02,
    within: float = 0.01,
    shift: float = 0.0,
    law: str = "normal",
    repetitions: int = REPETITIONS,
) -> tuple[list[Run], list[Run]]:
    """So many runs a side, each row with a level of its own in each; the second side slower by `shift`."""
    made = []
    for side in (0, 1):
        levels = between * LAWS[law](draw, (runs, 1, rows)) + within * draw.standard_normal((runs, repetitions, rows))
        levels += np.log1p(shift) * side
        made.append([_run(f"{'ab'[side]}-{i}", one) for i, one in enumerate(levels)])
    return made[0], made[1]


def by_turns(
    draw: np.random.Generator,
    rounds: int,
    *,
    rows: int,
    drift: float = 0.0,
    within: float = 0.01,
    shift: float = 0.0,
) -> tuple[Run, Run]:
    """Two runs in alternating order (A B, B A …) while all becomes slower by `drift` a round, the second slower by `shift`."""
    levels = within * draw.standard_normal((2, rounds, rows))
    for side in (0, 1):
        slots = np.array([2 * turn + (side ^ turn % 2) for turn in range(rounds)])
        levels[side] += np.log1p(drift) * slots[:, None] / 2 + np.log1p(shift) * side
    first, second = (_run(f"{'ab'[side]}-0", levels[side]) for side in (0, 1))
    turns = {"group": "group-1", "alternated": True}
    return msgspec.structs.replace(first, **turns), msgspec.structs.replace(second, **turns)


def _run(name: str, levels: NDArray[np.float64]) -> Run:
    return run_of(name, np.rint(OPS * TYPICAL_NS * np.exp(levels)).astype(np.int64)[..., None])


def run_of(name: str, totals: NDArray[np.int64]) -> Run:
    """A run of these totals (ns of `OPS` operations), by repetition, row and set; row N is the quantity ``qN``."""
    sessions = tuple(
        Session(
            nonce="0" * 16, engine="0", port="made-up", stream_version="1.2", repetition=number, seed=1, env={}, clocks=(_CLOCK,),
            calibrations=(), degraded=(), losses=_LOSSES, complete=True,
            results=tuple(_result(row, tuple(sets.tolist())) for row, sets in enumerate(figures)),
        )
        for number, figures in enumerate(totals)
    )  # fmt: skip
    return Run(
        id=name, started="", ended="", target="local", studies=(), profile="", seed=1, tool="", host={}, sessions=sessions,
        status="complete",
    )  # fmt: skip


def _result(row: int, totals: tuple[int, ...]) -> Result:
    return Result(
        item=row, measurement=f"q{row}", quantity=f"q{row}", variant=_VARIANT, status="ok", ops=OPS, count=len(totals), meaning=1,
        min=min(totals), max=max(totals), sum=sum(totals), sumsq=sum(x * x for x in totals), batches=totals,
    )  # fmt: skip
