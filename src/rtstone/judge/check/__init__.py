# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Judges runs by a check file: bounds and baselines in, a row for each requirement out, and one outcome for the gate."""

from __future__ import annotations

from rtstone.judge.check._judge import judge, refuse, require_steady
from rtstone.judge.check._load import Baseline, Checks, Known, ResolvedBound, parse, read
from rtstone.judge.check._model import (
    BaselineEntry,
    BoundEntry,
    CheckFile,
    MeasureEntry,
    Outcome,
    Report,
    Row,
    Selection,
)
from rtstone.judge.check._requirement import Requirement, requirement

__all__ = [
    "Baseline",
    "BaselineEntry",
    "BoundEntry",
    "CheckFile",
    "Checks",
    "Known",
    "MeasureEntry",
    "Outcome",
    "Report",
    "Requirement",
    "ResolvedBound",
    "Row",
    "Selection",
    "judge",
    "parse",
    "read",
    "refuse",
    "require_steady",
    "requirement",
]
