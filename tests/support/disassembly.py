# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Machine code of a static library, function by function."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ARCHITECTURES = ("x86-64", "aarch64")
"""As objdump names the file's format."""

READING = {"x86-64": re.compile(r"^rdtscp\b"), "aarch64": re.compile(r"^mrs\s+x\d+, cntvct_el0")}
"""The instruction that reads the counter."""

INSTRUCTION = re.compile(r"^\s*(?P<at>[0-9a-f]+):\t(?P<text>.+)$")
RELOCATION = re.compile(r"^\s*[0-9a-f]+: R_\S+\s+(?P<symbol>\S+)$")
MEMBER = re.compile(r"^(?P<name>\S+):\s+file format ")
FUNCTION = re.compile(r"^(?P<at>[0-9a-f]+) <(?P<name>[^>]+)>:$")
PADDING = re.compile(r"^((data16|cs) )*nop|^xchg\s+%ax,%ax")
TARGET = re.compile(r"\b(?P<at>[0-9a-f]+) <[^>]+>")


def functions(library: Path) -> tuple[str, dict[str, list[str]]]:
    """The architecture, and the instructions of each function of a static library."""
    return _listing(library, linked=False)


def linkable(library: Path) -> tuple[str, dict[str, list[str]]]:
    """
    Like `functions`, in a form that does not depend on where the linker puts a function.

    A jump's target is `<N>`, the number of its instruction in the function, or `<+0xN>` bytes from its beginning where it is outside.
    The symbol that the linker fills in follows its instruction, as `-> symbol`. A place in a section of data or text
    without a symbol of its own is `-> (here)`. The padding after a function is left out.
    """
    return _listing(library, linked=True)


def _listing(library: Path, *, linked: bool) -> tuple[str, dict[str, list[str]]]:
    command = ["objdump", "--disassemble", "--no-show-raw-insn", *(["--reloc"] if linked else []), str(library)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    places: dict[str, list[int]] = {}
    member = name = ""
    for line in text.splitlines():
        if file := MEMBER.match(line):
            member, name = file["name"], ""
        elif head := FUNCTION.match(line):
            name = _unused(f"{member}:{head['name']}", found)
            found[name], places[name] = [], [int(head["at"], 16)]
        elif name and linked and (relocation := RELOCATION.match(line.replace("\t", " "))):
            symbol = re.sub(r"[-+]0x[0-9a-f]+$", "", relocation["symbol"])
            found[name][-1] += " -> " + ("(here)" if symbol.startswith((".", "$")) else symbol)
        elif name and (instruction := INSTRUCTION.match(line)):
            found[name].append(instruction["text"].strip())
            places[name].append(int(instruction["at"], 16))
    if linked:
        for body in found.values():
            while body and PADDING.match(body[-1]):
                body.pop()
        found = {key: _placed(body, places[key][0], places[key][1:]) for key, body in found.items()}
    architecture = next(key for key in ARCHITECTURES if re.search(rf"file format elf64-\w*{key}", text))
    return architecture, found


def _unused(name: str, names: dict[str, list[str]]) -> str:
    """Two members of a library may have one name, as `process.c` of two folders."""
    number = 2
    unique = name
    while unique in names:
        unique, number = f"{name}#{number}", number + 1
    return unique


def _placed(body: list[str], start: int, places: list[int]) -> list[str]:
    numbers = {place: number for number, place in enumerate(places)}

    def target(found: re.Match[str]) -> str:
        place = int(found["at"], 16)
        return f"<{numbers[place]}>" if place in numbers else f"<{place - start:+#x}>"

    return [" ".join(TARGET.sub(target, re.sub(r"\s*(# |// ).*?(?= ->|$)", "", text)).split()) for text in body]
