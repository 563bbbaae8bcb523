# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison, stages and latency over time in the report: the drawn figures add up to the measured ones."""

from __future__ import annotations

import struct
from typing import Any

import msgspec
import pytest

from rtstone.judge.compare import VERDICTS, compare
from rtstone.model import Run, Variant
from rtstone.show.report import _comparison, _heat, _stages, render_html
from rtstone.show.report._look import LIGHT
from rtstone.show.report._series import sections
from support.page import Page
from support.repeated import IDLE, LOADED, repeated
from support.runs import make_result, make_run, make_session

HOSTILE = "</script><img src=x onerror=alert(1)>"


def _staged(*names: str, repetitions: int = 3) -> Run:
    """Stages of 1, 2, 3 … µs, and a total of 10 µs."""
    results = [
        make_result(name, measurement="split", item=0, values=[1_000 * (i + 1) + k for k in range(-50, 51)])
        for i, name in enumerate(names)
    ]
    results.append(
        make_result("interrupt-task-response", measurement="split", item=0, values=[10_000 + k for k in range(-50, 51)])
    )
    sessions = tuple(make_session(tuple(results), repetition=number) for number in range(repetitions))
    return make_run("r", results=(), sessions=sessions)


def test_stages_add_up_and_what_none_covers_is_said() -> None:
    (group,) = _stages.stages(sections([_staged("expiry-to-handler", "handler-to-waking", "waking-to-switch")]))
    assert group.quantities[-1] == "interrupt-task-response"
    charts = {chart.kind: rows for chart, rows in _stages.charts(group)}
    shares: list[dict[str, Any]] = list(charts["stages-share"])
    assert [row["q"] for row in shares] == ["expiry-to-handler", "handler-to-waking", "waking-to-switch", _stages.REST]
    assert [round(row["n"], 4) for row in shares] == [1, 2, 3, 4]
    assert shares[-1]["x2"] == pytest.approx(10, rel=15e-6)
    assert sum(row["p"] for row in shares) == pytest.approx(1)
    assert len(charts["stages-spread"]) == 4
    assert _stages.residuals(group) == ("this machine: of the mean 4 µs (40.0%) lie in no stage",)


def test_stages_longer_than_their_total_have_no_rest() -> None:
    run = _staged("a", "b", "c", "d", "e")
    (group,) = _stages.stages(sections([run]))
    assert _stages.residuals(group) == ()


def test_one_series_has_no_stages_and_batches_have_none() -> None:
    assert _stages.stages(sections([repeated("a", variants=(IDLE, LOADED))])) == ()


def test_maxima_over_time_have_a_line_for_each_repetition_and_lose_no_maximum() -> None:
    run = repeated("a", repetitions=4, variants=(IDLE, LOADED))
    (section,) = sections([run])
    ((chart, rows),) = _heat.charts(section)
    assert len(chart.legend) == 8
    largest = max(result.max or 0 for result in run.results())
    assert max(float(str(row["y"])) for row in rows) * section.divisor == pytest.approx(largest)


def test_one_repetition_without_samples_has_no_map() -> None:
    (section,) = sections([repeated("a", repetitions=1)])
    assert list(_heat.charts(section)) == []


def test_every_raw_sample_is_in_the_map() -> None:
    run = repeated("a", repetitions=2, count=500)
    sessions = tuple(
        msgspec.structs.replace(
            s,
            results=tuple(
                msgspec.structs.replace(r, samples=struct.pack("<500q", *range(1_000, 1_500))) for r in s.results
            ),
        )
        for s in run.sessions
    )
    (section,) = sections([msgspec.structs.replace(run, sessions=sessions)])
    maps = {chart.kind: rows for chart, rows in _heat.charts(section)}
    assert sum(int(str(row["n"])) for row in maps["samples"]) == 1_000


def test_the_page_has_the_comparison_its_chart_and_what_changed() -> None:
    first = repeated("a", variants=(IDLE, LOADED))
    second = repeated("b", variants=(IDLE,), typical=20_000, seed=2)
    second = msgspec.structs.replace(
        second,
        sessions=tuple(msgspec.structs.replace(s, env=s.env | {"kernel.preempt": HOSTILE}) for s in second.sessions),
    )
    made = compare([first, second])
    page = Page(render_html([first, second], comparison=made))
    assert "Comparison" in page.words
    assert "longer within these runs" in page.words
    assert "longer within these runs (the greatest: " in page.words
    assert "regressed" not in page.words
    assert "semaphore-ping, cpu load: not in B (it was not measured there)" in page.words
    assert "kernel.preempt" in page.words
    assert HOSTILE in page.words
    assert page.count("img") == 0
    assert page.with_attribute("id", "comparison-1") == 1
    ratios = page.charts["datasets"]["comparison-1"]["rows"]
    assert len(ratios) == made.figures_judged == 4
    anchors = {attributes.get("id") for _, attributes in page.elements}
    targets = {str(a.get("href"))[1:] for name, a in page.elements if name == "a"}
    assert targets <= anchors


def test_too_many_ratios_for_a_chart_leave_those_that_changed() -> None:
    variants = tuple(Variant(load=f"l-{n}") for n in range(40))
    like = [repeated("a", count=120, variants=variants), repeated("b", count=120, variants=variants, seed=2)]
    assert compare(like).figures_judged == 120
    assert list(_comparison.charts(compare(like))) == []
    longer = [like[0], repeated("b", count=120, variants=variants, typical=30_000, seed=2)]
    ((_, rows),) = _comparison.charts(compare(longer))
    assert len(rows) == 90
    assert {row["s"] for row in rows} == {"longer within these runs"}


def test_every_verdict_has_a_colour_of_its_own_in_the_chart() -> None:
    assert set(_comparison._COLOURS) == set(VERDICTS)
    assert len(_comparison._COLOURS) <= len(LIGHT.series)
