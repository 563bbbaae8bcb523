# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report's layout in a browser, at three widths: the histogram on the first screen, nothing over the page and no text cut, legends and
axes that say what is drawn, contents that lead somewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from rtstone.judge.compare import compare
from rtstone.model import Note, Result, Run, Variant
from rtstone.show.report import render_html
from support import layout
from support.browser import Visit
from support.measured import run_for
from support.repeated import repeated
from support.runs import make_result, make_run

# Inspects the page once its charts are drawn, and reports what it saw.
PROBE = (
    layout.FAULTS
    + """
const all = (what) => [...document.querySelectorAll(what)];
const text = (e) => (e ? e.textContent.trim() : "");
const reach = (a) => {
  a.click();
  const place = document.getElementById(decodeURIComponent(a.hash.slice(1)));
  if (!place) return { to: a.hash, named: false, reached: false };
  const top = place.getBoundingClientRect().top;
  const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  const heading = place.matches("h2, h3") ? place : place.querySelector("h1, h2, h3");
  return { to: a.hash, named: text(heading) !== "", reached: top > -2 && (top < 130 || (end && top < innerHeight)) };
};
const look = () => {
  if (all(".canvas").length > all('.canvas[data-state="drawn"]').length) return void setTimeout(look, 50);
  const chart = document.querySelector(".opening .canvas").getBoundingClientRect();
  const found = faults();
  const over = all("body *").filter(
    (e) => !e.closest(".scroll table") && !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 1);
  const contents = document.getElementById("contents");
  const open = contents.open;
  const links = all("nav a").map(reach);
  parent.postMessage(JSON.stringify({
    width: innerWidth, scroll: document.documentElement.scrollWidth, over: over.slice(0, 5).map((e) => `${e.tagName} ${e.className}`),
    top: chart.top, bottom: chart.bottom, svg: all(".canvas.overview svg").length, links, open, faults: found,
    folds: all("details").map((d) => text(d.querySelector(":scope > summary"))),
    nav: document.querySelector("nav").getBoundingClientRect().top }), "*");
};
addEventListener("load", () => setTimeout(look, 200));
"""
)


def _run() -> Run:
    variants = (Variant(), Variant(load="cpu"))
    quantities = ("semaphore-ping", "queue-fill", "task-create-delete")
    results = [make_result(q, item=i, variant=v, count=300) for i, q in enumerate(quantities) for v in variants]
    return make_run(results=tuple(results), studies=("sscl", "slac"))


def _holds(seen: dict[str, Any], visit: Visit, width: int) -> None:
    assert visit.console == ()
    assert (seen["width"], seen["scroll"]) == (width, width)
    assert seen["over"] == []
    assert seen["svg"] > 0
    faults = seen["faults"]
    assert (faults["cut"], faults["undrawn"], faults["unlabelled"], faults["broken"]) == ([], [], [], [])
    if width == 1400:
        assert faults["hidden"] == []
    assert [link["to"] for link in seen["links"] if not (link["named"] and link["reached"])] == []
    assert all(seen["folds"])


@pytest.mark.parametrize("width", [1400, 1000, 420])
def test_a_runs_chart_is_on_the_first_screen_and_nothing_runs_over_the_page(width: int, tmp_path: Path) -> None:
    seen, visit = layout.seen(render_html([_run()]), PROBE, width, tmp_path)
    _holds(seen, visit, width)
    assert {"#top", "#compares", "#study-sscl", "#study-slac", "#measurements", "#losses"} <= {
        link["to"] for link in seen["links"]
    }
    assert 0 < seen["top"] < seen["bottom"] < 900
    # The contents stay in view: beside a wide page, and as a fold at the top of a narrow one.
    assert round(seen["nav"]) == 0  # within a pixel: a page scrolls by parts of one
    assert seen["open"] == (width == 1400)


@pytest.mark.parametrize("width", [1400, 1000])
def test_nothing_is_cut_where_quantities_names_and_ranges_are_awkward(width: int, tmp_path: Path) -> None:
    """Figures within one decade, a series that was skipped, a batch of one load alone, several periods, and words of a user's own."""
    long = "interrupt-response-of-a-driver-with-a-long-name"
    narrow = [2_000 + value % 700 for value in range(1_500)]
    results = [
        make_result(long, item=0, values=narrow),
        make_result(long, item=1, values=[value * 2 for value in narrow], variant=Variant(load="cpu")),
        make_result("queue-fill", item=2, variant=Variant(load="cpu", pass_="batch")),
        make_result("queue-fill", item=3, values=[5_000]),
        msgspec.structs.replace(make_result("queue-fill", item=4, count=20), status="skipped", count=0),
        make_result("task-create-delete", item=5, count=400, variant=Variant(period_ns=1_000_000)),
        make_result("task-create-delete", item=6, count=400, variant=Variant(period_ns=250_000)),
    ]
    run = make_run(results=tuple(results), studies=(), label="a-label-" + "of-many-words-" * 6)
    seen, visit = layout.seen(render_html([run]), PROBE, width, tmp_path)
    _holds(seen, visit, width)


def test_columns_of_few_rows_do_not_make_a_paper_s_table_wider_than_the_page(tmp_path: Path) -> None:
    page = render_html([run_for("sscl", given=("live",))])
    assert "columns with figures in few rows" in page
    seen, _ = layout.seen(page, PROBE, 1400, tmp_path)
    assert seen["faults"]["hidden"] == []


def test_a_paper_s_table_whose_figures_are_long_keeps_its_columns_in_sight(tmp_path: Path) -> None:
    """SSCL-397's Table 2 has four columns of ours, with `min/max/avg` in each cell and a mark behind."""

    def slow(result: Result) -> Result:
        note = Note("limited", "timer", f"a note on {result.quantity}")
        return msgspec.structs.replace(result, min=12_345, max=23_711_000, sum=54_321 * result.count, notes=(note,))

    page = render_html([run_for("sscl", given=("live",), change=slow)])
    assert "12.3/<wbr>23" in page
    seen, _ = layout.seen(page, PROBE, 1400, tmp_path)
    assert seen["faults"]["hidden"] == []


def test_several_runs_with_long_names_keep_their_columns_in_sight(tmp_path: Path) -> None:
    runs = [
        msgspec.structs.replace(_run(), id=f"r{number}", label=f"board/arm64/debian-rt-{number}-{'long' * 9}")
        for number in range(4)
    ]
    seen, visit = layout.seen(render_html(runs), PROBE, 1400, tmp_path)
    _holds(seen, visit, 1400)


def test_a_comparison_of_runs_with_long_names_keeps_to_a_narrow_page(tmp_path: Path) -> None:
    variants = (Variant(), Variant(load="cpu"))
    runs = [repeated(name, count=200, variants=variants) for name in ("a", "b", "c")]
    named = [
        msgspec.structs.replace(run, label=f"board/arm64/debian-rt-{i}-{'long' * 9}", studies=("sscl",))
        for i, run in enumerate(runs)
    ]
    seen, visit = layout.seen(render_html(named, comparison=compare(named)), PROBE, 420, tmp_path)
    _holds(seen, visit, 420)
    assert "#comparison" in {link["to"] for link in seen["links"]}
