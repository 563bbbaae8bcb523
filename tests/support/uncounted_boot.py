# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Boots of a Linux board of the PC kind in which nothing is measured: the emulator counts no instructions, so it is faster."""

from __future__ import annotations

from pathlib import Path

from rtstone.targets import boards


def command(board: str, image: Path, initrd: Path, *more: str, loglevel: int = 4) -> list[str]:
    """The emulator's words. Its standard output is the console of the guest, whose first program is `/init` of the RAM disk.

    `more`: words for further devices.
    """
    emulator = boards.load(board).emulator
    arguments = [argument.format(seed="1", image=image) for argument in emulator.arguments]
    counted = arguments.index("-icount")
    del arguments[counted : counted + 2]
    words = f"console=ttyS0 panic=-1 reboot=t rdinit=/init quiet loglevel={loglevel} cryptomgr.notests tsc=reliable"
    return [emulator.program, *arguments, *more, "-initrd", str(initrd), "-append", words, "-serial", "stdio"]
