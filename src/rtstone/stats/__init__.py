# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of results: histograms and sums in, figures out; pure functions of their arguments, in ticks."""

from __future__ import annotations

from rtstone.stats._bootstrap import block_bootstrap, block_length
from rtstone.stats._changes import ALPHA_CHANGE, LEAST_FOR_CHANGE, LevelChange, changes, resemble
from rtstone.stats._estimate import CONFIDENCE, IntervalEstimate
from rtstone.stats._factorial import MOST_FACTORS, Design, Effect, design, effects
from rtstone.stats._gate import (
    holm,
    normal_reach,
    one_sample_interval,
    p_mean_above,
    p_mean_below,
    p_normal,
    p_share_above,
    p_share_below,
    p_shift_above,
)
from rtstone.stats._histogram import exceedance, fraction_above, merge, percentile, percentile_range, percentiles
from rtstone.stats._intervals import (
    count_above,
    order_ranks,
    percentile_interval,
    proportion,
    samples_for,
)
from rtstone.stats._maxima import block_maxima
from rtstone.stats._overflow import Sides, overflow_sides
from rtstone.stats._peaks import peaks_over_threshold
from rtstone.stats._pooling import PooledClock, Together, one_clock, together
from rtstone.stats._statistic import Statistic, StatisticValue, figure_of, statistic
from rtstone.stats._summary import Pool, Summary, Trails, has_sample_beyond, mean, of_result, pool, sd, summary, trails
from rtstone.stats._tail_of import tail_of
from rtstone.stats._tails import TailEstimate, TailRefusal
from rtstone.stats._two import (
    Shift,
    TestResult,
    combined,
    mann_whitney,
    minimum_detectable_shift,
    paired_shift,
    ratio_of_means,
    shift_of_runs,
    welch_shift,
)
from rtstone.stats._verdict import (
    ALPHA,
    LARGEST_DETECTABLE,
    MIN_REPETITIONS,
    Finding,
    PopulationVerdict,
    family_alpha,
    verdict,
)

__all__ = [
    "ALPHA",
    "ALPHA_CHANGE",
    "CONFIDENCE",
    "LARGEST_DETECTABLE",
    "LEAST_FOR_CHANGE",
    "MIN_REPETITIONS",
    "MOST_FACTORS",
    "Design",
    "Effect",
    "Finding",
    "IntervalEstimate",
    "LevelChange",
    "Pool",
    "PooledClock",
    "PopulationVerdict",
    "Shift",
    "Sides",
    "Statistic",
    "StatisticValue",
    "Summary",
    "TailEstimate",
    "TailRefusal",
    "TestResult",
    "Together",
    "Trails",
    "block_bootstrap",
    "block_length",
    "block_maxima",
    "changes",
    "combined",
    "count_above",
    "design",
    "effects",
    "exceedance",
    "family_alpha",
    "figure_of",
    "fraction_above",
    "has_sample_beyond",
    "holm",
    "mann_whitney",
    "mean",
    "merge",
    "minimum_detectable_shift",
    "normal_reach",
    "of_result",
    "one_clock",
    "one_sample_interval",
    "order_ranks",
    "overflow_sides",
    "p_mean_above",
    "p_mean_below",
    "p_normal",
    "p_share_above",
    "p_share_below",
    "p_shift_above",
    "paired_shift",
    "peaks_over_threshold",
    "percentile",
    "percentile_interval",
    "percentile_range",
    "percentiles",
    "pool",
    "proportion",
    "ratio_of_means",
    "resemble",
    "samples_for",
    "sd",
    "shift_of_runs",
    "statistic",
    "summary",
    "tail_of",
    "together",
    "trails",
    "verdict",
    "welch_shift",
]
