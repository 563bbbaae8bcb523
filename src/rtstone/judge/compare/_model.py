# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The structures of a comparison. The table on the terminal, the JSON document and the report's page use them."""

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
"""Shorter is better: every figure is a latency or a time for one operation. `within these runs`: the verdict does not
hold for other runs."""

Basis = Literal["runs", "rounds", "seeds", "repetitions", "one session", "none"]
"""The population of an interval. `runs`: three or more on each side. `rounds`: the runs were interleaved, and the
interval is over the differences within a round (with three pairs of runs or more: within a pair). `seeds`: of a virtual
board; over the differences of one seed's repetition if both sides have it. `repetitions`: of fewer than three runs; the
interval does not cover other runs. `one session` on each side: only the variation within it, so there is no verdict.
`none`: there is no interval."""

POPULATIONS: frozenset[Basis] = frozenset({"runs", "rounds", "seeds"})
"""The populations that allow `improved`, `regressed` and `no difference shown`."""

Importance = Literal["instrument", "machine", "kernel", "settings", "circumstances"]
"""The subject of a differing fact: the instrument, the machine, the measured kernel, its settings, other activity."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison: a run, or several runs together. The first side is the reference."""

    label: str
    run: str
    """The first of its runs."""
    runs: tuple[str, ...]
    target: str
    kernel: str
    started: str
    """Start of its earliest run."""
    ended: str
    """End of its latest run."""
    profile: str
    status: str
    repetitions: int
    """Complete repetitions of all its runs. Only these are compared."""
    seed: int
    time: RunTime
    unit_of_time: str
    """Empty for a machine's time; else instruction-time with its rate, or emulated time."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A figure's value on one side, in nanoseconds for one operation."""

    value_ns: float | None = None
    """A maximum: the largest of all repetitions. Other figures: the mean of the repetitions' figures (geometric if all
    are above 0)."""
    least_ns: float | None = None
    largest_ns: float | None = None
    """Smallest and largest figure of a repetition."""
    runs: int = 0
    repetitions: int = 0
    samples: int = 0
    """Samples of all repetitions; in the batch pass, sets."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Compares one figure of a side with the reference's: the verdict, the change, its interval, and the reason if there is no verdict."""

    side: int
    """Its position among the sides."""
    verdict: Verdict
    relative: bool = True
    """True: the next three fields are ratios of this side's figure to the reference's; below 1 is shorter. False: they
    are differences in nanoseconds, because not all figures are above 0."""
    change: float | None = None
    """Ratio or difference of the means over the units of the basis; ratios are of geometric means."""
    low: float | None = None
    high: float | None = None
    """The interval of `change`. The intervals of all figures hold together at the comparison's confidence. They also
    allow for the clock's quantum and the histogram's buckets."""
    smallest: float | None = None
    """The smallest difference that such data show in four of five cases: a share of the figure (0.05: 5 %), or ns."""
    p: float | None = None
    """p of Student's test (for pairs) or Welch's, of this figure by itself."""
    basis: Basis = "none"
    units: tuple[int, int] = (0, 0)
    """Number of units of the basis: of the reference, and of this side."""
    reasons: tuple[str, ...] = ()
    """Why there is no verdict; if it was forced, the differences that it ignores. Since version 1.2."""
    reason: str = ""
    """The reasons in one text."""

    def __post_init__(self) -> None:
        """Joins the reasons. A document before version 1.2 has only the text."""
        if self.reasons:
            msgspec.structs.force_setattr(self, "reason", "; ".join(self.reasons))


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One statistic of a row: its value on each side, and the verdict on each side except the reference."""

    name: str
    """Name of the statistic (median, p99.9, max); in the batch pass `mean`, which is of the set averages."""
    values: tuple[Value, ...]
    """One for each side."""
    against: tuple[Judgement, ...]
    """One for each side except the first."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity under one variant, on all sides. If a side was measured under another variant, `differs` names the difference."""

    measurement: str
    quantity: str
    variant: Variant
    title: str
    """Quantity and circumstances in words."""
    differs: tuple[str, ...] = ()
    """Reasons why the row is not comparable; each has the value of the reference and that of the other side."""
    remarks: tuple[str, ...] = ()
    figures: tuple[Figure, ...]


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A quantity under one variant that one side lacks, although another side has it."""

    measurement: str
    quantity: str
    variant: Variant
    title: str
    side: int
    why: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A fact of the environment that differs between the sides. In a history, the sides are the levels before and after a step."""

    importance: Importance
    fact: str
    values: tuple[str, ...]
    """One for each side; empty: the side did not record it."""
    words: tuple[tuple[str, ...], ...] = ()
    """For values that are lists of words (a command line): each side's words that not all sides have."""


class Unlike(msgspec.Struct, frozen=True, kw_only=True):
    """A reason why no figure of a side can be compared with the reference."""

    side: int
    what: str
    inside: bool = False
    """True: the runs of this side are not comparable with each other, so they are not one population."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison of one or more sides with the first side, the reference. `rtstone compare --json` prints it."""

    schema: Literal["rtstone.comparison"] = "rtstone.comparison"
    version: str = "1.2"
    confidence: float
    """Probability that all intervals together hold the true values. The rest is the chance of a wrong verdict."""
    figures_judged: int
    """Number of intervals that share the error that the confidence leaves (Bonferroni)."""
    least_change: float
    """A smaller difference (0.01: 1 %) is not reported as one, however certain it is."""
    forced: bool
    """True: runs or rows that are not comparable were compared, as requested."""
    sides: tuple[Side, ...]
    unlike: tuple[Unlike, ...]
    rows: tuple[Row, ...]
    missing: tuple[Missing, ...]
    differences: tuple[Difference, ...]
    counts: tuple[tuple[Verdict, int], ...]
    """Number of judgements with each verdict."""

    def count(self, verdict: Verdict) -> int:
        """Number of judgements with this verdict."""
        return dict(self.counts).get(verdict, 0)
