# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A board at the end of a serial line: a pseudo-terminal with an emulated board's UART behind it, and lines that fail."""

from __future__ import annotations

import os
import pty
import subprocess
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError, UsageError
from rtstone.measure import measure
from rtstone.stream.plan import Item, Plan, encode
from rtstone.targets import boards, open_target
from support.guests import HELLO
from support.images import Build, image

__all__ = ["image"]  # the fixture

PLAN = Plan(seed=3, repetition=0, items=(Item(item=0, measurement="interrupt-response", count=100, period_ns=250_000),))


class Bench:
    """The remote end of a serial line: a device there gets the plan and may write anything."""

    def __init__(self) -> None:
        self._far, near = pty.openpty()
        tty.setraw(near)
        self.device = os.ttyname(near)
        # Held open, so that the line does not hang up between two of its users.
        self._near = near
        self._thread: threading.Thread | None = None

    def plug(self, board: Callable[[bytes, int], None]) -> None:
        """Waits for a plan and calls ``board(plan, descriptor)``."""

        def serve() -> None:
            plan = b""
            while b'{"t":"go"}' not in plan or not plan.endswith(b"\n"):
                plan += os.read(self._far, 4096)
            board(plan, self._far)

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pulls the plug."""
        if self._thread is not None:
            self._thread.join(30)
        for descriptor in (self._far, self._near):
            os.close(descriptor)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def _emulated(built: Path, folder: Path) -> Callable[[bytes, int], None]:
    """The arm64 board, switched on when its plan has come; its UART is the line's far end."""

    def board(plan: bytes, line: int) -> None:
        facts = boards.load("arm64")
        blob = folder / "plan"
        blob.write_bytes(plan)
        values = {"image": str(built), "records": "stdio,signal=off", "seed": "1"}
        command = boards.command(facts, facts.kernel_of("freertos"), values=values, plan=blob)
        emulator = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert emulator.stdout is not None
        while chunk := os.read(emulator.stdout.fileno(), 4096):
            os.write(line, chunk)
        emulator.stdout.close()
        assert emulator.wait() == 0

    return board


def test_a_boards_uart_behind_a_pseudo_terminal(bench: Bench, image: Build, tmp_path: Path) -> None:
    bench.plug(_emulated(image("arm64", "freertos"), tmp_path))
    outcome = measure(f"serial:{bench.device}?baud=115200", lambda _: PLAN, 1)
    assert outcome.error is None
    run = outcome.run
    assert run.status == "complete"
    assert run.target == f"serial:{bench.device}"
    assert {r.quantity for r in run.results()} >= {"interrupt-service-response", "interrupt-task-response"}
    assert all(r.count == 100 and r.status == "ok" for r in run.results())
    assert run.host["target.serial.baud"] == "115200"
    # The line does not identify the board. The board itself reports the unit of its clock, and its rate.
    assert (run.time, run.instructions_per_second) == ("instruction-time", 62_500_000)


def test_the_board_gets_the_plan(bench: Bench) -> None:
    got = []

    def board(plan: bytes, line: int) -> None:
        got.append(plan)
        os.write(line, (HELLO + '~1 {"t":"bye"').encode())

    bench.plug(board)
    with pytest.raises(InfrastructureError, match="silent for 1 s"):
        _read(bench, "silence=1")
    assert got == [encode(PLAN)]


def test_a_silent_board(bench: Bench) -> None:
    bench.plug(lambda plan, line: None)
    with pytest.raises(InfrastructureError, match="silent for 1 s"):
        _read(bench, "silence=1")


def test_a_board_that_resets(bench: Bench) -> None:
    def board(plan: bytes, line: int) -> None:
        os.write(line, (HELLO + "oops\n" + HELLO).encode())

    bench.plug(board)
    with pytest.raises(InfrastructureError, match="the board was reset in mid-run; it said last: oops"):
        _read(bench, "silence=5")


def _read(bench: Bench, settings: str) -> list[bytes]:
    with open_target(f"serial:{bench.device}?{settings}") as target:
        target.deploy()
        return list(target.start(PLAN))


def test_a_line_in_use_is_refused(bench: Bench) -> None:
    with open_target(f"serial:{bench.device}") as first, open_target(f"serial:{bench.device}") as second:
        first.deploy()
        with pytest.raises(InfrastructureError, match=r"cannot be opened: .*lock"):
            second.deploy()


@pytest.mark.parametrize(
    ("device", "why"),
    [
        ("/dev/rtstone-nowhere", "No such file or directory"),
        ("/dev/null", "it is no serial line"),
        ("/", "Is a directory"),
    ],
)
def test_a_device_that_cannot_be_opened_is_told_in_plain_words(device: str, why: str) -> None:
    with open_target(f"serial:{device}") as target, pytest.raises(InfrastructureError) as caught:
        target.deploy()
    assert str(caught.value) == f"serial:{device} cannot be opened: {why}"


@pytest.mark.parametrize(
    "rest", ["", "?baud=9600", "/dev/x?speed=1", "/dev/x?baud=fast", "/dev/x?baud=0", "/dev/x?reset=up"]
)
def test_settings_that_there_are_not(rest: str) -> None:
    with pytest.raises(UsageError, match="serial"):
        open_target(f"serial:{rest}")
