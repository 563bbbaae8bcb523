# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Guests of the arm64 board that misbehave: a dozen instructions each, made as a test needs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec

from rtstone.stream import framing
from rtstone.targets import boards
from rtstone.targets.board import BoardTarget
from rtstone.targets.boards import Board

HELLO = framing.encode(0, b'{"t":"hello","v":"1.0","engine":"0","port":"fake","nonce":"0000000000000000"}').decode()

_PSCI = {"off": 0x8400_0008, "reset": 0x8400_0009}

# Prints the text through the PL011, then does one of these permanently.
_ENDINGS = {
    "hang": "1: b 1b",
    "halt": "msr daifset, #15\n1: wfi\n b 1b",
    "again": "b _start",
    **{name: f"ldr x0, ={number:#x}\n hvc #0\n1: b 1b" for name, number in _PSCI.items()},
}


def guest(folder: Path, text: str, ending: str) -> Path:
    """An image that prints `text` and then hangs, halts, resets, switches the board off or begins again."""
    source, image = folder / "guest.S", folder / "guest.elf"
    literal = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    source.write_text(
        ".global _start\n_start: ldr x1, =text\n ldr x2, =0x09000000\n"
        "next: ldrb w0, [x1], #1\n cbz w0, done\n str w0, [x2]\n b next\n"
        f'done: {_ENDINGS[ending]}\n.balign 8\n.ltorg\ntext: .asciz "{literal}"\n',
        encoding="ascii",
    )
    command = ["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x40200000,--build-id=none", "-o"]
    subprocess.run([*command, str(image), str(source)], check=True, timeout=60)
    return image


def impatient(first_record_s: int = 1, silence_s: int = 1) -> Board:
    """The arm64 board with watchdogs that do not wait long."""
    board = boards.load("arm64")
    watchdog = type(board.watchdog)(first_record_s=first_record_s, silence_s=silence_s)
    return msgspec.structs.replace(board, watchdog=watchdog)


def target(board: Board | None = None, kernel: str = "bare") -> BoardTarget:
    """A board's target, not yet entered."""
    board = board or boards.load("arm64")
    return BoardTarget(board, board.kernel_of(kernel))
