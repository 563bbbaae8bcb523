# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Packed data comes back to the byte, in less room. Damaged data is reported, never guessed."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.archive import _documents
from rtstone.archive._packing import pack_log, pack_session, unpack_log, unpack_session
from rtstone.errors import InfrastructureError
from rtstone.model import Geometry, Histogram, Result
from rtstone.stream import framing
from support.runs import make_result, make_session


def _wide(seed: int) -> tuple[tuple[int, int], ...]:
    """Buckets as a latency's are: some thousand, most with a sample or a few."""
    drawn = random.Random(seed)
    return tuple((index, 1 + int(drawn.expovariate(0.5))) for index in sorted(drawn.sample(range(4000, 9000), 1500)))


def _result(number: int) -> Result:
    made = make_result(item=number)
    return msgspec.structs.replace(made, histogram=Histogram(Geometry(11, 38, 24), _wide(number)))


SESSION = make_session(tuple(map(_result, range(10))))


def _log(sides: list[list[tuple[int, int]]], console: bytes = b"") -> bytes:
    lines = [b"console " + console.replace(b"\n", b" ") + b"\n"]
    seq = 0
    for item, pairs in enumerate(sides):
        for at in range(0, len(pairs), 6):
            told = {
                "t": "hist",
                "item": item,
                "series": 0,
                "side": "+-"[item % 2],
                "b": [n for p in pairs[at : at + 6] for n in p],
            }
            lines.append(framing.encode(seq, msgspec.json.encode(told)))
            seq += 1
        lines.append(framing.encode(seq, b'{"t":"end","item":%d}' % item))
        seq += 1
    return b"".join(lines)


pairs = st.lists(st.tuples(st.integers(0, 2**34), st.integers(1, 2**34)), max_size=40)


@given(st.lists(st.tuples(pairs, pairs), max_size=4), st.text(max_size=20))
def test_a_session_comes_back_to_the_byte(sides: list[tuple[list[tuple[int, int]], ...]], text: str) -> None:
    results = tuple(
        msgspec.structs.replace(
            make_result(count=2),
            text=text + '"positive":[],"negative":[]',
            histogram=Histogram(Geometry(11, 38, 24), tuple(p), tuple(n)),
        )
        for p, n in sides
    )
    session = make_session(results)
    assert unpack_session(pack_session(session), "here") == msgspec.json.encode(session)


@given(st.lists(pairs, max_size=4), st.binary(max_size=30))
def test_a_log_comes_back_to_the_byte(sides: list[list[tuple[int, int]]], console: bytes) -> None:
    log = _log(sides, console)
    assert unpack_log(pack_log(log), "here") == log
    hurt = log.replace(b'"b":[', b'"b":[0', 1)  # another CRC, and a number with a leading zero
    assert unpack_log(pack_log(hurt), "here") == hurt
    assert unpack_log(pack_log(log[:-5]), "here") == log[:-5]


def test_every_stream_of_the_vectors_comes_back(root: Path) -> None:
    streams = sorted((root / "spec" / "vectors" / "streams").glob("*.stream"))
    assert streams
    for path in streams:
        log = path.read_bytes()
        assert unpack_log(pack_log(log), "here") == log


def test_buckets_take_less_than_half_of_what_their_text_takes() -> None:
    assert 2 * len(pack_session(SESSION)) < len(zlib.compress(msgspec.json.encode(SESSION), 6))
    log = _log([list(r.histogram.positive) for r in SESSION.results if r.histogram is not None])
    assert 2 * len(pack_log(log)) < len(zlib.compress(log, 6))


def test_what_was_kept_before_is_still_read() -> None:
    data = msgspec.json.encode(SESSION)
    assert unpack_session(_documents.pack(data, 3), "here") == data
    assert unpack_log(_documents.pack(b"~0 log\n", 1), "here") == b"~0 log\n"


@pytest.mark.parametrize(
    "hurt",
    [
        lambda b: b[:-9],
        lambda b: b[:1] + zlib.compress(b"\xff" * 20),
        lambda b: b[:1] + zlib.compress(bytes(8) + bytes(16)),
    ],
)
def test_what_is_damaged_is_said(hurt: object) -> None:
    assert callable(hurt)
    log = _log([list(SESSION.results[0].histogram.positive)]) if SESSION.results[0].histogram else b""
    for unpack, packed in ((unpack_session, pack_session(SESSION)), (unpack_log, pack_log(log))):
        with pytest.raises(InfrastructureError, match="here"):
            unpack(hurt(packed), "here")


def test_a_quantity_whose_name_is_no_text_is_said() -> None:
    packed, name = pack_session(SESSION), SESSION.results[0].quantity.encode()
    hurt = packed.replace(name, b"\x80" + name[1:])
    assert hurt != packed
    with pytest.raises(InfrastructureError, match="here is damaged"):
        unpack_session(hurt, "here")
