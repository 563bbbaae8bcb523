# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds which level of a platform meets a period and a deadline, and estimates tails: runs in, verdicts out."""

from __future__ import annotations

from rtstone.judge.fit._judge import judge, lacks_measurements, samples_needed, samples_to_decide
from rtstone.judge.fit._levels import LEVELS, MEASUREMENTS, ONLY_WITH_HANDLER, SOURCES, EvidenceSource
from rtstone.judge.fit._model import Asked, Level, Report, Row, Tail, Tails, Verdict, Way
from rtstone.judge.fit._tails import tails

__all__ = [
    "LEVELS",
    "MEASUREMENTS",
    "ONLY_WITH_HANDLER",
    "SOURCES",
    "Asked",
    "EvidenceSource",
    "Level",
    "Report",
    "Row",
    "Tail",
    "Tails",
    "Verdict",
    "Way",
    "judge",
    "lacks_measurements",
    "samples_needed",
    "samples_to_decide",
    "tails",
]
