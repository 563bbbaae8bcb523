# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the next slice of a watched measurement is to be."""

from __future__ import annotations

FIRST_S = 1.0
_PART = 60
"""A slice may be this part of what was measured before it: ten minutes have 200 of them, an hour 300 (the last of a minute), a day 500."""


def slice_s(measured_s: float, left_s: float | None = None) -> float:
    """Seconds of the next slice after so many; `left_s`: how long is left to measure at all.

    Each slice is a session that the run keeps, with its histograms and its log (up to a megabyte): were they all of a second, a day would
    not fit into memory.
    """
    wanted = max(FIRST_S, measured_s / _PART)
    return wanted if left_s is None else max(0.1, min(wanted, left_s))
