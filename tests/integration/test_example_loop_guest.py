# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The sample loop in a guest with PREEMPT_RT: the module has interrupts off when the loop asks, and the other faults do their work too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from rtstone.targets import boards
from rtstone.targets.boards.guest import _build, _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support import uncounted_boot
from support.images import lasting_cache
from support.loop_account import Account, built, carried_out, require_whole
from support.static_program import static_program

BOARD, KERNEL = "pc-split", "linux-6.1-rt"
PATIENCE_S = 240
# An emulated CPU is slow, and its host may be busy.
PACE = "--period 10ms --work 100us --cycles 400 --every 40 --length 20ms-50ms --raw"
OTHERS = "--fault hog-above --fault lock --fault lock-inherit --fault page-faults --fault write --fault stop"


def _accounts(root: Path, folder: Path, *runs: str) -> list[Account]:
    """Of one boot, the account of the loop for each line of options."""
    kernel = boards.load(BOARD).kernel_of(KERNEL)
    static_program(folder / "init", root / "tests" / "support" / "loop_guest.c")
    with lasting_cache(root):
        place, packaged = _kernel.fetch(kernel)
        module = _build.own_module("rtstone_hold", place, packaged)
    files = {
        "init": (folder / "init").read_bytes(),
        "loop": (built(root, folder / "loop") / "loop").read_bytes(),
        "rtstone_hold.ko": module.read_bytes(),
        "runs": "".join(f"{PACE} {run}\n" for run in runs).encode(),
    }
    executable = frozenset({"init", "loop"})
    (folder / "initrd").write_bytes(archive(files, executable=executable, folders=("dev", "proc", "sys")))
    command = uncounted_boot.command(BOARD, place / "image", folder / "initrd")
    done = subprocess.run(
        ["timeout", str(PATIENCE_S), *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    said = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    assert done.returncode == 0, said[-2000:]
    assert said.count("ENDED 0\n") == len(runs), said[-2000:]
    decoder = json.JSONDecoder()
    return [decoder.raw_decode(said, at)[0] for at in _starts(said, '{"program":')]


def _starts(text: str, of: str) -> list[int]:
    found = []
    at = text.find(of)
    while at >= 0:
        found.append(at)
        at = text.find(of, at + 1)
    return found


def test_in_a_guest_interrupts_are_held_off_and_all_else_is_planted(root: Path, tmp_path: Path) -> None:
    """About half a minute, most of it the boot."""
    held, others = _accounts(root, tmp_path, "--fault hold", OTHERS)
    for account in (held, others):
        require_whole(account)
    starts = [start for _, _, start, _ in held["series"][0]["cycles"]]
    for plant in carried_out(held):
        begin, end = plant["held_start_ns"], plant["held_end_ns"]
        assert plant["start_ns"] <= begin <= begin + plant["drawn_ns"] <= end <= plant["end_ns"]
        assert not [start for start in starts if begin < start < end]
    assert len({plant["fault"] for plant in carried_out(others)}) > 2
