# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of an experiment: the effect of each setting on each figure, with its interval; the largest effect first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rtstone.show.site.bars import Bar, Mark, Row, drawn, mark
from rtstone.show.site.pages import page
from rtstone.tune.document import HEADINGS, change, percent, rows, sentences
from rtstone.tune.judge import Change, Report

_FAR = math.log(16)
"""Largest change that is drawn, as a logarithm: a factor of 16. The table has larger ones."""
_MARKS = (-0.9, -0.75, -0.5, -0.25, -0.1, -0.05, -0.02, -0.01, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 9.0)
_APART = 0.12


def tuned_page(report: Report, *, theme: str = "auto") -> str:
    """The page. Names of settings and their levels appear as text, whatever they contain."""
    shown = [one.name for one in report.settings if any(item.shown for item in one.changes)]
    return page(
        "tuned.html.j2",
        "Which setting helps",
        theme,
        links=(),
        json="",
        report=report,
        shown=shown,
        chart=_chart(report),
        headings=HEADINGS,
        rows=list(rows(report)),
        sentences=list(sentences(report)),
    )


def _place(share: float) -> float:
    """The position of a change on the chart. It is logarithmic: doubling and halving are equally far from 0."""
    return max(-_FAR, min(_FAR, math.log1p(max(share, -0.999999))))


def _chart(report: Report) -> dict[str, Any]:
    every = [item for one in report.settings for item in one.changes]
    low = min([-0.01, *(_place(item.low) for item in every)])
    high = max([0.01, *(_place(item.change if item.high is None else item.high) for item in every)])

    def bar(item: Change, colour: int) -> Bar:
        since, dot = (_place(share) - low for share in (item.low, item.change))
        until = (high if item.high is None else _place(item.high)) - low
        return Bar("", since, until - since, f"{item.figure} {change(item)}", colour, dot=dot)

    made: list[Row] = []
    for one in report.settings:
        name = f"{one.name}: {one.low or '(none)'} → {one.high or '(none)'}"
        for colour, item in enumerate(one.changes, 1):
            made.append((name if colour == 1 else "", [bar(item, colour)]))
    legend = [(colour, item.figure) for colour, item in enumerate(report.settings[0].changes, 1)]
    return drawn(made, high - low, list(_axis(low, high)), legend)


def _axis(low: float, high: float) -> Iterator[Mark]:
    """Marks at no change, and at round percentages that are far enough apart."""
    taken = [-low / (high - low)]
    yield mark(taken[0], "0 %")
    for share in sorted(_MARKS, key=abs, reverse=True):
        at = (_place(share) - low) / (high - low)
        if 0 <= at <= 1 and all(abs(at - other) >= _APART for other in taken):
            taken.append(at)
            yield mark(at, percent(share).replace(".0", ""))
