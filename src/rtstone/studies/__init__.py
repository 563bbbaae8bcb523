# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Studies: reads the papers' protocols as data, makes plans, and judges whether runs met the papers' conditions."""

from __future__ import annotations

from rtstone.studies._formula import FormulaError, evaluate
from rtstone.studies._loader import Profile, load_file, profile, profiles, studies, study
from rtstone.studies._model import (
    Agreement,
    Condition,
    Counts,
    FigureOfMerit,
    Need,
    Pass,
    PublishedCondition,
    Study,
    Table,
    TableRow,
    TableVariant,
    need,
    needs,
)
from rtstone.studies._planner import LIVE, Chosen, Request, board_repetitions, live_sessions, make_plan, phase_ns
from rtstone.studies._traits import Pace, pace_by_name, reaches_window

__all__ = [
    "LIVE",
    "Agreement",
    "Chosen",
    "Condition",
    "Counts",
    "FigureOfMerit",
    "FormulaError",
    "Need",
    "Pace",
    "Pass",
    "Profile",
    "PublishedCondition",
    "Request",
    "Study",
    "Table",
    "TableRow",
    "TableVariant",
    "board_repetitions",
    "evaluate",
    "live_sessions",
    "load_file",
    "make_plan",
    "need",
    "needs",
    "pace_by_name",
    "phase_ns",
    "profile",
    "profiles",
    "reaches_window",
    "studies",
    "study",
]
