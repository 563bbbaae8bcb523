# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A part of a run is the run without its other results, whatever form it lies in, and costs a part of the time."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.model import Run
from support.old_archive import OLD_ID, make_old_tables
from support.runs import QUANTITIES, make_result, make_run, make_session


def _part(run: Run, *quantities: str) -> Run:
    sessions = [
        msgspec.structs.replace(one, results=tuple(r for r in one.results if r.quantity in quantities))
        for one in run.sessions
    ]
    return msgspec.structs.replace(run, sessions=tuple(sessions))


@pytest.mark.parametrize("quantities", [(), *((one,) for one in QUANTITIES), QUANTITIES[1:4], ("no-such-thing",)])
def test_every_choice_of_results_is_the_runs_own(quantities: tuple[str, ...], tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    whole = make_run("whole", count=60)
    below = make_result(QUANTITIES[2], item=1, values=[-900, -40, 5, 70])  # buckets of both sides
    big = make_result(QUANTITIES[3], item=2, values=[1 << 39] * 3)
    two = make_run(
        "two", sessions=tuple(make_session((below, big, make_result(count=9)), repetition=n) for n in range(2))
    )
    empty = make_run("empty", sessions=())
    for run in (whole, two, empty):
        archive.save(run)
    made = archive.load_parts(["two", "empty", "whole"], quantities)
    assert made == (_part(two, *quantities), empty, _part(whole, *quantities))


def test_a_part_of_a_run_of_older_tables(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    make_old_tables(f"sqlite:///{path}")
    archive = open_archive(str(path))
    archive.upgrade()
    (quantity, *_) = {result.quantity for result in archive.load(OLD_ID).results()}
    assert archive.load_parts([OLD_ID], {quantity}) == (_part(archive.load(OLD_ID), quantity),)


def test_a_quantity_of_many_is_read_in_a_part_of_the_time(tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "a.sqlite"))
    results = tuple(make_result(f"quantity-{n}", item=n, count=1_500, seed=n) for n in range(40))
    archive.save(make_run("r", results=results))

    def least(load: object) -> float:
        taken = []
        for _ in range(5):
            begin = time.process_time()
            assert callable(load)
            load()
            taken.append(time.process_time() - begin)
        return min(taken)

    # A ratio of CPU times, side by side: a busy machine slows both.
    assert least(lambda: archive.load_parts(["r"], {"quantity-7"})) < least(lambda: archive.load("r")) / 2
