# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares runs: what each side's repetitions show, what may not be compared and why, and what changed between the environments."""

from __future__ import annotations

from rtstone.compare import words
from rtstone.compare._build import CONFIDENCE, LEAST_CHANGE, VERDICTS, compare
from rtstone.compare._environment import differences, facts
from rtstone.compare._figures import SINGLE
from rtstone.compare._model import (
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
from rtstone.compare._text import lines

__all__ = [
    "CONFIDENCE",
    "LEAST_CHANGE",
    "POPULATIONS",
    "SINGLE",
    "VERDICTS",
    "Comparison",
    "Difference",
    "Figure",
    "Judgement",
    "Missing",
    "Row",
    "Side",
    "Unlike",
    "Value",
    "Verdict",
    "compare",
    "differences",
    "facts",
    "lines",
    "words",
]
