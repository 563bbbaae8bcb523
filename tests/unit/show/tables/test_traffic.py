# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels are compared under the same load, or the first note of the table says that they are not."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from rtstone.model import LoadFigure, Result, Run
from rtstone.show.tables import TableView, study_view
from rtstone.show.tables._added_rows import allowed
from rtstone.studies import study
from support.measured import run_for


def table(*runs: Run) -> TableView:
    found = study_view(list(runs), study("sscl")).tables
    return next(view for view in found if (view.number, view.kind) == ("1", "paper"))


def under(
    count: int, elapsed_ms: int, intensity: int = 1, run_id: str = "a", target: str = "board:arm64/freertos"
) -> Run:
    def change(result: Result) -> Result:
        figures = {"intensity": intensity, "timer_interrupts": count, "elapsed_ns": elapsed_ms * 10**6}
        told = tuple(LoadFigure("traffic", key, value) for key, value in figures.items())
        return replace(result, load=told) if result.variant.load == "traffic" else result

    return run_for("sscl", change=change, loads=("none", "traffic"), run_id=run_id, target=target)


@pytest.mark.parametrize(
    ("count", "elapsed_ms", "intensity", "same"),
    [
        (500, 500, 1, True),
        (474, 500, 1, True),
        (465, 500, 1, False),  # Linux's 930 a second, of half a second
        (376, 500, 1, False),  # 752
        (5, 9, 1, True),  # too short for a verdict
        (1000, 500, 2, True),
        (500, 500, 2, False),
    ],
)
def test_the_first_note_says_where_the_load_was_another(
    count: int, elapsed_ms: int, intensity: int, same: bool
) -> None:
    good = under(500, 500, run_id="b", target="board:arm64/linux-6.1")
    view = table(good, under(count, elapsed_ms, intensity))
    found = [note for note in view.notes if note.startswith("not under the same load")]
    assert bool(found) is not same
    if found:
        assert view.notes[0] == found[0]
        assert view.columns[0].marks == (1,)
        assert "board:arm64/freertos" in found[0]
        assert "linux" not in found[0]


def test_what_chance_makes_of_the_right_rate_is_not_doubted() -> None:
    """Intervals drawn as the load draws them: of a thousand items none is called another load; at a twentieth less most are."""
    source = Random(12)

    def counted(mean_ms: float) -> int:
        now, count = source.uniform(0, 0.5 * mean_ms), 0
        while now < 500:
            count += 1
            now += source.uniform(0.5, 1.5) * mean_ms
        return count

    assert sum(abs(counted(1.0) - 500) > allowed(500) for _ in range(1000)) == 0
    assert sum(abs(counted(1.08) - 500) > allowed(500) for _ in range(1000)) > 900
