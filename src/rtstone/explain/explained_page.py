# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of one late sample: its cause, a timeline, and for a board a flame chart of the calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rtstone.explain import Call, Explanation, text
from rtstone.explain.document import is_slow
from rtstone.show.site.bars import Bar, Row, drawn, marks
from rtstone.show.site.pages import page


def explained_page(made: Explanation, *, whole: bool = False, theme: str = "auto") -> str:
    """The page. `whole`: its table lists all calls, as its charts do. Names from the run always appear as text."""
    blame, calls = made.sample.blame, made.sample.calls
    shortest = 0 if whole else text.least(calls)
    total = max(1, made.sample.ticks)
    axis = list(marks(text.microseconds(made, total), "µs"))

    def row(name: str, some: Sequence[Call]) -> Row:
        return name, [_bar(made, call) for call in some]

    def chart(rows: Iterator[Row]) -> dict[str, object]:
        made_of = list(rows)
        there = any(bar.name == blame.function for _, bars in made_of for bar in bars)
        legend = [(2, f"{blame.function}, which is to blame")] if blame.function and there else []
        return drawn(made_of, total, axis, legend)

    return page(
        "explained.html.j2",
        text.title(made) if made.kept is None else f"Late samples of {made.target}",
        theme,
        links=(),
        json="",
        made=made,
        sample=text.title(made),
        us=lambda ticks: f"{text.microseconds(made, ticks):.2f}",
        why=list(text.why(made)),
        is_slow=is_slow(blame.of, made.usual),
        proof=list(text.proof(made)),
        timeline=chart(row(name, some) for name, some in text.lanes(made).items()),
        flames=chart(row("", some) for some in _flames(calls)) if made.kept is None else None,
        calls=[call for call in calls if call.ticks >= shortest],
        slow=text.slow(made),
        causes=[
            (cause, text.named(cause, made) + text.which(cause, made), cause.samples / max(1, made.slow))
            for cause in made.causes
        ],
        untold=list(text.untold(made)),
    )


def _bar(made: Explanation, call: Call) -> Bar:
    at = max(0, call.at)
    took, since = (f"{text.microseconds(made, ticks):.2f} µs" for ticks in (call.ticks, at))
    title = f"{call.function}: {took} from {since} on, {call.ticks} {'ns' if made.kept else 'ticks'}"
    blamed = call.function != "" and call.function == made.sample.blame.function
    return Bar(call.function, at, call.ticks, title, 2 if blamed else 1)


def _flames(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """A row for each depth, the outermost first."""
    rows: dict[int, list[Call]] = {}
    for call in calls:
        rows.setdefault(call.depth, []).append(call)
    for depth in sorted(rows):
        yield rows[depth]
