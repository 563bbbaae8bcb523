# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The structure of a run: frozen structures shared by all code after the collector. Imports nothing else of rtstone."""

from __future__ import annotations

from rtstone.model.histogram import Bucket, Geometry, Histogram, Moved
from rtstone.model.ids import new_id, random_part, short_id
from rtstone.model.loads import load_kind, load_parts
from rtstone.model.run import (
    LINK,
    Calibration,
    Check,
    Clock,
    Degraded,
    Event,
    Extreme,
    Figure,
    LoadFigure,
    Losses,
    Note,
    Result,
    Run,
    RunStatus,
    RunTime,
    Session,
    Status,
    Windows,
)
from rtstone.model.stages import stage_chain
from rtstone.model.variant import Variant

__all__ = [
    "LINK",
    "Bucket",
    "Calibration",
    "Check",
    "Clock",
    "Degraded",
    "Event",
    "Extreme",
    "Figure",
    "Geometry",
    "Histogram",
    "LoadFigure",
    "Losses",
    "Moved",
    "Note",
    "Result",
    "Run",
    "RunStatus",
    "RunTime",
    "Session",
    "Status",
    "Variant",
    "Windows",
    "load_kind",
    "load_parts",
    "new_id",
    "random_part",
    "short_id",
    "stage_chain",
]
