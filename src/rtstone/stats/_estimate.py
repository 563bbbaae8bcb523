# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A figure with its uncertainty: a value between a low and a high end, at a stated confidence."""

from __future__ import annotations

import msgspec

CONFIDENCE = 0.95
"""Default confidence of an interval."""


class IntervalEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """A figure and its interval, in the unit of its data."""

    value: float | None
    """None: there are no samples, or the histogram cannot give the figure."""
    low: float | None
    high: float | None
    """None: the data set no such end. A p99.99 of 1000 samples has no upper end."""
    confidence: float
    count: int
    """Number of samples, or of repetitions."""
    method: str


def share(confidence: float) -> float:
    """Return the confidence unchanged. Raises ValueError unless it lies between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    return confidence
