# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of one late sample: why, a timeline, of a board the calls as a flame chart. It needs nothing else, and no script to be drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rtstone.explain import Call, Explanation, text
from rtstone.explain.document import is_slow
from rtstone.show.site._pages import page

_ROW, _BAR, _AXIS = 20, 18, 18
"""Heights in pixels: a row of bars or a lane's name, a bar, the axis."""
_MOST_TICKS = 5
_WIDE = 1100
"""Pixels that a chart has on a wide page; a bar that would not show three letters there has no name in it."""
_LETTER = 7


def explained_page(made: Explanation, *, whole: bool = False, theme: str = "auto") -> str:
    """The page. `whole`: its table of calls has all of them, as its charts do. Names of the run appear as text, whatever they contain."""
    blame, calls = made.sample.blame, made.sample.calls
    shortest = 0 if whole else text.least(calls)
    return page(
        "explained.html.j2",
        text.title(made),
        theme,
        links=(),
        json="",
        made=made,
        us=lambda ticks: f"{text.microseconds(made, ticks):.2f}",
        why=list(text.why(made)),
        is_slow=is_slow(blame.of, made.usual),
        proof=list(text.proof(made)),
        blamed=blame.function,
        timeline=_drawn(made, _timeline(made)),
        flames=_drawn(made, _flames(calls)) if made.kept is None else None,
        calls=[call for call in calls if call.ticks >= shortest],
        slow=text.slow(made),
        causes=[(cause, text.named(cause, made), cause.samples / max(1, made.slow)) for cause in made.causes],
        untold=list(text.untold(made)),
    )


def _timeline(made: Explanation) -> Iterator[tuple[str, list[Call]]]:
    """A row for each lane's name, and one for its bars."""
    for name, calls in text.lanes(made).items():
        yield name, []
        yield "", calls


def _flames(calls: Sequence[Call]) -> Iterator[tuple[str, list[Call]]]:
    """A row for each depth, the outermost first."""
    rows: dict[int, list[Call]] = {}
    for call in calls:
        rows.setdefault(call.depth, []).append(call)
    for depth in sorted(rows):
        yield "", rows[depth]


def _drawn(made: Explanation, rows: Iterable[tuple[str, list[Call]]]) -> dict[str, Any]:
    """What the template needs of a chart: places along it are percentages of the sample, so it fits any page."""
    total = max(1, made.sample.ticks)
    names, bars, top = [], [], _AXIS
    for name, calls in rows:
        if name:
            names.append((top + _BAR - 4, name))
        for call in calls:
            share = 100 * call.ticks / total
            bars.append(
                {
                    "call": call,
                    "x": f"{100 * max(0, call.at) / total:.5f}%",
                    "width": f"{share:.5f}%",
                    "top": top,
                    "named": share * _WIDE / 100 >= 3 * _LETTER,
                }
            )
        top += _ROW
    return {"height": top, "bar": _BAR, "names": names, "bars": bars, "axis": list(_axis(made))}


def _axis(made: Explanation) -> Iterator[tuple[str, str, str]]:
    """Place, label and anchor of each mark: round numbers of µs, from 0."""
    total = text.microseconds(made, max(1, made.sample.ticks))
    rough = total / _MOST_TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    for number in range(int(total / step + 1e-9) + 1):
        share = 100 * number * step / total
        anchor = "start" if number == 0 else "end" if share > 95 else "middle"
        yield f"{share:.5f}%", f"{number * step:,.10g}" + ("" if number else " µs"), anchor
