# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels on two boards for real: a stock one and one with PREEMPT_RT answer a timer, twice the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from rtstone.model import Session
from rtstone.stream.plan import Item, Plan, encode
from rtstone.targets import boards
from rtstone.targets.board import open_board
from rtstone.targets.boards import guest
from rtstone.targets.boards.guest import _build, _kernel
from support.firmware import session
from support.images import lasting, lasting_cache

__all__ = ["lasting"]  # the fixture

pytestmark = pytest.mark.timeout(300, func_only=True)

KERNELS = tuple(f"{board}/{kernel}" for board in ("arm64", "vexpress-a9") for kernel in ("linux-6.1", "linux-6.1-rt"))
SOURCES = {
    "arm64": ("arm-timer", 62_500_000, "arch_sys_counter"),
    "vexpress-a9": ("hrtimer", 1_000_000_000, "arm_global_timer"),
}
"""The probe module's source of interrupts on each board, the frequency (Hz) of its clock, and the kernel's own clock."""
NAMES = ("interrupt-response", "semaphore-ping", "process-switch", "queue-alternate")
COUNT = 100
# On the tick of arm64's clock: 16 ns.
PERIOD_NS = 1_000_112

Run = Callable[[str], tuple[list[bytes], list[str], dict[str, str]]]


def _plan() -> Plan:
    pairs = [(name, load) for load in ("none", "cpu") for name in NAMES]
    items = (
        Item(item=number, measurement=name, count=COUNT, load=load, period_ns=PERIOD_NS)
        for number, (name, load) in enumerate(pairs)
    )
    return Plan(seed=1, repetition=0, items=tuple(items))


def _kernel_of(target: str) -> boards.Kernel:
    board, _, kernel = target.partition("/")
    return boards.load(board).kernel_of(kernel)


@pytest.fixture(scope="module")
def run(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two runs on a kernel: the record streams, what else the guest said, and the board's identity.

    Builds have limits of their own, and on a busy machine take longer than a test may: they are no part of the test that comes first.
    """
    with lasting_cache(root):
        for built in KERNELS:
            guest.prepare(_kernel_of(built), encode(_plan()), tmp_path_factory.mktemp("guest") / "initrd")

    @cache
    def found(kernel: str) -> tuple[list[bytes], list[str], dict[str, str]]:
        streams: list[bytes] = []
        said: list[str] = []
        with lasting_cache(root), open_board(kernel) as target:
            target.deploy()
            for _ in range(2):
                said += [line.decode("utf-8", "replace") for line in target.start(_plan()) if line.startswith(b"[")]
                streams.append(target.record_bytes)
            return streams, said, target.describe()

    return found


def _session(run: Run, kernel: str) -> Session:
    return session(run(kernel)[0][0], _plan())


@pytest.mark.parametrize("kernel", KERNELS)
def test_two_runs_are_one_to_the_byte(run: Run, kernel: str) -> None:
    first, second = run(kernel)[0]
    assert first == second


@pytest.mark.parametrize("kernel", KERNELS)
def test_measures_all_of_it(run: Run, kernel: str) -> None:
    """Linux has everything that is asked for here, processes too."""
    found = _session(run, kernel)
    assert {result.measurement for result in found.results} == set(NAMES)
    for result in found.results:
        assert (result.status, result.count) == ("ok", COUNT), result


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_kernel_answers_the_boards_timer(run: Run, kernel: str) -> None:
    """By the module's handler, not by a thread that stands in for it: that would be one switch, two microseconds, later at the least."""
    found = _session(run, kernel)
    service, task, switch = (
        next(r for r in found.results if r.item == 0 and r.quantity == quantity)
        for quantity in ("interrupt-service-response", "interrupt-task-response", "context-switch-delay")
    )
    assert service.min is not None
    assert task.min is not None
    assert switch.min is not None
    hz = next(clock.hz for clock in found.clocks if clock.id == service.clock)
    board = kernel.partition("/")[0]
    assert hz == SOURCES[board][1]
    assert 0 < service.min < switch.min < task.min
    # A handler on these boards begins within some hundred instructions; a woken thread takes thousands.
    thousand = 1000 * hz / boards.load(board).clock.instructions_per_second
    assert service.min < thousand < switch.min


@pytest.mark.parametrize("kernel", KERNELS)
def test_is_the_kernel_that_was_fetched(run: Run, kernel: str) -> None:
    """The guest's own facts, the board's identity and the package agree. The identity contains nothing of the plan."""
    _, packaged = _kernel.fetch(_kernel_of(kernel))
    facts = run(kernel)[2]
    assert _session(run, kernel).env["kernel.release"] == packaged.release
    assert _session(run, kernel).env["kernel.cmdline"].count("rtstone.probe=/dev/rtstone-probe") == 1
    source, _, clock = SOURCES[kernel.partition("/")[0]]
    assert _session(run, kernel).env["probe.source"] == source
    assert _session(run, kernel).env["clock.source"] == clock
    # The engine is optimised like every other one, because the kernels' overheads are compared between machines.
    assert " -O2 " in _session(run, kernel).env["compiler.flags"]
    found = {value for key, value in facts.items() if "package" in key}
    assert {packaged.package, packaged.version} <= found


@pytest.mark.parametrize("kernel", KERNELS)
def test_nothing_goes_wrong_beside_it(run: Run, kernel: str) -> None:
    """The guest's first program complains of nothing, and the kernel neither."""
    said = "\n".join(run(kernel)[1])
    for word in ("rtstone-init:", "Oops", "BUG", "WARNING", "Call trace", "rtstone_probe: no", "cannot be had"):
        assert word not in said, said


def test_the_plan_is_no_part_of_the_identity(tmp_path: Path) -> None:
    kernel = boards.load("arm64").kernel_of("linux-6.1")
    first = guest.prepare(kernel, b"one plan", tmp_path / "first")
    content = first.initrd.read_bytes()
    second = guest.prepare(kernel, b"another", tmp_path / "second")
    assert first.facts == second.facts
    assert b"one plan" in content
    assert b"one plan" not in second.initrd.read_bytes()


def test_the_module_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all of the kernel's own extra warnings, as errors, against headers that need no network once they are there."""
    place, packaged = _kernel.fetch(boards.load("arm64").kernel_of("linux-6.1"))
    monkeypatch.setenv("W", "1")
    monkeypatch.setenv("KCFLAGS", "-Werror")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = _build.own_module("rtstone_probe", place, packaged)
    content = module.read_bytes()
    assert f"vermagic={packaged.release} ".encode() in content
    assert b"license=GPL\0" in content
    assert str(tmp_path).encode() not in content
