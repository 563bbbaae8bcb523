# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of a platform, and the answer: levels, ways of handling, rows of evidence; and tails."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.judge.fit._levels import LevelName, Role

Verdict = Literal["meets", "does not meet", "not shown", "not measured"]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A requirement: each period's interrupt is answered within the deadline, but for a share of them."""

    period_ns: int
    deadline_ns: float
    exceedance: float = 1e-6
    """Most that may miss the deadline, as a share."""
    confidence: float = 0.95
    """With which that must be shown, of all rows together; one-sided."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of one way of handling under one load."""

    load: str
    role: Role
    measurements: tuple[str, ...] = ()
    """Of the role `sum` the figures are of the parts together, at the division of the deadline that says most."""
    quantities: tuple[str, ...] = ()
    samples: int = 0
    repetitions: int = 0
    period_ns: int = 0
    """At which they were measured."""
    misses: int = 0
    """Counted above the deadline, at least."""
    misses_most: int = 0
    """The same at most: those of the bucket that holds the deadline, and samples whose time is not known, included."""
    exceedance: float | None = None
    """Observed share of misses (of `misses_most`)."""
    exceedance_bound: float | None = None
    """The true share is at most this (Clopper-Pearson, one-sided), with the confidence that all such bounds hold together."""
    per_hour: float | None = None
    """Misses in an hour of that period, as observed."""
    per_hour_bound: float | None = None
    """The same at most."""
    max_ns: float | None = None
    """Maximum observed."""
    verdict: Verdict = "not measured"
    needed: int = 0
    """Samples, measured anew, that decide it in nine of ten cases or more if misses go on at the observed share.
    0: it is decided, or they cannot."""
    why: str = ""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One way to get to a level; its verdict is that of its worst load."""

    name: str
    verdict: Verdict
    rows: tuple[Row, ...]


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A level at which the interrupt can be handled; its verdict is that of its best way."""

    platform: str
    """The target, with its kernel."""
    level: LevelName
    verdict: Verdict
    ways: tuple[Way, ...] = ()
    why: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Verdicts for all levels of the platforms that the runs are of."""

    schema: Literal["rtstone.fit"] = "rtstone.fit"
    version: str = "1.1"
    asked: Asked
    outcome: Verdict
    """The best of all levels."""
    levels: tuple[Level, ...]
    runs: tuple[str, ...]
    loads: tuple[str, ...]
    rows_able: int = 0
    """How many rows can show that a way meets it; they share what the confidence leaves (Bonferroni)."""
    rows_liable: int = 0
    """How many can show that a way does not; so do they."""
    count_needed: int = 0
    """Samples of each item that decide all that is not shown in nine of ten cases; 0: nothing is left to decide."""
    notes: tuple[str, ...] = ()


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """What is exceeded once in so many samples of a quantity: an estimate by a fitted law, or the reason why there is none."""

    platform: str
    measurement: str
    quantity: str
    load: str
    circumstances: str = ""
    """All of them in words, as far as they are out of the usual or differ among these tails."""
    period_ns: int
    samples: int
    max_ns: float | None
    """Maximum observed."""
    once_in: float
    """Samples: one in so many is longer."""
    value_ns: float | None = None
    low_ns: float | None = None
    high_ns: float | None = None
    model: Literal["GPD", "GEV", ""] = ""
    shape: float | None = None
    """Above 0: the law has no end."""
    shape_low: float | None = None
    shape_high: float | None = None
    scale_ns: float | None = None
    location_ns: float | None = None
    fit_p: float | None = None
    """Anderson-Darling: how likely data that fit this badly are if the law is right."""
    used: int = 0
    """Peaks or maxima that the law was fitted to."""
    refused: str = ""
    """Short reason; empty where there is an estimate."""
    text: str = ""


class Tails(msgspec.Struct, frozen=True, kw_only=True):
    """Tail estimates of runs."""

    schema: Literal["rtstone.tails"] = "rtstone.tails"
    version: str = "1.0"
    confidence: float
    runs: tuple[str, ...]
    tails: tuple[Tail, ...]
    notes: tuple[str, ...] = ()
