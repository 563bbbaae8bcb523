# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A thread watched on Debian's own kernels, as they are packed: the oldest that rtstone names takes the programs, and counts are known."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rtstone.attach import _trails
from rtstone.targets import boards
from rtstone.targets.boards.guest import _build, _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support import uncounted_boot
from support.images import lasting_cache
from support.static_program import static_program

BOARD = "pc-split"
KERNELS = ["linux-6.1-full", "linux-6.12-rt"]
SLEEPS, TRAILS = 200, 40
PATIENCE_S = 120


def _said(root: Path, folder: Path, name: str) -> list[str]:
    """Every line of a boot."""
    kernel = boards.load(BOARD).kernel_of(name)
    source = root / "tests" / "support" / "attach_exercise.c"
    static_program(folder / "init", source, flags=(f"-DSLEEPS={SLEEPS}", f"-DTRAILS={TRAILS}"))
    with lasting_cache(root):
        place, _packaged = _kernel.fetch(kernel)
        engine = _build.programs(kernel.architecture) / "rtstone-engine"
    files = {"init": (folder / "init").read_bytes(), "rtstone-engine": engine.read_bytes()}
    (folder / "initrd").write_bytes(archive(files, executable=frozenset(files), folders=("dev", "proc", "sys")))
    command = uncounted_boot.command(BOARD, place / "image", folder / "initrd", loglevel=1)
    done = subprocess.run(
        ["timeout", str(PATIENCE_S), *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout.decode("utf-8", "replace").splitlines()


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_wake_up_is_counted_and_its_waker_named(root: Path, tmp_path: Path, kernel: str) -> None:
    lines = [line.strip() for line in _said(root, tmp_path, kernel)]
    assert lines.count("ENDED 0") == 2, lines
    between = lines.index("ENDED 0")
    for some, sleeps in ((lines[:between], SLEEPS), (lines[between:], TRAILS)):
        records = [json.loads(line) for line in some if line.startswith("{")]
        thread = [one for one in records if "wakings" in one][-1]
        assert thread["ended"] == 1
        assert thread["by_timer"] == sleeps
        woken = {bytes.fromhex(one["comm"]).decode(): one["count"] for one in records if one.get("kind") == "task"}
        assert thread["wakings"] == thread["by_timer"] + sum(woken.values())
        # The first program lets it begin. With PREEMPT_RT locks sleep: who finds one held is woken once more.
        assert woken == {"init": 1} or (
            "-rt" in kernel and woken["init"] >= 1 and sum(woken.values()) <= 1 + sleeps // 10
        )
        assert thread["samples"] + thread["awake"] + thread["untold"] == thread["wakings"]
        assert thread["samples"] > sleeps * 9 // 10
        assert sum(count for _, count in thread["buckets"]) == thread["samples"]
    last = max(n for n, one in enumerate(records) if "wakings" in one)
    _require_cycles(records[last:])


def _require_cycles(records: list[dict[str, Any]]) -> None:
    """Each sleep's end begins a cycle, whose parts add up to it, and of each that was late there is a trail or it is counted as lost."""
    (cycle,) = (one for one in records if "cycle" in one)
    *parts, start, _expiry, response, faulted = cycle["series"]
    assert TRAILS * 9 // 10 < cycle["cycles"] <= TRAILS
    assert (
        start["samples"] == cycle["cycles"] == response["samples"] + cycle["broken"] + cycle["endless"] + cycle["open"]
    )
    assert response["sum"] == cycle["waits"] + sum(part["sum"] for part in parts)
    _require_page_faults(records, faulted)
    assert faulted["samples"] == response["samples"]
    trails = [one for one in records if "late" in one and one["kind"] == _trails.START]
    assert cycle["late_starts"] == start["samples"]
    assert start["samples"] - cycle["lost"] <= len(trails) <= start["samples"]
    whole = [msgspec.convert(one, _trails.Late) for one in trails if not one["lost"]]
    assert len(whole) > TRAILS // 2
    # Each ends with the switch to the thread, on the CPU that the timer's function ran on: there is but one. A timer may also
    # expire before the thread has given up the CPU: then it ends with the waking.
    for late in whole:
        events = [*_trails.events(late, 0)]
        assert events[-1].kind == "sample start"
        assert {event.kind for event in events} >= {"cpu 0", "waking"}
        assert {e.kind.split()[0] for e in events if (e.at, e.pid) == (late.until, late.pid)} & {"switch", "waking"}


def _require_page_faults(records: list[dict[str, Any]], faulted: dict[str, Any]) -> None:
    """Each cycle touches a new page: its trail has that page fault, which took a part of the cycle."""
    late = [
        msgspec.convert(one, _trails.Late) for one in records if one.get("kind") == _trails.RESPONSE and "late" in one
    ]
    whole = [[*_trails.events(one, 0)] for one in late if not one.lost]
    assert len(whole) > TRAILS // 2
    for events in whole:
        faults = [event for event in events if event.kind.startswith("faults ")]
        assert sum(int(event.kind.split()[1]) for event in faults) >= 1
        assert 0 < sum(event.ticks for event in faults) < events[-1].ticks
    assert 0 < faulted["least"] <= faulted["most"]
