# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a run that a check judged: its verdict and the rows that did not pass, at the top."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.archive import GateRow, GateVerdict, open_archive
from rtstone.serve._answers import Answers, PageAnswer, PageRequest, Setup
from rtstone.serve._model import Bounds
from support.repeated import repeated

ROW = GateRow(
    outcome="exceeded",
    quantity="semaphore-ping",
    load="cpu",
    requirement="p99.9 < 20us",
    observed="33.1 µs",
    interval="31.0 µs … 35.2 µs",
    samples="5000 in 5",
    why="<b>beyond</b> the bound",
)


@pytest.fixture
def where(tmp_path: Path) -> str:
    path = str(tmp_path / "a.sqlite")
    open_archive(path).save(repeated("r-1"))
    return path


def _gate(where: str, outcome: str, **more: object) -> None:
    made = GateVerdict(outcome=outcome, file="night.toml", at="2026-11-30T03:00:00Z", **more)  # type: ignore[arg-type]
    open_archive(where).record_gate(["r-1"], made)


def _page(where: str, known: str = "") -> PageAnswer:
    return Answers(Setup(where, Bounds(), "auto")).answer(PageRequest("run", "", {"id": "r-1"}, known))


def test_a_failed_gate_has_its_rows_at_the_top(where: str) -> None:
    before = _page(where)
    assert b'id="gate"' not in before.body
    _gate(where, "exceeded", summary="2 rows: 1 pass, 1 exceeded", rows=(ROW,), unshown=3)
    after = _page(where, before.key)
    assert after.status == 200, "a verdict changes the page, although the run was not saved again"
    page = after.body.decode()
    box = page[page.index('<div class="verdict incomplete" id="gate"') : page.index('class="identity"')]
    assert "<strong>Check: exceeded</strong> night.toml, checked 2026-11-30 03:00: 2 rows: 1 pass, 1 exceeded" in box
    for text in ("semaphore-ping", "cpu", "p99.9 &lt; 20us", "33.1 µs", "31.0 µs … 35.2 µs", "5000 in 5"):
        assert text in box
    assert "p99.9 &lt; 20us: &lt;b&gt;beyond&lt;/b&gt; the bound</li>" in box
    assert "and 3 more rows that did not pass" in box
    assert _page(where, after.key).status == 304


def test_a_pass_is_a_line_and_an_older_verdict_names_the_missing_rows(where: str) -> None:
    _gate(where, "regressed")
    assert "without its rows" in _page(where).body.decode()
    _gate(where, "pass", summary="2 rows: 2 pass")
    page = _page(where).body.decode()
    assert '<div class="verdict complete" id="gate"' in page
    assert "without its rows" not in page
