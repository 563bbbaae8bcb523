# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparison as structures: what the table on the terminal, the JSON document and the report's page are made of."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.model import RunTime, Variant

Verdict = Literal[
    "improved",
    "regressed",
    "no difference shown",
    "shorter within these runs",
    "longer within these runs",
    "no difference within these runs",
    "insufficient data",
    "not comparable",
]
"""Shorter is better: every figure is a latency or a time for one operation. `within these runs`: nothing is said of other runs."""

Basis = Literal["runs", "rounds", "seeds", "repetitions", "one session", "none"]
"""What the interval is over. `runs`: three or more on each side. `rounds`: the runs took turns, and it is over the differences of a round
(from three pairs of runs on, of a pair). `seeds`: of a virtual board, over the differences of one seed's repetition where both sides have
it. `repetitions` of fewer runs: what other runs would show is not in it. `one session` on each side: what varies within, which bears no
verdict. `none`: there is no interval."""

POPULATIONS: frozenset[Basis] = frozenset({"runs", "rounds", "seeds"})
"""What bears `improved`, `regressed` and `no difference shown`."""

Importance = Literal["instrument", "machine", "kernel", "settings", "circumstances"]
"""Of a fact that differs: who measured, on what, what was measured, how it was set, and what else went on."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the sides that are compared, a run or several. The first one is the reference."""

    label: str
    run: str
    """The first of its runs."""
    runs: tuple[str, ...]
    target: str
    kernel: str
    started: str
    """Of the first that was begun."""
    ended: str
    """Of the last that ended."""
    profile: str
    status: str
    repetitions: int
    """Complete ones of all its runs: only these are compared."""
    seed: int
    time: RunTime
    unit_of_time: str
    """Empty for a machine's time, else what a second of instruction-time is."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """What one side has of a figure: nanoseconds for one operation."""

    value_ns: float | None = None
    """For a maximum the largest of all repetitions, else the mean of the repetitions' figures (geometric where all are above 0)."""
    least_ns: float | None = None
    largest_ns: float | None = None
    """Of any repetition."""
    runs: int = 0
    repetitions: int = 0
    samples: int = 0
    """Of all repetitions; in the batch pass the sets."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """One side held against the reference."""

    side: int
    """Its position among the sides."""
    verdict: Verdict
    relative: bool = True
    """Whether the three below are ratios (this side's figure by the reference's; below 1 is shorter); else, where not all figures are
    above 0, they are differences in nanoseconds."""
    change: float | None = None
    """Of the means over the units of its basis: geometric means for ratios."""
    low: float | None = None
    high: float | None = None
    """Its interval; the intervals of all figures hold together at the comparison's confidence. It allows for the clock's quantum and the
    histogram's buckets too."""
    smallest: float | None = None
    """The smallest difference that such data show four times in five: a share of the figure (0.05: 5 %), or nanoseconds."""
    p: float | None = None
    """Of Student's test (of pairs) or Welch's by itself, no other figure considered."""
    basis: Basis = "none"
    units: tuple[int, int] = (0, 0)
    """How many units of its basis the reference has, and this side."""
    reason: str = ""
    """Why there is no verdict, or what it rests on."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One statistic of a row."""

    name: str
    """As statistics are named (median, p99.9, max); in the batch pass mean: of the sets' averages."""
    values: tuple[Value, ...]
    """One for each side."""
    against: tuple[Judgement, ...]
    """One for each side but the first."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity under one variant on all sides."""

    measurement: str
    quantity: str
    variant: Variant
    title: str
    """Quantity and circumstances in words."""
    differs: tuple[str, ...] = ()
    """What makes it unlike: each says what the reference has, and the other."""
    remarks: tuple[str, ...] = ()
    figures: tuple[Figure, ...]


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A quantity that a side has not, though another has it."""

    measurement: str
    quantity: str
    variant: Variant
    title: str
    side: int
    why: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that is not the same on all sides."""

    importance: Importance
    fact: str
    values: tuple[str, ...]
    """One for each side; empty: it does not say."""
    words: tuple[tuple[str, ...], ...] = ()
    """Where values are lists of words (a command line): the words of each side that not all sides have."""


class Unlike(msgspec.Struct, frozen=True, kw_only=True):
    """Why a side cannot be held against the reference at all."""

    side: int
    what: str
    inside: bool = False
    """The runs of this side are unlike among themselves, so that they are not one population."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Runs held against the first one of them."""

    schema: Literal["rtstone.comparison"] = "rtstone.comparison"
    version: str = "1.1"
    confidence: float
    """That all intervals together hold what they are to hold: the chance of any wrong verdict is what it leaves (Bonferroni)."""
    figures_judged: int
    """How many intervals share what the confidence leaves."""
    least_change: float
    """A difference below this (0.01: 1 %) is not called one, however surely it is there."""
    forced: bool
    """Unlike was compared with unlike, as asked."""
    sides: tuple[Side, ...]
    unlike: tuple[Unlike, ...]
    rows: tuple[Row, ...]
    missing: tuple[Missing, ...]
    differences: tuple[Difference, ...]
    counts: tuple[tuple[Verdict, int], ...]
    """How many judgements of each kind."""

    def count(self, verdict: Verdict) -> int:
        """How many judgements are this one."""
        return dict(self.counts).get(verdict, 0)
