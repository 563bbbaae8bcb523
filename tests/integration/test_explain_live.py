# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone explain` of a live run blames a task above the measured thread for its delays, and never a task below it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import jsonschema
import pytest

from rtstone.archive import open_archive
from rtstone.explain import _cpu, _trail
from rtstone.explain._samples import known_samples
from support import split
from support.board_command import Command, rtstone
from support.causes import origin, share
from support.schemas import schema
from support.trace_events import slices

__all__ = ["rtstone"]  # the fixture

pytestmark = pytest.mark.alone

# Takes the CPU for a time and releases it for a time, until its input ends, 60 s at most. Alternates between two names.
# Prints when it had the CPU, and when it lost it in between: a task above it, or a host, had the CPU then.
HOG = """
import json, os, select, sys, time
cpu, priority, on, off = (float(word) for word in sys.argv[1:5])
os.sched_setaffinity(0, {int(cpu)})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(int(priority)))
had, lost, turns, until = [], [], 0, time.monotonic() + 60
while time.monotonic() < until and not select.select([sys.stdin], [], [], 0)[0]:
    with open("/proc/self/comm", "w") as name:
        name.write(sys.argv[5 + turns // 40 % 2])
    turns, now = turns + 1, time.monotonic_ns()
    began, ends = now, now + on * 1e9
    while now < ends:
        last, now = now, time.monotonic_ns()
        if now - last > 200_000:
            lost.append((last, now))
    had.append((began, now))
    time.sleep(off)
print(json.dumps((had, lost)))
"""


@contextmanager
def _hog(
    cpu: int, priority: int, on: float, off: float, names: tuple[str, str]
) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    words = [str(cpu), str(priority), str(on), str(off), *names]
    with subprocess.Popen(
        [sys.executable, "-c", HOG, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        told: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
        try:
            yield told
            out, _ = process.communicate(timeout=30)
            for spans, found in zip(told, json.loads(out), strict=True):
                spans += [(began, ended) for began, ended in found]
        finally:
            process.kill()


def _kept(rtstone: Command, *words: str) -> None:
    """Measures and keeps it."""
    ended = rtstone("run", "-m", "interrupt-split", "-r", "1", "--load", "none", "--json", *words)
    split.require_run(ended.code, ended.err)


def _explained(rtstone: Command, *words: str) -> Any:
    ended = rtstone("explain", "last", "--json", *words)
    assert ended.code == 0, ended.err
    jsonschema.validate(ended.json, schema("explanation"))
    assert sum(stage["ticks"] for stage in ended.json["sample"]["stages"]) == ended.json["sample"]["ticks"]
    assert sum(cause["samples"] for cause in ended.json["causes"]) == ended.json["slow"]
    return ended.json


@pytest.mark.needs("bpf", "top-priority")
def test_a_task_above_the_thread_is_blamed_for_what_it_held_up_and_one_below_for_nothing(
    engine: Path, rtstone: Command
) -> None:
    assert engine.is_file()
    cpu = max(os.sched_getaffinity(0))
    above, below = [tuple(f"{kind}-{uuid4().hex[:9]}" for _ in range(2)) for kind in ("hog", "low")]
    with (
        _hog(cpu, 99, 0.003, 0.017, (above[0], above[1])) as (had, lost),
        _hog(cpu, 10, 0.005, 0.006, (below[0], below[1])),
    ):
        words = ("--cpu", str(cpu), "--raw", "--period", "1ms", "--count", "3000", "--trace-over", "700us")
        _kept(rtstone, *words)
    made = _explained(rtstone)
    causes = {cause["function"]: cause["samples"] for cause in made["causes"]}
    blamed = {f"task {name}, priority 99" for name in above}
    assert blamed <= causes.keys()
    assert not [cause for cause in causes if any(name in cause for name in below)]
    assert made["kept"]["cpu"] == cpu
    assert made["kept"]["traced"] > 0
    assert made["kept"]["untraced"] > 0

    # Compares each sample with the hog's own list of when it had the CPU.
    archive = open_archive()
    run = archive.load("last")
    began = origin(archive, run.id)
    whole = next(result for result in run.results() if result.quantity == "interrupt-task-response")
    trails = _trail.trails(whole)
    assert len(trails) == made["slow"] > 100
    right = wrong = held = 0
    assert whole.min is not None
    for trail in trails:
        made_late, taken = (share(trail, spans, began) for spans in (had, lost))
        if taken:  # whose those ticks were the hog cannot know
            continue
        # Beside the least response: where others take the CPU for half of the time, the usual one is late itself.
        blames_it = _trail.blame(trail, whole.min).function in blamed
        if made_late > 0.6:
            held += 1
            right += blames_it
        elif made_late < 0.3:
            wrong += blames_it
    assert held > 100
    assert right >= 0.95 * held
    assert wrong <= 0.01 * len(trails)

    # Where the kernel was when the thread got the CPU at last: the hog went to sleep.
    ended = [stack for trail in trails for stack in _trail.stacks(trail) if stack.when == "switch"]
    assert any("nanosleep" in call for stack in ended for call in stack.calls)

    assert _explained(rtstone, "--quantity", "waking-to-switch")["sample"]["stages"][2]["ticks"] > 700_000
    index = trails[-1].index
    assert _explained(rtstone, "--sample", str(index))["sample"]["ticks"] == trails[-1].ticks
    page = rtstone("explain", "last").out
    assert f"thread {trails[0].thread.name}, priority {trails[0].thread.priority}." in page
    assert "Median" in page
    # Of a sample that the hog held up: the slowest may be one for which this machine's host took the CPU, with no event in between.
    index = next(trail.index for trail in trails if _trail.blame(trail, made["usual"]).function in blamed)
    drawn = slices(rtstone("explain", "last", "--sample", str(index), "--format", "perfetto").out)
    assert {one.name for one in drawn} & blamed


@pytest.mark.needs("bpf")
def test_the_slowest_has_its_trail_though_far_too_many_are_late(engine: Path, rtstone: Command) -> None:
    assert engine.is_file()
    _kept(rtstone, "--raw", "--period", "300us", "--count", "9000", "--trace-over", "1us")
    made = _explained(rtstone)
    trails, responses = made["kept"], _responses()
    over = sum(ticks > 1000 for ticks in responses)
    assert (made["slow"], made["sample"]["ticks"]) == (over, max(responses))
    assert made["sample"]["blame"]["function"] != _cpu.UNKNOWN
    assert trails["dropped"] == over - made["known"] > 1000
    # The limit that is named would have fitted: above it there are about as many samples as there are trails.
    assert made["known"] * 0.9 <= sum(ticks > trails["fits"] for ticks in responses) <= made["known"] + 1
    line = (
        f"There was no room for {trails['dropped']} more trails. With --trace-over {-(-trails['fits'] // 1000)}us the"
    )
    assert line in rtstone("explain", "last").out


def _responses() -> list[int]:
    """All samples of the last run."""
    run = open_archive().load("last")
    whole = next(result for result in run.results() if result.quantity == "interrupt-task-response")
    return [*known_samples(whole).values()]


@pytest.mark.needs("bpf")
@pytest.mark.parametrize(
    ("words", "limit", "why"),
    [
        ((), None, "kept no trail: measure with -m interrupt-split --trace-over TIME"),
        ((), "4s", "was above 4.00 s, so no trail was kept"),
        (("--sample", "200"), "1us", "there are samples 0 to 199"),
        (("--quantity", "semaphore-ping"), "1us", "a trail tells of interrupt-task-response and its stages"),
        (("--load", "disk"), "1us", "it has the loads none"),
        (("--repetition", "3"), "1us", "1 repetition, from 0"),
    ],
)
def test_what_cannot_be_explained_is_told_in_one_line(
    engine: Path, rtstone: Command, words: tuple[str, ...], limit: str | None, why: str
) -> None:
    assert engine.is_file()
    over = ("--trace-over", limit) if limit else ()
    _kept(rtstone, "--period", "500us", "--count", "200", "--label", "short", *over)
    ended = rtstone("explain", "short", *words)
    assert (ended.code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert why in line
