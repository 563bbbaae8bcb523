# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A window that is a map of a UIO device, on a board: its blocks are in the memory behind it, read outside the guest.

The device is QEMU's ivshmem, and its memory a file of this machine. Linux's uio_cif takes it: it makes map 1 of any device's resource 2.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rtstone.model import Result
from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan
from rtstone.targets import boards
from rtstone.targets.board import open_board
from support import uncounted_boot
from support.firmware import session
from support.images import lasting, lasting_cache
from support.uio_guest import BOARD, ramdisk

__all__ = ["lasting"]  # the fixture

KERNEL = "linux-6.1"
DEVICE, WINDOW = "0000:00:09.0", "uio:0/1"
SIZE, USED, BLOCK = 4 << 20, 1 << 20, 4096
COUNT = 300  # the window is passed over once, and begun again
FILLERS = 251
PATIENCE_S = 120
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "Kernel panic", "FAILS")

WIDTHS = [f"transfer-{way}-d{bits}" for way in ("write", "flushed", "read") for bits in (8, 16, 32, 64)]
MOVES = ["transfer-to-memory", "transfer-from-memory"]
WRONG = {
    "uio:0/0": "the window has 256 bytes: two blocks of 4096 are needed",
    "uio:0/2": "there is no map 2 of /dev/uio0 (",
    "uio:1/1": "there is no UIO device /dev/uio1",
    "pci:0000:00:09.0/2": "the window cannot be mapped: Invalid argument",
}


class Told(NamedTuple):
    """The records of the guest's engine in one case, and the device's memory after it, read on this machine."""

    records: list[dict[str, Any]]
    memory: bytes


class Boot(NamedTuple):
    """A whole boot: every line, and the cases by measurement and window."""

    lines: list[str]
    cases: dict[tuple[str, str], Told]


def _ramdisk(root: Path, folder: Path) -> Path:
    """The exerciser as first program; returns the kernel's image."""
    cases = [(WINDOW, name) for name in WIDTHS + MOVES] + [(window, "transfer-write-d32") for window in WRONG]
    lines = [f'{{"{window}", "{name}", "{COUNT}"}},' for window, name in cases]
    (folder / "uio_cases.def").write_text("\n".join(lines), encoding="ascii")
    flags = (f"-I{folder}", f'-DUIO_DEVICE="{DEVICE}"')
    return ramdisk(root, folder, KERNEL, "uio_exercise.c", flags, "uio_cif")


def _command(folder: Path, image: Path) -> list[str]:
    """The board's emulator with one device more, whose memory is a file."""
    memory = f"memory-backend-file,id=seen,size={SIZE},mem-path={folder / 'memory'},share=on"
    device = ("-object", memory, "-device", "ivshmem-plain,memdev=seen,addr=9")
    return uncounted_boot.command(BOARD, image, folder / "initrd", *device)


@pytest.fixture(scope="module")
def boot(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Boot:
    """One boot of the exerciser: the memory is read, and cleared, whenever it waits for that."""
    folder = tmp_path_factory.mktemp("uio")
    command = _command(folder, _ramdisk(root, folder))
    memory = folder / "memory"
    memory.write_bytes(bytes(SIZE))
    found = Boot([], {})
    begun = 0
    # The emulator is ended by a kernel's restart, and by timeout(1) where that does not come.
    guest = subprocess.Popen(["timeout", str(PATIENCE_S), *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with guest:
        assert guest.stdin is not None
        assert guest.stdout is not None
        for raw in guest.stdout:
            line = raw.decode("utf-8", "replace").strip()
            found.lines.append(line)
            if line.startswith("CASE "):
                begun = len(found.lines)
            elif line == "LOOK":
                _, name, window = found.lines[begun - 1].split()
                said = [one for one in found.lines[begun:-1] if one.startswith("~")]
                records = [json.loads(framing.decode(one.encode())[1]) for one in said]
                found.cases[name, window] = Told(records, memory.read_bytes())
                with memory.open("r+b") as content:  # the same file: the emulator has it mapped
                    content.write(bytes(SIZE))
                guest.stdin.write(b"\n")
                guest.stdin.flush()
    assert guest.returncode == 0
    return found


def _expected(operations: int) -> list[int]:
    """The value of each block of the window after so many, of which the n-th writes n modulo 251 to the next block."""
    blocks = [0] * (USED // BLOCK)
    for n in range(operations):
        blocks[n % len(blocks)] = n % FILLERS + 1
    return blocks


def _operations(records: list[dict[str, Any]]) -> int:
    """How many blocks were moved, by the passes' own counts."""
    return sum(int(r["value"]) for r in records if r["t"] == "figure" and r["name"] == "bytes") // BLOCK


@pytest.mark.parametrize("name", WIDTHS + MOVES)
def test_what_is_sent_is_in_the_memory_behind_the_map(boot: Boot, name: str) -> None:
    """Block by block as the file of this machine has it, and nothing beyond what is used of the map."""
    records, memory = boot.cases[name, WINDOW]
    assert all(r["status"] == "ok" for r in records if r["t"] == "end")
    operations = _operations(records)
    assert operations >= COUNT
    blocks = [memory[at : at + BLOCK] for at in range(0, USED, BLOCK)]
    assert [set(block) for block in blocks] == [{value} for value in _expected(operations)]
    assert not any(memory[USED:])


@pytest.mark.parametrize("name", WIDTHS + MOVES)
def test_the_engine_found_every_block_right_too(boot: Boot, name: str) -> None:
    records = boot.cases[name, WINDOW].records
    checks = [r for r in records if r["t"] == "check" and r["name"] == "blocks-right"]
    assert checks
    assert all(check["value"] == check["low"] == check["high"] for check in checks)
    (note,) = (r["text"] for r in records if r["t"] == "note" and r["kind"] == "environment")
    assert note.startswith("UIO 0 (")
    assert note.endswith(f"map 1, {USED} of {SIZE} bytes")


@pytest.mark.parametrize("window", WRONG)
def test_a_wrong_window_is_told_before_it_is_touched(boot: Boot, window: str) -> None:
    records, memory = boot.cases["transfer-write-d32", window]
    (skip,) = (r for r in records if r["t"] == "skip")
    assert skip["reason"] == "invalid"
    assert WRONG[window] in skip["text"]
    assert not [r for r in records if r["t"] in {"begin", "end", "hist"}]
    assert not any(memory)


def test_nothing_goes_wrong_beside_it(boot: Boot) -> None:
    assert "DONE" in boot.lines, boot.lines[-10:]
    assert [line for line in boot.lines if any(word in line for word in TROUBLE)] == []
    assert f"MAP 1/size {SIZE:#018x}" in boot.lines


@pytest.fixture(scope="module")
def measured(root: Path) -> tuple[dict[int, Result], list[str]]:
    """The board as a user runs it."""
    names = ("transfer-write-d8", "transfer-write-d32", "transfer-read-d32")
    items = tuple(Item(item=n, measurement=name, count=40, window=WINDOW) for n, name in enumerate(names))
    plan = Plan(seed=1, repetition=0, items=items)
    with lasting_cache(root), open_board(f"{BOARD}/{KERNEL}") as target:
        target.deploy()
        lines = [line.decode("utf-8", "replace") for line in target.start(plan) if line.startswith(b"[")]
        return {result.item: result for result in session(target.record_bytes, plan).results}, lines


def test_the_board_measures_it(measured: tuple[dict[int, Result], list[str]]) -> None:
    """Each access takes an instruction at the least, and narrow ones are more of them."""
    results, _ = measured
    tick = 1_000_000_000 // boards.load(BOARD).clock.instructions_per_second
    least: dict[int, int] = {}
    for item, accesses in enumerate((BLOCK, BLOCK // 4, BLOCK // 4)):
        result = results[item]
        assert (result.status, result.count) == ("ok", 40)
        assert any("UIO 0 (" in note.text for note in result.notes)
        assert result.min is not None
        assert result.min >= accesses * tick
        least[item] = result.min
    assert 3 < least[0] / least[1] < 5


def test_the_guest_complains_of_nothing(measured: tuple[dict[int, Result], list[str]]) -> None:
    said = "\n".join(measured[1])
    for word in ("rtstone-init:", "Oops", "BUG", "WARNING", "Call trace"):
        assert word not in said, said
