# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds how often a way is late from its parts, which were measured with different interrupts.

If each part meets its portion of the deadline D = d1 + d2 + …, the whole meets D. So P(A + B > D) is at most
P(A > d1) + P(B > d2), however A and B depend on each other (Boole). A few divisions of the deadline are tried, none of
them chosen by the data. They and their parts share the error that the confidence leaves, so the best division may be
used.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone import stats

_SHARES = (0.6, 0.8, 0.95)
"""One part's share of the deadline; the other parts divide the rest equally."""


class PartsBound(msgspec.Struct, frozen=True, kw_only=True):
    """All parts together, at the division of the deadline with the lowest bound."""

    misses: int
    share: float
    at_most: float


def divisions(parts: int) -> list[tuple[float, ...]]:
    """Ways to divide a deadline among this many parts."""
    found = [(1 / parts,) * parts]
    for share in _SHARES:
        rest = (1 - share) / (parts - 1)
        found += [tuple(share if i == which else rest for i in range(parts)) for which in range(parts)]
    return found


def each_confidence(parts: int, confidence: float) -> float:
    """The confidence of one interval, such that all of them together hold with `confidence`."""
    return 1 - (1 - confidence) / (parts * len(divisions(parts)))


def bound(counted: Sequence[Sequence[tuple[int, int]]], confidence: float) -> PartsBound:
    """The lowest bound of all divisions. `counted`: for each division, (misses at most, samples) of each part."""
    tries = []
    for parts in counted:
        each = 2 * each_confidence(len(parts), confidence) - 1  # one-sided
        ends = [stats.proportion(misses, samples, confidence=each).high for misses, samples in parts]
        tries.append(
            PartsBound(
                misses=sum(misses for misses, _ in parts),
                share=min(1.0, sum(misses / samples for misses, samples in parts)),
                at_most=min(1.0, sum(1.0 if end is None else end for end in ends)),
            )
        )
    return min(tries, key=lambda one: one.at_most)
