# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Machine code of a static library, function by function."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ARCHITECTURES = ("x86-64", "aarch64")
"""As objdump names the file's format."""

INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(?P<text>.+)$")
MEMBER = re.compile(r"^(?P<name>\S+):\s+file format ")
FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>[^>]+)>:$")


def functions(library: Path) -> tuple[str, dict[str, list[str]]]:
    """The architecture, and the instructions of each function of a static library."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(library)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    member = name = ""
    for line in text.splitlines():
        if file := MEMBER.match(line):
            member, name = file["name"], ""
        elif head := FUNCTION.match(line):
            name = f"{member}:{head['name']}"
            found[name] = []
        elif name and (instruction := INSTRUCTION.match(line)):
            found[name].append(instruction["text"].strip())
    architecture = next(key for key in ARCHITECTURES if re.search(rf"file format elf64-\w*{key}", text))
    return architecture, found
