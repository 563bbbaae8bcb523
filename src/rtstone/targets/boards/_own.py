# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A user's own image on a board: checks its file, and limits what it can reach on the host."""

from __future__ import annotations

import struct
from pathlib import Path

from rtstone.errors import ImageError

PREFIX = "firmware:"
"""``board:<board>/firmware:<path>`` is the image of that path on that board."""

KERNEL = "kernel:"
"""``board:<board>/kernel:<path>[?append=<words>&name=<id>]`` is a Linux of the user's own."""

# The emulator's program -> ELF's number of its processor, and 1 for 32 bits or 2 for 64 bits (System V ABI; e_machine,
# EI_CLASS).
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
    """Raises ImageError, in one line, for a file that this board's emulator cannot start: a file that cannot be read,
    is no ELF file, is no linked program, or is for another processor."""
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
        raise ImageError(
            f"{path} is for {_processor_name(processor, head[4])}, and board '{board}' is {_processor_name(*wanted)}"
        )


def _processor_name(processor: int, width: int) -> str:
    return f"{_NAMES.get(processor, f'processor {processor}')}, {32 * width} bits"


def confined(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The emulator's arguments, with semihosting directed to a debugger that does not exist. So a guest can reach no
    file or command.

    A guest can still end by semihosting. Boards enable it for that, since our own images end this way.
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
