# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The one rule that puts results of several sessions on one clock, to pool them (docs/explanation/pooling.md).

Every session may calibrate its clock again. Sessions of one machine and one clock name, whose rates agree within their
stated uncertainties, are read on one clock, at the mean of their rates. All others are pooled in nanoseconds; each is
converted by its own session's rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import msgspec

from rtstone.model import Bucket, Clock, Extreme, Geometry, Histogram, Moved, Result, Windows

PARTS_OF_NS = 1000
"""Pooled nanoseconds are stored in picoseconds: with whole nanoseconds, rounding a counter's ticks would shift averages
of tens of nanoseconds."""

_PS = PARTS_OF_NS * 1_000_000_000


class PooledClock(Clock, frozen=True, kw_only=True):
    """The clock of pooled results: a clock at its mean rate, or nanoseconds."""

    parts: tuple[Clock, ...]
    """The sessions' own clocks, each once."""

    @property
    def moved(self) -> bool:
        """Whether values were converted to nanoseconds."""
        return self.id < 0

    @property
    def quantum_ns(self) -> float:
        """The coarsest of the steps of its parts (ns)."""
        return max(part.ns(1) for part in self.parts)

    @property
    def spread(self) -> float:
        """Largest deviation of a part's rate from the used one, as a share; 0 if each was converted by its own rate."""
        return 0.0 if self.moved else max(abs(part.hz / self.hz - 1) for part in self.parts)


class Together(msgspec.Struct, frozen=True):
    """Results that may be pooled: their ticks are all of `clock`."""

    results: tuple[Result, ...]
    clock: PooledClock

    @property
    def note(self) -> str:
        """A note for the figure: which clocks were pooled, and how much error that adds; empty if they are one."""
        if not self.clock.moved:
            return ""
        rates = dict.fromkeys(f"{part.name} at {part.hz / 1e6:.7g} MHz" for part in self.clock.parts)
        clocks = " and ".join(list(rates)[:3]) + (f" and {len(rates) - 3} more" if len(rates) > 3 else "")
        widths = [2.0 ** (1 - h.geometry.sub_bits) for h in (r.histogram for r in self.results) if h is not None]
        known = f"; percentiles stay known to {max(widths):.2%}" if widths else ""
        return f"pooled in nanoseconds, read on {clocks}: moving adds {0.5 / PARTS_OF_NS:g} ns at most{known}"


def one_clock(clocks: Iterable[Clock], machines: Iterable[str] = ()) -> bool:
    """Whether these are one clock: one machine, one name, and some rate lies within the stated uncertainty of all.

    A clock with an uncertainty of 0 has exactly its stated rate. ``machines`` are those of the clocks; an unknown
    machine (empty) matches any.
    """
    them = tuple(clocks)
    if len({clock.name for clock in them}) > 1 or len(set(filter(None, machines))) > 1:
        return False
    ends = [(_billion(clock, -1), _billion(clock, 1)) for clock in them]
    return max(low for low, _ in ends) <= min(high for _, high in ends)


def _billion(clock: Clock, side: int) -> int:
    """One end of the range of the rate, in billionths of a hertz: whole numbers, so that equal rates compare equal."""
    return clock.hz * (1_000_000_000 + side * clock.uncertainty_ppb)


def together(timed: Sequence[tuple[Result, Clock]], machines: Sequence[str] = ()) -> Together:
    """These results on one clock, in their order. ``machines``: the machine of each result, if known.

    Raises ValueError without a result, and for a clock without a rate.
    """
    if not timed:
        raise ValueError("there is no result to pool")
    clocks = [clock for _, clock in timed]
    if any(clock.hz <= 0 for clock in clocks):
        raise ValueError("a clock has no rate")
    parts = tuple(dict.fromkeys(clocks))
    if one_clock(clocks, machines):
        mean = round(Fraction(sum(clock.hz for clock in clocks), len(clocks)))
        fields = msgspec.structs.asdict(parts[0])
        fields |= {"hz": mean, "uncertainty_ppb": max(clock.uncertainty_ppb for clock in clocks)}
        fields["resolution_ticks"] = max(
            (c.resolution_ticks for c in parts if c.resolution_ticks is not None), default=None
        )
        return Together(tuple(result for result, _ in timed), PooledClock(**fields, parts=parts))
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
    """A result in the ticks of another clock; one tick of its own clock is `ratio` ticks of the other."""

    to = _to(ratio)
    total, squares = to(result.sum), _to(ratio * ratio)(result.sumsq)
    if result.count:  # rounding must not make impossible sums
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
    """A function that converts ticks to the other clock, rounded as :func:`round` does.

    It computes with whole numbers, because there are thousands of buckets.
    """
    up, down = ratio.numerator, ratio.denominator

    def to(ticks: int) -> int:
        whole, rest = divmod(ticks * up, down)
        return whole + (2 * rest > down or (2 * rest == down and whole & 1))

    return to


def _samples(raw: bytes, ratio: Fraction) -> bytes | None:
    """Raw samples on the other clock; None if 64 bits cannot hold them there."""
    import numpy as np

    values = np.frombuffer(raw, dtype="<i8").astype(np.longdouble) * (
        np.longdouble(ratio.numerator) / np.longdouble(ratio.denominator)
    )
    if values.size and max(float(values.max()), -float(values.min())) >= 2.0**63:
        return None
    made: bytes = np.rint(values).astype("<i8").tobytes()
    return made


def moved(parts: Iterable[tuple[Histogram, Fraction]]) -> Moved:
    """One histogram of several. Each one's bucket edges are multiplied by its ratio. The counts do not change."""
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
