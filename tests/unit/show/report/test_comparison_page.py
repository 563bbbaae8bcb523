# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparison on the page: each ratio inside the frame of its chart, each reason once, and one colour for one statement."""

from __future__ import annotations

import msgspec

from rtstone.judge.compare import Comparison, compare
from rtstone.model import Note, Run, Variant
from rtstone.show.report import _comparison, render_html
from support.repeated import repeated

LOADED = Variant(load="cpu")
SUBSTITUTE = "a loop that polls; no task does"


def _far_apart() -> list[Run]:
    variants = (Variant(), LOADED)
    near = repeated("a", count=1500, variants=variants)
    return [near, repeated("b", count=1500, variants=variants, typical=600_000, between=0.4, seed=2)]


def _substituted(run: Run) -> Run:
    sessions = tuple(
        msgspec.structs.replace(
            session,
            results=tuple(
                msgspec.structs.replace(r, notes=(Note("substituted", "timer", SUBSTITUTE),)) for r in session.results
            ),
        )
        for session in run.sessions
    )
    return msgspec.structs.replace(run, sessions=sessions)


def test_a_ratio_beyond_thirty_lies_inside_the_frame_and_cut_intervals_are_counted() -> None:
    made = compare(_far_apart())
    ((chart, rows),) = _comparison.charts(made)
    ratios = [float(str(row["x"])) for row in rows]
    assert max(ratios) > _comparison._FARTHEST
    least, most = chart.spec["layer"][2]["encoding"]["x"]["scale"]["domain"]
    assert all(least <= ratio <= most for ratio in ratios)
    assert all(float(str(row["lo"])) <= float(str(row["x"])) <= float(str(row["hi"])) for row in rows)
    assert len(chart.spec["layer"][2]["encoding"]["x"]["axis"]["values"]) >= 3
    highs = [j.high for row in made.rows for figure in row.figures for j in figure.against if j.high is not None]
    beyond = sum(high > max(ratios) for high in highs)
    assert beyond > 0
    assert f"The intervals of {beyond} figure" in chart.how_to_read
    ((plain, _),) = _comparison.charts(compare([_far_apart()[0], repeated("c", count=1500, seed=3)]))
    assert "beyond the frame" not in plain.how_to_read


def _values(made: Comparison) -> dict[str, object]:
    return _comparison.shown(made, {}, ())


def test_a_difference_of_a_whole_row_is_in_its_heading_only() -> None:
    runs = [repeated("a", count=1500), _substituted(repeated("b", count=1500, seed=2))]
    (row,) = msgspec.convert(_values(compare(runs, unlike=True))["rows"], list[dict[str, object]])
    assert sum(SUBSTITUTE in text for text in msgspec.convert(row["remarks"], list[str])) == 1
    lines = msgspec.convert(row["lines"], list[dict[str, object]])
    assert len(lines) == 4
    assert not any(SUBSTITUTE in str(line) for line in lines)
    (judgement,) = compare(runs).rows[0].figures[0].against
    assert sum(SUBSTITUTE in reason for reason in judgement.reasons) == 1


def test_the_measurement_and_the_comparison_have_a_box_each() -> None:
    runs = [msgspec.structs.replace(run, degraded=()) for run in _far_apart()]
    html = render_html(runs, comparison=compare(runs))
    top = html[html.index('<header id="top">') : html.index("</header>")]
    measured, compared = (part.partition("</div>")[0] for part in top.split('<div class="verdict ')[1:])
    assert "Measurement: complete." in measured
    assert "figures:" not in measured
    assert "Comparison</a>:" in compared
    assert "figures:" in compared
    assert "Measurement:" not in render_html(runs[:1])


def test_a_page_of_runs_compared_as_asked_does_not_also_refuse_to_compare_them() -> None:
    """The first sentence, the box and the list name the difference, and none calls the runs not compared."""
    runs = [
        repeated(name, quantity="interrupt-task-response", typical=typical, studies=("sscl",), count=2000)
        for name, typical in (("a", 10_000), ("b", 20_000))
    ]
    runs = [_of_interrupts(run) for run in runs]
    runs[1] = msgspec.structs.replace(runs[1], time="instruction-time", degraded=())
    refused = render_html(runs, comparison=compare(runs))
    assert "A and B are not comparable: unit of time" in refused
    asked = render_html(runs, comparison=compare(runs, unlike=True))
    assert "are not comparable" not in asked.replace("between runs that are not comparable", "")
    assert "not comparable, unit of time" not in asked
    assert "longer within these runs (compared as asked, although they differ in: unit of time" in asked
    assert "A and B are compared because of --unlike, although they differ in: unit of time" in asked
    values = _values(compare(runs, unlike=True))
    assert (values["level"], values["word"]) == ("doubtful", "Within these runs, between runs that are not comparable.")
    like = [runs[0], msgspec.structs.replace(runs[1], time="time")]
    assert _values(compare(like, unlike=True))["word"] == "Within these runs."


def _of_interrupts(run: Run) -> Run:
    sessions = tuple(
        msgspec.structs.replace(
            s, results=tuple(msgspec.structs.replace(r, measurement="interrupt-response") for r in s.results)
        )
        for s in run.sessions
    )
    return msgspec.structs.replace(run, sessions=sessions)
