# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The collector accepts any input, and forgets no line."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.model import Session, sense
from rtstone.stream import LineSplitter, collect, framing
from rtstone.stream.plan import Item, Plan
from support.runs import make_run
from support.streams import good_stream

GOOD = [line.rstrip(b"\n") for line in good_stream()]
PLAN = Plan(
    seed=7,
    repetition=2,
    items=(
        Item(item=0, measurement="task-switch", raw=1),
        Item(item=1, measurement="ping-semaphore", pass_="batch"),
        Item(item=2, measurement="suspend-resume"),
    ),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
likely_values = st.one_of(
    st.integers(-(2**70), 2**70),
    st.integers(-(2**70), 2**70).map(str),
    st.integers(0, 3),
    st.integers(0, 3).map(str),
    st.sampled_from(["ok", "single", "batch", "+", "-", "", "1.0", "2.0", "x" * 60, "\u0000", "\ud7ff", "<b>"]),
    st.lists(st.integers(-(2**64), 2**64), max_size=6),
    st.lists(st.integers(0, 80), max_size=8),
    json_values,
)


def account(lines: list[bytes], sessions: tuple[Session, ...]) -> None:
    """Every line is accounted for, a complete session lost nothing, and the collected sessions can be archived."""
    assert sum(session.lines for session in sessions) == len(lines)
    for session in sessions:
        losses = session.losses
        lost = losses.bad_lines + losses.malformed + losses.duplicates + losses.refused
        assert session.lines == session.records + session.unknown_records + session.console_lines + lost
        assert session.complete == (losses.none and not session.problems)
        assert len(session.console) <= session.console_lines
        assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session
        # Whatever a target said, what is made of it passes every later door: a run that was measured can be read again.
        assert sense.fault(make_run("measured", sessions=(session,))) is None


@given(st.lists(st.binary(max_size=300), max_size=30), st.sampled_from([None, PLAN]))
def test_any_lines(lines: list[bytes], plan: Plan | None) -> None:
    account(lines, collect(lines, plan))


@given(st.lists(st.binary(max_size=40), max_size=30))
def test_lines_that_look_like_records(tails: list[bytes]) -> None:
    lines = [b"~" + tail for tail in tails]
    sessions = collect(lines)
    account(lines, sessions)
    assert not any(session.complete for session in sessions)


@given(st.binary(max_size=2000), st.lists(st.integers(0, 2000), max_size=6))
def test_any_bytes_in_any_chunks(data: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    splitter = LineSplitter()
    lines = [line for a, b in pairwise(edges) for line in splitter.feed(data[a:b])] + splitter.finish()
    assert b"\n".join(lines) + (b"\n" if data.endswith(b"\n") else b"") == data
    account(lines, collect(lines))


Edit = tuple[str, int, int]
edits = st.lists(
    st.tuples(
        st.sampled_from(["lose", "repeat", "swap", "flip", "cut", "join", "move"]),
        st.integers(0, 40),
        st.integers(0, 2047),
    ),
    max_size=6,
)


def _edited(lines: list[bytes], changes: list[Edit]) -> list[bytes]:
    out = list(lines)
    for kind, where, detail in changes:
        if len(out) < 2:
            break
        at = where % (len(out) - 1)
        if kind == "lose":
            del out[at]
        elif kind == "repeat":
            out.insert(at, out[at])
        elif kind == "swap":
            out[at], out[at + 1] = out[at + 1], out[at]
        elif kind == "move":
            out.insert(detail % len(out), out.pop(at))
        elif kind == "cut":
            out[at] = out[at][: detail % (len(out[at]) + 1)]
        elif kind == "join":
            out[at : at + 2] = [out[at] + out[at + 1]]
        elif out[at]:
            spoiled = bytearray(out[at])
            spoiled[detail // 8 % len(spoiled)] ^= 1 << (detail % 8)
            out[at] = bytes(spoiled)
    return out


def _whole(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if line.startswith(b"~")]


@given(edits)
def test_spoiled_streams(changes: list[Edit]) -> None:
    lines = _edited(GOOD, changes)
    sessions = collect(lines, PLAN)
    account(lines, sessions)
    # No change of a record goes unnoticed. A change of console text may: it is not checked.
    assert all(session.complete for session in sessions) == (_whole(lines) == _whole(GOOD))


def _reframed(changes: list[tuple[int, int, Any]], version: str, of: Sequence[bytes] = GOOD) -> list[bytes]:
    """The good stream with values of some records replaced, and every CRC right."""
    lines = []
    payloads = []
    for line in _whole(list(of)):
        try:
            payloads.append(json.loads(framing.decode(line)[1]))
        except ValueError:
            continue  # some vectors are damaged on purpose
    if not payloads:
        return list(of)
    payloads[0]["v"] = version
    for where, which, value in changes:
        payload = payloads[where % len(payloads)]
        keys = list(payload)
        payload[keys[which % len(keys)]] = value
    for seq, payload in enumerate(payloads):
        try:
            lines.append(framing.encode(seq, json.dumps(payload, separators=(",", ":")).encode()))
        except ValueError:
            lines.append(b"~%x too long" % seq)
    return lines


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15), likely_values), min_size=1, max_size=4),
    st.sampled_from(["1.0", "1.9", "2.0", "0.9"]),
)
def test_wrong_values_with_right_crcs(changes: list[tuple[int, int, Any]], version: str) -> None:
    lines = _reframed(changes, version)
    sessions = collect(lines, PLAN)
    account(lines, sessions)
    for session in sessions:
        if not session.stream_version.startswith("1."):
            assert session.results == () or session.nonce == ""


@pytest.mark.long
def test_140_000_mutations_of_streams(root: Path) -> None:
    """Of every stream of the vectors and of ours: bytes flipped, lines lost, doubled, moved, values replaced with the right CRC."""
    drawn = random.Random(1)
    streams = [GOOD, *(path.read_bytes().splitlines() for path in sorted(root.glob("spec/vectors/streams/*.stream")))]
    streams = [lines[:400] for lines in streams if lines]
    kinds = ("lose", "repeat", "swap", "flip", "cut", "join", "move")
    values: tuple[Any, ...] = (
        0,
        -1,
        2**53,
        "1" * 60,
        "",
        [],
        {},
        None,
        "last",
        "\x1b",
        [2**64],
        "9223372036854775807",
        3 * 10**12,
    )
    for number in range(140_000):
        lines = streams[number % len(streams)]
        if number % 2:
            changes = [
                (drawn.choice(kinds), drawn.randrange(400), drawn.randrange(2048)) for _ in range(1 + number % 4)
            ]
            lines = _edited(lines, changes)
        else:
            changed = [(drawn.randrange(400), drawn.randrange(16), drawn.choice(values)) for _ in range(1 + number % 4)]
            lines = _reframed(changed, "1.0", _whole(lines))
        account(lines, collect(lines))


@given(st.integers(0, 2**40), st.binary(max_size=260))
def test_framing_comes_back(seq: int, payload: bytes) -> None:
    try:
        line = framing.encode(seq, b"{" + payload + b"}")
    except ValueError:
        return
    assert framing.decode(line.rstrip(b"\n")) == (seq % framing.SEQ_MODULUS, b"{" + payload + b"}")


@given(st.binary(max_size=300))
def test_framing_refuses_or_reproduces(line: bytes) -> None:
    try:
        seq, payload = framing.decode(b"~" + line)
    except framing.FrameError:
        return
    assert framing.encode(seq, payload) == b"~" + line + b"\n"
