# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone bound` as a user has it: a planted section with interrupts off, of a size drawn here, is found to the instruction and named."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from rtstone.archive import open_archive
from support.board_command import Command, Ended, rtstone
from support.explained import Page
from support.schemas import schema
from support.trace_events import slices

__all__ = ["rtstone"]  # the fixture

BOARD = "arm64-bound"
RUN = ("run", "-m", "interrupt-response", "-r", "1", "--seed", "5", "--json")


def _planted(root: Path, folder: Path, loops: int) -> None:
    """A board like the one that is bounded, with a module that holds interrupts off for 2 * loops + 1 instructions."""
    text = (root / "boards" / BOARD / "board.toml").read_text()
    text = text.replace(f'id = "{BOARD}"', 'id = "planted"').replace(
        '"e1000"]', f'"e1000", "rtstone_hold:loops={loops}"]'
    )
    (folder / "planted").mkdir()
    (folder / "planted" / "board.toml").write_text(text)


def _bound(ended: Ended) -> Any:
    assert ended.code == 0, ended.err
    made = json.loads(ended.out)
    jsonschema.validate(made, schema("bound"))
    return made


def _require_sum(made: Any) -> dict[str, int]:
    """The bound is the equation's solution, no sample is above it, and each waking ends within the record's own figure; its terms."""
    ticks = {term["name"]: term["ticks"] for term in made["terms"]}
    taken = sum(source["in_window"] for source in made["interrupts"])
    assert made["bound"] == max(ticks["D_ST"], ticks["D_POID"]) + ticks["D_PAIE"] + ticks["D_PSD"] + taken
    run = open_archive().load(made["run"])
    records = {one.variant.load: one for one in run.results() if one.quantity == "context-switch-delay"}
    for one in made["observed"]:
        assert one["samples"] == records[one["load"]].count
        assert 0 < one["max"] <= made["bound"]
        assert one["max"] < records[one["load"]].max
    return ticks


def test_a_planted_section_is_found_to_the_instruction(
    rtstone: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops = random.SystemRandom().randrange(6_000, 9_000)
    _planted(root, tmp_path, loops)
    monkeypatch.setenv("RTSTONE_BOARDS", str(tmp_path))
    kept = rtstone(*RUN, "-t", "board:planted/linux-6.1-rt", "--load", "none", "--count", "60")
    assert kept.code == 0, kept.err
    made = _bound(rtstone("bound", "last", "--json"))
    ticks = _require_sum(made)
    assert ticks["D_POID"] == 2 * loops + 1
    (poid,) = [term for term in made["terms"] if term["name"] == "D_POID"]
    assert poid["places"][0]["begins"]["function"] == "hold_section[rtstone_hold]"
    # The functions that ran in it are explained as those of a sample.
    told = rtstone("explain", "last", "--term", "D_POID", "--json")
    assert told.code == 0, told.err
    explained = json.loads(told.out)
    jsonschema.validate(explained, schema("explanation"))
    assert explained["failed"] == ""
    assert explained["section"] == poid["places"][0]
    sample = explained["sample"]
    assert sum(one["ticks"] for one in sample["stages"] if one["name"] == "section") == 2 * loops + 1
    assert sum(one["ticks"] for one in sample["stages"]) == sample["ticks"]
    blame = sample["blame"]
    assert (blame["function"], blame["of"]) == ("hold_section[rtstone_hold]", 2 * loops + 1)
    drawn = slices(rtstone("explain", "last", "--term", "D_POID", "--format", "perfetto").out)
    assert [one.name for one in drawn if one.track == "stages"] == [one["name"] for one in sample["stages"]]
    assert "hold_section[rtstone_hold]" in {one.name for one in drawn if one.track == "functions"}
    page = Page(rtstone("bound", "last", "--format", "html").out)
    title = f"D_POID: {(2 * loops + 1) * 0.016:.2f} µs, {2 * loops + 1} instructions"
    assert [round(bar.width * made["bound"] / 100) for bar in page.bars if bar.title == title] == [2 * loops + 1]
    ended = rtstone("explain", "last", "--term", "D_NONE")
    assert (ended.code, ended.err.splitlines()[-1].partition(":")[2][:8]) == (2, " --term:")
    # Its other session failed.
    archive = open_archive()
    run = archive.load("last")
    (log,) = archive.raw_logs(run.id)
    archive.delete(run.id)
    archive.save(msgspec.structs.replace(run, status="incomplete", error="the second guest was silent"), [log])
    assert "The run failed: the second guest was silent." in rtstone("explain", "last", "--term", "D_POID").out


@pytest.mark.long
@pytest.mark.parametrize("kernel", ["linux-6.1-rt", "linux-6.12-rt"])
def test_no_sample_of_three_loads_is_above_the_bound(
    rtstone: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str
) -> None:
    """The bound also grows by the planted time: under the same conditions its other terms stay nearly as they were."""
    words = ("--load", "none,traffic,network", "--count", "1000")
    kept = rtstone(*RUN, "-t", f"board:{BOARD}/{kernel}", *words)
    assert kept.code == 0, kept.err
    plain = _bound(rtstone("bound", "last", "--json"))
    before = _require_sum(plain)
    assert len(plain["observed"]) == 3
    loops = random.SystemRandom().randrange(8_000, 20_000)
    _planted(root, tmp_path, loops)
    monkeypatch.setenv("RTSTONE_BOARDS", str(tmp_path))
    assert rtstone(*RUN, "-t", f"board:planted/{kernel}", *words).code == 0
    planted = _bound(rtstone("bound", "last", "--json"))
    after = _require_sum(planted)
    assert after["D_POID"] == 2 * loops + 1
    assert planted["bound"] - plain["bound"] > 2 * loops + 1 - max(before["D_POID"], before["D_ST"]) - 2000
    # What the record says is no longer what runs.
    archive = open_archive()
    run = archive.load("last")
    (log,) = archive.raw_logs(run.id)
    archive.delete(run.id)
    archive.save(run, [log.rstrip(b"\n").rpartition(b"\n")[0] + b"\n"])
    ended = rtstone("bound", run.id)
    assert ended.code == 4
    assert "is not the same when it is run again" in ended.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("simulated:", "only a run of a virtual board that counts instructions can be run again"),
        ("board:arm64/freertos", "shows no registers to a plugin; measure on board:arm64-bound"),
    ],
)
def test_other_runs_are_refused_in_one_line(rtstone: Command, target: str, why: str) -> None:
    measurement = "semaphore-ping" if target == "simulated:" else "interrupt-response"
    assert rtstone("run", "-t", target, "-m", measurement, "--count", "50", "-r", "1", "--json").code == 0
    ended = rtstone("bound", "last")
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err.splitlines()[-1]
