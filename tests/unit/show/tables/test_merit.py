# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of merit: right by hand, and never without all their parts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rtstone.model import Result
from rtstone.show.tables import study_view
from rtstone.show.tables._added_rows import figure_of_merit
from rtstone.studies import FigureOfMerit, study
from support.measured import run_for, skipped

RATES = FigureOfMerit(title="r", formula="sum-of-rates", explanation="", source="", weights={"a": 2.0})
MEAN = FigureOfMerit(title="m", formula="rate-of-mean", explanation="", source="")


def test_formulas_by_hand() -> None:
    assert figure_of_merit(RATES, {"a": 0.5, "b": 0.25}) == pytest.approx(2 / 0.5 + 1 / 0.25)
    assert figure_of_merit(MEAN, {"a": 0.5, "b": 0.25}) == pytest.approx(1 / 0.375)


@pytest.mark.parametrize("parts", [{}, {"a": 0.0}, {"a": -1.0}, {"a": float("nan")}])
def test_parts_without_a_time_have_no_figure(parts: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="needs parts"):
        figure_of_merit(MEAN, parts)


def merit(change: object = None) -> list[tuple[str, str]]:
    run = run_for("rhealstone", loads=["none"], change=change)  # type: ignore[arg-type]
    view = study_view([run], study("rhealstone")).tables[0]
    return [(line.cells[-1].text, line.cells[-1].state) for line in view.lines if line.group]


def test_the_figure_stands_under_its_six_parts() -> None:
    run = run_for("rhealstone", loads=["none"])
    view = study_view([run], study("rhealstone")).tables[0]
    assert [bool(line.group) for line in view.lines] == [False] * 6 + [True] * 2
    wanted = {row.quantity or row.measurement for row in study("rhealstone").table("1").rows}
    seconds = [r.sum / r.count / 1e9 for r in run.results() if r.quantity in wanted]
    assert len(seconds) == 6
    shown = float(view.lines[6].cells[-1].text.replace(" ", ""))
    assert shown == pytest.approx(sum(1 / t for t in seconds), abs=1)


def test_a_missing_or_doubtful_part_takes_the_figure_away() -> None:
    assert {state for _, state in merit()} == {"value"}

    def without(result: Result) -> Result:
        return skipped(result) if result.measurement == "deadlock-break" else result

    def doubtful(result: Result) -> Result:
        return replace(result, status="invalid", text="no") if result.measurement == "deadlock-break" else result

    for change in (without, doubtful):
        assert merit(change) == [("–", "absent")] * 2


def test_the_wake_up_of_a_thread_is_no_part_of_the_figure() -> None:
    """The page says: all six components are measured, or there is no figure."""

    def by_thread(result: Result) -> Result:
        if result.quantity != "interrupt-service-response":
            return result
        return replace(result, entered="thread", quantity="thread-wake-up")

    run = run_for("rhealstone", loads=["none"], change=by_thread)
    view = study_view([run], study("rhealstone"))
    assert "Thread wake-up after a timer" in [line.cells[0].text for line in view.tables[0].lines]
    assert merit(by_thread) == [("–", "absent")] * 2
    assert "no figure of merit: a part is missing or doubtful (Interrupt latency)" in view.tables[0].notes
    assert view.sheet is not None
    (finding,) = [finding for line in view.sheet.lines for finding in line.findings if finding.check == "all-measured"]
    assert finding.verdict == "not met"
