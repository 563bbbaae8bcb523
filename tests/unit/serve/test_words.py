# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The words of the pages: circumstances have their usual names, and one thing is not a plural."""

from __future__ import annotations

from pathlib import Path

from rtstone.archive import open_archive, open_fleet
from rtstone.judge.history import history, read
from rtstone.model import Variant
from rtstone.show import site
from support.runs import make_result, make_run


def test_the_machine_page_names_circumstances_as_the_other_pages_do(tmp_path: Path) -> None:
    variants = (
        Variant(),
        Variant(pass_="batch"),
        Variant(load="cpu", intensity=2, sched="ts", period_ns=250_000),
        Variant(timer="gpio:/dev/gpiochip0/17+27", trace_over_ns=1_000),
    )
    where = str(tmp_path / "archive.sqlite")
    open_archive(where).save(
        make_run("r-1", results=tuple(make_result(item=item, variant=one) for item, one in enumerate(variants)))
    )
    fleet = open_fleet(where)
    measured = fleet.measured("r-1")
    assert [one.circumstances for one in measured] == [*variants]
    page = site.machine_page("m", fleet.list(), measured)
    for words in (
        "idle",
        "idle, sets of operations",
        "cpu load x2, time-sharing class, period 250 µs",
        "idle, timer gpio:/dev/gpiochip0/17+27, trails above 1 µs",
    ):
        assert f"<td>{words}</td>" in page
    assert "period_ns" not in page


def test_one_run_is_not_a_plural() -> None:
    run = make_run("r-1")
    cut = make_run("r-2", status="incomplete")
    made = history([read(one, "semaphore-ping") for one in (run, cut)], "semaphore-ping")
    page = site.history_page(made, here="", json="")
    assert "; 1 run</p>" in page
    assert "<summary>1 run</summary>" in page
    assert "Left out as incomplete: 1 run." in page
    assert "1 runs" not in page
