# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""All charts of a section, each with the rows of its data set: distributions first, then changes over time."""

from __future__ import annotations

from collections.abc import Iterator

from rtstone.show.report import _heat, _specs
from rtstone.show.report._series import ReportSection
from rtstone.show.report._specs import Chart, Rows


def charts(section: ReportSection) -> Iterator[tuple[Chart, Rows]]:
    """The charts of one quantity. There is no chart without data."""
    yield from _specs.charts(section)
    yield from _heat.charts(section)
