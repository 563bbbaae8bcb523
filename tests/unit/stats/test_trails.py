# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How many late samples have a trail, and the limit above which all would have one."""

from __future__ import annotations

import msgspec
import pytest

from rtstone.model import Event, Figure
from rtstone.stats import Trails, trails
from support.runs import make_result

KEPT, DROPPED = Event("sample cycle", 5, 1), Event("sample cycle dropped", 6, 1)
STEP = Event("switch", 4, 1)


@pytest.mark.parametrize(
    ("events", "late", "expected"),
    [
        ((STEP, KEPT, KEPT, DROPPED), None, Trails(3, 2, 8)),  # two of 1 … 10 lie above 8
        ((STEP, KEPT, KEPT, DROPPED), 9, Trails(9, 2, 8)),
        ((KEPT, KEPT), None, Trails(2, 2, None)),
        ((KEPT, KEPT), 3, Trails(3, 2, 8)),
        ((STEP,), None, Trails(0, 0, None)),
        ((STEP,), 4, Trails(4, 0, 10)),
    ],
)
def test_trails_are_counted_by_their_ends(events: tuple[Event, ...], late: int | None, expected: Trails) -> None:
    figures = () if late is None else (Figure("bytes", "bytes", 77), Figure("samples-over-limit", "samples", late))
    result = msgspec.structs.replace(make_result(values=list(range(1, 11))), events=events, figures=figures)
    assert trails(result) == expected
    assert trails(msgspec.structs.replace(result, histogram=None)) == expected._replace(fits=None)


def test_the_limit_is_no_wider_than_the_least_and_the_largest_sample() -> None:
    result = msgspec.structs.replace(make_result(values=[1_001, 1_002]), events=(KEPT, DROPPED, DROPPED))
    assert trails(result).fits == 1_001
    none = msgspec.structs.replace(result, events=(DROPPED,))
    assert trails(none).fits == 1_002
