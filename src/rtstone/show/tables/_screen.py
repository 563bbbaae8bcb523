# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The first screen: what a command measured in at most 40 lines of 100 characters, doubts first. `rtstone show` has the rest."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.model.idle import OTHERS, OTHERS_MOST, STEAL, STEAL_MOST
from rtstone.model.labels import hypervisor
from rtstone.model.units import counted
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _derived as derive
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import TITLES, Circumstance, Outcome, circumstances, find
from rtstone.show.tables._quantities import Published, Quantity, outcome, quantities, typical
from rtstone.show.tables._text import Span, TextLine
from rtstone.studies import FormulaError, Study, evaluate, study
from rtstone.studies.conditions import Finding, judge

LINES_MOST = 40
WIDTH = 100
_ROWS_MOST = 22
_LABEL = 29
_FIGURES = ("p50", "p99.9", "max")
_FIGURE = 7
_PUBLISHED = 16
_LABEL_LEAST = 12
_LABEL_MOST = 37
_MATTER = ("interrupt-task-response", "interrupt-service-response", "thread-wake-up", "context-switch-delay")
"""Of many targets these are shown; where a run has not three of them, the study's first rows."""


def first_screen(
    runs: Sequence[Run], studies: Sequence[Study], width: int = WIDTH, *, chart: bool = False
) -> list[TextLine]:
    """The machine and what makes its figures doubtful; a line a quantity, or of several runs a line a run; the conditions; no more.

    `chart`: with a bar in each quantity's line, where its characters can be shown.
    """
    times, rates = quantities(studies)
    head = list(_machines(runs, width))
    tail = [line for of in studies if of.conditions for line in _conditions(runs, of, width)]
    if len(runs) == 1:
        tail = [*_rates(runs[0], rates, width), *tail]
        body = _by_quantity(runs[0], times, width, LINES_MOST - len(head) - len(tail), chart=chart)
    else:
        body = list(_by_run(runs, times, width))
    return [*head, *body, *tail][:LINES_MOST]


# ---- the machine -----------------------------------------------------------------------------------------------------


def doubts(run: Run, beside: Sequence[Run] = ()) -> tuple[str, ...]:
    """What makes a run's figures doubtful, the gravest first; nothing where nothing does. `beside`: the runs that are shown with it."""
    found = []
    if run.error:
        found.append(f"the run failed: {run.error}")
    elif run.status != "complete":
        found.append(f"the run is {run.status}")
    found += [f"degraded: {d.reason}" for d in run.degraded]
    if labels.beside_other_platforms(run, beside):
        found.append("boards of several platforms, not comparable with each other")
    if run.time != "time":
        return (*found, f"{labels.unit_of_time(run)}: no time of silicon")
    steal, others = _percent(run, STEAL), _percent(run, OTHERS)
    if steal > STEAL_MOST:
        found.append(f"steal time {steal:g} %")
    if others > OTHERS_MOST and any(r.variant.load == "none" for r in run.results()):
        found.append(f"not idle: {others:g} % used by others")
    virtual = next((v for s in run.sessions if (v := s.env.get("machine.virtualisation", "none")) != "none"), "")
    if virtual:
        found.append(f"virtual machine ({hypervisor(virtual)})")
    return tuple(dict.fromkeys(found))


def _percent(run: Run, key: str) -> float:
    try:
        return float(run.host.get(key, "0"))
    except ValueError:
        return 0.0


def _machines(runs: Sequence[Run], width: int) -> Iterator[TextLine]:
    """What is doubtful, once for all the runs of which it is true; then, of a single run, what machine it is."""
    names = labels.names(runs)
    told: dict[str, list[str]] = {}
    for run, name in zip(runs, names, strict=True):
        if found := doubts(run, runs):
            told.setdefault("; ".join(found), []).append(name)
    for text, of in list(told.items())[:3]:
        whose = (
            "" if len(of) == len(runs) else f"{', '.join(of[:2])}{f' and {len(of) - 2} more' if len(of) > 2 else ''}: "
        )
        for line in _folded(f"Doubtful: {whose}{text}", width, 2):
            yield [Span(line, "yellow")]
    if len(runs) == 1:
        run, env = runs[0], runs[0].sessions[0].env if runs[0].sessions else {}
        cpus = f"{count} CPUs" if (count := env.get("cpu.count", "")) not in {"", "1"} else ""
        yield [
            Span(_cut(", ".join(filter(None, (names[0], run.kernel(), env.get("cpu.model", ""), cpus))), width), "bold")
        ]


# ---- a line a quantity -----------------------------------------------------------------------------------------------


def _by_quantity(run: Run, times: Sequence[Quantity], width: int, room: int, *, chart: bool) -> list[TextLine]:
    """A line a quantity, and below them as many of its notes as `room` lines have place for."""
    found = {
        q.label: {c: o for c in circumstances(run, (q.single, q.batch)) if (o := outcome(run, q, c)) is not None}
        for q in times
    }
    order = sorted({c: None for outcomes in found.values() for c in outcomes}, key=lambda c: c.load != "none")
    measured = [q for q in times if found[q.label]]
    if not measured:
        return []
    shown = measured[:_ROWS_MOST]
    block = len(_FIGURES) * _FIGURE + 1
    columns = order[: max(1, (width - _LABEL - _PUBLISHED) // block)]
    rest = width - block * len(columns)
    published = {q.label: f"{p.value} {p.platform}" for q in shown if (p := q.fastest()) is not None}
    beside = _PUBLISHED if published else 0
    told = Notes()
    every = dict.fromkeys(text for q in shown for o in found[q.label].values() for text in _remarks(o))
    fit = max(0, room - len(shown) - 3)
    kept = [*every][: fit if len(every) <= fit else max(0, fit - 1)]
    marks = {
        q.label: form.marks(told.marks(t for t in kept if any(t in _remarks(o) for o in found[q.label].values())))
        for q in shown
    }
    wanted = max(len(q.label) + len(marks[q.label]) for q in shown) + 1
    bar = _Axis(shown, found, rest - beside - min(wanted, _LABEL), columns[0]) if chart else None
    label = min(wanted, rest - beside - (bar.width if bar else 0))

    heads = "µs".ljust(label) + (bar.title() if bar else "") + "".join(f"{c.title():>{block}}" for c in columns)
    lines: list[TextLine] = [[Span(heads, "bold")]]
    names = "".join(" " + "".join(f"{name:>{_FIGURE}}" for name in _FIGURES) for _ in columns)
    under = " " * label + (bar.legend() if bar else "") + names + ("  best published" if published else "")
    lines.append([Span(under, "dim")])
    own = sum(q.single.quantity not in TITLES for q in times) - sum(q.single.quantity not in TITLES for q in measured)
    left = [
        f"{counted(len(measured) - len(shown), 'more quantity')}" if len(measured) > len(shown) else "",
        f"{left_out} more load{'s' if left_out > 1 else ''}" if (left_out := len(order) - len(columns)) else "",
        f"{own} not measured here" if own > 0 else "",
    ]
    for q in shown:
        at = marks[q.label]
        spans = [Span((_shortened(q.label, label - 1 - len(at)) + at).ljust(label))]
        if bar is not None:
            spans.append(Span(bar.drawn(found[q.label].get(columns[0]), q.fastest()), "cyan"))
        spans += [Span(" " + _figures(found[q.label].get(c)), "bold") for c in columns]
        lines.append([*spans, Span("  " + _cut(published.get(q.label, ""), beside - 2), "dim")])
    left.append(f"{counted(len(every) - len(kept), 'more note')}" if len(every) > len(kept) else "")
    lines += [[Span(_cut(f"{form.marks((i,))} {text}", width), "dim")] for i, text in enumerate(told.texts(), 1)]
    if any(left):
        lines.append([Span(f"… {', '.join(filter(None, left))}", "dim")])
    return lines


def _remarks(outcome: Outcome) -> tuple[str, ...]:
    """What is noted at a cell, what makes it doubtful first."""
    return tuple(filter(None, (outcome.fault, *outcome.notes)))


class _Axis:
    """A logarithmic strip for one circumstance: full to the median, dark to the 99.9th percentile, light to the maximum observed."""

    _LEAST, _MOST = 10, 40

    def __init__(
        self,
        shown: Sequence[Quantity],
        found: Mapping[str, Mapping[Circumstance, Outcome]],
        room: int,
        under: Circumstance,
    ) -> None:
        self._under = under
        self.width = max(self._LEAST, min(room, self._MOST))
        self._cells = self.width - 1
        us = [value for q in shown for value in self._values(found[q.label].get(under)) if value > 0]
        us += [p.us for q in shown if (p := q.fastest()) is not None]
        self._low, self._high = (min(us) / 2, max(us)) if us else (0.1, 1.0)

    @staticmethod
    def _values(outcome: Outcome | None) -> list[float]:
        """Median, percentile where there is one, and maximum (µs)."""
        figures = typical(outcome) if outcome is not None else None
        if figures is None or outcome is None or outcome.clock is None:
            return []
        return [outcome.clock.ns(ticks) / 1000 for ticks in figures if ticks is not None]

    def title(self) -> str:
        """What the strip is of."""
        return f"{_cut(self._under.title(), self._cells - 4)}, log".ljust(self.width)

    def legend(self) -> str:
        """Where the strip begins and ends."""
        ends = f"{self._low:.1g}", form.number(self._high)
        return (ends[0] + ends[1].rjust(self._cells - len(ends[0]))).ljust(self.width)

    def drawn(self, outcome: Outcome | None, published: Published | None) -> str:
        """A line's strip, and a mark where the best published figure lies."""
        values = self._values(outcome)
        cells = [" "] * self._cells
        if values:
            ends = [self._place(value) for value in values]
            for i in range(ends[-1] + 1):
                cells[i] = "█" if i <= ends[0] else "▓" if len(ends) > 2 and i <= ends[1] else "░"
        if published is not None:
            cells[self._place(published.us)] = "┃"
        return "".join(cells) + " "

    def _place(self, us: float) -> int:
        if us <= self._low:
            return 0
        return min(self._cells - 1, int(math.log(us / self._low) / math.log(self._high / self._low) * self._cells))


def _figures(outcome: Outcome | None) -> str:
    """Median, 99.9th percentile and maximum observed, each in its own place; of sets the average and the largest average."""
    if outcome is None or outcome.pool is None or outcome.clock is None:
        return form.ABSENT.rjust(_FIGURE) + " " * _FIGURE * 2
    pool, clock, found = outcome.pool, outcome.clock, typical(outcome) or ()
    texts = [
        form.ABSENT if ticks is None else cells.microseconds(ticks, clock, averaged=bool(pool.averages))
        for ticks in found
    ]
    if outcome.fault:
        texts[-1] += cells.INVALID
    return "".join(text.rjust(_FIGURE) for text in texts)


def _rates(run: Run, rates: Sequence[Quantity], width: int) -> Iterator[TextLine]:
    """Derived quantities, those of one unit strung together, idle."""
    by_unit: dict[str, list[str]] = {}
    for q in rates:
        for under in circumstances(run, (q.batch,))[:1]:
            found = find(run, q.batch, under)
            if not found.believed:
                continue
            try:
                value = evaluate(q.row.formula, derive.numbers(found))
            except FormulaError:
                continue
            by_unit.setdefault(q.row.unit, []).append(f"{q.label} {derive.figure(value)}")
    for unit, texts in by_unit.items():
        for text in _folded(f"{unit}: {', '.join(texts)}", width, 3):
            yield [Span(text)]


# ---- a line a run ----------------------------------------------------------------------------------------------------


def _by_run(runs: Sequence[Run], times: Sequence[Quantity], width: int) -> Iterator[TextLine]:
    there = [
        q for q in times if any(r.quantity == q.single.quantity and r.count for run in runs for r in run.results())
    ]
    three = [q for name in _MATTER for q in there if q.single.quantity == name][:3]
    three += [q for q in there if q not in three][: 3 - len(three)]
    block = len(_FIGURES) * _FIGURE + 1
    names = labels.names(runs)
    titles = [under.title() for run in runs for under in circumstances(run, tuple(q.single for q in three))]
    longest = max(map(len, names)) + max(map(len, titles), default=0) + 2
    # Rather a quantity less than names that cannot be told apart.
    least = max(_LABEL_LEAST, min(longest, _LABEL_MOST))
    three = three[: max(1, (width - least) // block)]
    label = max(_LABEL_LEAST, width - block * len(three))
    heads = [textwrap.wrap(q.label, block - 2) for q in three]
    for row in range(-max(map(len, heads), default=1), 0):
        texts = "".join(f"{head[row] if -row <= len(head) else '':>{block}}" for head in heads)
        yield [Span(("µs" if row == -1 else "").ljust(label) + texts, "bold")]
    yield [Span(" " * label + "".join(" " + "".join(f"{n:>{_FIGURE}}" for n in _FIGURES) for _ in three), "dim")]
    lines = []
    for run, name in zip(runs, names, strict=True):
        if run.error and not any(r.count for r in run.results()):
            lines.append([Span(f"{_cut(name, width - 12)} ({labels.FAILED})", "yellow")])
        for under in circumstances(run, tuple(q.single for q in three)):
            head = f"{_cut(name, label - 2 - len(under.title()))} {under.title()}".ljust(label)
            lines.append([Span(head), *(Span(" " + _figures(outcome(run, q, under)), "bold") for q in three)])
    yield from lines[:_ROWS_MOST]
    if len(lines) > _ROWS_MOST:
        yield [Span(f"… {counted(len(lines) - _ROWS_MOST, 'more line')}", "dim")]


# ---- conditions ------------------------------------------------------------------------------------------------------


def _conditions(runs: Sequence[Run], of: Study, width: int) -> Iterator[TextLine]:
    """How many conditions were met, and the two that matter most: what was not met comes before what was substituted."""
    found = [finding for run in runs for finding in judge(run, of, runs)]
    count = {v: sum(f.verdict == v for f in found) for v in ("met", "substituted", "not met")}
    told = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    yield [Span(f"Conditions of {of.id}: {told}", "bold")]
    gravest = sorted((f for f in found if f.verdict != "met"), key=lambda f: f.verdict != "not met")
    for finding in _unlike(gravest)[:2]:
        yield [Span(_cut(f"  {finding.verdict}: {finding.paper.partition(' (')[0]} — {finding.ours}", width), "dim")]


def _unlike(findings: Iterable[Finding]) -> list[Finding]:
    return list({finding.paper: finding for finding in findings}.values())


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


def _shortened(text: str, width: int) -> str:
    """Cut in the middle where it ends in brackets: what stands in them tells it from another."""
    head, bracket, last = text.rpartition(" ")
    if len(text) <= width or not bracket or not last.endswith(")") or width < len(last) + 8:
        return _cut(text, width)
    return f"{head[: width - len(last) - 2].rstrip()}… {last}"


def _folded(text: str, width: int, most: int) -> list[str]:
    lines = textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
    return lines if len(lines) <= most else [*lines[: most - 1], _cut(lines[most - 1] + " …", width)]


def screen_of(
    runs: Sequence[Run], measured: Study | None, width: int = WIDTH, *, chart: bool = False
) -> list[TextLine]:
    """The screen of runs by the studies that they were made for; of runs of no study by what they measured."""
    ids = dict.fromkeys(name for run in runs for name in run.studies)
    studies = [study(name) for name in ids] or ([measured] if measured else [])
    return first_screen(runs, studies, width, chart=chart)
