# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Hostile input and how a command must end whatever it is given: a known exit code, one line, bounded memory."""

from __future__ import annotations

import contextlib
import copy
import io
import pathlib
import re
import resource
import sys
from collections.abc import Iterator
from typing import Any
from unittest import mock

from rtstone.cli import main

MEMORY = 2 << 30
"""Bytes of address space that a command may take beyond what the tests' process has."""

NUMBERS = (0, -1, 1, 2**31, 3 * 10**12, 10**11, 2**53, 2**63, -(2**63) - 1, 10**60, 10**400, -(10**400), 1.5)
WORDS = (
    "",
    "last",
    "last~1",
    "x.json",
    "group-",
    "../../x",
    "\x1b[2J\x07",
    "a\u202eb\u2066c",
    "cpu+cpu",
    "cpu:" + "9" * 400,
    ":",
    "x" * 100_000,
    "<script>",
    "ok",
    "batch",
    "single",
    "\ud7ff\x00",
)
OTHERS: tuple[Any, ...] = (None, [], {}, True)
TROUBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys: control characters except tabs and line ends, and signs of text direction."""

Path = tuple[str | int, ...]


def leaves(document: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value of a document, structures included."""
    if path:
        yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, (*path, key))
    elif isinstance(document, list):
        # Of a long list the ends: all others are like them.
        for position in sorted({0, len(document) - 1} & set(range(len(document)))):
            yield from leaves(document[position], (*path, position))


def changed(document: Any, path: Path, value: Any) -> Any:
    """The document with another value at the path; ``...``: without it; "twice": a list's element once more."""
    made = copy.deepcopy(document)
    inside = made
    for step in path[:-1]:
        inside = inside[step]
    if value is ...:
        del inside[path[-1]]
    elif value == "twice" and isinstance(path[-1], int):
        inside.append(copy.deepcopy(inside[path[-1]]))
    else:
        inside[path[-1]] = value
    return made


@contextlib.contextmanager
def bounded(beyond: int = MEMORY) -> Iterator[None]:
    """Limits this process to so many further bytes of address space. A larger request raises MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + beyond, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class Ended:
    """How a command ended."""

    def __init__(self, arguments: tuple[str, ...], code: int, out: bytes, said: str) -> None:
        self.arguments, self.code, self.out, self.said = arguments, code, out, said

    def well(self, *codes: int) -> None:
        """No traceback, nothing unexpected, one line of complaint, and nothing that a terminal would obey."""
        about = (self.arguments, self.code, self.said[-2000:])
        assert self.code in (codes or (0, 1, 2, 3, 4)), about
        assert "RTSTONE_TRACEBACK" not in self.said, about
        assert "Traceback" not in self.said, about
        assert not TROUBLE.search(self.said), about
        if self.code in (2, 3):
            assert re.fullmatch(r"(rtstone: warning: .+\n|warning: .+\n)*rtstone: .+\n", self.said), about


def run(*arguments: str) -> Ended:
    """A command of this process, within bounded memory."""
    out, said = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said), mock.patch.object(sys, "argv", ["rtstone"]):
        try:
            with bounded():
                main(arguments)
        except SystemExit as ended:
            code = ended.code
        out.flush()
    return Ended(
        arguments, int(code or 0) if isinstance(code, int | None) else -1, out.buffer.getvalue(), said.getvalue()
    )
