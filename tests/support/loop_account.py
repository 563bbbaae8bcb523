# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The account of a sample program (examples/loop), compared with itself."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

Account = dict[str, Any]
"""As the programs print it, with --raw."""


def built(root: Path, folder: Path, *words: str) -> Path:
    """Build the programs into a folder, which is returned; `words` are CMake's."""
    configure = ["cmake", "-S", str(root / "examples" / "loop"), "-B", str(folder), "-G", "Ninja", *words]
    for command in (configure, ["cmake", "--build", str(folder)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def require_whole(account: Account) -> None:
    """Each due time was run or skipped, each planted fault is accounted for, and all derived figures follow from the cycles."""
    done = [plant for plant in account["plants"] if plant["state"] == "done"]
    assert account["carried_out"] == len(done)
    assert account["planted"] == len(account["plants"])
    for plant in account["plants"]:
        assert account["length_min_ns"] <= plant["drawn_ns"] <= account["length_max_ns"]
    for plant in done:
        assert plant["end_ns"] - plant["start_ns"] >= plant["drawn_ns"], plant
    for series in account["series"]:
        cycles, period = series["cycles"], series["period_ns"]
        numbers = [number for number, *_ in cycles]
        assert numbers == sorted(set(numbers))
        assert not numbers or numbers[-1] < series["periods"]
        assert series["run"] == len(cycles) == series["periods"] - series["skipped"]
        if account["program"] == "loop" and not account["catch_up"]:
            _require_skipped_only_if_due(cycles, period)
        first = account["base_ns"] + (period // 10 if series["name"] == "sensor" else 0)
        ended = 0
        late = []
        for number, due, start, end in cycles:
            assert due == first + number * period
            assert due <= start <= end
            if end - due > series["deadline_ns"]:
                over = [plant["number"] for plant in done if plant["start_ns"] < end and plant["end_ns"] > due]
                late.append([number, due, start, end, ended > due, over])
            ended = end
        assert series["misses"] == len(late)
        keys = ("cycle", "due_ns", "start_ns", "end_ns", "behind", "plants")
        assert [[one[key] for key in keys] for one in series["late"]] == late
        for name, times in (
            ("lateness_ns", [start - due for _, due, start, _ in cycles]),
            ("response_ns", [end - due for _, due, _, end in cycles]),
        ):
            if cycles:
                assert (series[name]["min"], series[name]["max"]) == (min(times), max(times))
                assert min(times) <= series[name]["p50"] <= series[name]["p99"] <= max(times)


def _require_skipped_only_if_due(cycles: list[list[int]], period: int) -> None:
    """A cycle is skipped if, and only if, its due time came before the cycle run before it had ended."""
    for (before, _, _, ended), (number, due, _, _) in pairwise(cycles):
        assert due >= ended
        assert number == before + 1 or due - period < ended


def hit(account: Account) -> set[int]:
    """The planted faults that overlap a late cycle of the loop, or of the callback `control`."""
    return {number for one in account["series"][0]["late"] for number in one["plants"]}


def carried_out(account: Account) -> list[Account]:
    """The planted faults that were carried out, each of which made a cycle late.

    A fault is at least two periods long, and a cycle of more than one is late. A fault that was not carried out had no chance: no cycle
    was run from its own on, as happens at the end of a run on a machine that stands still.
    """
    last = max(number for number, *_ in account["series"][0]["cycles"])
    done = [plant for plant in account["plants"] if plant["state"] == "done"]
    assert all(plant["state"] == "done" or plant["cycle"] > last for plant in account["plants"]), account["plants"]
    assert done
    assert {plant["number"] for plant in done} <= hit(account), account["plants"]
    return done
