# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The sentence that opens a first screen: how late, how often, of how many samples, idle and under each load."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from rtstone.model import Run, short_id
from rtstone.model import units as form
from rtstone.model.headline import MAIN
from rtstone.model.variant import differences
from rtstone.show.tables import _labels as labels
from rtstone.show.tables._outcome import CellOutcome, circumstances
from rtstone.show.tables._quantities import StudyQuantity, outcome, quantities
from rtstone.show.tables._text import Span, TextLine
from rtstone.stats import has_sample_beyond
from rtstone.studies import Study

if TYPE_CHECKING:
    from rtstone.judge.compare import Comparison

_RUNS_MOST = 6
_LOADS_MOST = 3
_LINES_MOST = 3
_FACTS_MOST = 2
"""Most changed facts since an earlier run that are named; the others are counted."""
_UNFOLDED = 100_000
"""Width in characters that never folds a line."""


def main_quantity(runs: Sequence[Run], times: Sequence[StudyQuantity]) -> StudyQuantity | None:
    """The most important quantity, preferably one that every run measured; None if no run measured a quantity."""
    there = [q for q in times if any(_measured(run, q) for run in runs)]
    common = [q for q in there if all(_measured(run, q) for run in runs)] or there
    by_name = {q.single.quantity: q for q in reversed(common)}
    return next((by_name[name] for name in MAIN if name in by_name), common[0] if common else None)


def headline(
    runs: Sequence[Run], times: Sequence[StudyQuantity], width: int, *, comparison: Comparison | None = None
) -> Iterator[TextLine]:
    """The sentence of one run, or a line for each of at most six runs, all about the same quantity.

    `comparison`: of these runs. Its verdicts are shown, so that a page has one verdict on a figure. None: each later run
    is compared with the first, by this quantity alone.
    """
    about = main_quantity(runs, times)
    if about is None:
        return
    if len(runs) == 1:
        text = f"{about.label}: {'; '.join(_parts(runs[0], about))}."
        yield from _folded(text, width)
        return
    yield from _folded(f"{about.label}:", width)
    shown = [(run, name) for run, name in zip(runs, labels.names(runs), strict=True) if _measured(run, about)]
    for run, name in shown[:_RUNS_MOST]:
        yield from _folded(f"  {name}: {'; '.join(_parts(run, about))}", width)
    if len(shown) > _RUNS_MOST:
        yield from _folded(f"  and {form.counted(len(shown) - _RUNS_MOST, 'more run')}", width)
    for text in _compared([run for run, _ in shown[:_RUNS_MOST]], about, comparison):
        yield from _folded(text, width)


def sentences(
    runs: Sequence[Run], studies: Sequence[Study], *, comparison: Comparison | None = None
) -> tuple[str, ...]:
    """The lines of `headline`, not folded: for a page, which folds them itself."""
    lines = headline(runs, quantities(studies)[0], _UNFOLDED, comparison=comparison)
    return tuple("".join(span.text for span in line).strip() for line in lines)


def since(run: Run, earlier: Run, times: Sequence[StudyQuantity], width: int) -> Iterator[TextLine]:
    """Changes since an earlier run of the same machine: the main quantity under each load, then the recorded facts."""
    from rtstone.judge.compare import compare
    from rtstone.show.judged import words

    about = main_quantity([run], times)
    if about is None or run.id == earlier.id:
        return
    few = any(
        r.count > 0 and not has_sample_beyond(r.count, 99.9)
        for r in run.results()
        if r.quantity == about.single.quantity
    )
    made = compare([_only(earlier, about), _only(run, about)], statistics=("median" if few else "p99.9",))
    judged = {row.variant: row for row in made.rows if row.quantity == about.single.quantity and row.figures[0].against}
    parts = []
    for under in circumstances(run, (about.single, about.batch))[:_LOADS_MOST]:
        new, old = outcome(run, about, under), outcome(earlier, about, under)
        if new is None or old is None or not (new.used and old.used):
            continue
        verdict = "not judged"
        if (row := judged.get(new.used[0].variant)) is not None:
            of = row.figures[0].against[0]
            if of.verdict == "not comparable":
                verdict = f"not comparable: {of.reason}"
            elif of.verdict != "insufficient data":
                verdict = words.verdict(of, *words.unit(row))
        parts.append(f"{_late(old)} → {_late(new)}, {verdict} ({under.title(run)})")
    facts = [one for one in made.differences if one.importance != "circumstances"]
    changed = [*_asked(run, earlier, about)]
    changed += [
        f"{one.fact.removeprefix('changed.')} {words.shown(one, 0)} → {words.shown(one, 1)}"
        for one in facts[:_FACTS_MOST]
    ]
    if len(facts) > _FACTS_MOST:
        changed.append(f"{form.counted(len(facts) - _FACTS_MOST, 'more fact')}")
    parts.append(f"changed: {', '.join(changed)}" if changed else "nothing on record changed")
    yield from _folded(f"Since run {short_id(earlier.id)} of {earlier.started[:10]}: {'; '.join(parts)}.", width, "")


def _asked(run: Run, earlier: Run, about: StudyQuantity) -> dict[str, None]:
    """The options of the main quantity that differ from the earlier run's under the same load: timer, period."""
    before = {one.variant: None for one in earlier.results() if one.quantity == about.single.quantity}
    by_load = {one.load: one for one in before}
    unlike = (
        one
        for new in dict.fromkeys(one.variant for one in run.results() if one.quantity == about.single.quantity)
        if new not in before and new.load in by_load
        for one in differences(by_load[new.load], new)
    )
    return {one.replace(": ", " ", 1).replace(" | ", " → "): None for one in unlike}


def _compared(runs: Sequence[Run], about: StudyQuantity, comparison: Comparison | None) -> Iterator[str]:
    """Each later side compared with the first: the ratio of a figure, by its name, or why there is no verdict.

    The figure is the 99.9th percentile, if it was compared. It is the mean of the repetitions' figures, where the lines
    above it pool all samples. Every part names its circumstances (idle, or the load).
    """
    from rtstone.show.judged import words

    made = comparison
    if made is None:
        if len({run.id for run in runs}) < len(runs) or len(runs) < 2:  # a run is not compared with itself
            return
        from rtstone.judge.compare import compare

        made = compare([_only(run, about) for run in runs], statistics=("p99.9",))
    names = [side.label for side in made.sides]
    rows = {(row.measurement, row.quantity, row.variant): row for row in made.rows}
    parts: dict[int, dict[str, list[str]]] = {}
    for under in circumstances(runs[0], (about.single, about.batch))[:_LOADS_MOST]:
        found = outcome(runs[0], about, under)
        used = found.used[0] if found is not None and found.used else None
        row = rows.get((used.measurement, used.quantity, used.variant)) if used is not None else None
        if row is None:
            continue
        figure = next((one for one in row.figures if one.name == "p99.9"), row.figures[0])
        for of in figure.against:
            if of.verdict in {"insufficient data", "not comparable"}:
                text = f"{of.verdict}{f', {of.reason}' if of.reason else ''}"
            else:
                unit, divisor = words.unit(row)
                text = f"repetitions' {figure.name} × {words.change(of, divisor)}, {words.verdict(of, unit, divisor)}"
                if of.reasons:
                    text += f" (compared as asked, although they differ in: {', '.join(of.reasons)})"
            parts.setdefault(of.side, {}).setdefault(text, []).append(under.title(runs[0]))
    alike: dict[str, list[str]] = {}
    for side, texts in parts.items():
        said = "; ".join(f"{', '.join(titles)}: {text}" for text, titles in texts.items())
        alike.setdefault(said, []).append(names[side])
    for said, sides in alike.items():
        yield f"{', '.join(sides)} against {names[0]}, {said}"


def _only(run: Run, about: StudyQuantity) -> Run:
    """The run with only the results of this quantity, so that no other is compared."""
    sessions = tuple(
        msgspec.structs.replace(
            session, results=tuple(r for r in session.results if r.quantity == about.single.quantity)
        )
        for session in run.sessions
    )
    return msgspec.structs.replace(run, sessions=sessions)


def _measured(run: Run, of: StudyQuantity) -> bool:
    return any(
        r.quantity == of.single.quantity and r.measurement == of.single.measurement and r.count for r in run.results()
    )


def _parts(run: Run, about: StudyQuantity) -> list[str]:
    found = [
        (under.title(run), one)
        for under in circumstances(run, (about.single, about.batch))
        if (one := outcome(run, about, under)) is not None and one.pool is not None
    ]
    parts = [f"{_said(one)} ({title})" for title, one in found[:_LOADS_MOST]]
    if len(found) > _LOADS_MOST:
        parts.append(f"{form.counted(len(found) - _LOADS_MOST, 'more load')}")
    return parts


def _said(of: CellOutcome) -> str:
    """`99.9 % within 57 µs, worst 118 µs of 12 000`; with too few samples, the half; for sets, their average."""
    made = of.summary((50, 99.9))
    if made is None or made.max is None or of.pool is None:
        return "no figure"
    invalid = ", doubtful" if of.fault else ""
    worst = form.duration(made.max)
    if of.pool.averages:
        return f"{form.duration(made.mean or 0)} on average, slowest set {worst} of {form.count(made.count)}{invalid}"
    far = made.shown_percentile(99.9)
    within, name = (made.percentiles[50], "half") if far is None else (far, "99.9 %")
    share = f"{name} within {form.duration(within)}, " if within is not None else ""
    return f"{share}worst {worst} of {form.count(made.count)}{invalid}"


def _late(of: CellOutcome) -> str:
    """The share from the sentence of a run: `99.9 % within 57 µs`, over all repetitions; for sets, their average."""
    return _said(of).partition(", ")[0]


def _folded(text: str, width: int, style: str = "bold") -> Iterator[TextLine]:
    indent = "  " if not text.startswith("  ") else "    "
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
    if len(lines) > _LINES_MOST:
        lines = [*lines[: _LINES_MOST - 1], f"{lines[_LINES_MOST - 1][: width - 2]} …"]
    yield from ([Span(line, style)] for line in lines)
