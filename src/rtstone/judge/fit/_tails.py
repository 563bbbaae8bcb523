# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Estimates, for each quantity and load, the value that one in so many samples exceeds, or refuses with a reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rtstone import stats
from rtstone.judge.fit._gather import definition_words, platforms, run_doubts
from rtstone.judge.fit._model import Tail, Tails
from rtstone.model import Clock, Result, Run, Variant, Windows
from rtstone.model.variant import words
from rtstone.stats import CONFIDENCE

_FITS = 0.01
"""Windows count as a whole fraction of the widest if the ratio is this near to a whole number."""

_DECADES = 2
"""Default number of estimates. The rarest is up to ten times rarer than one in all samples, the limit of `stats`."""


class _TailSeries(msgspec.Struct):
    """A quantity's repetitions under one variant, on one platform."""

    platform: str
    parts: list[tuple[Result, Clock]] = []


def tails(
    runs: Sequence[Run],
    *,
    once_in: Sequence[float] = (),
    names: Sequence[str] = (),
    confidence: float = CONFIDENCE,
) -> Tails:
    """Tail estimates of the single operations of these runs; `names` selects measurements or quantities.

    `once_in`: the rarities (one in so many samples). The default is P and 10 P, where P is the largest power of ten up
    to the number of samples. Raises ValueError for a rarity that is not above 1.
    """
    if any(not (rarity > 1 and math.isfinite(rarity)) for rarity in once_in):
        raise ValueError("once in how many samples? In more than one")
    found: dict[tuple[str, str, str, Variant], _TailSeries] = {}
    of = platforms(runs)
    apart = definition_words(runs, of)
    for r, run in enumerate(runs):
        for s, session in enumerate(run.sessions):
            for n, result in enumerate(session.results):
                v = result.variant
                if result.status != "ok" or v.pass_ != "single" or result.count == 0:
                    continue
                if names and not {result.measurement, result.quantity} & set(names):
                    continue
                on = ", ".join(filter(None, (of[r], apart.get((r, s, n), ""))))
                series = found.setdefault((on, result.measurement, result.quantity, v), _TailSeries(on))
                series.parts.append((result, session.clock(result.clock)))
    rows = []
    notes: list[str] = []
    there: dict[str, list[Variant]] = {}
    for _, _, quantity, variant in found:
        there.setdefault(quantity, []).append(variant)
    for series in found.values():
        common = stats.together(series.parts)
        whole = _whole(common.results)
        notes += filter(None, [common.note])
        for rarity in once_in or _rarities(whole.count):
            rows.append(
                _tail(
                    series.platform,
                    common.clock,
                    whole,
                    rarity,
                    confidence,
                    words(whole.variant, there[whole.quantity], without=("pass_",)),
                )
            )
    notes = [
        *(f"doubtful: {text}" for text in run_doubts(runs)),
        *dict.fromkeys(notes),
        "an estimate by a law fitted to the largest samples, not a bound: it holds for circumstances like those measured",
    ]
    if any(run.time == "instruction-time" for run in runs):
        notes.append("instruction-time of a virtual board: path length and blocking, not the time of real hardware")
    if any(run.time == "emulated-time" for run in runs):
        notes.append("emulated time of a virtual board: not deterministic, no speed of hardware")
    return Tails(confidence=confidence, runs=tuple(run.id for run in runs), tails=tuple(rows), notes=tuple(notes))


def _rarities(count: int) -> list[float]:
    top = math.floor(math.log10(count * 10)) if count > 1 else 1
    return [10.0**k for k in range(max(1, top - _DECADES + 1), top + 1)]


def _whole(parts: Sequence[Result]) -> Result:
    """The repetitions joined in sequence. Samples and windows keep their order."""
    first = parts[0]
    if len(parts) == 1:
        return first
    raw = [part.samples for part in parts]
    return msgspec.structs.replace(
        first,
        count=sum(part.count for part in parts),
        max=max((part.max for part in parts if part.max is not None), default=None),
        samples=b"".join(s for s in raw if s) if all(raw) else None,
        windows=_joined([part.windows for part in parts]),
    )


def _joined(parts: Sequence[Windows | None]) -> Windows | None:
    """All windows in sequence; narrow ones are joined to the width of the widest. None if they do not fit into it.

    Windows that were converted to nanoseconds from clocks of different rates differ slightly in width. This is too
    little to change an estimate.
    """
    widest = max((one.width for one in parts if one is not None), default=0)
    maxima: list[int | None] = []
    for one in parts:
        if one is None or one.width <= 0:
            return None
        together = round(widest / one.width)
        if abs(widest / one.width - together) > _FITS:
            return None
        for first in range(0, len(one.maxima), together):
            maxima.append(max((m for m in one.maxima[first : first + together] if m is not None), default=None))
    return Windows(widest, tuple(maxima))


def _tail(
    on: str, clock: stats.PooledClock, whole: Result, rarity: float, confidence: float, circumstances: str
) -> Tail:
    v = whole.variant
    row = Tail(
        platform=on,
        measurement=whole.measurement,
        quantity=whole.quantity,
        load=v.load,
        circumstances=circumstances,
        period_ns=v.period_ns,
        samples=whole.count,
        max_ns=None if whole.max is None else clock.ns(whole.max),
        once_in=rarity,
    )
    made = stats.tail_of(whole, 1 / rarity, quantum=clock.resolution_ticks or 1, confidence=confidence)
    if isinstance(made, stats.TailRefusal):
        return msgspec.structs.replace(row, refused=made.reason, text=made.text)
    return msgspec.structs.replace(
        row,
        value_ns=clock.ns(made.value),
        low_ns=clock.ns(made.low),
        high_ns=clock.ns(made.high),
        model=made.model,
        shape=made.shape,
        shape_low=made.shape_low,
        shape_high=made.shape_high,
        scale_ns=clock.ns(made.scale),
        location_ns=clock.ns(made.location),
        fit_p=made.fit_p,
        used=made.used,
        text=made.choice,
    )
