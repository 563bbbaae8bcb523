# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine's machine code: clock readings fenced on both sides, transfers that are single accesses of their width."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.disassembly import READING, functions

# For each architecture: the instruction that reads the counter, the instructions that may hold
# earlier ones back (None: the reading does so itself) and those that must hold later ones back.
ORDER = {
    "x86-64": (READING["x86-64"], None, re.compile(r"^lfence\b")),
    "aarch64": (READING["aarch64"], re.compile(r"^isb\b"), re.compile(r"^isb\b")),
}
UNORDERED = re.compile(r"^rdtsc$")


def _at_fault(instructions: list[str], architecture: str) -> list[str]:
    """The readings of one function that are not held in place on both sides."""
    reading, before, after = ORDER[architecture]
    padded = ["", *instructions, ""]
    return [
        " / ".join(padded[i - 1 : i + 2])
        for i, text in enumerate(padded)
        if reading.match(text) and not ((before is None or before.match(padded[i - 1])) and after.match(padded[i + 1]))
    ]


@pytest.fixture(scope="module")
def program(engine: Path) -> tuple[str, dict[str, list[str]]]:
    """All code of the engine: core, measurements, loads and port, without the C library."""
    return functions(engine.with_name("librtstone_engine_posix.a"))


def test_every_reading_is_fenced_on_both_sides(program: tuple[str, dict[str, list[str]]]) -> None:
    architecture, found = program
    reading = ORDER[architecture][0]
    readers = {name for name, body in found.items() if any(reading.match(text) for text in body)}
    assert len(readers) > 5, "the reading is inline: many functions must have it"
    assert {name: fault for name in readers if (fault := _at_fault(found[name], architecture))} == {}


def test_no_reading_is_unordered(program: tuple[str, dict[str, list[str]]]) -> None:
    found = program[1]
    assert {name for name, body in found.items() if any(UNORDERED.match(text) for text in body)} == set()


def test_a_missing_fence_is_found() -> None:
    assert _at_fault(["mov %eax,%ebx", "rdtscp", "shl $0x20,%rdx", "lfence"], "x86-64")
    assert not _at_fault(["rdtscp", "lfence", "shl $0x20,%rdx"], "x86-64")
    assert _at_fault(["mrs\tx0, cntvct_el0", "isb"], "aarch64")
    assert not _at_fault(["isb", "mrs\tx0, cntvct_el0", "isb"], "aarch64")


# Accesses of a transfer, for each architecture and width: the instructions that write and those that read.
ACCESS = {
    "x86-64": {
        8: (r"mov\s+%(?:[abcd]l|[sd]il|r\d+b),", r"(?:movzbl|mov)\s+[^%]*\(.*\),%"),
        16: (r"mov\s+%(?:[abcd]x|[sd]i|r\d+w),", r"(?:movzwl|mov)\s+[^%]*\(.*\),%"),
        32: (r"mov\s+%(?:e[abcd]x|e[sd]i|r\d+d),", r"mov\s+[^%]*\(.*\),%(?:e|r\d+d)"),
        64: (r"mov\s+%(?:r[abcd]x|r[sd]i|r\d+),", r"(?:mov|add)\s+[^%]*\(.*\),%(?:r[a-z]|r\d+$)"),
    },
    "aarch64": {
        8: (r"strb\s+w", r"ldrb\s+w"),
        16: (r"strh\s+w", r"ldrh\s+w"),
        32: (r"str\s+w", r"ldr\s+w"),
        64: (r"str\s+x", r"ldr\s+x"),
    },
}
MEMORY = {"x86-64": re.compile(r"^(?!lea|nop|data16|cs ).*\("), "aarch64": re.compile(r"^(?:ld|st)[a-z]+\s")}


def _accesses(instructions: list[str], architecture: str) -> list[str]:
    return [text for text in instructions if MEMORY[architecture].match(text)]


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize(("way", "writes", "reads"), [("write", 1, 0), ("read", 0, 1), ("copy", 1, 1)])
def test_a_transfer_is_single_accesses_of_its_width(
    program: tuple[str, dict[str, list[str]]], bits: int, way: str, writes: int, reads: int
) -> None:
    architecture, found = program
    (body,) = (code for name, code in found.items() if name.endswith(f":rts_transfer_{way}_d{bits}"))
    write, read = ACCESS[architecture][bits]
    accesses = _accesses(body, architecture)
    assert len(accesses) == writes + reads, accesses
    assert sum(re.match(write, text) is not None for text in accesses) == writes, accesses
    assert sum(re.match(read, text) is not None for text in accesses) == reads, accesses


def test_a_merged_or_narrowed_access_is_found() -> None:
    merged = ["movups %xmm0,(%rdi)", "add $0x10,%rdi"]
    assert _accesses(merged, "x86-64") == merged[:1]
    assert not any(re.match(pattern, merged[0]) for pattern in ACCESS["x86-64"][32])
    assert not re.match(ACCESS["x86-64"][16][0], "mov %dl,(%rdi)")
