# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The load that the kernels of a board share: as strong on each of them, everything in it accounted for, the same bytes each time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from rtstone.model import Result, Session
from rtstone.stream.plan import Item, Plan
from rtstone.targets.board import open_board
from support.firmware import LONG, session
from support.images import lasting_cache

KERNELS = (
    "arm64/bare",
    "arm64/freertos",
    "arm64/freertos-rust",
    "mps2-an385/bare",
    "mps2-an385/freertos",
    "mps2-an385/rt",
    "mps2-an385/freertos-rust",
    "arm64-gicv3/rt",
    "riscv32/bare",
    "riscv32/freertos",
    "riscv32/rt",
    "zynq-a9/bare",
    "zynq-a9/freertos",
    "arm64/linux-6.1",
    "arm64/linux-6.1-rt",
)
CASES = [
    *KERNELS,
    *(pytest.param("/".join(pair), marks=pytest.mark.long) for pair in sorted(LONG)),
    *(pytest.param(f"zynq-a9/{one}", marks=pytest.mark.rtems) for one in ("rtems", "rtems-pthread")),
]
"""The kernels of `make test`, those of `make test-long`, and those that the user installs."""
TOGETHER = [kernel for kernel in KERNELS if kernel.startswith("arm64/")]
LINUX = [kernel for kernel in KERNELS if "linux" in kernel]
SAMPLES = 300
RUNS = 3

Streams = Callable[[str, int], bytes]


def _plan(repetition: int = 0) -> Plan:
    """Idle, under the load, and under eight times the load.

    A line's receiver cannot report that many bytes one by one.
    """
    loads = (("none", 1), ("traffic", 1), ("traffic", 8), ("traffic", 0))
    items = (
        Item(item=number, measurement="interrupt-response", count=SAMPLES, load=load, intensity=intensity)
        for number, (load, intensity) in enumerate(loads)
    )
    return Plan(seed=1, repetition=repetition, items=tuple(items))


def _run(root: Path, kernel: str, plan: Plan) -> bytes:
    with lasting_cache(root), open_board(kernel) as target:
        target.deploy()
        for _ in target.start(plan):
            pass
        return target.record_bytes


@pytest.fixture(scope="module")
def streams(root: Path) -> Streams:
    """The record streams of the same plan, by the kernel and the number of the run."""

    @cache
    def found(kernel: str, _number: int) -> bytes:
        return _run(root, kernel, _plan())

    return found


def _measured(streams: Streams, kernel: str) -> Session:
    return session(streams(kernel, 0), _plan())


def _result(found: Session, item: int, quantity: str = "interrupt-task-response") -> Result:
    (result,) = [r for r in found.results if r.item == item and r.quantity == quantity]
    return result


def _figures(found: Session, item: int) -> dict[str, int]:
    return {figure.key: figure.value for figure in _result(found, item).load}


# Debian's emulator promises it of guests that halt, which Linux does, where the host has a CPU to spare (decision 7).
@pytest.mark.parametrize(
    "kernel", [pytest.param(case, marks=pytest.mark.alone) if case in LINUX else case for case in CASES]
)
def test_runs_are_one_to_the_byte(streams: Streams, kernel: str) -> None:
    assert len({streams(kernel, number) for number in range(RUNS)}) == 1


@pytest.mark.parametrize("kernel", CASES)
def test_comes_at_the_stated_rate(streams: Streams, kernel: str) -> None:
    """The mean of 300 intervals, each uniform within half of the mean about it, strays by 1.7 % (one sigma)."""
    figures = _figures(_measured(streams, kernel), 1)
    assert figures["intensity"] == 1
    assert figures["timer_interrupts_per_s"] == pytest.approx(1000, rel=0.06)
    assert figures["line_interrupts_per_s"] == pytest.approx(figures["timer_interrupts_per_s"], rel=0.03)


def test_is_the_same_on_every_kernel_of_a_board(streams: Streams) -> None:
    """The intervals are one sequence: equal times have the same number of them, except those under way at the ends."""
    rates = {kernel: _figures(_measured(streams, kernel), 1)["timer_interrupts_per_s"] for kernel in TOGETHER}
    assert max(rates.values()) - min(rates.values()) <= 0.06 * min(rates.values()), rates


@pytest.mark.parametrize("item", [1, 2])
@pytest.mark.parametrize("kernel", CASES)
def test_everything_is_accounted_for(streams: Streams, kernel: str, item: int) -> None:
    figures = _figures(_measured(streams, kernel), item)
    taken = figures["timer_events_taken"] + figures["bytes_taken"]
    assert figures["timer_interrupts"] == figures["bytes_sent"] > 0
    assert figures["timer_interrupts"] + figures["bytes_received"] == taken + figures["events_lost"]
    assert figures["bytes_received"] <= figures["bytes_sent"]
    if kernel.endswith("/bare"):
        assert figures["messages"] == figures["allocations"] == 0
    else:
        assert figures["messages"] == figures["allocations"] == taken
    if item == 1:
        assert figures["events_lost"] == 0
        assert figures["bytes_received"] == figures["bytes_sent"]


@pytest.mark.parametrize("kernel", TOGETHER)
def test_bytes_share_an_interrupt_when_they_come_too_fast(streams: Streams, kernel: str) -> None:
    figures = _figures(_measured(streams, kernel), 2)
    assert figures["line_interrupts"] < figures["timer_interrupts"]


@pytest.mark.parametrize("kernel", CASES)
def test_is_felt(streams: Streams, kernel: str) -> None:
    found = _measured(streams, kernel)
    for item in (0, 1, 2, 3):
        assert _result(found, item).status == "ok"
        assert _result(found, item).count == SAMPLES
    # On average: a single idle sample may meet what the kernel does of its own accord.
    assert _result(found, 1).sum > _result(found, 0).sum


@pytest.mark.parametrize("kernel", CASES)
def test_intensity_0_is_nothing(streams: Streams, kernel: str) -> None:
    figures = _figures(_measured(streams, kernel), 3)
    counted = {key: value for key, value in figures.items() if not key.endswith("_ns")}
    assert set(counted.values()) == {0}


@pytest.mark.parametrize("kernel", CASES)
def test_another_repetition_draws_other_intervals(root: Path, streams: Streams, kernel: str) -> None:
    other = session(_run(root, kernel, _plan(1)), _plan(1))
    assert _figures(other, 1) != _figures(_measured(streams, kernel), 1)


def _is_single(case: object) -> bool:
    """Of a layer for RISC-V of FreeRTOS, in C or in Rust, which lets no interrupt into the handler of another."""
    return str(getattr(case, "values", (case,))[0]).startswith("riscv32/freertos")


@pytest.mark.parametrize("kernel", [case for case in CASES if case not in LINUX and not _is_single(case)])
def test_the_measured_interrupt_is_above(streams: Streams, kernel: str) -> None:
    """Under the load its handler waits for masked entries and exits, not for the handlers of the load."""
    found = _measured(streams, kernel)
    ticks_an_instruction = 16 if kernel.startswith("riscv32/") else 1
    for item in (1, 2):
        response = _result(found, item, "interrupt-service-response")
        assert response.min is not None
        assert response.max is not None
        assert 0 <= response.min <= response.max < 400 * ticks_an_instruction


def test_too_strong_a_load_is_refused(root: Path) -> None:
    item = Item(item=0, measurement="interrupt-response", count=5, load="traffic", intensity=9)
    plan = Plan(seed=1, repetition=0, items=(item,))
    (result, *_) = session(_run(root, "arm64/bare", plan), plan).results
    assert (result.status, result.reason) == ("skipped", "invalid")
