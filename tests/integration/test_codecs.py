# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine's writer and readers against ours, on random input: both must say the same of every line."""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import UsageError
from rtstone.stream import framing
from rtstone.stream._parse import PART, Parser, kind_of
from rtstone.stream.plan import Plan, decode, encode
from support.plans import U32, plans
from support.streams import good_stream

Codec = Callable[[str, bytes], list[bytes]]

payloads = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=260).map(str.encode)
objects = payloads.map(lambda text: b"{" + text[:240] + b"}")
lines = st.binary(max_size=300).map(lambda data: data.replace(b"\n", b""))


@pytest.fixture(scope="module")
def codec(root: Path) -> Codec:
    """Runs one command of the engine's codec; builds it first if need be."""
    program = root / "build" / "test" / "tool_codec"
    if not program.is_file():
        for step in (["cmake", "--preset", "test"], ["cmake", "--build", "--preset", "test", "--target", "tool_codec"]):
            subprocess.run(step, cwd=root, check=True, capture_output=True)

    def run(command: str, standard_input: bytes) -> list[bytes]:
        done = subprocess.run([program, command], input=standard_input, capture_output=True, check=False, timeout=60)
        assert done.returncode in (0, 1), done.stderr
        assert done.stderr == b""
        return done.stdout.split(b"\n")[:-1]

    return run


def _encoded(seq: int, payload: bytes) -> bytes:
    try:
        return framing.encode(seq, payload).rstrip(b"\n")
    except ValueError:
        return b"too long"


def _decoded(line: bytes) -> bytes:
    """The expected answer of the codec, without its reasons."""
    line = framing.strip(line)
    if not line.startswith(b"~"):
        return b"console"
    try:
        return b"ok %d %b" % framing.decode(line)
    except framing.FrameError:
        return b"bad"


def _without_reason(answer: bytes) -> bytes:
    return b"bad" if answer.startswith(b"bad ") else answer


@given(records=st.lists(st.tuples(st.integers(0, U32), payloads | objects), min_size=1, max_size=30))
def test_both_write_the_same_line(codec: Codec, records: list[tuple[int, bytes]]) -> None:
    said = codec("encode", b"".join(b"%d %b\n" % record for record in records))
    assert said == [_encoded(seq, payload) for seq, payload in records]


@given(records=st.lists(st.tuples(st.integers(0, U32), objects), min_size=1, max_size=30))
def test_each_reads_what_the_other_writes(codec: Codec, records: list[tuple[int, bytes]]) -> None:
    ours = [framing.encode(seq, payload) for seq, payload in records]
    assert codec("decode", b"".join(ours)) == [b"ok %d %b" % record for record in records]
    theirs = codec("encode", b"".join(b"%d %b\n" % record for record in records))
    assert [framing.decode(line) for line in theirs] == records


GOOD = [line.rstrip(b"\n") for line in good_stream()]


@st.composite
def nearly_good(draw: st.DrawFn) -> bytes:
    """A line of a good stream with a few bytes changed, lost or put in."""
    line = bytearray(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(line) - 1)))
        way = draw(st.sampled_from(["change", "lose", "insert"]))
        byte = draw(st.integers(0, 255).filter(lambda value: value != 0x0A))
        if way == "insert":
            line.insert(at, byte)
        elif line and way == "lose":
            del line[at]
        elif line:
            line[at] = byte
    return bytes(line)


@st.composite
def framed_anyhow(draw: st.DrawFn) -> bytes:
    """A line whose CRC is right and whose rest is whatever."""
    body = draw(lines.map(lambda data: data[:245])) if draw(st.booleans()) else draw(objects)
    head = draw(
        st.sampled_from(
            [b"", b"0 ", b"00 ", b"1f ", b"1F ", b"ffffffff ", b"100000000 ", b"0x1 ", b"1_0 ", b"+1 ", b" 1 ", b"1  "]
        )
    )
    tail = draw(st.sampled_from([b"", b" ", b"\r"]))
    body = head + body
    return b"~%b %08x%b" % (body, zlib.crc32(body), tail)


@given(
    some=st.lists(
        lines | lines.map(lambda line: b"~" + line) | nearly_good() | framed_anyhow(), min_size=1, max_size=40
    )
)
def test_both_say_the_same_of_any_line(codec: Codec, some: list[bytes]) -> None:
    said = codec("decode", b"".join(line + b"\n" for line in some))
    assert [_without_reason(answer) for answer in said] == [_decoded(line) for line in some]


texts = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=600)


@given(some=st.lists(texts, min_size=1, max_size=5))
def test_texts_come_back_whole(codec: Codec, some: list[str]) -> None:
    some = [text.encode()[:4000].decode(errors="ignore") for text in some]
    found: list[str] = []
    parser = Parser()
    for line in codec("env", b"".join(text.encode() + b"\n" for text in some)):
        assert len(line) < framing.MAX_LINE
        record = parser.read(kind_of(framing.decode(line)[1]), framing.decode(line)[1])
        assert not parser.complaint
        if record is not PART:
            found.append(record.value)
    assert found == some


@given(data=st.binary(max_size=400).map(lambda data: data.replace(b"\n", b"").replace(b"\0", b"")))
def test_bytes_that_are_no_text_come_as_replacements(codec: Codec, data: bytes) -> None:
    parser = Parser()
    records = [parser.read(b"env", framing.decode(line)[1]) for line in codec("env", data + b"\n")]
    assert all(record is PART for record in records[:-1])
    expected = data.decode("utf-8", "replace")
    # How many replacements stand for a run of wrong bytes is anybody's choice; the text between them is not.
    assert records[-1].value.replace("\ufffd", "") == expected.replace("\ufffd", "")
    assert ("\ufffd" in records[-1].value) == ("\ufffd" in expected)


@given(asked=plans)
def test_the_engine_understands_the_plan_as_it_was_meant(codec: Codec, asked: Plan) -> None:
    echo = codec("plan", encode(asked))
    # The echo has no `go`: a record stream goes on where a plan would begin.
    go = framing.encode(len(echo), b'{"t":"go"}')
    assert decode([*echo, go]) == asked


@given(asked=plans, where=st.integers(0, 20_000), bit=st.integers(0, 7))
def test_both_refuse_the_same_plans(codec: Codec, asked: Plan, where: int, bit: int) -> None:
    spoiled = bytearray(encode(asked))
    spoiled[where % len(spoiled)] ^= 1 << bit
    refused = codec("plan", bytes(spoiled))[0].startswith(b"refused ")
    try:
        decode(bytes(spoiled).split(b"\n"))
    except UsageError:
        assert refused
    else:
        assert not refused
