# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds how often a way is late from its parts, which were measured by interrupts of their own.

If parts of the deadline d1 + d2 + … = D are kept, so is D: P(A + B > D) is at most P(A > d1) + P(B > d2), however A and B depend on each
other (Boole). A few ways to divide the deadline are tried, none of them chosen by the data; the confidence is shared out among all of
them and their parts, so that the best may be taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone import stats

_SHARES = (0.6, 0.8, 0.95)
"""What one part gets of the deadline, the others sharing the rest."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """What the parts come to at the division of the deadline that says most."""

    misses: int
    share: float
    at_most: float


def divisions(parts: int) -> list[tuple[float, ...]]:
    """Ways to divide a deadline among so many parts."""
    found = [(1 / parts,) * parts]
    for share in _SHARES:
        rest = (1 - share) / (parts - 1)
        found += [tuple(share if i == which else rest for i in range(parts)) for which in range(parts)]
    return found


def each_confidence(parts: int, confidence: float) -> float:
    """Of one interval, so that all of them together hold with `confidence`."""
    return 1 - (1 - confidence) / (parts * len(divisions(parts)))


def bound(counted: Sequence[Sequence[tuple[int, int]]], confidence: float) -> Bound:
    """`counted`: for each division, (misses at most, samples) of each part."""
    tries = []
    for parts in counted:
        each = 2 * each_confidence(len(parts), confidence) - 1  # one-sided
        ends = [stats.proportion(misses, samples, confidence=each).high for misses, samples in parts]
        tries.append(
            Bound(
                misses=sum(misses for misses, _ in parts),
                share=min(1.0, sum(misses / samples for misses, samples in parts)),
                at_most=min(1.0, sum(1.0 if end is None else end for end in ends)),
            )
        )
    return min(tries, key=lambda one: one.at_most)
