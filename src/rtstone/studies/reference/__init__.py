# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Published figures of the papers: CSV files of the data folder in, typed and checked figures out."""

from __future__ import annotations

from rtstone.studies.reference._figures import Figure, load, load_file, platforms
from rtstone.studies.reference._layout import Grid, grid
from rtstone.studies.reference._registry import Paper, Unit, papers, studies, units

__all__ = [
    "Figure",
    "Grid",
    "Paper",
    "Unit",
    "grid",
    "load",
    "load_file",
    "papers",
    "platforms",
    "studies",
    "units",
]
