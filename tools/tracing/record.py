# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a Linux guest under the plugin: out come the session's samples, the trace of all that ran, and the functions' names."""

from __future__ import annotations

import array
import subprocess
from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError, UsageError
from rtstone.model import Result
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from rtstone.targets import boards
from rtstone.targets.board import BoardTarget, Images
from rtstone.targets.boards import Board
from rtstone.targets.boards.guest import ENGINE
from rtstone.targets.boards.guest._ramdisk import archive

HERE = Path(__file__).resolve().parent
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")
SERIES = ("interrupt-service-response", "interrupt-task-response", "context-switch-delay")


class Recorded(msgspec.Struct, frozen=True):
    """A traced session."""

    names: list[str]
    """Functions by number."""
    trace: bytes
    """As changes.c writes it."""
    samples: dict[str, list[int]]
    """Ticks, by quantity, in the order of the interrupts."""
    ticks_hz: int


class _SymbolsTarget(BoardTarget):
    """The board with a program in the engine's place that tells the kernel's functions."""

    program = b""

    def _prepared(self, plan: Plan, folder: Path) -> Images:
        images = super()._prepared(plan, folder)
        assert images.initrd is not None  # noqa: S101 - a Linux guest has one
        # A later file of the RAM disk takes the place of an earlier one.
        with images.initrd.open("ab") as initrd:
            initrd.write(archive({ENGINE: self.program}, executable=frozenset({ENGINE})))
        return images


def _symbols(board: Board, kernel_id: str, folder: Path) -> list[tuple[int, str]]:
    """The functions of a kernel with its modules in place, by address. Without KASLR they lie where they lay."""
    program = folder / "symbols"
    source = str(HERE / "symbols.c")
    subprocess.run(
        ["aarch64-linux-gnu-gcc", "-D_GNU_SOURCE", "-static", *FLAGS, "-o", str(program), source],
        check=True,
        timeout=60,
    )
    kernel = board.kernel_of(kernel_id)
    target = _SymbolsTarget(board, kernel)
    target.program = program.read_bytes()
    plan = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response"),))
    with target:
        target.deploy()
        why = ""
        try:
            lines = list(target.start(plan))
        except InfrastructureError as error:  # it has no `bye`, for it is no engine
            if not target.record_bytes:
                raise
            why = str(error)
            lines = target.record_bytes.splitlines()
    text = [line.decode("ascii").strip() for line in lines]
    if "end" not in text:
        raise InfrastructureError(f"{target.name} did not tell its functions: {why}")
    found = []
    for line in text[: text.index("end")]:
        address, _, name = line.partition(" ")
        found.append((int(address, 16), name))
    return sorted(found)


def _plugin(folder: Path) -> Path:
    built = folder / "changes.so"
    subprocess.run(
        ["gcc", *FLAGS, "-shared", "-fPIC", "-o", str(built), str(HERE / "changes.c")], check=True, timeout=60
    )
    return built


def record(board_id: str, kernel_id: str, item: Item, seed: int, folder: Path) -> Recorded:
    """Run one item under the plugin. `folder` takes what is built and the trace (tens of megabytes a second of the board).

    UsageError when the kernel is no Linux of the arm64 board; InfrastructureError when the guest fails.
    """
    board = boards.load(board_id)
    kernel = board.kernel_of(kernel_id)
    if kernel.kind != "linux" or kernel.architecture != "arm64":
        raise UsageError(
            "only Linux on the board arm64 can be traced: the plugin knows that CPU's readings of its counter"
        )
    symbols = _symbols(board, kernel_id, folder)
    listed = folder / "addresses"
    listed.write_text("".join(f"{address:x}\n" for address, _ in symbols))
    begin = next((address for address, name in symbols if name == "probe_ioctl[rtstone_probe]"), None)
    if begin is None:
        raise InfrastructureError("the guest has no probe module")
    trace = folder / "trace"
    option = f"{_plugin(folder)},symbols={listed},from={begin:x},out={trace}"
    emulator = msgspec.structs.replace(board.emulator, arguments=(*board.emulator.arguments, "-plugin", option))
    target = BoardTarget(msgspec.structs.replace(board, emulator=emulator), kernel)
    plan = Plan(seed=seed, repetition=0, items=(msgspec.structs.replace(item, item=0, raw=1),))
    with target:
        target.deploy()
        (session,) = collect(list(target.start(plan)), plan)
    if not session.complete or not session.results:
        raise InfrastructureError(f"{target.name}: the traced session is not whole: {session.problems}")
    samples = {result.quantity: _samples(result) for result in session.results}
    return Recorded([name for _, name in symbols], trace.read_bytes(), samples, board.clock.hz)


def _samples(result: Result) -> list[int]:
    values = array.array("q")
    values.frombytes(result.samples or b"")
    return list(values)
