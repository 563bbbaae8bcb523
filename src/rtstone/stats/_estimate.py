# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The form in which a figure comes with its uncertainty: a value between a low and a high end, at a stated confidence."""

from __future__ import annotations

import msgspec

CONFIDENCE = 0.95
"""Of an interval, unless the caller says otherwise."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A figure and its interval, in the unit of what it was made of."""

    value: float | None
    """None: there are no samples, or what the histogram keeps does not tell it."""
    low: float | None
    high: float | None
    """None: the data set no such end. A p99.99 of 1000 samples has no upper end."""
    confidence: float
    count: int
    """Of what it was made: samples, or repetitions."""
    method: str


def share(confidence: float) -> float:
    """The confidence itself. Raises ValueError unless it lies between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    return confidence
