# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures a target: a specification and plans come in, a run with its raw logs goes out."""

from __future__ import annotations

from rtstone.measure._before import Before
from rtstone.measure._group import cpus_at_once, measure_group
from rtstone.measure._interrupt import Interruption, restore, signals
from rtstone.measure._measure import Measuring, Outcome, described, measure, time_of
from rtstone.measure._resume import Resumed, resume
from rtstone.stream import Progress

__all__ = [
    "Before",
    "Interruption",
    "Measuring",
    "Outcome",
    "Progress",
    "Resumed",
    "cpus_at_once",
    "described",
    "measure",
    "measure_group",
    "restore",
    "resume",
    "signals",
    "time_of",
]
