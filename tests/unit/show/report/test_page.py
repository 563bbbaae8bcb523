# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page says what the runs say, shows all of it, and runs nothing of it."""

from __future__ import annotations

import base64
import hashlib
import re

import altair
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rtstone.model import Degraded, Losses, Note, Result, Run, Variant
from rtstone.show import tables
from rtstone.show.report import _look, _overview, _page, _provenance, render_html
from rtstone.show.report._reduce import ticks
from rtstone.show.report._series import sections
from rtstone.show.report._specs import charts
from rtstone.show.report._verdict import verdict
from rtstone.studies import studies, study
from support.measured import run_for
from support.page import Page
from support.runs import make_result, make_run, make_session

HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    '"><svg/onload=alert(2)>',
    "<!--<script>",
    "{{ 7 * 7 }}{% raw %}",
    "'; alert(3); //",
    "]]>\u2028\u2029\x00\x1b[31m",
    "javascript:alert(4)",
)


def _hostile_run(text: str) -> Run:
    """A run with the same string wherever a target, a file or a user could put one."""
    note = Note("substituted", text, text)
    result = make_result(text, count=30)
    result = msgspec.structs.replace(result, notes=(note,), variant=Variant(load=text, timer=text))
    skipped = msgspec.structs.replace(make_result("other", count=5), status="invalid", reason=text, text=text)
    session = make_session(
        (result, skipped),
        env={"kernel.name": text, text: text},
        console=(text, "ordinary"),
        problems=(text,),
        nonce=text,
        engine=text,
        port=text,
        unknown=(text,),
    )
    return make_run(
        text,
        sessions=(session,),
        label=text,
        target=text,
        profile=text,
        studies=(text,),
        started=text,
        ended=text,
        tool=text,
        group=text,
        host={text: text},
        degraded=(Degraded(text, text, text),),
        warnings=(text,),
    )


def _structure(page: Page) -> list[tuple[str, tuple[str, ...]]]:
    return [(tag, tuple(sorted(attributes))) for tag, attributes in page.elements]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_stay_text(text: str) -> None:
    """The page has the very elements and attributes that it has for harmless strings, and shows the string."""
    page = Page(render_html([_hostile_run(text)]))
    assert _structure(page) == _structure(Page(render_html([_hostile_run("harmless")])))
    assert " ".join(text.replace("\x00", "\ufffd").split()) in page.words.replace("\x00", "\ufffd")
    assert len(page.raw["script"]) == 3
    assert "<" not in page.raw["script"][0]


@settings(max_examples=max(25, settings().max_examples // 50), suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=40))
def test_any_string_stays_text(text: str) -> None:
    page = Page(render_html([_hostile_run(text or "x")]))
    assert {tag for tag, _ in page.elements} <= HARMLESS
    assert len(page.raw["script"]) == 3


HARMLESS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "nav",
        "main",
        "section",
        "article",
        "footer",
        "noscript",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "dl",
        "dt",
        "dd",
        "p",
        "div",
        "span",
        "strong",
        "br",
        "sup",
        "a",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
    ),
    *("tr", "th", "td", "figure", "figcaption", "details", "summary", "pre", "script"),
}


def test_policy_lets_only_our_scripts_run() -> None:
    page = Page(render_html([make_run(count=30)]))
    (policy,) = (a["content"] or "" for t, a in page.elements if t == "meta" and a.get("http-equiv"))
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules["default-src"] == ["'none'"]
    assert rules["base-uri"] == rules["form-action"] == ["'none'"]

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["script-src"] == [hashed(script) for script in page.raw["script"][1:]]
    assert rules["style-src"] == [hashed(style) for style in page.raw["style"]]
    assert "unsafe" not in policy
    assert not any(name.startswith("on") or name == "style" for _, a in page.elements for name in a)


def test_page_loads_nothing() -> None:
    page = Page(render_html([make_run(count=30)]))
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base"}
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"url\(|@import", page.raw["style"][0])


def test_links_and_charts_have_their_places() -> None:
    page = Page(render_html([make_run("a", label="a", count=30), make_run("b", label="b", count=30)]))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {(a["href"] or "")[1:] for t, a in page.elements if t == "a"} <= set(ids)
    drawn = page.charts["charts"]
    assert {chart["key"] for chart in drawn} <= set(ids)
    assert {chart["data"] for chart in drawn} == set(page.charts["datasets"])
    assert page.words.count("How to read this:") == len(drawn)


def test_every_measurement_has_its_charts_and_figures() -> None:
    run = make_run(count=200)
    page = Page(render_html([run]))
    kinds = [chart["kind"] for chart in page.charts["charts"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "overview": 2,
        "histogram": 5 + 1,  # the page opens with the main quantity's
        "exceedance": 5,
        "windows": 5,
        "averages": 5,
    }
    data = page.charts["datasets"]["semaphore-ping-histogram"]
    column = data["columns"].index("n")
    assert sum(row[column] for row in data["rows"]) == 400
    for word in (
        "p99.9",
        "maximum",
        "kernel.release",
        "6.1.0-18-amd64",
        "clock-read",
        "Fidelity sheet",
        "sscl Table 1",
    ):
        assert word in page.words


def test_specifications_are_vega_lite() -> None:
    """Altair's schema is of this Vega-Lite; it is used here only, since checking takes longer than all else together."""
    variants = [Variant(load=load, sched=sched) for load in ("none", "cpu") for sched in ("rt", "ts")]
    results = [make_result(item=i, variant=v, count=40) for i, v in enumerate(variants)]
    results.append(make_result(item=9, variant=Variant(pass_="batch")))
    results.append(make_result("anticipates", values=[-30, -2, 5, 9]))
    checked = 0
    for section in sections([make_run(results=tuple(results))]):
        for chart, rows in charts(section):
            altair.Chart.from_dict({**chart.spec, "datasets": {chart.data: rows}})
            checked += 1
    assert checked == 4 + 3


def test_run_without_anything_is_incomplete_but_shown() -> None:
    page = Page(render_html([make_run(sessions=(), studies=(), degraded=())]))
    assert "Incomplete." in page.words
    assert page.charts["charts"] == []


def test_no_runs_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        render_html([])


def test_unknown_study_is_passed_over() -> None:
    page = Page(render_html([make_run(studies=("from-the-future", "sscl"), count=30)]))
    assert "sscl Table 1" in page.words


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_theme_is_the_pages(theme: str) -> None:
    assert f'data-theme="{theme}"' in render_html([make_run(count=20)], theme=theme)


def _verdict(**changes: object) -> tuple[str, str]:
    run = msgspec.structs.replace(make_run(count=20, degraded=()), **changes)
    found = verdict([run], ["it"])
    return found.level, " ".join((found.line, *found.reasons))


def test_verdict_follows_the_worst() -> None:
    run = make_run(count=20, degraded=())
    assert _verdict()[0] == "complete"
    assert "20 of 21 results measured" in _verdict()[1]
    assert _verdict(degraded=(Degraded("sched", "no SCHED_FIFO", "sudo x"),))[0] == "doubtful"
    level, text = _verdict(status="interrupted")
    assert (level, "the run is interrupted" in text) == ("incomplete", True)
    cut = msgspec.structs.replace(
        run.sessions[0], complete=False, losses=Losses(gaps=1, missing_records=2), problems=("line 7: gap",)
    )
    level, text = _verdict(sessions=(cut,))
    assert (level, "line 7: gap" in text) == ("incomplete", True)
    bad = msgspec.structs.replace(run.sessions[0].results[0], status="invalid")
    assert _verdict(sessions=(msgspec.structs.replace(run.sessions[0], results=(bad,)),))[0] == "incomplete"
    lossy = msgspec.structs.replace(run.sessions[0].results[0], dropped=3)
    level, text = _verdict(sessions=(msgspec.structs.replace(run.sessions[0], results=(lossy,)),))
    assert (level, "3 samples dropped" in text) == ("doubtful", True)


def test_losses_are_told_by_kind() -> None:
    session = make_session(
        (make_result(count=20),), complete=False, losses=Losses(bad_lines=12_345), problems=("line 3",)
    )
    page = Page(render_html([make_run(sessions=(session,))]))
    assert "12 345" in page.words
    assert "line 3" in page.words


@pytest.mark.parametrize(("palette", "block"), [(_look.LIGHT, ":root {"), (_look.DARK, ':root[data-theme="dark"] {')])
def test_images_have_the_colours_of_the_page(palette: _look.Palette, block: str) -> None:
    style = Page(render_html([make_run(count=20)])).raw["style"][0]
    said = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", style[style.index(block) :].partition("}")[0]))
    assert tuple(said[f"s{number}"] for number in range(1, 9)) == palette.series
    names = ("ink", "faint", "line", "grid", "ground")
    assert [said[name] for name in names] == [getattr(palette, name) for name in names]


def test_dark_by_choice_and_by_the_readers_system_are_the_same() -> None:
    style = Page(render_html([make_run(count=20)])).raw["style"][0]
    chosen, followed = (
        style[style.index(block) + len(block) :].partition("}")[0].split()
        for block in (':root[data-theme="dark"] {', ':root[data-theme="auto"] {')
    )
    assert chosen == followed


def test_a_clock_that_each_session_calibrated_is_one_line_of_provenance() -> None:
    sessions = tuple(make_session((make_result(count=20),), repetition=n) for n in range(6))
    (grid,) = (g for g in _provenance.provenance([make_run(sessions=sessions)], ["a"]) if g.title == "Clocks")
    (line,) = grid.lines
    assert line.cells[:2] == ("a", "tsc")
    assert line.cells[2].startswith("1 GHz (6 rates, ")
    assert line.cells[5] == "15 ppm"


def test_the_first_chart_has_each_row_once_with_what_papers_print_and_what_was_measured() -> None:
    values = [*range(2_000, 4_000), 90_000]
    results = [
        make_result("semaphore-ping", item=i, values=values, variant=Variant(load=v))
        for i, v in enumerate(("none", "cpu"))
    ]
    page = Page(render_html([make_run(results=tuple(results), studies=("sscl",))]))
    data = page.charts["datasets"]["overview"]
    rows = [dict(zip(data["columns"], row, strict=True)) for row in data["rows"]]
    assert {row["q"] for row in rows} == {"Ping Semaphore"}
    assert sorted(row["x"] for row in rows if row["k"] == 0) == [219, 232, 239, 397]
    ours = [row for row in rows if row["k"] == 1]
    assert [data["series"][row["s"]] for row in ours] == ["idle", "cpu load"]
    for row in ours:
        assert row["x"] == pytest.approx(3.0, rel=0.02)
        assert row["m"] == pytest.approx(4.0, rel=0.02)
        assert row["hi"] == pytest.approx(90.0)
    assert not any(chart["kind"] == "overview" for chart in Page(render_html([make_run(sessions=())])).charts["charts"])


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.05, 200.0, [0.1, 1, 10, 100]),
        (80.0, 1_400.0, [100, 200, 500, 1000]),
        (30.0, 90.0, [50]),
        (2.0, 2.7, []),
        (5.0, 5.01, []),
        (1e-9, 1e-8, []),
    ],
)
def test_a_logarithmic_axis_has_labels_whatever_its_range(low: float, high: float, wanted: list[float]) -> None:
    found = ticks(low, high)
    assert len(found) >= 2
    assert found == sorted(set(found))
    assert all(low * (1 - 1e-9) <= value <= high * (1 + 1e-9) for value in found)
    assert set(wanted) <= set(found)


def test_the_title_has_host_kernel_and_date_and_two_dates_are_two_dates() -> None:
    def titled(*runs: Run) -> str:
        page = Page(render_html(runs))
        return page.words.partition(" Contents ")[0]

    def at(run_id: str, day: str, machine: str = "bench") -> Run:
        session = make_session((make_result(count=30),))
        env = session.env | {"machine.name": machine, "machine.id": machine * 4}
        sessions = (msgspec.structs.replace(session, env=env),)
        return make_run(run_id, sessions=sessions, started=f"2026-11-{day}T02:30:00Z", label=run_id)

    kernel = make_run(count=20).kernel()
    assert titled(at("a", "01")) == f"bench, {kernel}, 2026-11-01"
    assert titled(at("a", "01"), at("b", "01")) == f"2 runs: bench, {kernel}, 2026-11-01"
    assert titled(at("a", "01"), at("b", "03")).endswith("2026-11-01 and 2026-11-03")
    several = titled(at("a", "01"), at("b", "03", "pi"), at("c", "09", "xeon"))
    assert several == f"3 runs: 3 hosts, {kernel}, 2026-11-01 to 2026-11-09"
    assert "measured on 2026-11-01 and 2026-11-03" in Page(render_html([at("a", "01"), at("b", "03")])).words


def test_it_opens_with_the_system_the_sentence_and_the_histogram_of_the_main_quantity() -> None:
    results = [
        make_result("queue-fill", item=0, count=1_200),
        make_result("thread-wake-up", item=1, measurement="interrupt-response", count=1_200),
        make_result(
            "thread-wake-up", item=2, measurement="interrupt-response", count=1_200, variant=Variant(load="cpu")
        ),
    ]
    page = Page(render_html([make_run(results=tuple(results), studies=("slac",))]))
    first = page.charts["charts"][0]
    assert (first["key"], first["kind"], first["legend"]) == ("latency", "histogram", ["idle", "cpu load"])
    assert first["spec"]["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"
    words = page.words
    places = [
        words.index(text) for text in ("Kernel Linux", "99.9 % within", "Latency of thread-wake-up", "On one axis")
    ]
    assert places[:3] == sorted(places[:3])


def test_a_legend_lists_only_series_that_a_chart_draws() -> None:
    nothing = msgspec.structs.replace(
        make_result(item=1, count=20, variant=Variant(load="cpu")), histogram=None, windows=None, extremes=()
    )
    run = make_run(
        results=(make_result(item=0, count=200), nothing, make_result(item=2, count=200, variant=Variant(load="disk")))
    )
    page = Page(render_html([run]))
    legends = {
        tuple(chart["legend"]) for chart in page.charts["charts"] if chart["kind"] in {"histogram", "exceedance"}
    }
    assert legends == {("idle", "disk load")}
    colours = {
        tuple(chart["spec"]["layer"][0]["encoding"]["color"]["scale"]["domain"])
        for chart in page.charts["charts"]
        if chart["kind"] == "histogram"
    }
    assert colours == {("idle", "disk load")}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_hold_is_no_empty_point(number: float) -> None:
    with pytest.raises(ValueError, match="column 'y'"):
        _page._compact([{"x": 1.0, "y": number}], ())


def test_a_chart_explains_circles_only_where_it_has_published_figures() -> None:
    found = set()
    for one in studies():
        run = run_for(one.id)
        for table in one.tables:
            made = _overview.overview([run], [one], "key", only=table)
            if made is None:
                continue
            chart, rows, _ = made
            published = any(row["s"] == _overview.PUBLISHED for row in rows)
            found.add(published)
            assert (_overview.CIRCLES in chart.how_to_read) == published
            assert ("published" in chart.title) == published
            assert ("papers print" in chart.description) == published
    assert found == {True, False}


def test_a_chart_of_single_operations_says_why_the_tables_of_sets_have_less() -> None:
    one, sets = make_result("queue-fill"), make_result("queue-fill", item=1, variant=Variant(pass_="batch"))

    def how(*results: Result) -> str:
        made = _overview.overview([make_run(results=results)], [study("sscl")], "key")
        assert made is not None
        return made[0].how_to_read

    assert "each contains a reading of the clock (" in how(one, sets)
    assert "one by one" not in how(one)
    assert "one by one" not in how(sets)


def test_two_measurements_of_one_quantity_have_headings_of_their_own() -> None:
    results = [
        make_result("context-switch-delay", item=i, measurement=name)
        for i, name in enumerate(("interrupt-response", "interrupt-split"))
    ]
    found = [one.title for one in sections([make_run(results=(*results, make_result("queue-fill", item=2)))])]
    assert found == [
        "context-switch-delay (interrupt-response)",
        "context-switch-delay (interrupt-split)",
        "queue-fill",
    ]


def test_columns_with_figures_in_few_rows_have_a_table_of_their_own() -> None:
    run = run_for("sscl", given=("live",))
    (view,) = tables.views([run])
    shown = _page.study(view, [run], [], {})
    first, second = (part["view"] for part in shown["parts"] if part["view"].number == "1" and not part["folded"])
    assert [column.title for column in first.columns if column.kind == "ours"] == [
        "this machine (idle)",
        "this machine (cpu load)",
    ]
    assert second.title == f"{first.title}: columns with figures in few rows"
    assert [column.title for column in second.columns] == [
        "",
        "this machine (idle, System V queues)",
        "this machine (cpu load, System V queues)",
    ]
    assert len(second.lines) == 5
    assert {cell.state for line in second.lines for cell in line.cells[1:]} == {"value"}
    assert "not measured in this run" not in shown["notes"]
    # Its chart is drawn once.
    assert [part["chart"] is not None for part in shown["parts"] if not part["folded"]][:2] == [True, False]


def test_a_column_without_a_figure_is_named_and_left_out() -> None:
    run = run_for("sscl", given=("live",))
    (view,) = tables.views([run])
    empty = tuple(
        tables.Line(tuple(c if i < 6 else tables.Cell("–", "absent") for i, c in enumerate(line.cells)), line.group)
        for line in view.tables[0].lines
    )
    (only,) = _page._split(msgspec.structs.replace(view.tables[0], lines=empty))
    assert len(only.columns) == 6
    assert only.caption.endswith(
        "; no figure: this machine (cpu load), this machine (idle, System V queues), this machine (cpu load, System V queues)"
    )
    few = msgspec.structs.replace(view.tables[0], columns=tuple(view.tables[0].columns[:6]))
    assert _page._split(few) == (few,)
