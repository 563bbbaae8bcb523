# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Standard output and error whose failures end no command:
output without a reader is dropped, and the exit code does not change."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress


class _Raw(io.FileIO):
    """A file descriptor whose first failure is remembered and never raised."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self.terminal = os.isatty(number)
        self.failure: OSError | None = None

    def write(self, data: bytes | bytearray | memoryview, /) -> int | None:  # type: ignore[override]
        """Write as much as possible; after a failure the rest counts as written."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


_STREAMS: dict[str, _Raw] = {}


def stand_in() -> None:
    """Replace Python's own streams. A stream that was closed (``2>&-``) leads nowhere."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # no file that is opened later may take its number
        os.set_inheritable(number, True)
    os.close(number)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    for name, number in (("stdout", 1), ("stderr", 2)):
        before = getattr(sys, name)
        if before is not None and before is not getattr(sys, f"__{name}__"):
            continue  # somebody's own, as of a test
        raw = _STREAMS[name] = _Raw(number)
        stream = io.TextIOWrapper(
            io.BufferedWriter(raw),  # type: ignore[type-var]  # a FileIO, except for its handling of failures
            encoding=before.encoding if before is not None else "utf-8",
            errors="backslashreplace",  # a locale without a character is no reason to end
            line_buffering=name == "stderr" or raw.terminal,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def reader_gone() -> bool:
    """Whether standard output has no reader any more: its pipe was closed, or its terminal, or its disk is full."""
    return _failure() is not None


def unwritten() -> str:
    """Why standard output could not be written, if that is an error.
    A reader (head, less) that has read enough is no error."""
    failure = _failure()
    enough = failure is None or failure.errno == errno.EPIPE or _STREAMS["stdout"].terminal
    return "" if enough or failure is None else failure.strerror or str(failure)


def _failure() -> OSError | None:
    if "stdout" not in _STREAMS:
        return None
    with suppress(ValueError):
        sys.stdout.flush()
    return _STREAMS["stdout"].failure
