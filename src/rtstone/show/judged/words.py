# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a comparison or a history as words, the same on the terminal and on the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from statistics import median

from rtstone.judge.compare._model import (
    Basis,
    Comparison,
    Difference,
    Importance,
    Judgement,
    Row,
    Side,
    Unlike,
    Value,
    Verdict,
)
from rtstone.judge.history._model import Series
from rtstone.model.units import counted, in_column
from rtstone.stats import LARGEST_DETECTABLE

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))
HEADINGS: dict[Importance, str] = {
    "instrument": "what measured",
    "machine": "the machine",
    "kernel": "the kernel",
    "settings": "settings",
    "circumstances": "conditions during the run",
}
NOT_SAID = "–"
CHANGED: frozenset[Verdict] = frozenset(
    {"improved", "regressed", "shorter within these runs", "longer within these runs"}
)


def unit(row: Row) -> tuple[str, float]:
    """The unit that suits a row's size, and its length in nanoseconds."""
    values = [abs(v.value_ns) for figure in row.figures for v in figure.values if v.value_ns]
    return _unit_of(min(values, default=0.0))


def unit_of_series(series: Series) -> tuple[str, float]:
    """The unit that suits a series' size, and its length in nanoseconds."""
    return _unit_of(abs(median(point.value_ns for point in series.points)))


def step(series: Series, number: int) -> str:
    """`13 % longer (1.02 to 1.15 ms, p 0.003)`: the size of the step `number`, from 1, of a series, and how sure it is."""
    found = series.steps[number - 1]
    unit_name, divisor = unit_of_series(series)
    old, new = (in_column(series.levels[n].median_ns / divisor) for n in (number - 1, number))
    longer = "longer" if found.verdict == "regressed" else "shorter"
    size = f"{share(abs(found.change))} {longer}" if found.change is not None else longer
    return f"{size} ({old} to {new} {unit_name}, {'exact' if series.exact else f'p {found.p:.2g}'})"


def figure(value: Value, divisor: float) -> str:
    """A value with three or four significant digits."""
    return NOT_SAID if value.value_ns is None else in_column(value.value_ns / divisor)


def change(of: Judgement, divisor: float) -> str:
    """`0.681 [0.650, 0.713]`; if there is no ratio, a difference in the row's unit."""
    if of.change is None:
        return NOT_SAID
    if not of.relative:
        ends = "" if of.low is None or of.high is None else f" [{of.low / divisor:+.3g}, {of.high / divisor:+.3g}]"
        return f"{of.change / divisor:+.3g}{ends}"
    ends = "" if of.low is None or of.high is None else f" [{ratio(of.low)}, {ratio(of.high)}]"
    return f"{ratio(of.change)}{ends}"


def ratio(value: float) -> str:
    """A ratio with three decimals, fewer if it is large."""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.2g}"


def share(value: float) -> str:
    """0.05 as `5 %`; from 100 % on as a factor."""
    if value >= 1:
        return f"×{1 + value:.2g}" if value < 9 else f"×{1 + value:.0f}"
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.1f} %" if percent >= 0.1 else "0.1 %"


def verdict(of: Judgement, unit_name: str, divisor: float) -> str:
    """The verdict; for no difference also the smallest change that the data could have shown."""
    if of.verdict.startswith("no difference") and of.smallest is not None:
        if of.relative and of.smallest > LARGEST_DETECTABLE:
            return f"{of.verdict} (not even {share(LARGEST_DETECTABLE)} would be shown)"
        least = share(of.smallest) if of.relative else f"{of.smallest / divisor:.3g} {unit_name}"
        return f"{of.verdict} ({least} would be shown)"
    return of.verdict


def unlike(of: Unlike, letters: Sequence[str], *, forced: bool) -> str:
    """Why sides are not compared, or why the runs of one side are not one population. `forced`: compared anyway."""
    if of.inside:
        return f"the runs of {letters[of.side]} are not comparable with each other: {of.what}"
    if forced:
        return (
            f"{letters[0]} and {letters[of.side]} are compared because of --unlike, although they differ in: {of.what}"
        )
    return f"{letters[0]} and {letters[of.side]} are not comparable: {of.what}"


def rest(of: Comparison) -> tuple[str, ...]:
    """Sentences on the changes that unchanged figures could have shown, and on why others have no verdict."""
    smallest: dict[str, list[float]] = {}
    reasons: Counter[tuple[Verdict, str]] = Counter()
    same = 0
    for row in of.rows:
        for one in row.figures:
            for judgement in one.against:
                if judgement.verdict.startswith("no difference"):
                    same += 1
                    if judgement.relative and judgement.smallest is not None:
                        smallest.setdefault(one.name, []).append(judgement.smallest)
                elif judgement.verdict not in CHANGED:
                    reasons[judgement.verdict, "; ".join(judgement.reasons[:2])] += 1
    texts = []
    if same:
        half = {name: median(found) for name, found in smallest.items()}
        least = ", ".join(f"{name} {share(found)}" for name, found in half.items() if found <= LARGEST_DETECTABLE)
        none = ", ".join(name for name, found in half.items() if found > LARGEST_DETECTABLE)
        would = f" In half of them a change would have shown from this size on: {least}." if least else ""
        if none:
            would += f" In half of {none}, not even {share(LARGEST_DETECTABLE)} would have shown."
        texts.append(f"{counted(same, 'figure')} without a difference.{would}")
    for (verdict_, why), times in reasons.most_common(3):
        texts.append(f"{counted(times, 'figure')} without a verdict ({verdict_}): {why}.")
    if len(reasons) > 3:
        others = counted(sum(n for _, n in reasons.most_common()[3:]), "figure")
        texts.append(f"{others} without a verdict for other reasons, which `--full` lists.")
    if any(verdict_ == "not comparable" for verdict_, _ in reasons):
        texts.append("`--unlike` compares them anyway, and lists what differs.")
    return tuple(texts)


def summary(of: Comparison) -> str:
    """`36 figures: 9 improved (the greatest: median of thread-wake-up, idle, -12 %), 27 no difference shown`."""
    total = sum(n for _, n in of.counts)
    counts = ", ".join(f"{n} {verdict}{_greatest(of, verdict)}" for verdict, n in of.counts if n)
    missing = f"; {counted(len(of.missing), 'row')} on one side only" if of.missing else ""
    unlike_ = "; between runs that are not comparable" if forced(of) else ""
    return f"{counted(total, 'figure')}: {counts}{missing}{unlike_}" if total else f"nothing in common{missing}"


def forced(of: Comparison) -> bool:
    """Whether runs or rows were compared as asked although they are not comparable."""
    return of.forced and bool(of.unlike or any(row.differs for row in of.rows))


def _greatest(of: Comparison, verdict_: Verdict) -> str:
    """The greatest change among the figures with a verdict, in brackets; empty for a verdict without a change."""
    if verdict_ not in CHANGED:
        return ""
    found = [
        (abs(math.log(j.change)) if j.relative else abs(j.change), j.relative, f"{figure_.name} of {row.title}", row, j)
        for row in of.rows
        for figure_ in row.figures
        for j in figure_.against
        if j.verdict == verdict_ and j.change is not None
    ]
    ratios = [one for one in found if one[1]] or found
    if not ratios:
        return ""
    _, _, what, row, judged = max(ratios, key=itemgetter(0))
    return f" (the greatest: {what}, {_by(row, judged)})"


def _by(row: Row, of: Judgement) -> str:
    """How much longer (+) or shorter (-) a figure is: `+2.5 %`, `×3.1`; without a ratio in the row's unit."""
    change_ = of.change or 0.0
    if not of.relative:
        name, divisor = unit(row)
        return f"{change_ / divisor:+.3g} {name}"
    if change_ >= 2:
        return f"×{change_:.2g}" if change_ < 10 else f"×{change_:.0f}"
    percent = 100 * (change_ - 1)
    return (
        f"{percent:+.0f} %"
        if abs(percent) >= 10
        else f"{percent:+.1f} %"
        if abs(percent) >= 0.1
        else f"{percent:+.1g} %"
    )


def shown(of: Difference, side: int) -> str:
    """A fact's value on a side; for a list of words, only those that not all sides have."""
    if of.words and any(of.words):
        return " ".join(of.words[side]) or NOT_SAID
    return of.values[side] or NOT_SAID


def method(of: Comparison) -> tuple[str, ...]:
    """How to read the comparison, in sentences."""
    sentences = [
        "A ratio is to A; below 1 means shorter than A. A figure is the mean of the repetitions' figures.",
        "max shows the largest sample; its ratio compares the repetitions' maxima.",
    ]
    bases = {j.basis for row in of.rows for figure in row.figures for j in figure.against if j.units[0]}
    sentences += [_BASES[basis] for basis in _BASES if basis in bases]
    if of.figures_judged:
        sentences.append(
            f"All {of.figures_judged} intervals together hold with {100 * of.confidence:g} %: if nothing differs, at most one comparison"
            f" in {1 / (1 - of.confidence):.0f} shows a difference."
        )
    late = [side for side in of.sides[1:] if _apart(of.sides[0], side)] if "runs" in bases else []
    if late:
        sentences.append(
            f"All runs of {' and '.join(side.label for side in late)} were made before or after those of {of.sides[0].label}. If the"
            " machine drifts meanwhile, the drift counts as a difference. To avoid this, interleave them: run --against."
        )
    if of.least_change:
        sentences.append(f"A change below {share(of.least_change)} counts as no difference.")
    units = dict.fromkeys(side.unit_of_time for side in of.sides if side.unit_of_time)
    if units:
        sentences.append(f"Times are {' and '.join(units)}: path length and blocking, not the time of real hardware.")
    if of.forced:
        sentences.append(
            "With --unlike, more than the kernel may differ. Such a difference is named at the top or at its row: there, a verdict"
            " does not show that the kernel caused the change."
        )
    return tuple(sentences)


_BASES: dict[Basis, str] = {
    "runs": "A ratio compares the means of the runs. Its interval is Welch's, over the runs.",
    "rounds": "The sides were interleaved, so that a drift of the machine does not count. An interval is Student's, over"
    " the ratios of the rounds.",
    "seeds": "An interval is Student's, over the ratios of the repetitions with the same seed. If the sides have different seeds, it is"
    " Welch's, over the repetitions.",
    "repetitions": "Within these runs: a side has fewer than three runs, so an interval is Welch's, over the repetitions. Other runs of"
    " the same kernels may differ by more. To find out, compare three or more runs a side (compare A1,A2,A3 B1,B2,B3), or use"
    " run --against.",
}


def _apart(first: Side, other: Side) -> bool:
    """Whether all runs of one side ended before those of the other started."""
    return bool(first.ended and other.ended) and (first.ended <= other.started or other.ended <= first.started)


def labelled(labels: Sequence[str]) -> tuple[str, ...]:
    """A letter for each side: A, B, C …"""
    return tuple(chr(ord("A") + i) if i < 26 else f"#{i + 1}" for i in range(len(labels)))


def _unit_of(typical: float) -> tuple[str, float]:
    return next(((name, ns) for name, ns in _UNITS if typical >= ns), _UNITS[-1])
