# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws the state so far: a screen of the terminal's size, or one line without a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rtstone.model import Figure, LoadFigure
from rtstone.model.units import count, counted, duration
from rtstone.model.variant import words
from rtstone.show.tables import Span, TextLine
from rtstone.show.watch._state import PERCENTS, State, WatchedSeries

_PERCENTILES = tuple(zip(("median", "p99", "p99.9"), PERCENTS, strict=True))
_NUMBER = 8
_WIDE = 80
_LEAST_LABEL = 12
_BARS = 10
_LEAST_BARS = 3
_DOUBTS = 3
_SERIES = 8
_BLOCKS = " ▏▎▍▌▋▊▉█"
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def frame(
    state: State, heading: str, elapsed_s: float, *, width: int = 80, height: int = 24, ending_s: float | None = None
) -> list[TextLine]:
    """The screen. No line is longer than `width`, and the histogram has the lines that `height` leaves.

    `ending_s`: seconds until the current slice ends, if the user asked to stop.
    """
    right = f"{clock_time(elapsed_s)}, {counted(state.slices, 'slice')}"
    above: list[TextLine] = [
        [Span(_cut(heading, width - len(right) - 2).ljust(width - len(right)), "bold"), Span(right)]
    ]
    main = state.main
    if main is None:
        above.append([Span("measuring the first slice …" if not state.skipped else "nothing measured yet", "dim")])
    else:
        above += [*_table(state, main, width), *_worst(state, width)]
    below = list(_circumstances(state, width))
    end = "Ctrl-C ends, after the slice under way"
    if ending_s is not None:
        end = f"ending after this slice, in about {max(0.0, ending_s):.0f} s; Ctrl-C again cuts it short"
    below.append([Span(_cut(end, width), "dim")])
    bars = min(_BARS, height - 1 - len(above) - len(below) - 2)
    if main is not None and bars >= _LEAST_BARS:
        above += [[], *_histogram(main, width, bars), []]
    return above + below


def _circumstances(state: State, width: int) -> Iterator[TextLine]:
    """The load's achievement, the system's counters, and reservations about the figures."""
    if state.load:
        yield [Span(_cut(f"load {_load(state.load)}", width))]
    if counted := _system(state.figures):
        yield [Span(_cut(counted, width))]
    for text in state.substitutes:
        yield [Span(_cut(f"substituted: {text}", width), "dim")]
    for text in state.skipped:
        yield [Span(_cut(f"not measured: {text}", width), "yellow")]
    for text in state.degraded:
        yield [Span(_cut(f"degraded: {text}", width), "yellow")]
    for text, times in list(state.doubts.items())[:_DOUBTS]:
        yield [Span(_cut(f"{times}x {text}", width), "bold red")]


def one_line(state: State, elapsed_s: float) -> str:
    """The most important figures in one line."""
    main = state.main
    if main is None:
        return f"{clock_time(elapsed_s)}: nothing measured yet"
    parts = [f"{counted(main.count, 'sample')}"]
    for name, percent in _PERCENTILES:
        value = main.figures.shown_percentile(percent)
        parts += [f"{name} {duration(value)}"] if value is not None else []
    if state.worst is not None:
        made = f" ({state.worst.stages_ns[0][0]})" if state.worst.stages_ns else ""
        parts.append(f"max. observed {duration(state.worst.value_ns)}{made}")
    if state.doubts:
        parts.append(f"{sum(state.doubts.values())} doubtful results")
    return f"{clock_time(elapsed_s)}: {main.quantity}: {', '.join(parts)}"


def clock_time(seconds: float) -> str:
    """A duration as hours, minutes and seconds: 0:01:23."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _table(state: State, main: WatchedSeries, width: int) -> Iterator[TextLine]:
    size, unit = next(((s, u) for s, u in _UNITS if (main.figures.percentiles[50] or 0) >= s), _UNITS[-1])
    names = ("samples", "min", *(name for name, _ in _PERCENTILES), "max")
    number = _NUMBER if width >= _WIDE else _NUMBER - 1
    label = max(_LEAST_LABEL, width - len(names) * (number + 1))
    yield [Span(f"{unit}".ljust(label) + "".join(name.rjust(number + 1) for name in names), "dim")]
    several = len({(one.measurement, one.variant) for one in state.series.values()}) > 1
    for one in list(state.series.values())[:_SERIES]:
        values = [one.figures.shown_percentile(percent) for _, percent in _PERCENTILES]
        cells = [_count(one.count), *(_number(v, size) for v in (one.figures.min, *values, one.figures.max))]
        like = (variant for _, quantity, variant in state.series if quantity == one.quantity)
        name = ("  " if one.stage else "") + one.quantity + (f", {words(one.variant, like)}" if several else "")
        style = "bold" if one is main else ""
        yield [
            Span(_cut(name, label).ljust(label), style),
            Span("".join(cell.rjust(number + 1) for cell in cells), style),
        ]
    if len(state.series) > _SERIES:
        yield [Span(f"and {len(state.series) - _SERIES} more", "dim")]


def _worst(state: State, width: int) -> Iterator[TextLine]:
    worst = state.worst
    if worst is None:
        return
    said = f"largest so far: {duration(worst.value_ns)}, after {clock_time(worst.at_s)}"
    yield [Span(_cut(said, width), "bold")]
    if worst.stages_ns:
        made = ", ".join(f"{name} {duration(value)}" for name, value in worst.stages_ns)
        yield [Span(_cut(f"  made by {made}", width))]
    elif worst.staged:
        yield [Span("  the kernel reported no stages of that sample", "dim")]
        split = state.worst_split
        if split is not None:
            made = ", ".join(f"{name} {duration(value)}" for name, value in split.stages_ns)
            yield [Span(_cut(f"  largest with stages: {duration(split.value_ns)}: {made}", width))]


def _histogram(one: WatchedSeries, width: int, bars: int) -> Iterator[TextLine]:
    """Bars over a logarithmic scale of time; their length is the logarithm of the count."""
    pool, clock = one.pooled
    if pool.histogram is None or pool.min is None or pool.max is None:
        return
    low, high = max(1, pool.min), max(2, pool.max)
    step = math.log(high / low * (1 + 1e-9)) / bars if high > low else 0.0
    bars = bars if step > 0 else 1
    counts = [0] * bars
    for bucket in pool.histogram.buckets():
        middle = min(max((bucket.low + bucket.high) / 2, low), high)
        counts[min(bars - 1, int(math.log(middle / low) / step)) if step else 0] += bucket.count
    counts[-1] += pool.histogram.overflow
    most = math.log1p(max(counts))
    label = 20
    room = max(10, width - label - _NUMBER - 3)
    for i, held in enumerate(counts):
        edges = [duration(clock.ns(low * math.exp(step * k))) for k in (i, i + 1)]
        bar = _bar(math.log1p(held) / most * room if most else 0.0)
        text = f"{edges[0]} … {edges[1]}".rjust(label)
        yield [Span(f"{text} ", "dim"), Span(bar.ljust(room), "cyan"), Span(_count(held).rjust(_NUMBER + 1))]


def _bar(length: float) -> str:
    eighths = round(length * 8)
    return _BLOCKS[8] * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else "")


def _load(figures: Sequence[LoadFigure]) -> str:
    """The achievement of each load, as rates if its time is known."""
    parts = []
    for name in dict.fromkeys(figure.load for figure in figures):
        own = {figure.key: figure.value for figure in figures if figure.load == name}
        seconds = own.pop("elapsed_ns", 0) / 1e9
        said = []
        for key, value in own.items():
            if key == "cpu_time_ns" and seconds:
                said.append(f"{value / 1e9 / seconds:.0%} of a CPU")
            elif key in {"intensity", "programs"} or key.endswith("_per_s") or not seconds:
                said.append(f"{key.replace('_', ' ')} {_count(value)}")
            else:
                said.append(f"{key.replace('_', ' ')} {_count(round(value / seconds))}/s")
        parts.append(f"{name}: {', '.join(said)}")
    return "; ".join(parts)


def _system(figures: Sequence[Figure]) -> str:
    """The counters of the target's system in the last slice, per second."""
    own = {figure.name: figure.value for figure in figures}
    seconds = own.get("system-elapsed", 0) / 1e9
    if seconds <= 0:
        return ""
    said = []
    for key, called in (("system-interrupts", "interrupts"), ("system-context-switches", "context switches")):
        if key in own:
            said.append(f"{called} {_count(round(own[key] / seconds))}/s")
    if own.get("system-steal"):
        said.append(f"stolen by the host {own['system-steal'] / 1e9 / seconds:.1%}")
    if own.get("system-throttled-periods"):
        said.append(
            f"stopped by the CPU quota in {own['system-throttled-periods']} of {own['system-quota-periods']} periods"
        )
    return ", ".join(said)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def _count(value: int) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:.2f}{unit}"
    return count(value)


def _number(value: float | None, size: float) -> str:
    if value is None:
        return "–"
    scaled = value / size
    places = 0 if abs(scaled) >= 1000 else 1 if abs(scaled) >= 100 else 2
    return f"{scaled:.{places}f}"
