# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The verdicts of the bench's lines, and its estimates, by known answers."""

from __future__ import annotations

import pytest
from bench.lib.estimate import ratio_of_medians
from bench.lib.line import Limit, Line, Verdict, absent, failure, read, text


def _line(value: float | None, limit: Limit, interval: tuple[float, float] | None = None, lacks: str = "") -> Line:
    return Line(name="one", value=value, unit="x", limit=limit, interval=interval, absent=lacks)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (_line(1.0, 1.0), "pass"),
        (_line(1.1, 1.0), "short"),
        (_line(1.0, None), "shown"),
        (_line(0.2, (-0.5, 0.5), (-0.5, 0.5)), "pass"),
        (_line(0.2, (-0.5, 0.5), (-0.1, 0.51)), "short"),
        (_line(0.2, (-0.5, 0.5)), "short"),
        (_line(float("nan"), None), "failed"),
        (failure("one", "it broke"), "failed"),
        (absent("one", "no such tracer"), "absent"),
        (_line(None, 1.0, lacks="no such tracer"), "failed"),
        (Line(name="one", value=None, unit="x", limit=None, failed="it broke", absent="no such tracer"), "failed"),
    ],
)
def test_the_verdict_of_a_line(line: Line, verdict: Verdict) -> None:
    assert line.verdict == verdict


def test_an_absent_line_says_what_the_kernel_lacks() -> None:
    line = read('{"name": "one", "value": null, "unit": "-", "limit": null, "absent": "no such tracer"}')
    assert line == absent("one", "no such tracer")
    assert text(line).split() == ["one", "-", "-", "-", "absent", "(no", "such", "tracer)"]


def test_the_ratio_of_medians() -> None:
    assert ratio_of_medians([-1.0, 2.0, 3.0], [4.0, 8.0, -9.0]).value == 0.5
    assert ratio_of_medians([-1.0, 2.0, 3.0], [4.0, 8.0, -9.0]).interval is None  # of three rounds
    steady = ratio_of_medians([1.0] * 15, [4.0] * 15)
    assert (steady.value, steady.interval) == (0.25, (0.25, 0.25))
    assert ratio_of_medians([-1.0] * 15, [4.0] * 15).interval == (-0.25, -0.25)


def test_a_round_s_figures_are_drawn_together() -> None:
    theirs = [float(number) for number in range(1, 16)]
    alike = ratio_of_medians([figure / 2 for figure in theirs], theirs)
    assert (alike.value, alike.interval) == (0.5, (0.5, 0.5))


def test_no_interval_where_the_other_may_be_nothing() -> None:
    noise = [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    found = ratio_of_medians([1.0] * len(noise), noise)
    assert (found.value, found.interval) == (1.0, None)
    with pytest.raises(ValueError, match=r"median of the other is -1"):
        ratio_of_medians([1.0, 1.0, 1.0], [-1.0, -1.0, 2.0])
