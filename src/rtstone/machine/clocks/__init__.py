# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a target's clocks are worth: one row a clock, of the results of the ``clock-…`` measurements."""

from __future__ import annotations

from rtstone.machine.clocks._rows import PREFIX, ClockRow, rows
from rtstone.machine.clocks._words import HEADINGS, cells, remarks

__all__ = ["HEADINGS", "PREFIX", "ClockRow", "cells", "remarks", "rows"]
