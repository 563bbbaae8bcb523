# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The structures of a requirement and its answer: levels, ways of handling, rows of evidence; and tails."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.judge.fit._levels import LevelName, Role

Verdict = Literal["meets", "does not meet", "not shown", "not measured"]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A requirement: each period has an interrupt, and at most a given share of the periods may miss the deadline for handling it."""

    period_ns: int
    deadline_ns: float
    exceedance: float = 1e-6
    """Largest share of periods that may miss the deadline."""
    confidence: float = 0.95
    """Confidence of the verdict, for all rows together; one-sided."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence on one way of handling the interrupt, under one load: the samples, the misses and the verdict."""

    load: str
    """Empty: the way was measured at other periods only."""
    role: Role
    measurements: tuple[str, ...] = ()
    """With the role `sum` figures are of all parts together, at the division of the deadline with the lowest bound."""
    quantities: tuple[str, ...] = ()
    samples: int = 0
    repetitions: int = 0
    period_ns: int = 0
    """Period of the measurement; the shortest one, if the way was measured at other periods only."""
    misses: int = 0
    """Number of samples above the deadline, at least."""
    misses_most: int = 0
    """Number of samples above the deadline, at most: also counts the deadline's bucket, and samples of unknown time.
    With the role `sum`: the share of all parts together, as a number of `samples`."""
    exceedance: float | None = None
    """Observed share of misses (of `misses_most`)."""
    exceedance_bound: float | None = None
    """Upper bound of the true share (Clopper-Pearson, one-sided). All such bounds together have the confidence."""
    per_hour: float | None = None
    """Misses in an hour of that period, as observed."""
    per_hour_bound: float | None = None
    """Upper bound of the misses in an hour."""
    max_ns: float | None = None
    """Maximum observed."""
    verdict: Verdict = "not measured"
    needed: int = 0
    """Number of new samples that decide the row in at least nine of ten cases, if misses continue at the observed
    share. 0: the row is decided, or more samples cannot decide it."""
    why: str = ""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One way to reach a level. Its verdict is the verdict under the worst load."""

    name: str
    verdict: Verdict
    rows: tuple[Row, ...]


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A level at which a platform can handle the interrupt. Its verdict is the verdict of its best way."""

    platform: str
    """The target, with its kernel."""
    level: LevelName
    verdict: Verdict
    ways: tuple[Way, ...] = ()
    why: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on each level of each platform in the runs. `rtstone fit --json` prints it."""

    schema: Literal["rtstone.fit"] = "rtstone.fit"
    version: str = "1.2"
    asked: Asked
    outcome: Verdict
    """The best verdict of all levels."""
    levels: tuple[Level, ...]
    runs: tuple[str, ...]
    loads: tuple[str, ...]
    rows_able: int = 0
    """Number of rows that can show that a way meets the requirement. They share the error that the confidence leaves
    (Bonferroni)."""
    rows_liable: int = 0
    """Number of rows that can show that a way does not meet it. They share the error likewise."""
    count_needed: int = 0
    """Samples of each item that decide all open rows in nine of ten cases; 0: nothing is left to decide."""
    doubts: tuple[str, ...] = ()
    """Why the runs are doubtful or incomplete, by their own verdicts; from version 1.2 on."""
    notes: tuple[str, ...] = ()


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate, by a fitted law, of the value that one in `once_in` samples exceeds. Without an estimate, `refused` has the reason."""

    platform: str
    measurement: str
    quantity: str
    load: str
    circumstances: str = ""
    """In words: the circumstances that are not the usual ones, or that differ among these tails."""
    period_ns: int
    samples: int
    max_ns: float | None
    """Maximum observed."""
    once_in: float
    """In samples: one in this many is longer."""
    value_ns: float | None = None
    low_ns: float | None = None
    high_ns: float | None = None
    model: Literal["GPD", "GEV", ""] = ""
    shape: float | None = None
    """Above 0: the law has no upper end."""
    shape_low: float | None = None
    shape_high: float | None = None
    scale_ns: float | None = None
    location_ns: float | None = None
    fit_p: float | None = None
    """Anderson-Darling: probability that data fit this badly if the law is right."""
    used: int = 0
    """Number of peaks or maxima that the law was fitted to."""
    refused: str = ""
    """Short reason why there is no estimate; empty if there is one."""
    text: str = ""


class Tails(msgspec.Struct, frozen=True, kw_only=True):
    """Tail estimates of runs: the values that few samples exceed. `rtstone fit --tail --json` prints them."""

    schema: Literal["rtstone.tails"] = "rtstone.tails"
    version: str = "1.0"
    confidence: float
    runs: tuple[str, ...]
    tails: tuple[Tail, ...]
    notes: tuple[str, ...] = ()
