# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Studies: the papers' protocols as data in, plans and verdicts on their conditions out."""

from __future__ import annotations

from rtstone.studies._formula import FormulaError, evaluate
from rtstone.studies._loader import Profile, load_file, profile, profiles, studies, study
from rtstone.studies._model import (
    TRANSFER,
    Agreement,
    Condition,
    Counts,
    Figure,
    Need,
    PublishedCondition,
    Row,
    Study,
    Table,
    Variant,
    need,
    needs,
)
from rtstone.studies._planner import LIVE, Chosen, Request, board_repetitions, live_parts, make_plan, phase_ns

__all__ = [
    "LIVE",
    "TRANSFER",
    "Agreement",
    "Chosen",
    "Condition",
    "Counts",
    "Figure",
    "FormulaError",
    "Need",
    "Profile",
    "PublishedCondition",
    "Request",
    "Row",
    "Study",
    "Table",
    "Variant",
    "board_repetitions",
    "evaluate",
    "live_parts",
    "load_file",
    "make_plan",
    "need",
    "needs",
    "phase_ns",
    "profile",
    "profiles",
    "studies",
    "study",
]
