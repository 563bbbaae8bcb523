# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The history of a quantity: runs of one machine in order of time, and where the level changed by a step.

Makes series of runs, one figure a run. Each has its steps, and the facts of the environment that changed there.
"""

from __future__ import annotations

from rtstone.judge.history._build import DRIFT, LEAST_CHANGE, RunReading, history, new_regressions, read
from rtstone.judge.history._model import History, Level, Point, Series, Step

__all__ = [
    "DRIFT",
    "LEAST_CHANGE",
    "History",
    "Level",
    "Point",
    "RunReading",
    "Series",
    "Step",
    "history",
    "new_regressions",
    "read",
]
