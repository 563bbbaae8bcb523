# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The live view of a measurement: sessions in as they end, lines for a terminal out."""

from __future__ import annotations

from rtstone.show.watch._draw import clock_time, frame, one_line
from rtstone.show.watch._state import State, WatchedSeries, Worst, slice_s

__all__ = ["State", "WatchedSeries", "Worst", "clock_time", "frame", "one_line", "slice_s"]
