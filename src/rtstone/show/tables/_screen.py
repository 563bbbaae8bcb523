# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The first screen: what a command measured in at most 40 lines of 100 characters, doubts first. `rtstone show` has the rest."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from rtstone.model import Run
from rtstone.model import units as form
from rtstone.show.tables import _cells as cells
from rtstone.show.tables import _derived as derive
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._outcome import TITLES, Circumstance, Outcome, by_thread, circumstances, find
from rtstone.show.tables._text import Span, TextLine
from rtstone.studies import FormulaError, Need, Row, Study, Table, evaluate, need, reference, study
from rtstone.studies.conditions import Finding, judge

LINES_MOST = 40
WIDTH = 100
_ROWS_MOST = 25
_LABEL = 32
_FIGURES = ("p50", "p99.9", "max")
_FIGURE = 7
_PUBLISHED = 18
_STEAL_MOST, _OTHERS_MOST = 0.5, 3.0
"""Per cent of the measured CPU above which a reader is told before all else."""
_MATTER = ("interrupt-task-response", "interrupt-service-response", "thread-wake-up", "context-switch-delay")
"""Of many targets these are shown; where a run has not three of them, the study's first rows."""


class _Quantity(msgspec.Struct, frozen=True):
    """A row of the studies, once, with the need that answers it and the fastest published figure."""

    label: str
    row: Row
    batch: Need
    single: Need
    published: str = ""


def first_screen(runs: Sequence[Run], studies: Sequence[Study], width: int = WIDTH) -> list[TextLine]:
    """The machine and what makes its figures doubtful; a line a quantity, or of several runs a line a run; the conditions; no more."""
    quantities, rates = _quantities(studies)
    lines = list(_machines(runs, width))
    if len(runs) == 1:
        lines += _by_quantity(runs[0], quantities, width)
        lines += _rates(runs[0], rates, width)
    else:
        lines += _by_run(runs, quantities, width)
    lines += [line for of in studies if of.conditions for line in _conditions(runs, of, width)]
    return lines[:LINES_MOST]


# ---- the machine -----------------------------------------------------------------------------------------------------


def doubts(run: Run) -> tuple[str, ...]:
    """What makes a run's figures doubtful, the gravest first; nothing where nothing does."""
    found = []
    if run.error:
        found.append(f"the run failed: {run.error}")
    elif run.status != "complete":
        found.append(f"the run is {run.status}")
    found += [f"degraded: {d.reason}" for d in run.degraded]
    if run.time != "time":
        return (*found, f"{labels.unit_of_time(run)}: no time of silicon")
    steal, others = (_percent(run, f"cpu.measured.{key}_percent") for key in ("steal", "others"))
    if steal > _STEAL_MOST:
        found.append(f"steal time {steal:g} %")
    if others > _OTHERS_MOST and any(r.variant.load == "none" for r in run.results()):
        found.append(f"not idle: {others:g} % used by others")
    virtual = next((v for s in run.sessions if (v := s.env.get("machine.virtualisation", "none")) != "none"), "")
    if virtual:
        found.append(f"virtual machine ({virtual})")
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
        if found := doubts(run):
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


def _quantities(studies: Sequence[Study]) -> tuple[list[_Quantity], list[_Quantity]]:
    """Every row of the studies once, interrupts first: those in time, and those that a formula makes."""
    times: dict[tuple[str, str], _Quantity] = {}
    rates: dict[tuple[str, str], _Quantity] = {}
    for of in studies:
        for table in of.tables:
            for row in table.rows:
                if not row.measured:
                    continue
                for variant in table.variants:
                    batch, single = need(table, row, variant), need(table, row, variant, "single")
                    title = variant.title if variant.sched or variant.measurement else ""
                    label = f"{row.label} ({title})" if title else row.label
                    key = (f"{single.measurement} {single.quantity}", str(single.sched))
                    of_rate = bool(row.formula) and row.unit not in {"", "µs"}
                    one = _Quantity(label, row, batch, single, "" if variant.title else _fastest(of, table, row))
                    (rates if of_rate else times).setdefault(key, one)
                    thread, in_batch = by_thread(single), by_thread(batch)
                    if thread is not None and in_batch is not None and not of_rate:
                        of_thread = _Quantity(TITLES[thread.quantity], row, in_batch, thread, "")
                        times.setdefault((f"{thread.measurement} {thread.quantity}", str(thread.sched)), of_thread)
    found = sorted(times.values(), key=lambda q: not q.single.measurement.startswith("interrupt"))
    return found, list(rates.values())


def _fastest(of: Study, table: Table, row: Row) -> str:
    """The smallest published mean of a row and its platform, idle where the paper tells idle from loaded."""
    if of.id not in reference.studies():
        return ""
    figures = [
        f
        for f in reference.load(of.id)
        if f.table == table.number
        and f.row == row.label
        and f.statistic in {"avg", "median", "mean", "value"}
        and f.condition not in {"loaded", "CPU load"}
        and f.number() is not None
        and f.symbol() == "µs"
    ]
    best = min(figures, key=lambda f: f.number() or 0.0, default=None)
    return f"{best.value} {best.platform}" if best is not None else ""


def _by_quantity(run: Run, quantities: Sequence[_Quantity], width: int) -> Iterator[TextLine]:
    found = {
        q.label: {c: o for c in circumstances(run, (q.single, q.batch)) if (o := _outcome(run, q, c)) is not None}
        for q in quantities
    }
    seen: dict[Circumstance, None] = {}
    for outcomes in found.values():
        seen |= dict.fromkeys(outcomes)
    order = sorted(seen, key=lambda c: c.load != "none")
    block = len(_FIGURES) * _FIGURE + 1
    columns = order[: max(1, (width - _LABEL - _PUBLISHED) // block)]
    measured = [q for q in quantities if any(o.pool is not None for o in found[q.label].values())]
    if not measured:
        return
    published = any(q.published for q in measured)
    yield [Span("µs".ljust(_LABEL) + "".join(f"{c.title():>{block}}" for c in columns), "bold")]
    heads = "".join(" " + "".join(f"{name:>{_FIGURE}}" for name in _FIGURES) for _ in columns)
    yield [Span(" " * _LABEL + heads + ("  best published" if published else ""), "dim")]
    for q in measured[:_ROWS_MOST]:
        spans = [Span(_cut(q.label, _LABEL - 1).ljust(_LABEL))]
        spans += [Span(" " + _figures(found[q.label].get(c)), "bold") for c in columns]
        yield [*spans, Span("  " + _cut(q.published, width - _LABEL - block * len(columns) - 2), "dim")]
    left = [
        f"{len(measured) - _ROWS_MOST} more quantities" if len(measured) > _ROWS_MOST else "",
        f"{len(order) - len(columns)} more loads" if len(order) > len(columns) else "",
        f"{len(quantities) - len(measured)} not measured here" if len(measured) < len(quantities) else "",
    ]
    if any(left):
        yield [Span(f"… {', '.join(filter(None, left))}", "dim")]


def _outcome(run: Run, quantity: _Quantity, under: Circumstance) -> Outcome | None:
    """Of single operations where they were measured, else of sets."""
    for one in (quantity.single, quantity.batch):
        outcome = find(run, one, under)
        if outcome.pool is not None:
            return outcome
    return None


def _figures(outcome: Outcome | None) -> str:
    """Median, 99.9th percentile and maximum observed, each in its own place; of sets the average and the largest average."""
    if outcome is None or outcome.pool is None or outcome.clock is None:
        return form.ABSENT.rjust(_FIGURE) + " " * _FIGURE * 2
    pool, clock = outcome.pool, outcome.clock
    if pool.averages:
        found = [sum(pool.averages) / len(pool.averages), None, max(pool.averages)]
    else:
        found = [pool.percentile(50), pool.percentile(99.9) if pool.count >= 1000 else None, pool.max]
    texts = [
        form.ABSENT if ticks is None else cells.microseconds(ticks, clock, averaged=bool(pool.averages))
        for ticks in found
    ]
    if outcome.fault:
        texts[-1] += cells.INVALID
    return "".join(text.rjust(_FIGURE) for text in texts)


def _rates(run: Run, quantities: Sequence[_Quantity], width: int) -> Iterator[TextLine]:
    """Derived quantities, those of one unit strung together, idle."""
    by_unit: dict[str, list[str]] = {}
    for q in quantities:
        for under in circumstances(run, (q.batch,))[:1]:
            outcome = find(run, q.batch, under)
            if not outcome.believed:
                continue
            try:
                value = evaluate(q.row.formula, derive.numbers(outcome))
            except FormulaError:
                continue
            by_unit.setdefault(q.row.unit, []).append(f"{q.label} {derive.figure(value)}")
    for unit, texts in by_unit.items():
        for text in _folded(f"{unit}: {', '.join(texts)}", width, 3):
            yield [Span(text)]


# ---- a line a run ----------------------------------------------------------------------------------------------------


def _by_run(runs: Sequence[Run], quantities: Sequence[_Quantity], width: int) -> Iterator[TextLine]:
    there = [
        q for q in quantities if any(r.quantity == q.single.quantity and r.count for run in runs for r in run.results())
    ]
    three = [q for name in _MATTER for q in there if q.single.quantity == name][:3]
    three += [q for q in there if q not in three][: 3 - len(three)]
    block = len(_FIGURES) * _FIGURE + 1
    label = max(12, width - block * len(three))
    yield [Span("µs".ljust(label) + "".join(f"{_cut(q.label, block - 2):>{block}}" for q in three), "bold")]
    yield [Span(" " * label + "".join(" " + "".join(f"{n:>{_FIGURE}}" for n in _FIGURES) for _ in three), "dim")]
    lines = []
    for run, name in zip(runs, labels.names(runs), strict=True):
        if run.error and not any(r.count for r in run.results()):
            lines.append([Span(f"{_cut(name, width - 12)} ({labels.FAILED})", "yellow")])
        for under in circumstances(run, tuple(q.single for q in three)):
            head = f"{_cut(name, label - 2 - len(under.title()))} {under.title()}".ljust(label)
            lines.append([Span(head), *(Span(" " + _figures(_outcome(run, q, under)), "bold") for q in three)])
    yield from lines[:_ROWS_MOST]
    if len(lines) > _ROWS_MOST:
        yield [Span(f"… {len(lines) - _ROWS_MOST} more lines", "dim")]


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


def _folded(text: str, width: int, most: int) -> list[str]:
    lines = textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
    return lines if len(lines) <= most else [*lines[: most - 1], _cut(lines[most - 1] + " …", width)]


def screen_of(runs: Sequence[Run], measured: Study | None, width: int = WIDTH) -> list[TextLine]:
    """The screen of runs by the studies that they were made for; of runs of no study by what they measured."""
    ids = dict.fromkeys(name for run in runs for name in run.studies)
    return first_screen(runs, [study(name) for name in ids] or ([measured] if measured else []), width)
