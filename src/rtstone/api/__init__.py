# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python API: archives and files in, labelled numbers with units and charts out (docs/reference/python-api.md)."""

from __future__ import annotations

from rtstone.api._archive import Archive, open, read  # noqa: A004 - rtstone.open
from rtstone.api._plot import Plot
from rtstone.api._results import Results
from rtstone.api._run import Quantity, Run

__all__ = ["Archive", "Plot", "Quantity", "Results", "Run", "open", "read"]
