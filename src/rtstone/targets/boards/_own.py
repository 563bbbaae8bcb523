# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A user's own image on a board: what it must be, and how what it may reach is bounded."""

from __future__ import annotations

import struct
from pathlib import Path

from rtstone.errors import ImageError

PREFIX = "firmware:"
"""``board:<board>/firmware:<path>`` is the image of that path on that board."""

KERNEL = "kernel:"
"""``board:<board>/kernel:<path>[?append=<words>&name=<id>]`` is a Linux of the user's own."""

# The emulator's program -> ELF's number of its processor, and 1 or 2: 32 or 64 bits (System V ABI; e_machine, EI_CLASS).
_PROCESSORS = {
    "qemu-system-aarch64": (183, 2),
    "qemu-system-arm": (40, 1),
    "qemu-system-m68k": (4, 1),
    "qemu-system-riscv32": (243, 1),
    "qemu-system-riscv64": (243, 2),
    "qemu-system-ppc": (20, 1),
    "qemu-system-i386": (3, 1),
    "qemu-system-x86_64": (62, 2),
}
_NAMES = {3: "i386", 4: "m68k", 8: "MIPS", 20: "PowerPC", 40: "Arm", 62: "x86-64", 183: "AArch64", 243: "RISC-V"}
_EXECUTABLE = 2
_HEADER_BYTES = 20


def require_image(path: Path, board: str, program: str) -> None:
    """Raises ImageError, in a line, for a file that this board's emulator cannot start: none, no ELF, no program, another processor's."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except OSError as error:
        raise ImageError(f"{path}: {error.strerror}") from None
    if len(head) < _HEADER_BYTES or not head.startswith(b"\x7fELF"):
        raise ImageError(f"{path} is no ELF file")
    order = ">" if head[5] == 2 else "<"
    kind, processor = struct.unpack_from(f"{order}HH", head, 16)
    if kind != _EXECUTABLE:
        raise ImageError(f"{path} is an ELF file, but no linked program")
    wanted = _PROCESSORS.get(program)
    if wanted is not None and (processor, head[4]) != wanted:
        raise ImageError(f"{path} is for {_told(processor, head[4])}, and board '{board}' is {_told(*wanted)}")


def _told(processor: int, width: int) -> str:
    return f"{_NAMES.get(processor, f'processor {processor}')}, {32 * width} bits"


def confined(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The emulator's arguments with semihosting led to a debugger, which there is none of: a guest can end, and reach no file or command.

    What a board switches it on for, our own images' way to end, still works.
    """
    found: list[str] = []
    follows = False
    for argument in arguments:
        if argument == "-semihosting":
            found += ["-semihosting-config", "enable=on,target=gdb"]
        elif follows:
            words = [word for word in argument.split(",") if not word.startswith("target=")]
            found.append(",".join([*words, "target=gdb"]))
        else:
            found.append(argument)
        follows = argument == "-semihosting-config"
    return tuple(found)
