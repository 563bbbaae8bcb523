# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which level of a platform meets a period and a deadline, and what its tails are estimated to be: runs in, verdicts out."""

from __future__ import annotations

from rtstone.fit._judge import judge, samples_needed
from rtstone.fit._levels import LEVELS, MEASUREMENTS, ONLY_WITH_HANDLER, SOURCES, Source
from rtstone.fit._model import Asked, Level, Report, Row, Tail, Tails, Verdict, Way
from rtstone.fit._show import (
    HEADINGS,
    TAIL_HEADINGS,
    cells,
    conclusion,
    duration,
    longer,
    tail_cells,
)
from rtstone.fit._tails import tails
from rtstone.fit._text import report_lines, tails_lines

__all__ = [
    "HEADINGS",
    "LEVELS",
    "MEASUREMENTS",
    "ONLY_WITH_HANDLER",
    "SOURCES",
    "TAIL_HEADINGS",
    "Asked",
    "Level",
    "Report",
    "Row",
    "Source",
    "Tail",
    "Tails",
    "Verdict",
    "Way",
    "cells",
    "conclusion",
    "duration",
    "judge",
    "longer",
    "report_lines",
    "samples_needed",
    "tail_cells",
    "tails",
    "tails_lines",
]
