# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Windows of data transfers on a board: memory behind a PCI resource, and a VMEbus that the guest's kernel plays.

The first is measured. Over the second all arrives where a slave is, nothing where none is, and no time is taken.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from rtstone.model import Result, Session
from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan
from rtstone.targets import boards
from rtstone.targets.board import open_board
from rtstone.targets.boards.guest import _build, _driver, _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support import uncounted_boot
from support.firmware import session
from support.images import lasting, lasting_cache
from support.static_program import static_program

__all__ = ["lasting"]  # the fixture

BOARD, KERNEL = "pc-bus", "linux-6.1"
PCI = "pci:0000:00:04.0/2"
COUNT = 40
IN_KERNEL = [f"transfer-{way}-d{bits}" for way in ("write", "flushed", "read") for bits in (8, 16, 32, 64)]
TRIED = 64
BLOCKS_OF_A16 = 16
PATIENCE_S = 120
SPACES = {"a16/0": "0x1", "a24/100000": "0x2", "a32/40000000": "0x4"}
WIDTHS = {8: "0x2", 16: "0x2", 32: "0x4"}  # vme_fake has no windows of 8 bits: bytes go one by one through those of 16
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "Kernel panic", "FAILS")


class Case(NamedTuple):
    """A transfer through a master window, while slave windows (of 128 KiB) are at a place that may be another one."""

    window: str
    slave: str
    measurement: str
    slaves: int = 2


HALF = Case("a24/100000", "a24/100000", "transfer-write-d32", slaves=1)  # first: a slave window, once opened, stays
SOUND = [
    Case(window, window, f"transfer-{way}-d{bits}")
    for window in SPACES
    for bits in WIDTHS
    for way in ("write", "read")
    if (bits, way) != (8, "read") or window.startswith("a24")  # 262,144 calls of the kernel
]
MORE = [Case("a24/100000", "a24/100000", f"transfer-{way}") for way in ("flushed-d32", "to-memory", "from-memory")]
NOWHERE = [Case("a24/100000", slave, "transfer-write-d32") for slave in ("a24/200000", "a32/100000")]


class Told(NamedTuple):
    """The guest's report of a case.

    Why the engine took no time, the driver's setting of the master, and the slaves' memory by blocks.
    """

    reason: str
    why: str
    others: set[str]
    master: list[str]
    slave: list[str]


def _ramdisk(root: Path, folder: Path) -> Path:
    """The exerciser as first program; returns the kernel's image."""
    kernel = boards.load(BOARD).kernel_of(KERNEL)
    assert kernel.driver is not None
    cases = [HALF, *SOUND, *MORE, *NOWHERE]
    lines = [f'{{"{one.window}", "{one.slave}", "{one.measurement}", {one.slaves}}},' for one in cases]
    (folder / "vme_cases.def").write_text("\n".join(lines), encoding="ascii")
    sources = (root / "tests" / "support" / "vme_exercise.c", root / "boards" / "guest" / "vme_slaves.c")
    includes = tuple(
        f"-I{place}" for place in (folder, root / "boards" / "guest", root / "ports" / "posix", root / "linux")
    )
    static_program(folder / "init", *sources, flags=includes)
    with lasting_cache(root):
        place, packaged = _kernel.fetch(kernel)
        made = _driver.modules(kernel.driver, place, packaged)
        engine = _build.programs(kernel.architecture) / "rtstone-engine"
        files = {"init": (folder / "init").read_bytes(), "rtstone-engine": engine.read_bytes()}
        files |= {f"modules/{name}.ko": (made / f"{name}.ko").read_bytes() for name in kernel.driver.modules}
        files["modules/rtstone_probe.ko"] = _build.own_module("rtstone_probe", place, packaged).read_bytes()
    programs = frozenset({"init", "rtstone-engine"})
    content = archive(files, executable=programs, folders=("dev", "modules", "proc", "sys"))
    (folder / "initrd").write_bytes(content)
    return place / "image"


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """All lines of one boot of the exerciser."""
    folder = tmp_path_factory.mktemp("vme")
    image = _ramdisk(root, folder)
    window = ("-object", "memory-backend-ram,id=window,size=4M", "-device", "ivshmem-plain,memdev=window,addr=4")
    line = ("-chardev", "null,id=line", "-device", "pci-serial,chardev=line,addr=5")
    command = uncounted_boot.command(BOARD, image, folder / "initrd", *window, *line)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE_S)
    return [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()]


@pytest.fixture(scope="module")
def told(said: list[str]) -> dict[Case, Told]:
    """By case."""
    found: dict[Case, Told] = {}
    for block in "\n".join(said).split("CASE ")[1:]:
        first, *lines = block.splitlines()
        measurement, window, slave, slaves = first.split()
        words = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("MASTER", "SLAVE"))}
        records: list[dict[str, Any]] = [
            json.loads(framing.decode(line.encode())[1]) for line in lines if line.startswith("~")
        ]
        (skip,) = (record for record in records if record["t"] == "skip")
        others = {str(record["t"]) for record in records}
        case = Case(window, slave, measurement, int(slaves))
        found[case] = Told(skip["reason"], skip["text"], others, words["MASTER"], words["SLAVE"])
    return found


def _values(first: int, blocks: int) -> list[str]:
    return [str(value) for value in range(first, first + blocks)]


@pytest.mark.parametrize("case", SOUND + MORE, ids=lambda case: f"{case.measurement}-{case.window}")
def test_all_arrives_over_the_bus(told: dict[Case, Told], case: Case) -> None:
    """The engine's own check passes. Block n of the slave's memory, read past the bus, holds the n-th block sent."""
    found = told[case]
    assert found.reason == "unsupported"
    assert f"{TRIED} of {TRIED} blocks arrived as sent, but vme_fake is no bus to be timed" in found.why
    if case.window.startswith("a16"):  # 64 KiB: gone over four times
        assert found.slave == _values(TRIED - BLOCKS_OF_A16 + 1, BLOCKS_OF_A16)
    else:
        assert found.slave == _values(1, TRIED)


@pytest.mark.parametrize("case", SOUND, ids=lambda case: f"{case.measurement}-{case.window}")
def test_the_bridge_was_asked_for_what_the_window_says(told: dict[Case, Told], case: Case) -> None:
    """Address space, data width, address: as the driver has them, not as we believe to have set them."""
    space, _cycle, width, _at, address = told[case].master
    assert space == SPACES[case.window]
    assert width == WIDTHS[int(case.measurement.rpartition("-d")[2])]
    assert int(address, 16) == int(case.window.partition("/")[2], 16)


@pytest.mark.parametrize("case", NOWHERE, ids=lambda case: case.slave)
def test_what_goes_nowhere_is_found(told: dict[Case, Told], case: Case) -> None:
    """No slave at that address, or none in that space: a bus that swallows it all is not taken for one that works."""
    assert f"0 of {TRIED} blocks arrived" in told[case].why
    assert told[case].slave == ["0"] * TRIED


def test_a_half_is_told_as_a_half(told: dict[Case, Told]) -> None:
    """A slave window that ends before the master's does."""
    assert f"{TRIED // 2} of {TRIED} blocks arrived" in told[HALF].why
    assert told[HALF].slave == _values(1, TRIED // 2)


def test_no_time_is_taken_of_a_bus_that_is_none(told: dict[Case, Told]) -> None:
    assert len(told) == len([HALF, *SOUND, *MORE, *NOWHERE])
    for case, found in told.items():
        assert not found.others & {"begin", "end", "hist", "figure", "batch"}, case


def test_the_modules_window_is_the_one_it_was_loaded_for(said: list[str]) -> None:
    """The module refuses moves outside of its window, and requests that are no move."""
    told = [line.split()[0] for line in said if line.startswith(("refuses", "tells", "moves", "unloads"))]
    assert told == [*["refuses"] * 6, "tells", *["refuses"] * 7, "moves", "unloads"]


def test_nothing_goes_wrong_beside_it(said: list[str]) -> None:
    assert "DONE" in said, said[-10:]
    assert [line for line in said if any(word in line for word in TROUBLE)] == []


def _window(window: str, *names: str) -> list[Item]:
    return [Item(item=0, measurement=name, count=COUNT, window=window) for name in names]


@pytest.fixture(scope="module")
def measured(root: Path) -> tuple[Session, list[str], dict[str, str]]:
    """The board as a user runs it: a session through its windows, what the guest said beside it, and the board's identity."""
    items = _window(PCI, "transfer-write-d8", "transfer-write-d32", "transfer-read-d64", "transfer-within")
    items += _window("vme:0/a24/100000", "transfer-write-d32")
    items += _window("pci:0000:00:04.0/1", "transfer-write-d32")
    items += _window(f"{PCI}/kernel", *IN_KERNEL, "transfer-to-memory")
    items += _window("vme:0/a24/100000/map", "transfer-write-d32")
    items = [msgspec.structs.replace(item, item=number) for number, item in enumerate(items)]
    plan = Plan(seed=1, repetition=0, items=tuple(items))
    with lasting_cache(root), open_board(f"{BOARD}/{KERNEL}") as target:
        target.deploy()
        lines = [line.decode("utf-8", "replace") for line in target.start(plan) if line.startswith(b"[")]
        return session(target.record_bytes, plan), lines, target.describe()


def _result(found: Session, item: int) -> Result:
    (result,) = (result for result in found.results if result.item == item)
    return result


@pytest.mark.parametrize("item", range(4))
def test_memory_behind_a_pci_resource_is_measured(
    measured: tuple[Session, list[str], dict[str, str]], item: int
) -> None:
    """Each access takes an instruction at the least, so a block of them cannot take less."""
    result = _result(measured[0], item)
    assert (result.status, result.count) == ("ok", COUNT)
    assert any("PCI 0000:00:04.0 resource 2 (0x1af4:0x1110)" in note.text for note in result.notes)
    accesses = 4096 // {"transfer-write-d8": 1, "transfer-read-d64": 8}.get(result.measurement, 4)
    assert result.min is not None
    assert result.min >= accesses * 1_000_000_000 // boards.load(BOARD).clock.instructions_per_second


def test_narrow_accesses_take_longer(measured: tuple[Session, list[str], dict[str, str]]) -> None:
    """Four times as many of them, by instruction count."""
    narrow, wide = _result(measured[0], 0).min, _result(measured[0], 1).min
    assert narrow is not None
    assert wide is not None
    assert 3 < narrow / wide < 5


def test_the_module_moves_blocks_in_kernel_space(measured: tuple[Session, list[str], dict[str, str]]) -> None:
    """Access by access as in user space, with one more call of the kernel.

    Each block is checked by user space's own mapping.
    """
    found = {result.measurement: result for result in measured[0].results if 6 <= result.item < 6 + len(IN_KERNEL)}
    assert list(found) == IN_KERNEL
    for name, result in found.items():
        assert (result.status, result.count) == ("ok", COUNT), result.text
        assert [(c.low <= c.value <= c.high) for c in result.checks if c.name == "blocks-right"] == [True]
        assert any("by the probe module in kernel space" in note.text for note in result.notes)
        assert result.min is not None
        accesses = 4096 * 8 // int(name.rpartition("-d")[2])
        assert result.min >= accesses * 1_000_000_000 // boards.load(BOARD).clock.instructions_per_second
    for way in ("write", "flushed", "read"):
        narrow, wide = found[f"transfer-{way}-d8"].min, found[f"transfer-{way}-d32"].min
        assert narrow is not None
        assert wide is not None
        assert 2 < narrow / wide < 5
    assert "between a register and the window alone" in _result(measured[0], 6 + len(IN_KERNEL)).text


def test_a_bridge_without_a_bus_resource_is_not_mapped(measured: tuple[Session, list[str], dict[str, str]]) -> None:
    refused = _result(measured[0], 7 + len(IN_KERNEL))
    assert (refused.status, refused.reason) == ("skipped", "unsupported")
    assert refused.text == "the driver behind /dev/bus/vme/m0 has no bus resource to map (vme_fake)"


def test_the_board_says_what_came_of_each_window(measured: tuple[Session, list[str], dict[str, str]]) -> None:
    played, absent = (_result(measured[0], item) for item in (4, 5))
    assert played.status == absent.status == "skipped"
    assert "64 of 64 blocks arrived as sent, but vme_fake is no bus to be timed" in played.text
    assert "PCI device 0000:00:04.0 has no resource 1" in absent.text


def test_the_guest_complains_of_nothing(measured: tuple[Session, list[str], dict[str, str]]) -> None:
    said = "\n".join(measured[1])
    for word in ("rtstone-init:", "Oops", "BUG", "WARNING", "Call trace"):
        assert word not in said, said
