# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Judges the runs of an experiment: the effect of each setting, and of interactions."""

from __future__ import annotations

from rtstone.tune.judge._judge import FIGURES, judge, of_runs
from rtstone.tune.judge._model import Change, Interaction, Report, Setting

__all__ = ["FIGURES", "Change", "Interaction", "Report", "Setting", "judge", "of_runs"]
