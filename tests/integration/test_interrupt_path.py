# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An interrupt's way through bottom half and user-level ISR on a Linux with PREEMPT_RT, measured for real, twice the same."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import pytest

from rtstone.model import Result
from rtstone.stats import percentile
from rtstone.stream.plan import Item, Plan
from rtstone.targets.board import open_board
from support.firmware import session
from support.images import lasting_cache

GUEST = "arm64/linux-6.1-rt"
COUNT = 60
PERIOD_NS = 1_000_112
STAGES = ("interrupt-stages", "interrupt-total", "user-isr-stages", "user-isr-total")
PARTS = (
    "interrupt-service-response",
    "top-to-bottom-half",
    "bottom-half-to-user-isr",
    "context-switch-delay",
    "residual",
)
SOURCES = ("default", "tasklet", "workqueue", "software")
LOADED = (("interrupt-stages", "network"), ("interrupt-stages", "network-above"))


def _plan() -> Plan:
    rows = [(name, "none", source) for name in STAGES for source in SOURCES]
    rows += [(name, load, "default") for name, load in LOADED]
    return Plan(
        seed=1,
        repetition=0,
        items=tuple(
            Item(item=n, measurement=name, count=COUNT, load=load, timer=source, period_ns=PERIOD_NS, raw=1)
            for n, (name, load, source) in enumerate(rows)
        ),
    )


@cache
def _streams(root: Path) -> tuple[bytes, bytes]:
    streams = []
    with lasting_cache(root), open_board(GUEST) as target:
        target.deploy()
        for _ in range(2):
            for _ in target.start(_plan()):
                pass
            streams.append(target.record_bytes)
    return streams[0], streams[1]


def _results(root: Path) -> list[Result]:
    return list(session(_streams(root)[0], _plan()).results)


def _result(root: Path, measurement: str, quantity: str, source: str, load: str) -> Result:
    wanted = (measurement, quantity, source, load)
    return next(r for r in _results(root) if (r.measurement, r.quantity, r.variant.timer, r.variant.load) == wanted)


def _least(root: Path, measurement: str, quantity: str, source: str = "default", load: str = "none") -> int:
    found = _result(root, measurement, quantity, source, load)
    assert found.min is not None
    return found.min


def _median(root: Path, measurement: str, quantity: str, source: str) -> int:
    found = _result(root, measurement, quantity, source, "none")
    assert found.histogram is not None
    median = percentile(found.histogram, 50, minimum=found.min, maximum=found.max)
    assert median is not None
    return median


def test_two_runs_are_one_to_the_byte(root: Path) -> None:
    first, second = _streams(root)
    assert first == second


def test_every_stage_of_every_way_is_measured(root: Path) -> None:
    for result in _results(root):
        assert (result.status, result.count) == ("ok", COUNT), result
        assert all(check.holds for check in result.checks)
        assert result.min is not None
        assert result.min > 0
    assert len({(r.measurement, r.variant.timer) for r in _results(root)}) == len(STAGES) * len(SOURCES)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", [name for name in STAGES if name.endswith("-stages")])
def test_the_stages_of_each_interrupt_are_its_total(root: Path, name: str, source: str) -> None:
    """Of every single interrupt, to the tick, on the kernel's own way and by way of a signal."""
    found = {
        r.quantity: struct.unpack(f"<{COUNT}q", r.samples)
        for r in _results(root)
        if (r.measurement, r.variant.timer, r.variant.load) == (name, source, "none") and r.samples is not None
    }
    assert ("bottom-half-to-user-isr" in found) == name.startswith("user")
    parts = [found[quantity] for quantity in PARTS if quantity in found]
    assert len(parts) == len(found) - 1
    assert [sum(of_one) for of_one in zip(*parts, strict=True)] == list(found["interrupt-task-response"])


@pytest.mark.parametrize("source", SOURCES)
def test_stamping_costs_what_the_readings_take(root: Path, source: str) -> None:
    """At the median: the unstamped interrupts are others, and the least of either may be of one that found the CPU awake."""
    stamps = 3 * 64  # ticks: reading the clock takes less
    stamped = _median(root, "interrupt-stages", "interrupt-task-response", source)
    assert _median(root, "interrupt-total", "interrupt-task-response", source) > stamped - stamps


def test_a_routine_in_user_space_costs_a_signal_more(root: Path) -> None:
    signal = _least(root, "user-isr-stages", "bottom-half-to-user-isr")
    ways = [_least(root, name, "interrupt-task-response") for name in ("interrupt-total", "user-isr-total")]
    assert ways[1] - ways[0] > signal // 2


def test_a_tasklet_runs_sooner_than_the_work_queue(root: Path) -> None:
    tasklet, work = (_least(root, "interrupt-stages", "top-to-bottom-half", s) for s in ("tasklet", "workqueue"))
    assert tasklet < work


def test_the_networks_threads_above_the_task_hold_it_up(root: Path) -> None:
    below, above = (
        next(r for r in _results(root) if r.variant.load == load and r.quantity == "top-to-bottom-half")
        for _, load in LOADED
    )
    raised = {figure.key: figure.value for figure in above.load}
    assert raised["raised_interrupt_threads"] == 3
    assert raised["interrupt_thread_priority"] > above.priority
    assert above.max is not None
    assert below.max is not None
    assert above.max > below.max
