# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares runs: their figures, reasons why rows are not comparable, and the changes between their environments."""

from __future__ import annotations

from rtstone.judge.compare._build import CONFIDENCE, LEAST_CHANGE, VERDICTS, compare
from rtstone.judge.compare._environment import differences, differences_of, facts
from rtstone.judge.compare._figures import SINGLE, figure_in, names
from rtstone.judge.compare._judge import LEAST as LEAST_REPETITIONS
from rtstone.judge.compare._model import (
    POPULATIONS,
    Comparison,
    Difference,
    Figure,
    Judgement,
    Missing,
    Row,
    Side,
    Unlike,
    Value,
    Verdict,
)
from rtstone.judge.compare._series import Repetition, RowKey, SideSeries, series

__all__ = [
    "CONFIDENCE",
    "LEAST_CHANGE",
    "LEAST_REPETITIONS",
    "POPULATIONS",
    "SINGLE",
    "VERDICTS",
    "Comparison",
    "Difference",
    "Figure",
    "Judgement",
    "Missing",
    "Repetition",
    "Row",
    "RowKey",
    "Side",
    "SideSeries",
    "Unlike",
    "Value",
    "Verdict",
    "compare",
    "differences",
    "differences_of",
    "facts",
    "figure_in",
    "names",
    "series",
]
