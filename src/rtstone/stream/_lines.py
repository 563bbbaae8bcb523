# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Cuts what a pipe or a serial line delivers into lines, in bounded memory."""

from __future__ import annotations

# Far beyond any record: only a console can print this without a line end, and then it is cut here.
MAX_PENDING = 1 << 16


class LineSplitter:
    """Bytes in, whole lines (without their LF) out; the rest waits for the next bytes, at most 64 KiB of it."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes."""
        lines = (self._pending + chunk).split(b"\n")
        self._pending = lines.pop()
        if len(self._pending) > MAX_PENDING:
            lines.append(self._pending)
            self._pending = b""
        return lines

    def finish(self) -> list[bytes]:
        """What was left without a line end, if anything."""
        rest, self._pending = self._pending, b""
        return [rest] if rest else []
