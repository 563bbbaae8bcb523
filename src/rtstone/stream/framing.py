# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns a payload into a line of the record stream or of the plan, with a number and a CRC, and back.

Framing, worked bytes and limits: spec/record-stream.md.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from rtstone.model.text import printable

MAX_LINE = 256
"""Most bytes of a line, ``~`` and LF included."""

SEQ_MODULUS = 1 << 32
"""Sequence numbers are taken modulo this: 0 follows ``ffffffff``."""

_PRINTABLE = bytes(range(0x20, 0x7F))
# The shortest record: "~", one digit, space, "{}", space, CRC.
_MIN_LINE = 1 + 1 + 1 + 2 + 1 + 8


class FrameError(ValueError):
    """A line that is no record. The error's text names the reason."""


def encode(seq: int, payload: bytes) -> bytes:
    """Frame a payload: ``~<seq> <payload> <crc>`` and LF.

    ``seq`` is taken modulo 2^32. Raises ValueError when the payload is not printable ASCII or the line is too long.
    """
    if payload.translate(None, _PRINTABLE):
        raise ValueError("the payload of a record is printable ASCII")
    body = b"%x %b" % (seq % SEQ_MODULUS, payload)
    line = b"~%b %08x\n" % (body, zlib.crc32(body))
    if len(line) > MAX_LINE:
        raise ValueError(f"a line has at most {MAX_LINE} bytes, this one {len(line)}")
    return line


def strip(line: bytes) -> bytes:
    """The line without its line end, LF or CR LF."""
    if line.endswith(b"\n"):
        line = line[:-1]
    return line[:-1] if line.endswith(b"\r") else line


def decode(line: bytes) -> tuple[int, bytes]:
    """Sequence number and payload of a line that begins with ``~`` and has no line end. Raises FrameError."""
    size = len(line)
    if size >= MAX_LINE:
        raise FrameError(f"the line is too long ({size + 1} bytes)")
    body = line[1:-9]
    if size < _MIN_LINE or line[-9] != 0x20:
        raise FrameError("the line is cut or is no record")
    if b"%08x" % zlib.crc32(body) != line[-8:]:
        raise FrameError(f"the CRC is {zlib.crc32(body):08x}, the line says {_ascii(line[-8:])}")
    digits, _, payload = body.partition(b" ")
    try:
        seq = int(digits, 16)
    except ValueError:
        raise FrameError("the sequence number is not hexadecimal") from None
    if b"%x" % seq != digits or not 0 <= seq < SEQ_MODULUS:
        raise FrameError("the sequence number is not written as it must be")
    if not payload.startswith(b"{") or not payload.endswith(b"}") or payload.translate(None, _PRINTABLE):
        raise FrameError("the payload is not one JSON object of printable ASCII")
    return seq, payload


def console_text(line: bytes, limit: int = 4096) -> str:
    """A console's line as text, cut after `limit` bytes. Tabs stay; other characters that are not printable become
    escapes."""
    text = clean(line[:limit].decode("utf-8", "backslashreplace"))
    return text if len(line) <= limit else f"{text} […{len(line) - limit} more bytes]"


def last_words(lines: Iterable[bytes]) -> str:
    """The clause that ends an error message and quotes a target's last lines; empty if all are blank."""
    last = [console_text(line, 200) for line in lines if line.strip()]
    return f"; it said last: {' | '.join(last)}" if last else ""


def clean(text: str) -> str:
    """A target's string in the form for storing: tabs stay; other characters that are not printable become escapes."""
    return printable(text, keep="\t")


def _ascii(line: bytes) -> str:
    return line.decode("ascii", "backslashreplace")


# Most bytes without a line end before a line is cut. Only a console prints such lines, since no record is nearly as
# long.
MAX_PENDING = 1 << 16


class LineSplitter:
    """Splits bytes into complete lines, without their LF. A rest of at most 64 KiB waits for the next bytes."""

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
        """The rest without a line end, if there is one."""
        rest, self._pending = self._pending, b""
        return [rest] if rest else []
