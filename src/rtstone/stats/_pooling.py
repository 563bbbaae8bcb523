# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The one rule by which results of several sessions are put on one clock, so that they can be pooled (docs/explanation/pooling.md).

Every session may calibrate its clock anew. Sessions of one machine and one clock name whose rates agree within their stated uncertainties
are read on one clock, at the mean of their rates. All others are pooled in nanoseconds, each moved there by its own session's rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import msgspec

from rtstone.model import Bucket, Clock, Extreme, Geometry, Histogram, Moved, Result, Windows

PARTS_OF_NS = 1000
"""Pooled nanoseconds are kept in picoseconds: to round a counter's ticks to whole nanoseconds would move averages of tens of them."""

_PS = PARTS_OF_NS * 1_000_000_000


class PooledClock(Clock, frozen=True, kw_only=True):
    """What pooled results are read on: a clock at its mean rate, or nanoseconds."""

    parts: tuple[Clock, ...]
    """The sessions' own, each once."""

    @property
    def moved(self) -> bool:
        """Whether values were moved to nanoseconds."""
        return self.id < 0

    @property
    def quantum_ns(self) -> float:
        """The coarsest of the steps of its parts (ns)."""
        return max(part.ns(1) for part in self.parts)

    @property
    def spread(self) -> float:
        """How far a part's rate lies from the one that is used, at most, as a share; 0 where each was moved by its own."""
        return 0.0 if self.moved else max(abs(part.hz / self.hz - 1) for part in self.parts)


class Together(msgspec.Struct, frozen=True):
    """Results that may be pooled: their ticks are all of `clock`."""

    results: tuple[Result, ...]
    clock: PooledClock

    @property
    def note(self) -> str:
        """What is to be said at the figure: how unlike clocks were pooled, and what that adds to its error; empty where they are one."""
        if not self.clock.moved:
            return ""
        rates = dict.fromkeys(f"{part.name} at {part.hz / 1e6:.7g} MHz" for part in self.clock.parts)
        told = " and ".join(list(rates)[:3]) + (f" and {len(rates) - 3} more" if len(rates) > 3 else "")
        widths = [2.0 ** (1 - h.geometry.sub_bits) for h in (r.histogram for r in self.results) if h is not None]
        known = f"; percentiles stay known to {max(widths):.2%}" if widths else ""
        return f"pooled in nanoseconds, read on {told}: moving adds {0.5 / PARTS_OF_NS:g} ns at most{known}"


def one_clock(clocks: Iterable[Clock], machines: Iterable[str] = ()) -> bool:
    """Whether these are one clock: of one machine and one name, and some rate lies within the stated uncertainty of all.

    A clock whose uncertainty is 0 has its own rate exactly. ``machines`` are those of the clocks; one that is not told is like any.
    """
    them = tuple(clocks)
    if len({clock.name for clock in them}) > 1 or len(set(filter(None, machines))) > 1:
        return False
    ends = [(_billion(clock, -1), _billion(clock, 1)) for clock in them]
    return max(low for low, _ in ends) <= min(high for _, high in ends)


def _billion(clock: Clock, side: int) -> int:
    """An end of where the rate may lie, in billionths of a hertz: whole numbers, so that equal rates are equal."""
    return clock.hz * (1_000_000_000 + side * clock.uncertainty_ppb)


def together(timed: Sequence[tuple[Result, Clock]], machines: Sequence[str] = ()) -> Together:
    """These results on one clock, in their order. ``machines``: for each the machine that it is of, where that is known.

    Raises ValueError for none, and for a clock without a rate.
    """
    if not timed:
        raise ValueError("there is no result to pool")
    clocks = [clock for _, clock in timed]
    if any(clock.hz <= 0 for clock in clocks):
        raise ValueError("a clock has no rate")
    parts = tuple(dict.fromkeys(clocks))
    if one_clock(clocks, machines):
        mean = round(Fraction(sum(clock.hz for clock in clocks), len(clocks)))
        told = msgspec.structs.asdict(parts[0])
        told |= {"hz": mean, "uncertainty_ppb": max(clock.uncertainty_ppb for clock in clocks)}
        told["resolution_ticks"] = max(
            (c.resolution_ticks for c in parts if c.resolution_ticks is not None), default=None
        )
        return Together(tuple(result for result, _ in timed), PooledClock(**told, parts=parts))
    steps = [round(Fraction((clock.resolution_ticks or 1) * _PS, clock.hz)) for clock in parts]
    clock = PooledClock(
        id=-1,
        name="nanoseconds",
        hz=_PS,
        source="each session's own rate",
        uncertainty_ppb=max(clock.uncertainty_ppb for clock in clocks),
        resolution_ticks=max(1, *steps),
        parts=parts,
    )
    return Together(tuple(_moved(result, Fraction(_PS, of.hz)) for result, of in timed), clock)


def _moved(result: Result, ratio: Fraction) -> Result:
    """A result in the ticks of another clock, of which one of its own is so many."""

    to = _to(ratio)
    total, squares = to(result.sum), _to(ratio * ratio)(result.sumsq)
    if result.count:  # rounding makes no sums that no values have
        squares = max(squares, -(-total * total // result.count))
    return msgspec.structs.replace(
        result,
        min=None if result.min is None else to(result.min),
        max=None if result.max is None else to(result.max),
        sum=total,
        sumsq=squares,
        elapsed=to(result.elapsed),
        batches=tuple(map(to, result.batches)),
        histogram=None if result.histogram is None else moved([(result.histogram, ratio)]),
        extremes=tuple(Extreme(to(one.value), one.index, to(one.at)) for one in result.extremes),
        windows=None
        if result.windows is None
        else Windows(to(result.windows.width), tuple(None if m is None else to(m) for m in result.windows.maxima)),
        events=tuple(msgspec.structs.replace(event, at=to(event.at), ticks=to(event.ticks)) for event in result.events),
        samples=None if result.samples is None else _samples(result.samples, ratio),
    )


def _to(ratio: Fraction) -> Callable[[int], int]:
    """What a number of ticks is on the other clock, rounded as :func:`round` does. Whole numbers: there are thousands of buckets."""
    up, down = ratio.numerator, ratio.denominator

    def to(ticks: int) -> int:
        whole, rest = divmod(ticks * up, down)
        return whole + (2 * rest > down or (2 * rest == down and whole & 1))

    return to


def _samples(raw: bytes, ratio: Fraction) -> bytes | None:
    """Raw samples on the other clock; None where 64 bits do not hold them there."""
    import numpy as np

    values = np.frombuffer(raw, dtype="<i8").astype(np.longdouble) * (
        np.longdouble(ratio.numerator) / np.longdouble(ratio.denominator)
    )
    if values.size and max(float(values.max()), -float(values.min())) >= 2.0**63:
        return None
    made: bytes = np.rint(values).astype("<i8").tobytes()
    return made


def moved(parts: Iterable[tuple[Histogram, Fraction]]) -> Moved:
    """One histogram of several, the edges of each one's buckets moved by its ratio. Counts stay what they are."""
    counts: Counter[tuple[int, int]] = Counter()
    bottoms, tops, overflow, bits = [], [], 0, []
    for histogram, ratio in parts:
        to = _to(ratio)
        for bucket in histogram.buckets():
            counts[to(bucket.low), to(bucket.high)] += bucket.count
        bottoms.append(to(histogram.bottom))
        tops.append(to(histogram.top))
        overflow += histogram.overflow
        bits.append(histogram.geometry)
    buckets = [Bucket(low, high, count) for (low, high), count in counts.items()]
    return Moved(
        geometry=min(bits, key=_coarseness),
        overflow=overflow,
        edges=tuple(sorted(buckets, key=lambda b: (b.high, b.low))),
        lows=tuple(sorted(buckets, key=lambda b: (b.low, b.high))),
        ends=(max(bottoms), min(tops)),
    )


def _coarseness(geometry: Geometry) -> int:
    return geometry.sub_bits
