# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures a target: a specification and plans come in, a run with its raw logs goes out."""

from __future__ import annotations

from rtstone.measure._asked import BOARD_LOADS, LOADS, TargetPlans, ask, at_most_seconds, require_trail
from rtstone.measure._before import Before
from rtstone.measure._group import Order, alternating, cpus_at_once, interleaved, measure_group
from rtstone.measure._interrupt import Interruption, restore, signals
from rtstone.measure._job import (
    Job,
    Listener,
    SavedRuns,
    carry_out,
    keep_runs,
    prepare,
    require_archive,
    resume_run,
    save_checkpoint,
)
from rtstone.measure._measure import Measuring, Outcome, described, measure, time_of
from rtstone.measure._resume import Resumed, resume
from rtstone.stream import Progress

__all__ = [
    "BOARD_LOADS",
    "LOADS",
    "Before",
    "Interruption",
    "Job",
    "Listener",
    "Measuring",
    "Order",
    "Outcome",
    "Progress",
    "Resumed",
    "SavedRuns",
    "TargetPlans",
    "alternating",
    "ask",
    "at_most_seconds",
    "carry_out",
    "cpus_at_once",
    "described",
    "interleaved",
    "keep_runs",
    "measure",
    "measure_group",
    "prepare",
    "require_archive",
    "require_trail",
    "restore",
    "resume",
    "resume_run",
    "save_checkpoint",
    "signals",
    "time_of",
]
