# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Estimates the tail of one result from its best data: all samples in their order, else the largest of each window."""

from __future__ import annotations

import math

from rtstone.model import Result
from rtstone.stats._estimate import CONFIDENCE
from rtstone.stats._maxima import block_maxima
from rtstone.stats._peaks import peaks_over_threshold
from rtstone.stats._tails import TailEstimate, TailRefusal, too_frequent


def tail_of(
    result: Result, exceedance: float, *, quantum: float = 1, confidence: float = CONFIDENCE, seed: int = 1
) -> TailEstimate | TailRefusal:
    """The value (ticks) that a sample exceeds with probability `exceedance`: by peaks of samples, else window maxima.

    Each window is taken to contain the average number of samples. Also refused if the result has neither. `quantum` is
    the clock's step (ticks). Raises ValueError outside 0 … 1.
    """
    if not 0 < exceedance < 1:
        raise ValueError(f"an exceedance lies between 0 and 1, not at {exceedance}")
    if result.samples:
        import numpy as np

        return peaks_over_threshold(
            np.frombuffer(result.samples, dtype="<i8").astype(np.float64),
            exceedance,
            quantum=quantum,
            confidence=confidence,
            seed=seed,
        )
    maxima = [m for m in result.windows.maxima if m is not None] if result.windows is not None else []
    if not maxima:
        return TailRefusal(
            reason="hidden", text="neither samples nor window maxima were kept: a histogram has no order"
        )
    in_each = result.count / len(maxima)
    of_block = -math.expm1(in_each * math.log1p(-exceedance))
    return too_frequent(of_block, len(maxima)) or block_maxima(
        maxima, of_block, quantum=quantum, confidence=confidence, seed=seed
    )
