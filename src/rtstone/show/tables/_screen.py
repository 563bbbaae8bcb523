# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The first screen: the results of a command in at most 40 lines of 100 characters, doubts first.

`rtstone show` has the rest.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rtstone.errors import command
from rtstone.model import Run, short_id
from rtstone.model import units as form
from rtstone.model.units import counted
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _derived as derive
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._doubts import doubts, notes
from rtstone.show.tables._headline import headline, since
from rtstone.show.tables._notes import Notes
from rtstone.show.tables._outcome import TITLES, CellOutcome, Circumstance, circumstances, find
from rtstone.show.tables._quantities import Published, StudyQuantity, outcome, quantities, typical
from rtstone.show.tables._text import Span, TextLine
from rtstone.studies import FormulaError, Study, evaluate, study
from rtstone.studies.conditions import Finding, judge

LINES_MOST = 40
WIDTH = 100
_ROWS_MOST = 22
_ROWS_LEAST = 4
_TEXTS_MOST = 3
"""Most lines of doubts, and of notes."""
_LABEL = 29
_FIGURES = ("p50", "p99.9", "max")
_FIGURE = 7
_PUBLISHED = 27
_LABEL_LEAST = 12
_LABEL_MOST = 37
_MATTER = ("interrupt-task-response", "interrupt-service-response", "thread-wake-up", "context-switch-delay")
"""The quantities shown for several runs. If the runs do not have three of them, the study's first rows are added."""


def first_screen(
    runs: Sequence[Run],
    studies: Sequence[Study],
    width: int = WIDTH,
    *,
    chart: bool = False,
    earlier: Run | None = None,
) -> list[TextLine]:
    """One sentence, doubts, the machine; a line for each quantity, or with several runs for each run; the conditions.

    `chart`: add a bar to each quantity's line. The terminal must be able to show its characters.
    """
    times, rates = quantities(studies)
    head = list(headline(runs, times, width))
    if earlier is not None and len(runs) == 1:
        head += since(runs[0], earlier, times, width)
    head += _machines(runs, width)
    tail = [line for of in studies if of.conditions for line in _conditions(runs, of, width)]
    if len(runs) == 1:
        tail = [*_rates(runs[0], rates, width), *tail]
        body = _by_quantity(runs[0], times, width, LINES_MOST - len(head) - len(tail), chart=chart)
    else:
        body = list(_by_run(runs, times, width, LINES_MOST - len(head) - len(tail), rates=_derived(runs, rates)))
    lines = [*head, *body, *tail]
    if len(lines) > LINES_MOST:
        left = counted(len(lines) - LINES_MOST + 1, "more line")
        lines = [*lines[: LINES_MOST - 1], [Span(_all_tables(runs, left, width), "dim")]]
    return lines


# ---- the machine -----------------------------------------------------------------------------------------------------


def _machines(runs: Sequence[Run], width: int) -> Iterator[TextLine]:
    """Doubts, then notes, each once with all its runs; for a single run, also its machine."""
    names = labels.names(runs)
    for word, style, of_run in (("Doubtful", "yellow", doubts), ("Note", "dim", lambda run: notes(run, runs))):
        found: dict[str, list[str]] = {}
        for run, name in zip(runs, names, strict=True):
            if texts := of_run(run):
                found.setdefault("; ".join(texts), []).append(name)
        for text, of in list(found.items())[:_TEXTS_MOST]:
            more = f" and {len(of) - 2} more" if len(of) > 2 else ""
            whose = "" if len(of) == len(runs) else f"{', '.join(of[:2])}{more}: "
            yield from ([Span(line, style)] for line in _folded(f"{word}: {whose}{text}", width, 2))
        rest = sum(len(of) for of in list(found.values())[_TEXTS_MOST:])
        if rest:
            yield [Span(_all_tables(runs, counted(rest, "more run"), width, f"{word}: "), style)]
    if (lacking := next((run for run in runs if run.degraded), None)) is not None:
        printing = command(f"show {short_id(lacking.id)} --results")
        text = f"Degraded: `{printing}` prints what was missing, and the fix if there is one."
        yield from ([Span(line, "yellow")] for line in _folded(text, width, 2))
    if len(runs) == 1:
        run, env = runs[0], runs[0].sessions[0].env if runs[0].sessions else {}
        cpus = f"{count} CPUs" if (count := env.get("cpu.count", "")) not in {"", "1"} else ""
        text = ", ".join(filter(None, (names[0], run.kernel(), env.get("cpu.model", ""), cpus)))
        yield [Span(_cut(text, width), "bold")]


# ---- a line a quantity -----------------------------------------------------------------------------------------------


def _by_quantity(run: Run, times: Sequence[StudyQuantity], width: int, room: int, *, chart: bool) -> list[TextLine]:
    """A line for each quantity, and below them the notes that fit into `room` lines."""
    found = {
        q.label: {c: o for c in circumstances(run, (q.single, q.batch)) if (o := outcome(run, q, c)) is not None}
        for q in times
    }
    measured = [q for q in times if found[q.label]]
    if not measured:
        return []
    # Five more lines are needed: two headings, the bars' key, a note, and the number of rows left out.
    shown = measured[: min(_ROWS_MOST, max(_ROWS_LEAST, room - 5))]
    order = _columns(found[q.label] for q in shown)
    published = {q.label: _published(run, q, found[q.label]) for q in shown}
    beside = _PUBLISHED if any(published.values()) else 0
    # Every load is shown if there is room. To make room, drop the published figures, then each load's median.
    figures: tuple[str, ...] = _FIGURES
    if beside and len(order) * (len(_FIGURES) * _FIGURE + 1) > width - _LABEL - beside:
        beside = 0
    if len(order) * (len(_FIGURES) * _FIGURE + 1) > width - _LABEL_LEAST:
        figures = _FIGURES[1:]
    block = len(figures) * _FIGURE + 1
    columns = order[: max(1, (width - _LABEL_LEAST) // block)]
    rest = width - block * len(columns)
    notes = Notes()
    every = dict.fromkeys(text for q in shown for o in found[q.label].values() for text in _remarks(o))
    fit = max(0, room - len(shown) - 4)
    kept = [*every][: fit if len(every) <= fit else max(0, fit - 1)]
    marks = {
        q.label: form.marks(notes.marks(t for t in kept if any(t in _remarks(o) for o in found[q.label].values())))
        for q in shown
    }
    wanted = max(len(q.label) + len(marks[q.label]) for q in shown) + 1
    strip = rest - beside - min(wanted, _LABEL)
    bar = _Axis(shown, found, strip, columns[0], run) if chart and strip >= _Axis.LEAST else None
    label = min(wanted, rest - beside - (bar.width if bar else 0))
    names = _shortened([(q.label, label - 1 - len(marks[q.label])) for q in shown])

    heads = "µs".ljust(label) + (bar.title() if bar else "")
    titles = _shortened([(c.title(run), block - 1) for c in columns])
    heads += "".join(f" {title:>{block - 1}}" for title in titles)
    lines: list[TextLine] = [[Span(heads, "bold")]]
    under = " " * label + (bar.legend() if bar else "")
    under += "".join(" " + "".join(f"{name:>{_FIGURE}}" for name in figures) for _ in columns)
    lines.append([Span(under + ("  ours, best published" if beside else ""), "dim")])
    for q, name in zip(shown, names, strict=True):
        spans = [Span((name + marks[q.label]).ljust(label))]
        if bar is not None:
            spans.append(Span(bar.drawn(found[q.label].get(columns[0]), q.fastest()), "cyan"))
        spans += [Span(" " + _figures(found[q.label].get(c), len(figures)), "bold") for c in columns]
        lines.append([*spans, Span("  " + _cut(published[q.label], beside - 2) if beside else "", "dim")])
    own = sum(q.single.quantity not in TITLES for q in times) - sum(q.single.quantity not in TITLES for q in measured)
    left = [
        counted(len(measured) - len(shown), "more quantity") if len(measured) > len(shown) else "",
        f"not shown: {', '.join(c.title(run) for c in order[len(columns) :])}" if len(order) > len(columns) else "",
        f"{own} not measured here" if own > 0 else "",
        counted(len(every) - len(kept), "more note") if len(every) > len(kept) else "",
    ]
    if bar is not None:
        lines.append([Span(_cut(bar.key(), width), "dim")])
    lines += [[Span(_cut(f"{form.marks((i,))} {text}", width), "dim")] for i, text in enumerate(notes.texts(), 1)]
    if any(left):
        lines.append([Span(_all_tables([run], ", ".join(filter(None, left)), width), "dim")])
    return lines


def _columns(found: Iterable[Mapping[Circumstance, CellOutcome]]) -> list[Circumstance]:
    """The circumstances: those of many quantities before those of few, then idle before loaded."""
    often: dict[Circumstance, int] = {}
    for outcomes in found:
        for under in outcomes:
            often[under] = often.get(under, 0) + 1
    return sorted(often, key=lambda c: (-often[c] * 4 // max(often.values()), c.load != "none"))


def _published(run: Run, of: StudyQuantity, found: Mapping[Circumstance, CellOutcome]) -> str:
    """`avg 22.6, VxWorks 125`: the paper's statistic, our idle figure, and that of the best published platform.

    Empty if no paper has a figure, and for a virtual board's time, which is not comparable with figures of silicon.
    """
    best = of.fastest()
    if best is None or run.time != "time":
        return ""
    ours = next((o for c, o in found.items() if c.load == "none"), None)
    if ours is None or ours.pool is None or ours.clock is None:
        return f"{best.platform} {best.value}"
    name = "avg" if ours.pool.averages and best.statistic != "avg" else best.statistic
    ns = cells.statistic(ours, name)
    if ns is None or name != best.statistic:
        return f"{best.statistic} {best.platform} {best.value}"
    return f"{name} {cells.microseconds(ns, ours.clock, averaged=True)}, {best.platform} {best.value}"


def _remarks(outcome: CellOutcome) -> tuple[str, ...]:
    """The notes on a cell, the fault first."""
    return tuple(filter(None, (outcome.fault, *outcome.notes)))


class _Axis:
    """A logarithmic strip for one circumstance: full to the median, dark to the 99.9th percentile, light to the maximum observed."""

    LEAST, _MOST = 10, 40

    def __init__(
        self,
        shown: Sequence[StudyQuantity],
        found: Mapping[str, Mapping[Circumstance, CellOutcome]],
        room: int,
        under: Circumstance,
        run: Run,
    ) -> None:
        self._title, self._published = under.title(run), run.time == "time"
        self.width = min(room, self._MOST)
        self._cells = self.width - 1
        us = [value for q in shown for value in self._values(found[q.label].get(under)) if value > 0]
        us += [p.us for q in shown if self._published and (p := q.fastest()) is not None]
        self._low, self._high = (min(us) / 2, max(us)) if us else (0.1, 1.0)

    @staticmethod
    def _values(outcome: CellOutcome | None) -> list[float]:
        """Median, percentile if known, and maximum (µs)."""
        figures = typical(outcome) if outcome is not None else None
        return [ns / 1000 for ns in figures or () if ns is not None]

    def title(self) -> str:
        """Heading of the strip: its circumstance."""
        return f"{_cut(self._title, self._cells - 4)}, log".ljust(self.width)

    def legend(self) -> str:
        """Second heading of the strip: the values at its two ends (µs)."""
        ends = f"{self._low:.1g}", form.number(self._high)
        return (ends[0] + ends[1].rjust(self._cells - len(ends[0]))).ljust(self.width)

    def key(self) -> str:
        """The meaning of each character in a strip."""
        return f"bars: █ to p50, ▓ to p99.9, ░ to the maximum{', ┃ best published' if self._published else ''}"

    def drawn(self, outcome: CellOutcome | None, published: Published | None) -> str:
        """A line's strip, with a mark at the best published figure."""
        values = self._values(outcome)
        cells = [" "] * self._cells
        if values:
            ends = [self._place(value) for value in values]
            for i in range(ends[-1] + 1):
                cells[i] = "█" if i <= ends[0] else "▓" if len(ends) > 2 and i <= ends[1] else "░"
        if published is not None and self._published:
            cells[self._place(published.us)] = "┃"
        return "".join(cells) + " "

    def _place(self, us: float) -> int:
        if us <= self._low:
            return 0
        return min(self._cells - 1, int(math.log(us / self._low) / math.log(self._high / self._low) * self._cells))


def _figures(outcome: CellOutcome | None, most: int = len(_FIGURES)) -> str:
    """The last `most` of: median, 99.9th percentile and maximum observed, each in its own place. For sets: the average
    and the largest average."""
    if outcome is None or outcome.pool is None or outcome.clock is None:
        return form.ABSENT.rjust(_FIGURE) + " " * _FIGURE * (most - 1)
    pool, clock, found = outcome.pool, outcome.clock, typical(outcome) or ()
    texts = [form.ABSENT if ns is None else cells.microseconds(ns, clock, averaged=bool(pool.averages)) for ns in found]
    if outcome.fault:
        texts[-1] += cells.INVALID
    return "".join(text.rjust(_FIGURE) for text in texts[-most:])


def _rates(run: Run, rates: Sequence[StudyQuantity], width: int) -> Iterator[TextLine]:
    """Derived quantities, idle, in one text for each unit; and the number of measured ones without a figure."""
    by_unit: dict[str, list[str]] = {}
    without = 0
    for q in rates:
        for under in circumstances(run, (q.batch,))[:1]:
            value = _rate(run, q, under)
            if value is not None:
                by_unit.setdefault(q.row.unit, []).append(f"{q.label} {derive.figure(value)}")
            elif find(run, q.batch, under).pool is not None:
                without += 1
    for unit, texts in by_unit.items():
        lines = _strung(unit, texts, width)
        yield from ([Span(text)] for text in lines)
    if without:
        yield [Span(_all_tables([run], f"{counted(without, 'rate')} without a figure", width), "dim")]


def _rate(run: Run, of: StudyQuantity, under: Circumstance) -> float | None:
    found = find(run, of.batch, under)
    if not found.believed:
        return None
    try:
        return evaluate(of.row.formula, derive.numbers(found))
    except FormulaError:
        return None


def _strung(unit: str, texts: Sequence[str], width: int) -> list[str]:
    """At most three lines; rates that do not fit in are counted."""
    for count in range(len(texts), 0, -1):
        more = [f"… {counted(len(texts) - count, 'more rate')}"] if count < len(texts) else []
        lines = textwrap.wrap(
            f"{unit}: {', '.join([*texts[:count], *more])}", width, subsequent_indent="  ", break_on_hyphens=False
        )
        if len(lines) <= 3:
            break
    return lines


def _derived(runs: Sequence[Run], rates: Sequence[StudyQuantity]) -> int:
    """The number of derived quantities that any of the runs measured."""
    return sum(any(circumstances(run, (q.batch,)) for run in runs) for q in rates)


# ---- a line a run ----------------------------------------------------------------------------------------------------


def _by_run(
    runs: Sequence[Run], times: Sequence[StudyQuantity], width: int, room: int, *, rates: int
) -> Iterator[TextLine]:
    """A line for each run and circumstance (`room` lines). `rates`: number of derived quantities, only in tables."""
    there = [
        q for q in times if any(r.quantity == q.single.quantity and r.count for run in runs for r in run.results())
    ]
    three = [q for name in _MATTER for q in there if q.single.quantity == name][:3]
    three += [q for q in there if q not in three][: 3 - len(three)]
    block = len(_FIGURES) * _FIGURE + 1
    names = labels.names(runs)
    needs = tuple(need for q in three for need in (q.single, q.batch))
    titles = [under.title(run) for run in runs for under in circumstances(run, needs)]
    longest = max(map(len, names)) + max(map(len, titles), default=0) + 2
    # Drop a quantity rather than cut names so short that they look the same.
    least = max(_LABEL_LEAST, min(longest, _LABEL_MOST))
    three = three[: max(1, (width - least) // block)]
    needs = tuple(need for q in three for need in (q.single, q.batch))
    label = max(_LABEL_LEAST, width - block * len(three))
    heads = [textwrap.wrap(q.label, block - 2) for q in three]
    for row in range(-max(map(len, heads), default=1), 0):
        texts = "".join(f"{head[row] if -row <= len(head) else '':>{block}}" for head in heads)
        yield [Span(("µs" if row == -1 else "").ljust(label) + texts, "bold")]
    yield [Span(" " * label + "".join(" " + "".join(f"{n:>{_FIGURE}}" for n in _FIGURES) for _ in three), "dim")]
    lines = []
    shown = _shortened([(name, label - 2 - max(map(len, titles), default=0)) for name in names])
    for run, name, short in zip(runs, names, shown, strict=True):
        found = circumstances(run, needs)
        if run.error and not any(r.count for r in run.results()):
            lines.append([Span(f"{_cut(name, width - 12)} ({labels.FAILED})", "yellow")])
        elif not found:
            lines.append([Span(_cut(f"{name}: none of these quantities", width), "dim")])
        for under in found:
            head = f"{short} {under.title(run)}".ljust(label)
            lines.append([Span(head), *(Span(" " + _figures(outcome(run, q, under)), "bold") for q in three)])
    most = min(_ROWS_MOST, max(_ROWS_LEAST, room - max(map(len, heads), default=1) - 2))
    yield from lines[:most]
    left = [
        counted(len(lines) - most, "more line") if len(lines) > most else "",
        f"{counted(len(there) - len(three), 'more quantity')} of these runs" if len(there) > len(three) else "",
        counted(rates, "rate") if rates else "",
    ]
    if any(left):
        yield [Span(_all_tables(runs, ", ".join(filter(None, left)), width), "dim")]


# ---- conditions ------------------------------------------------------------------------------------------------------


def _conditions(runs: Sequence[Run], of: Study, width: int) -> Iterator[TextLine]:
    """The number of conditions met, and the two gravest of the others: first those not met, then the substituted."""
    found = [finding for run in runs for finding in judge(run, of, runs)]
    count = {v: sum(f.verdict == v for f in found) for v in ("met", "substituted", "not met")}
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    yield [Span(f"Conditions of {of.id}: {verdicts}", "bold")]
    gravest = sorted((f for f in found if f.verdict != "met"), key=lambda f: f.verdict != "not met")
    for finding in _unlike(gravest)[:2]:
        yield [Span(_cut(f"  {finding.verdict}: {finding.paper.partition(' (')[0]} — {finding.ours}", width), "dim")]


def _unlike(findings: Iterable[Finding]) -> list[Finding]:
    return list({finding.paper: finding for finding in findings}.values())


def _all_tables(runs: Sequence[Run], left: str, width: int, before: str = "… ") -> str:
    """The line about rows that the screen leaves out, cut to leave room for the command that prints them.

    The command names a single run: another one may be the last by then.
    """
    printing = command(f"show {short_id(runs[0].id)} --tables" if len(runs) == 1 else "show --tables")
    return f"{_cut(before + left, max(_LABEL_LEAST, width - len(printing) - 2))}: {printing}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


def _shortened(labels: Sequence[tuple[str, int]]) -> list[str]:
    """Each label cut to its width: at its end, or in its middle where it would then look like another label.

    Labels that differ look different at every width from four characters on.
    """
    cut = [_cut(text, width) for text, width in labels]
    made: list[str] = []
    of: dict[str, str] = {}
    for (text, width), short in zip(labels, cut, strict=True):
        if len(text) > width:
            # Marks take room from some labels: one cut shorter than another is no difference that a reader sees.
            alike = [
                other
                for (other, room), its in zip(labels, cut, strict=True)
                if other != text and len(other) > room and _alike(its[:-1], short[:-1]) == min(len(its), len(short)) - 1
            ]
            if alike:
                short = _without_middle(text, width, max(_alike(text, other) for other in alike))
        number = 1
        while of.get(short, text) != text:
            number += 1
            short = f"{text[: max(0, width - len(str(number)) - 1)]}…{number}"
        of[short] = text
        made.append(short)
    return made


def _alike(text: str, other: str) -> int:
    """Number of characters at the start that are the same in both texts."""
    return next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))


def _without_middle(text: str, width: int, place: int) -> str:
    """The text cut in its middle, so that the word around the character `place` is shown, or at least that character."""
    place = min(place, len(text) - 1)  # a text with which the other begins shows its end
    start = text.rfind(" ", 0, place) + 1
    room = max(1, width * 2 // 3)
    if place - start >= room - 1:
        start = place
    rest = _cut(text[start:], room)
    return f"{text[: max(0, width - len(rest) - 2)].rstrip()}… {rest}"


def _folded(text: str, width: int, most: int) -> list[str]:
    lines = textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
    return lines if len(lines) <= most else [*lines[: most - 1], _cut(lines[most - 1] + " …", width)]


def screen_of(
    runs: Sequence[Run],
    measured: Study | None,
    width: int = WIDTH,
    *,
    chart: bool = False,
    earlier: Run | None = None,
) -> list[TextLine]:
    """The screen of runs, with the rows of their studies. Runs without a study have the rows of `measured`.

    `earlier`: for a single run, the previous run of the same machine. The screen compares both.
    """
    ids = dict.fromkeys(name for run in runs for name in run.studies)
    studies = [study(name) for name in ids] or ([measured] if measured else [])
    return first_screen(runs, studies, width, chart=chart, earlier=earlier)
