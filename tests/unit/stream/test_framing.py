# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines as spec/record-stream.md frames them, at the bounds of each rule."""

from __future__ import annotations

import re
import zlib

import pytest

from rtstone.stream import LineSplitter, framing


def _framed(body: bytes) -> bytes:
    return b"~%b %08x" % (body, zlib.crc32(body))


def test_the_worked_bytes_of_the_specification() -> None:
    assert framing.encode(0, b'{"t":"go"}') == b'~0 {"t":"go"} 496a4c80\n'
    assert framing.decode(b'~0 {"t":"go"} 496a4c80') == (0, b'{"t":"go"}')


@pytest.mark.parametrize(
    ("seq", "payload"), [(0, b"{}"), (0xFFFFFFFF, b"{}"), (10, b"{ ~}"), (1, b"{%b}" % (b"x" * 241))]
)
def test_lines_within_the_bounds_are_read(seq: int, payload: bytes) -> None:
    line = _framed(b"%x %b" % (seq, payload))
    assert framing.encode(seq, payload) == line + b"\n"
    assert framing.decode(line) == (seq, payload)


@pytest.mark.parametrize(
    "line",
    [
        b"~",
        b"~0 {} 1234567",
        b"~0 {} \xff\xff\xff\xff\xff\xff\xff\xff",
        b'~0 {"t":"go"} 496A4C80',
        b'~0 {"t":"go"} 496a4c81',
        b'~0 {"t":"go"}\t496a4c80',
        _framed(b"1 {%b}" % (b"x" * 242)),
        *(_framed(b"%b {  }" % digits) for digits in (b"", b"g", b"A", b"00", b"+1", b"-1", b"0x1", b"1_0", b"100000000")),
        *(_framed(b"0 %b" % payload) for payload in (b"[  ]", b"{  x", b"x  }", b"{\x1f }", b"{\x7f }", b"{\xe9 }")),
    ],
)  # fmt: skip
def test_lines_beyond_the_bounds_are_refused(line: bytes) -> None:
    with pytest.raises(framing.FrameError):
        framing.decode(line)


@pytest.mark.parametrize("payload", [b"{\x1f}", b"{\x7f}", b"{\n}", b"{%b}" % (b"x" * 242)])
def test_payloads_that_do_not_fit_a_line_are_not_written(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        framing.encode(1, payload)


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        (b"a\n", b"a"),
        (b"a\r\n", b"a"),
        (b"a\r", b"a"),
        (b"a", b"a"),
        (b"a\n\n", b"a\n"),
        (b"\r\r\n", b"\r"),
        (b"", b""),
    ],
)
def test_one_line_end_is_stripped(line: bytes, bare: bytes) -> None:
    assert framing.strip(line) == bare


@pytest.mark.parametrize(
    ("line", "limit", "text", "more"),
    [
        (b"ab", 2, "ab", []),
        (b"abc", 2, "ab", ["1"]),
        (b"a" * 4096, None, "a" * 4096, []),
        (b"a" * 4106, None, "a" * 4096, ["10"]),
        (b"\xff\t\x1b", 9, "\\xff\t\\x1b", []),
    ],
)
def test_console_text_is_cut_and_safe(line: bytes, limit: int | None, text: str, more: list[str]) -> None:
    shown = framing.console_text(line) if limit is None else framing.console_text(line, limit)
    assert shown.startswith(text)
    assert re.findall(r"\d+", shown[len(text) :]) == more
    assert bool(shown[len(text) :]) == bool(more)


@pytest.mark.parametrize(
    ("chunks", "lines", "rest"),
    [
        ([b"a\nb", b"c\n\nd"], [[b"a"], [b"bc", b""]], [b"d"]),
        ([b"a\n"], [[b"a"]], []),
        ([b"a" * 65536, b"\nb"], [[], [b"a" * 65536]], [b"b"]),
        ([b"a" * 65536, b"b", b"c"], [[], [b"a" * 65536 + b"b"], []], [b"c"]),
    ],
)
def test_lines_are_split(chunks: list[bytes], lines: list[list[bytes]], rest: list[bytes]) -> None:
    splitter = LineSplitter()
    assert [splitter.feed(chunk) for chunk in chunks] == lines
    assert splitter.finish() == rest
    assert splitter.finish() == []
