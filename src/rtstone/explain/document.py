# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What `rtstone explain` finds, as frozen structures. Ticks are of the board's clock, of which one is an instruction."""

from __future__ import annotations

from typing import Literal

import msgspec

_SLOW_SHARE = 0.05


def is_slow(above: float, usual: float) -> bool:
    """Whether a response that is so many ticks above the usual one is slower than usual: by more than a twentieth."""
    return above > _SLOW_SHARE * usual


class Stream(msgspec.Struct, frozen=True):
    """The record stream of the traced session, the same as the kept one's to the byte."""

    bytes: int
    sha256: str


class Stage(msgspec.Struct, frozen=True):
    """A part of the response. The stages of a sample add up to it."""

    name: str
    ticks: int
    usual: float
    """Mean over the middle tenth of the samples."""


class Call(msgspec.Struct, frozen=True):
    """A function from where it went on to where it ended, with all that it called."""

    at: int
    """Ticks after the interrupt was due; negative: it ran already."""
    ticks: int
    """Inside the sample."""
    depth: int
    function: str


class Part(msgspec.Struct, frozen=True):
    """A function, and the ticks that it had above its usual ones."""

    function: str
    ticks: int


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """What made a sample longer than usual: the innermost function that had at least half of the ticks above the usual ones."""

    function: str
    """Empty: nothing had half of them."""
    path: tuple[str, ...]
    """Who called it, the outermost first."""
    ticks: int
    """Above what the function has usually."""
    of: int
    """Ticks of the sample above the usual response."""
    parts: tuple[Part, ...]
    """Where nothing had half of them: the functions that had the most."""


class ExplainedSample(msgspec.Struct, frozen=True, kw_only=True):
    """One measured interrupt."""

    index: int
    """Its number in the item, from 0."""
    ticks: int
    """The task response."""
    stages: tuple[Stage, ...]
    blame: Blame
    calls: tuple[Call, ...]


class Cause(msgspec.Struct, frozen=True):
    """How many of the slow samples one function made."""

    function: str
    """Empty: no one function did."""
    samples: int
    worst: int
    """Ticks of the slowest of them."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a kept run, and the causes of all slow ones."""

    schema: Literal["rtstone.explanation"] = "rtstone.explanation"
    version: str = "1.0"
    run: str
    target: str
    kernel: str
    repetition: int
    load: str
    hz: int
    """Of the clock: ticks a second."""
    stream: Stream
    samples: int
    """Of the item. All were found in the trace, to the tick."""
    known: int
    """Of how many of them the record tells when their interrupt was due: all with --raw, else the largest."""
    usual: float
    """Mean response of the middle tenth (ticks). Where the record does not tell when these were due, from the vector on."""
    sample: ExplainedSample
    slow: int
    """Samples behind `causes`: those above the 99th percentile, as far as the record tells them."""
    causes: tuple[Cause, ...]
