# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of results: histograms and sums in, figures out; pure functions of their arguments, in ticks."""

from __future__ import annotations

from rtstone.stats._histogram import exceedance, fraction_above, merge, percentile
from rtstone.stats._pool import Pool, pool
from rtstone.stats._sums import mean, sd

__all__ = ["Pool", "exceedance", "fraction_above", "mean", "merge", "percentile", "pool", "sd"]
