# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A guest that halts thousands of times, four at once beside programs that work and sleep: in the emulator built here each run is alike.

How many were alike in Debian's own is printed, not asserted: whether its two threads race is chance (docs/decisions/0007).
"""

from __future__ import annotations

import hashlib
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from rtstone.targets import boards
from rtstone.targets.boards import emulator
from rtstone.targets.boards.guest import _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support.images import lasting_cache

BOARD, KERNEL = "pc", "linux-6.1-none"
RUNS, AT_ONCE, BLINKERS = 20, 4, 3
PATIENCE_S = 600

pytestmark = [pytest.mark.long, pytest.mark.timeout(6 * 3600)]


@pytest.fixture(scope="module")
def files(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the guest's image and RAM disk, and the noise."""
    folder = tmp_path_factory.mktemp("starved")
    for name, output in (("sleeper", "init"), ("blinker", "blinker")):
        source = root / "tests" / "support" / f"{name}.c"
        flags = ["-O2", "-static", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["gcc", *flags, "-o", str(folder / output), str(source)], check=True, timeout=60)
    with lasting_cache(root):
        place, _ = _kernel.fetch(boards.load(BOARD).kernel_of(KERNEL))
    (folder / "image").symlink_to(place / "image")
    packed = archive({"init": (folder / "init").read_bytes()}, executable=frozenset({"init"}), folders=("dev",))
    (folder / "initrd").write_bytes(packed)
    return folder


@contextmanager
def _noise(program: Path) -> Iterator[None]:
    blinkers = [subprocess.Popen([str(program)]) for _ in range(BLINKERS)]
    try:
        yield
    finally:
        for blinker in blinkers:
            blinker.kill()
            blinker.wait()


def _records(program: str, files: Path, number: int) -> str:
    """The hash of the output of one run."""
    said = files / f"{Path(program).name}.{number}"
    arguments = [one.format(seed="7", image=files / "image") for one in boards.load(BOARD).emulator.arguments]
    words = "console=ttyS0 panic=-1 reboot=t rdinit=/init nokaslr randomize_kstack_offset=off cryptomgr.notests quiet tsc=reliable"
    command = [
        *(program, *arguments, "-initrd", str(files / "initrd"), "-append", words),
        *("-serial", "null", "-serial", f"file:{said}"),
    ]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S)
    content = said.read_bytes()
    assert content.endswith(b"end\n"), content[-100:]
    return hashlib.sha256(content).hexdigest()


def _kinds(program: str, files: Path, runs: int) -> list[int]:
    """How many runs there are of each kind, the largest first."""
    with _noise(files / "blinker"), ThreadPoolExecutor(AT_ONCE) as pool:
        found = Counter(pool.map(lambda number: _records(program, files, number), range(runs)))
    return sorted(found.values(), reverse=True)


@pytest.mark.needs("cpus")  # the two threads of an emulator race on two CPUs
def test_starved_runs_are_alike(root: Path, files: Path) -> None:
    with lasting_cache(root):
        made = emulator.build()
        ours = emulator.program(boards.load(BOARD))
    assert Path(ours).is_absolute()
    print(f"Debian's own: {_kinds(boards.load(BOARD).emulator.program, files, RUNS)}")
    kinds = _kinds(ours, files, RUNS)
    print(f"{made.version}, with the fix: {kinds}")
    assert kinds == [RUNS]
