# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: every chart is drawn, under the page's own policy, and nothing complains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import pytest

from rtstone.judge.compare import compare
from rtstone.model import Run, Variant
from rtstone.show.report import render_html, write_images
from support import png
from support.browser import Visit, document, picture
from support.page import Page
from support.repeated import repeated
from support.runs import make_result, make_run, make_session

PASSES: tuple[Literal["batch"], Literal["single"]] = ("batch", "single")
GROUND = (255, 255, 255)
BLUE, ORANGE = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
HOSTILE = ("</script><img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "[x](javascript:1) `${1}`")
_Made = TypeVar("_Made")


def _again(act: Callable[[Path], _Made], tmp_path: Path) -> _Made:
    """A browser on a busy machine stops now and then before it has begun; then a second one, with a new profile, is asked."""
    try:
        return act(tmp_path / "profile")
    except RuntimeError:
        return act(tmp_path / "profile-2")


def _page(tmp_path: Path, *runs: Run) -> Path:
    path = tmp_path / "report.html"
    path.write_text(render_html(runs, theme="light"), encoding="utf-8")
    return path


def _document(page: Path, tmp_path: Path) -> Visit:
    return _again(lambda profile: document(page, profile=profile), tmp_path)


@pytest.fixture
def run() -> Run:
    """Two quantities, idle and loaded, by both passes; one of them comes early at times."""
    variants = [Variant(load=load, pass_=pass_) for load in ("none", "cpu") for pass_ in PASSES]
    results = [
        make_result("semaphore-ping", item=i, variant=variant, count=400, seed=i) for i, variant in enumerate(variants)
    ]
    results.append(make_result("interrupt-task-response", item=9, values=[-900, -40, 5, *range(100, 4_000, 13)]))
    return make_run(results=tuple(results))


def test_every_chart_is_drawn_though_most_are_out_of_sight(run: Run, tmp_path: Path) -> None:
    seen = _document(_page(tmp_path, run), tmp_path)
    assert seen.console == ()
    page = Page(seen.document)
    assert page.with_attribute("data-state", "drawn") == page.count("svg") == 1 + 7 + 2
    # Marks, not only frames: a line for each series in each chart of distributions, a tick for every set.
    assert page.with_attribute("aria-roledescription", "line mark") >= (2 + 1) * 3
    assert page.with_attribute("aria-roledescription", "area mark") >= 2 + 1
    assert page.with_attribute("aria-roledescription", "tick") == 40 + 2 * 2


def test_picture_has_charts(run: Run, tmp_path: Path) -> None:
    page = _page(tmp_path, msgspec.structs.replace(run, studies=("none",)))
    shot = tmp_path / "report.png"
    seen = _again(lambda profile: picture(page, shot, profile=profile, height=2_000), tmp_path)
    assert seen.console == ()
    image = png.read(shot.read_bytes())
    assert (image.width, image.height) == (1300, 2_000)
    for color in (BLUE, ORANGE):
        # Below the head of the page, in each of the three columns of charts.
        for left in (0, 433, 866):
            assert 1 - image.share_unlike(color, left, 450, 433, 1_550) > 100 / (433 * 1_550), (color, left)
    assert 0.01 < image.share_unlike(GROUND, 0, 0, 1300, 2_000) < 0.6


def test_comparison_stages_and_maps_are_drawn(tmp_path: Path) -> None:
    variants = (Variant(), Variant(load="cpu"))
    runs = [
        repeated("a", count=300, variants=variants),
        repeated("b", count=300, variants=variants, typical=20_000, seed=2),
    ]
    page = tmp_path / "comparison.html"
    page.write_text(render_html(runs, theme="light", comparison=compare(runs)), encoding="utf-8")
    seen = _document(page, tmp_path)
    assert seen.console == ()
    drawn = Page(seen.document)
    # One of ratios, and of each of the two rows: histogram, exceedance, maxima, maxima by repetition.
    assert drawn.with_attribute("data-state", "drawn") == drawn.count("svg") == len(drawn.charts["charts"])
    assert drawn.with_attribute("data-state", "failed") == 0
    assert drawn.with_attribute("aria-roledescription", "rect mark") >= 2 * 10


def test_several_runs_are_overlaid(run: Run, tmp_path: Path) -> None:
    runs = [msgspec.structs.replace(run, id=f"r{i}", label=f"kernel {i}") for i in range(10)]
    seen = _document(_page(tmp_path, *runs), tmp_path)
    assert seen.console == ()
    page = Page(seen.document)
    assert page.with_attribute("data-state", "drawn") == page.count("svg") == 1 + 4 * 2 + 3 + 2
    assert seen.document.count('<span class="swatch') == 10 + 10 * 3 + 8 * 2


def test_hostile_strings_do_nothing_in_a_browser(tmp_path: Path) -> None:
    sessions = []
    for number, text in enumerate(HOSTILE):
        results = (make_result(text, count=200, variant=Variant(load=text)), make_result(text, count=200))
        sessions.append(make_session(results, repetition=number, env={text: text}, console=(text,), port=text))
    run = make_run(sessions=tuple(sessions), label=HOSTILE[0], target=HOSTILE[1], studies=HOSTILE)
    seen = _document(_page(tmp_path, run), tmp_path)
    assert seen.console == ()
    page = Page(seen.document)
    assert page.with_attribute("data-state", "drawn") == page.count("svg") == 1 + 3 * 3 + 1
    assert page.count("img") == 0
    assert page.handlers() == []
    assert all(text in page.words for text in HOSTILE)


def test_policy_stops_what_is_not_ours(run: Run, tmp_path: Path) -> None:
    """If a string did become markup, the policy would still keep it from running."""
    page = _page(tmp_path, run)
    evil = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    page.write_text(page.read_text(encoding="utf-8").replace("<nav", f"{evil}<nav", 1), encoding="utf-8")
    seen = _document(page, tmp_path)
    assert "<title>taken" not in seen.document
    assert sum("Content Security Policy" in line for line in seen.console) >= 2


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_images_without_a_browser(run: Run, tmp_path: Path, kind: str) -> None:
    paths = write_images([run], tmp_path / "charts", kind)
    assert {path.name for path in paths} == {
        *(f"semaphore-ping-{c}.{kind}" for c in ("histogram", "exceedance", "windows", "averages")),
        *(f"interrupt-task-response-{c}.{kind}" for c in ("histogram", "exceedance", "windows")),
    }
    for path in paths:
        if kind == "svg":
            text = path.read_text(encoding="utf-8")
            assert text.startswith("<svg")
            assert "#0072b2" in text
            assert "this machine" in text
        else:
            image = png.read(path.read_bytes())
            assert image.share_unlike(GROUND, 0, 0, image.width, image.height) > 0.01
            assert 1 - image.share_unlike((0x00, 0x72, 0xB2), 0, 0, image.width, image.height) > 0
