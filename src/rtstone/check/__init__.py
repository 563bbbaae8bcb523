# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Judges runs by a check file: bounds and baselines in, a row for each requirement out, and one outcome for the gate."""

from __future__ import annotations

from rtstone.check._annotations import workflow_commands
from rtstone.check._judge import judge, refuse
from rtstone.check._junit import junit
from rtstone.check._load import Baseline, Bound, Checks, Known, parse, read
from rtstone.check._model import BaselineEntry, BoundEntry, CheckFile, MeasureEntry, Outcome, Report, Row, Selection
from rtstone.check._requirement import Requirement, requirement
from rtstone.check._show import HEADINGS, RIGHT, cells, sentence

__all__ = [
    "HEADINGS",
    "RIGHT",
    "Baseline",
    "BaselineEntry",
    "Bound",
    "BoundEntry",
    "CheckFile",
    "Checks",
    "Known",
    "MeasureEntry",
    "Outcome",
    "Report",
    "Requirement",
    "Row",
    "Selection",
    "cells",
    "judge",
    "junit",
    "parse",
    "read",
    "refuse",
    "requirement",
    "sentence",
    "workflow_commands",
]
