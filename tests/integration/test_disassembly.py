# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The clock reading in the engine's machine code: fenced on both sides wherever it was inlined, so nothing leaks past it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

# For each architecture (as objdump names the file's format): the instruction that reads the counter, what may hold
# earlier instructions back (None: the reading does so itself) and what must hold later ones back.
ORDER = {
    "x86-64": (re.compile(r"^rdtscp\b"), None, re.compile(r"^lfence\b")),
    "aarch64": (re.compile(r"^mrs\s+x\d+, cntvct_el0"), re.compile(r"^isb\b"), re.compile(r"^isb\b")),
}
UNORDERED = re.compile(r"^rdtsc$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(?P<text>.+)$")
MEMBER = re.compile(r"^(?P<name>\S+):\s+file format ")
FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>[^>]+)>:$")


def _functions(library: Path) -> tuple[str, dict[str, list[str]]]:
    """The architecture, and the instructions of each function of a static library."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(library)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    functions: dict[str, list[str]] = {}
    member = name = ""
    for line in text.splitlines():
        if file := MEMBER.match(line):
            member, name = file["name"], ""
        elif head := FUNCTION.match(line):
            name = f"{member}:{head['name']}"
            functions[name] = []
        elif name and (instruction := INSTRUCTION.match(line)):
            functions[name].append(instruction["text"].strip())
    architecture = next(key for key in ORDER if re.search(rf"file format elf64-\w*{key}", text))
    return architecture, functions


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
    return _functions(engine.with_name("librtstone_engine_posix.a"))


def test_every_reading_is_fenced_on_both_sides(program: tuple[str, dict[str, list[str]]]) -> None:
    architecture, functions = program
    reading = ORDER[architecture][0]
    readers = {name for name, body in functions.items() if any(reading.match(text) for text in body)}
    assert len(readers) > 5, "the reading is inline: many functions must have it"
    assert {name: fault for name in readers if (fault := _at_fault(functions[name], architecture))} == {}


def test_no_reading_is_unordered(program: tuple[str, dict[str, list[str]]]) -> None:
    functions = program[1]
    assert {name for name, body in functions.items() if any(UNORDERED.match(text) for text in body)} == set()


def test_a_missing_fence_is_found() -> None:
    assert _at_fault(["mov %eax,%ebx", "rdtscp", "shl $0x20,%rdx", "lfence"], "x86-64")
    assert not _at_fault(["rdtscp", "lfence", "shl $0x20,%rdx"], "x86-64")
    assert _at_fault(["mrs\tx0, cntvct_el0", "isb"], "aarch64")
    assert not _at_fault(["isb", "mrs\tx0, cntvct_el0", "isb"], "aarch64")
