# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""
Compares the machine code of each timed window in two builds of one library: `tools/same-windows BEFORE.a AFTER.a`.

A function with two readings of the counter or more holds a window: from the first of them to the last. Where there is one reading, the
other is in another function, and the whole function counts as window.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from support.disassembly import READING, linkable

JUMP = re.compile(r"<(?P<number>\d+)>|<[+-]0x[0-9a-f]+>")
DISTANCE = re.compile(r"-?0x[0-9a-f]+\(%rip\)")

Code = dict[str, list[str]]


@dataclass
class Comparison:
    """The outcome for each function that reads the clock."""

    identical: list[str] = field(default_factory=list)
    placed: list[str] = field(default_factory=list)
    """Code around the window differs, or an address; the window does not."""
    moved: dict[str, str] = field(default_factory=dict)
    """Before: after. It has another name or is in another file, and its window is the same."""
    differs: dict[str, list[str]] = field(default_factory=dict)
    """The window's changed instructions, `-` before and `+` after."""
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Functions that read no clock and whose code differs: a window may call them."""

    @property
    def same(self) -> bool:
        return not self.differs and not self.gone


def window(body: list[str], architecture: str) -> list[str]:
    """A function's window; jumps within it are numbered from its beginning; those out of it, and distances, are alike."""
    reads = [i for i, text in enumerate(body) if READING[architecture].match(text)]
    first, end = (reads[0], reads[-1] + 2) if len(reads) > 1 else (0, len(body))

    def target(jump: re.Match[str]) -> str:
        inside = jump["number"] is not None and first <= int(jump["number"]) < end
        return f"<{int(jump['number']) - first}>" if inside else "<out>"

    return [DISTANCE.sub("<out>(%rip)", JUMP.sub(target, text)) for text in body[first:end]]


def compare(before: Code, after: Code, architecture: str) -> Comparison:
    """Each function that reads the clock in `before` or `after`, as `disassembly.linkable` yields them."""
    found = Comparison()
    old, new = (_readers(code, architecture) for code in (before, after))
    twins: dict[tuple[str, ...], list[str]] = {}
    for name in new.keys() - old.keys():
        twins.setdefault(tuple(window(new[name], architecture)), []).append(name)
    for name, body in old.items():
        was = window(body, architecture)
        if name not in new:
            _follow(found, name, twins.get(tuple(was), []))
        elif new[name] == body:
            found.identical.append(name)
        elif (now := window(new[name], architecture)) == was:
            found.placed.append(name)
        else:
            found.differs[name] = [line for line in difflib.ndiff(was, now) if line.startswith(("-", "+"))]
    found.new = sorted(new.keys() - old.keys() - set(found.moved.values()))
    found.others = sorted(
        name for name in before.keys() & after.keys() if name not in old and before[name] != after[name]
    )
    return found


def _readers(code: Code, architecture: str) -> Code:
    return {name: body for name, body in code.items() if any(READING[architecture].match(text) for text in body)}


def _follow(found: Comparison, name: str, twins: list[str]) -> None:
    """Two functions may become one: a twin is not used up."""
    function = name.rpartition(":")[2]
    if twins:
        found.moved[name] = min(twins, key=lambda twin: (twin.rpartition(":")[2] != function, twin))
    else:
        found.gone.append(name)


def _print(found: Comparison) -> None:
    print(
        f"{len(found.identical)} identical, {len(found.placed)} same but for addresses, {len(found.moved)} moved, ",
        end="",
    )
    print(f"{len(found.differs)} with another window, {len(found.gone)} gone, {len(found.new)} new")
    for title, names in (("same but for addresses", found.placed), ("gone", found.gone), ("new", found.new)):
        for name in names:
            print(f"  {title}: {name}")
    for name, twin in found.moved.items():
        print(f"  moved: {name} -> {twin}")
    for name, lines in found.differs.items():
        print(f"  window differs: {name}")
        for line in lines:
            print(f"    {line}")
    for name in found.others:
        print(f"  reads no clock, differs: {name}")


def main(arguments: list[str]) -> int:
    """Print the comparison; return 0 if every window is the same, 1 if one differs or is gone, 2 where a library cannot be read."""
    if len(arguments) != 2:
        print("usage: tools/same-windows BEFORE.a AFTER.a", file=sys.stderr)
        return 2
    try:
        (architecture, before), (other, after) = (linkable(Path(name)) for name in arguments)
    except (subprocess.CalledProcessError, StopIteration):
        print("same-windows: an argument is no static library of x86-64 or aarch64", file=sys.stderr)
        return 2
    if other != architecture:
        print(f"same-windows: one library is for {architecture}, the other for {other}", file=sys.stderr)
        return 2
    found = compare(before, after, architecture)
    if not found.identical and not found.placed and not found.moved and not found.differs and not found.gone:
        print("same-windows: no function of the first library reads the clock", file=sys.stderr)
        return 2
    _print(found)
    return 0 if found.same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
