# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Text, Markdown and CSV: nothing is lost at any width, and nothing in a cell becomes markup."""

from __future__ import annotations

import csv
import io
import re

import pytest
from msgspec.structs import replace

from rtstone.model import Variant
from rtstone.show.tables import StudyView, comma_separated, markdown, plain, study_lines, table_lines, views
from rtstone.show.tables._text import _panels
from rtstone.studies import studies
from support.measured import noted, run_for
from support.runs import make_result, make_run

HOSTILE = "<script>alert(1)</script> | `x` *y* [z](javascript:1)\nnext"


def shown(study_id: str) -> StudyView:
    return views([run_for(study_id)])[0]


@pytest.mark.parametrize("width", [60, 80, 100, 160, None])
@pytest.mark.parametrize("study_id", [s.id for s in studies()])
def test_no_line_is_wider_than_asked_and_no_cell_is_lost(study_id: str, width: int | None) -> None:
    view = shown(study_id)
    for table in view.tables:
        text = plain(table_lines(table, width))
        if width is not None and width >= 80:
            assert max(map(len, text.splitlines())) <= width
        for line in table.lines:
            for cell, column in zip(line.cells, table.columns, strict=True):
                if column.kind != "label":
                    assert cell.text in text
                else:
                    assert all(word in text for word in cell.text.split())
        for note in table.notes:
            assert " ".join(note.split()[:3]) in text


@pytest.mark.parametrize("study_id", [s.id for s in studies()])
def test_plain_text_has_no_colour_and_no_blanks_at_ends(study_id: str) -> None:
    text = plain(study_lines(shown(study_id)))
    assert "\x1b" not in text
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)


@pytest.mark.parametrize("width", [80, 100, None])
def test_every_panel_of_the_papers_columns_has_ours_beside_them(width: int | None) -> None:
    table = shown("sscl").tables[0]
    ours = [i for i, column in enumerate(table.columns) if column.kind == "ours"]
    panels = _panels(table, width)
    assert len(panels) == 1 if width is None else len(panels) > 1
    for panel in panels:
        kinds = [table.columns[i].kind for i in panel]
        assert kinds[0] == "label"
        assert kinds == sorted(kinds, key=("label", "published", "ours").index)
        if "published" in kinds:
            assert ours[0] in panel
    shown_once = [i for panel in panels for i in panel if i not in (0, ours[0])]
    assert sorted(shown_once) == [i for i in range(1, len(table.columns)) if i != ours[0]]


def test_a_load_stands_beside_idle_before_another_way_of_filling_the_table() -> None:
    results = [
        make_result(name, item=item, measurement=name, variant=Variant(load=load, pass_="batch"))
        for item, (name, load) in enumerate(
            (name, load) for load in ("none", "cpu") for name in ("queue-fill", "system-v-queue-fill")
        )
    ]
    view = views([make_run(results=tuple(results), studies=("sscl",), label="it")])[0]
    ours = [column.title for column in view.tables[0].columns if column.kind == "ours"]
    assert ours == [f"it ({load}{way})" for way in ("", ", System V queues") for load in ("idle", "cpu load")]


def test_figures_end_at_one_place_marked_or_not() -> None:
    run = run_for("sscl", change=lambda r: noted(r, "x", "a note") if r.measurement == "queue-fill" else r)
    lines = plain(table_lines(views([run])[0].tables[0])).splitlines()
    fill = next(line for line in lines if line.startswith("Queue Fill "))
    drain = next(line for line in lines if line.startswith("Queue Drain "))
    digits = [max(i for i, c in enumerate(line) if c.isdigit() and c in "0123456789") for line in (fill, drain)]
    assert digits[0] == digits[1]


def test_a_sheet_shows_every_condition_with_its_verdict() -> None:
    for one in studies():
        view = shown(one.id)
        assert view.sheet is not None
        assert len(view.sheet.lines) == len(one.conditions)
        assert view.sheet.met + view.sheet.substituted + view.sheet.not_met == len(one.conditions)


def test_markdown_has_every_cell_and_no_markup_from_data() -> None:
    run = run_for("sscl", change=lambda r: noted(r, "x", HOSTILE))
    text = markdown(views([replace(run, label=HOSTILE)]))
    assert "<script>" not in text
    assert "\\<script\\>" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") - line.count("\\|") for line in tables if "Create" in line}) <= 2
    assert "540/600/591" in text


def test_csv_has_one_line_a_cell() -> None:
    view = shown("sscl")
    rows = list(csv.DictReader(io.StringIO(comma_separated([view]))))
    cells = [
        cell
        for table in view.tables
        for line in table.lines
        for cell, column in zip(line.cells, table.columns, strict=True)
        if column.kind != "label" and cell.state != "blank"
    ]
    assert len(rows) == len(cells)
    one = [r for r in rows if r["line"] == "Ping Semaphore" and r["column"] == "VxWorks"]
    assert [(r["value"], r["source"]) for r in one] == [("228/234/232", "published")]
    assert "two semaphores" in one[0]["notes"]
    loaded = [r for r in rows if r["kind"] == "distribution" and r["line"] == "Create/Delete Task, cpu load"]
    assert {r["column"] for r in loaded} == {"n", "min", "p50", "p99", "p99.9", "max"}
