# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures that no samples can have are never believed: minimum, maximum, buckets and overflow must agree."""

from __future__ import annotations

import pytest

from rtstone.stream import collect
from support.stream_writer import StreamWriter
from support.streams import histogram_run, preamble


@pytest.mark.parametrize(
    ("buckets", "low", "high", "overflow", "sentence"),
    [
        ([5, 1, 40, 1], 5, 9, 0, "there are samples in 48 … 49, beyond min 5 and max 9"),
        ([6, 1, 9, 1], 5, 9, 0, "min is 5, the lowest samples are in 6 … 6"),
        ([5, 1, 8, 1], 5, 9, 0, "max is 9, the highest samples are in 8 … 8"),
        ([5, 1], 5, 9, 1, "overflow is 1, with min 5 and max 9"),
        ([5, 2], 5, 1 << 20, 0, "overflow is 0, with min 5 and max 1048576"),
    ],
)
def test_figures_that_no_samples_can_have_make_the_result_invalid(
    buckets: list[int], low: int, high: int, overflow: int, sentence: str
) -> None:
    writer = StreamWriter()
    lines = preamble(writer, {"item": 0, "measurement": "task-switch"})
    (session,) = collect([*lines, *histogram_run(writer, buckets, low, high, overflow), writer.bye(1)])
    (result,) = session.results
    assert (result.status, result.reason, result.text) == ("invalid", "range", sentence)


@pytest.mark.parametrize(("buckets", "high", "overflow"), [([5, 1, 9, 1], 9, 0), ([5, 1], 1 << 20, 1)])
def test_figures_that_samples_can_have_are_believed(buckets: list[int], high: int, overflow: int) -> None:
    writer = StreamWriter()
    lines = preamble(writer, {"item": 0, "measurement": "task-switch"})
    (session,) = collect([*lines, *histogram_run(writer, buckets, 5, high, overflow), writer.bye(1)])
    (result,) = session.results
    assert (result.status, result.overflow) == ("ok", overflow)
