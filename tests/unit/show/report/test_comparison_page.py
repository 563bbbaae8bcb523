# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A comparison on the page: each ratio inside the frame of its chart, each reason once, and one colour for one statement."""

from __future__ import annotations

import html

import msgspec

from rtstone.judge.compare import Comparison, compare
from rtstone.model import Note, Run, Variant
from rtstone.show.judged import words
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
    assert values["level"] == "doubtful"
    assert str(values["summary"]).endswith("; between runs that are not comparable")
    like = [runs[0], msgspec.structs.replace(runs[1], time="time")]
    assert "comparable" not in str(_values(compare(like, unlike=True))["summary"])


def _side(name: str, typical: int, seed: int) -> Run:
    run = repeated(
        name, quantity="thread-wake-up", typical=typical, count=2000, variants=(Variant(), LOADED), seed=seed
    )
    return msgspec.structs.replace(run, studies=())


def test_the_head_of_the_page_has_the_verdict_of_its_table() -> None:
    """Alone, the main quantity would have a narrower interval: fewer figures share the error."""
    sides = [[_side(f"{name}{n}", typical, n) for n in range(3)] for name, typical in (("a", 10_000), ("b", 10_500))]
    made = compare(sides)
    runs = [run for side in sides for run in side]
    (row,) = (one for one in made.rows if one.variant == Variant())
    (figure,) = (one for one in row.figures if one.name == "p99.9")
    (judged,) = figure.against
    head = html.unescape(render_html(runs, comparison=made)).partition('<div class="verdict')[0]
    said = f"repetitions' p99.9 × {words.change(judged, 1e3)}, {words.verdict(judged, 'µs', 1e3)}"
    assert said in head
    alone = compare(sides, statistics=("p99.9",)).rows[0].figures[0].against[0]
    assert words.change(alone, 1e3) != words.change(judged, 1e3)
    assert "against a0" in head
    assert "against a0, a1" not in head


def test_the_head_names_the_statistic_that_was_compared() -> None:
    sides = [[_side(f"{name}{n}", 10_000, n) for n in range(3)] for name in "ab"]
    made = compare(sides, statistics=("median",))
    head = render_html([run for side in sides for run in side], comparison=made).partition('<div class="verdict')[0]
    assert "median × " in head
    assert "p99.9 × " not in head


def test_the_box_says_how_many_changed_and_the_greatest_change() -> None:
    sides = [[_side(f"{name}{n}", typical, n) for n in range(3)] for name, typical in (("a", 10_000), ("b", 12_000))]
    made = compare(sides)
    assert made.count("regressed") > 0
    said = words.summary(made)
    assert said.startswith(f"8 figures: {made.count('regressed')} regressed (the greatest: ")
    assert _greatest(made) in said
    page = render_html([run for side in sides for run in side], comparison=made)
    assert page.count(said) == 2
    assert "Regressed." not in page


def _greatest(made: Comparison) -> str:
    changes = [
        j.change for row in made.rows for f in row.figures for j in f.against if j.verdict == "regressed" and j.change
    ]
    return f"{100 * (max(changes) - 1):+.0f} %"


def _of_interrupts(run: Run) -> Run:
    sessions = tuple(
        msgspec.structs.replace(
            s, results=tuple(msgspec.structs.replace(r, measurement="interrupt-response") for r in s.results)
        )
        for s in run.sessions
    )
    return msgspec.structs.replace(run, sessions=sessions)
