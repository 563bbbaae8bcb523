# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The measured interrupt comes when it is due. An independent count of instructions confirms its reported latency."""

from __future__ import annotations

import array
import re
import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from rtstone.explain._trace import plugin_interface
from rtstone.model import Result, Session
from rtstone.stream.plan import Plan
from rtstone.targets import boards
from support.firmware import BOARDS, KERNELS, SISTERS, run, session, single
from support.images import Build, image

__all__ = ["image"]  # the fixture

PERIOD_NS = 250_000
PERIOD_INSTRUCTIONS = 15_625  # icount shift=4: 16 ns an instruction
VECTOR_BYTES = 128
# Slots of the vector table (Arm ARM D1.10): interrupts from this level, on the stack of EL0 and on that of EL1.
INTERRUPT_SLOTS = (1, 5)


@dataclass(frozen=True)
class _Counted:
    """A board whose interrupts the plugin counts."""

    tools: str
    reading: str
    """How the disassembler writes the instruction that reads the counter."""
    ticks: int
    """Ticks of the counter per instruction."""
    least: int
    """Instructions until the reading at the vector: those that stand before it, and one, since an interrupt is taken between two."""


COUNTED = {
    "arm64": _Counted("aarch64-linux-gnu-", r"\bmrs\b.*cntpct_el0", 1, 2),
    "arm64-gicv3": _Counted("aarch64-linux-gnu-", r"\bmrs\b.*cntpct_el0", 1, 2),
    "riscv32": _Counted("riscv64-unknown-elf-", r"\bcsrr\b.*mcycle$", 16, 3),
}
# Until the handler's reading where nothing is under way: riscv32 saves sixteen registers one by one, and asks its interrupt controller;
# zynq-a9 saves the registers of NEON, and asks its own (32 instructions, in ticks).
HANDLER_INSTRUCTIONS = {
    "arm64": 32,
    "arm64-gicv3": 32,
    "mps2-an385": 32,
    "mcf5208evb": 32,
    "riscv32": 48,
    "zynq-a9": 52,
}

BOARDS_AND_SISTERS = [*BOARDS, *(pytest.param(board, marks=pytest.mark.long) for board in SISTERS)]
COUNTED_AND_SISTERS = [pytest.param(board, marks=pytest.mark.long) if board in SISTERS else board for board in COUNTED]


def _series(found: Session, quantity: str) -> Result:
    (result,) = (result for result in found.results if result.quantity == quantity)
    return result


def _samples(result: Result) -> list[int]:
    assert result.samples is not None
    values = array.array("q")
    values.frombytes(result.samples)
    return list(values)


# ---- an independent count ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plugin(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("plugin") / "instructions.so"
    source = root / "tests" / "support" / "qemu-plugin" / "instructions.c"
    version = plugin_interface(boards.load("arm64"))  # all boards' emulators are of one version
    flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Werror",
        "-O2",
        "-shared",
        "-fPIC",
        f"-DPLUGIN_API={version}",
    ]
    subprocess.run(["gcc", *flags, "-o", str(built), str(source)], check=True, timeout=60)
    return built


def _symbol(board: str, elf: Path, name: str) -> int:
    text = subprocess.run([f"{COUNTED[board].tools}nm", str(elf)], capture_output=True, text=True, check=True).stdout
    (address,) = re.findall(rf"^([0-9a-f]+) \w {name}$", text, re.MULTILINE)
    return int(address, 16)


def _counter_read(board: str, elf: Path, function: str) -> int:
    """The address of the last instruction of a function that reads the counter: riscv32 looks at the timer's clock before it."""
    command = [f"{COUNTED[board].tools}objdump", "-d", f"--disassemble={function}", str(elf)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(rf"^\s*([0-9a-f]+):.*{COUNTED[board].reading}", text, re.MULTILINE)
    return int(found[-1], 16)


def _entries(board: str, elf: Path) -> list[int]:
    """Where the counter is read at the vector."""
    if board == "riscv32":
        return [_symbol(board, elf, "board_external_stamp")]
    vectors = _symbol(board, elf, "board_vectors")
    return [vectors + slot * VECTOR_BYTES + 4 for slot in INTERRUPT_SLOTS]  # the second instruction reads


def _counted(
    image: Path, board: str, kernel: str, plan: Plan, plugin: Path, folder: Path
) -> tuple[Session, list[int | None], list[int | None]]:
    """Run a session. Returns it, and the plugin's count of instructions from expiry to the counter's reading.

    The count is given at the vector, and in the handler. The timer is started to expire one period after a reading of
    the counter. The plugin numbers that reading and those at the beginning of each interrupt; the difference less the
    periods is the latency.
    """
    start = _counter_read(board, image, "board_timer_start")
    entries = _entries(board, image)
    handler = _counter_read(board, image, "board_timer_interrupt")
    folder.mkdir()
    log = folder / "instructions"
    places = ",".join(f"at={place:x}" for place in (start, *entries, handler))
    stream = run(image, board, kernel, plan, folder, "-plugin", f"{plugin},{places},out={log}")
    latencies: list[int | None] = []
    handled: list[int | None] = []
    due = entered = 0
    for line in log.read_text().splitlines():
        place, number = line.split()
        if place == "end":
            break
        if int(place, 16) == start:
            due = int(number) + PERIOD_INSTRUCTIONS
        elif int(place, 16) == handler:
            # Served by the entry of another interrupt, that began before it was due: the entry is not its own.
            latencies.append(entered - due if entered >= due else None)
            handled.append(int(number) - due)
            due += PERIOD_INSTRUCTIONS
        else:
            entered = int(number)
    ticks = COUNTED[board].ticks
    told = [[None if one is None else one * ticks for one in series] for series in (latencies, handled)]
    return session(stream, plan), told[0], told[1]


@pytest.mark.parametrize("board", COUNTED_AND_SISTERS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("load", ["none", "cpu"])
def test_latency_is_right_to_the_instruction(
    image: Build, plugin: Path, tmp_path: Path, board: str, kernel: str, load: str
) -> None:
    if kernel == "bare" and load == "cpu":
        load = "none"  # bare metal has no task that could be the load; this is then a second seed
    keys = {"count": 300, "warmup": 0, "period_ns": PERIOD_NS, "raw": 1, "load": load}
    plan = single("interrupt-response", **keys)
    found, counted, handled = _counted(image(board, kernel), board, kernel, plan, plugin, tmp_path / "run")
    told = _samples(_series(found, "interrupt-vector-response"))
    in_handler = _samples(_series(found, "interrupt-service-response"))
    assert len(told) == len(in_handler) == 300
    assert {result.entered for result in found.results} == {"handler"}
    assert all(vector <= handler for vector, handler in zip(told, in_handler, strict=True))
    assert _is_subsequence(in_handler, handled), (in_handler[:20], handled[:20])
    # Interrupts that come before the timer stands still, after the last that counts, are no samples: slice by slice.
    assert _is_subsequence(told, counted), (told[:20], counted[:20])
    assert len(counted) - len(told) <= len(told) // 10
    assert counted.count(None) <= len(counted) // 50
    assert min(told) == COUNTED[board].least * COUNTED[board].ticks


def _is_subsequence(part: list[int], whole: list[int | None]) -> bool:
    rest = iter(whole)
    return all(any(value == counted or counted is None for counted in rest) for value in part)


# ---- when it comes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS_AND_SISTERS)
def test_phase_shifts_the_first_expiry_by_itself(image: Build, tmp_path: Path, board: str) -> None:
    """The shift is exact in ticks. Where the CPU divides in software, the conversion of another number may add some."""

    def first(phase_ns: int) -> tuple[int, int]:
        plan = single("interrupt-response", count=1, warmup=0, phase_ns=phase_ns)
        found = session(run(image(board, "bare"), board, "bare", plan, tmp_path), plan)
        result = _series(found, "interrupt-service-response")
        (extreme,) = result.extremes
        return extreme.at - extreme.value, found.clock(result.clock).hz

    base_ns = 0 if board.startswith("arm64") else 1_000
    conversion = 0 if board.startswith("arm64") else 400
    base, hz = first(base_ns)
    for phase_ns in (1_016, 4_000, 123_456, 999_000):
        shifted, _ = first(phase_ns)
        assert abs((shifted - base) - (phase_ns * hz // 10**9 - base_ns * hz // 10**9)) <= conversion


@pytest.mark.parametrize("board", BOARDS_AND_SISTERS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("period_ns", [250_000, 1_000_000, 3_100_000])
def test_expiries_are_a_period_apart(image: Build, tmp_path: Path, board: str, kernel: str, period_ns: int) -> None:
    """Derived from the task that answers: its time less its response is the time at which the interrupt was due."""
    plan = single("interrupt-response", count=14, warmup=0, period_ns=period_ns)
    found = session(run(image(board, kernel), board, kernel, plan, tmp_path), plan)
    result = _series(found, "interrupt-task-response")
    due = sorted(extreme.at - extreme.value for extreme in result.extremes)
    assert len(due) == 14
    period = period_ns * found.clock(result.clock).hz // 10**9
    gaps = [after - before for before, after in pairwise(due)]
    # Between slices of the session the timer is started again: those gaps are longer, never shorter.
    assert min(gaps) == period
    assert gaps.count(period) >= len(gaps) - 4


@pytest.mark.parametrize("board", BOARDS_AND_SISTERS)
@pytest.mark.parametrize("phase_ns", [34_189, 142_666])
def test_nothing_of_the_instrument_delays_a_sample(image: Build, tmp_path: Path, board: str, phase_ns: int) -> None:
    """At the papers' 4 kHz a loop that polls answers alike every time: recording one sample is done before the next is due."""
    plan = single("interrupt-response", count=2500, period_ns=PERIOD_NS, phase_ns=phase_ns)
    found = session(run(image(board, "bare"), board, "bare", plan, tmp_path), plan)
    response, service = (_series(found, f"interrupt-{name}-response") for name in ("task", "service"))
    assert response.status == service.status == "ok"
    assert response.min is not None
    assert response.max is not None
    assert response.max - response.min < 64  # the loop's own turn, and the clock's interrupt where there is one
    assert service.max is not None
    ticks = COUNTED[board].ticks if board in COUNTED else 1
    assert service.max < HANDLER_INSTRUCTIONS[board] * ticks


@pytest.mark.parametrize("board", BOARDS_AND_SISTERS)
@pytest.mark.parametrize(("key", "value"), [("period_ns", 1_000), ("timer", "no-such-source")])
def test_a_timer_that_cannot_be_had_is_said(image: Build, tmp_path: Path, board: str, key: str, value: object) -> None:
    plan = single("interrupt-response", count=5, **{key: value})
    found = session(run(image(board, "bare"), board, "bare", plan, tmp_path), plan)
    assert {result.status for result in found.results} <= {"failed", "skipped"}
    assert found.results
