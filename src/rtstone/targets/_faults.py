# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Puts faults into a recorded stream, the same ones for the same seed: what a bad line or a bad board does to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Annotated

import msgspec
from msgspec import Meta

Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Which faults. Shares are of the lines, between 0 and 1; positions are of a session, between 0 and 1."""

    loss: Share = 0.0
    """Share of lines that never arrive."""
    corrupt: Share = 0.0
    """Share of lines with one bit turned over."""
    repeat: Share = 0.0
    """Share of lines that arrive twice."""
    truncate: Share = 0.0
    """Share of the session that is cut off its end, in mid-line; 0: nothing."""
    reset: Share = 0.0
    """Where the target is reset: what came so far is followed by the session from its beginning; 0: nowhere."""
    seed: int = 0


def inject(lines: Iterable[bytes], faults: Faults, *, stream: int = 0) -> Iterator[bytes]:
    """The lines with the faults in them. ``stream`` tells sessions apart, so that each has its own faults."""
    session = list(lines)
    if faults == Faults(seed=faults.seed):
        return iter(session)
    if faults.reset:
        session = session[: max(1, round(len(session) * faults.reset))] + session
    if faults.truncate:
        session = _truncated(session, 1.0 - faults.truncate)
    return _spoil(session, faults, Random(f"{faults.seed}/{stream}"))  # noqa: S311 - repeatable, not secret


def _truncated(lines: list[bytes], share: float) -> list[bytes]:
    room = int(sum(len(line) + 1 for line in lines) * share)
    kept: list[bytes] = []
    for line in lines:
        kept.append(line[:room])
        room -= len(line) + 1
        if room <= 0:
            break
    return kept


def _spoil(lines: list[bytes], faults: Faults, chance: Random) -> Iterator[bytes]:
    for whole in lines:
        line = whole
        lost, corrupted, repeated = (chance.random() for _ in range(3))
        bit = chance.randrange(max(1, len(line) * 8))
        if lost < faults.loss:
            continue
        if line and corrupted < faults.corrupt:
            spoiled = bytearray(line)
            spoiled[bit // 8] ^= 1 << (bit % 8)
            line = bytes(spoiled)
        yield line
        if repeated < faults.repeat:
            yield line
