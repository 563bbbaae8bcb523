# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a bound. Its chart has the stacked terms, the latest switch seen under each load, and tail estimates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rtstone.explain import Bound, text
from rtstone.model.units import counted
from rtstone.show.site.bars import Bar, Row, drawn, marks
from rtstone.show.site.pages import page

_OBSERVED, _ESTIMATED, _INTERRUPTS = 7, 5, 2
_TERMS = {"D_POID": 1, "D_ST": 6, "D_PAIE": 3, "D_PSD": 4}
"""Colours."""


def bounded_page(made: Bound, *, theme: str = "auto") -> str:
    """The page. Names from the run appear as text, whatever they contain."""
    return page(
        "bounded.html.j2",
        "How late a task can be switched to",
        theme,
        links=(),
        json="",
        made=made,
        us=lambda ticks: f"{text.microseconds(made, ticks):.2f}",
        verdict=list(text.bound_title(made)),
        proof=text.bound_proof(made),
        chart=_chart(made),
        latest=list(text.latest(made)),
        estimates=list(text.estimates(made)),
        terms=list(text.bound_terms(made)),
    )


def _chart(made: Bound) -> dict[str, Any]:
    stack = list(_stacked(made))
    rows: list[Row] = []
    for one in text.latest(made):
        name = f"{one.name}: {one.us:.2f} µs"
        if not one.load:
            rows.append((name, stack))
        elif one.high_us:
            title = f"{name}, and {one.high_us:.2f} at the end of its interval"
            rows.append((f"{name} (to {one.high_us:.2f})", [Bar("", 0, one.high_us, title, _ESTIMATED, dot=one.us)]))
        elif one.us:
            rows.append((f"{name}, {counted(int(one.wakings), 'waking')}", [Bar("", 0, one.us, name, _OBSERVED)]))
        else:
            rows.append((f"{one.name}: the task was never waiting", []))
    if made.bound is None:
        rows += [(bar.title, [bar]) for bar in stack]
    longest = max((bar.at + bar.length for _, bars in rows for bar in bars), default=0.0) or 1.0
    used = {bar.colour for _, bars in rows for bar in bars}
    legend = [(_OBSERVED, "observed"), (_ESTIMATED, "estimated by tails")]
    legend += [(colour, term) for term, colour in _TERMS.items()] + [(_INTERRUPTS, "I_IRQ(L), by interrupt")]
    return drawn(rows, longest, list(marks(longest, "µs")), [one for one in legend if one[0] in used])


def _stacked(made: Bound) -> Iterator[Bar]:
    """The parts that add up to the bound; without a bound, the parts that were observed."""
    ticks = {term.name: term.ticks for term in made.terms}
    less = min(("D_POID", "D_ST"), key=lambda name: ticks.get(name, 0))  # of these two the longer one counts
    parts = [(name, ticks[name], colour) for name, colour in _TERMS.items() if ticks.get(name) and name != less]
    parts += [(one.title, one.in_window, _INTERRUPTS) for one in made.interrupts if one.in_window]
    at = 0
    for name, took, colour in parts:
        title = f"{name}: {text.microseconds(made, took):.2f} µs, {took} instructions"
        yield Bar(name, text.microseconds(made, at), text.microseconds(made, took), title, colour)
        at += took
