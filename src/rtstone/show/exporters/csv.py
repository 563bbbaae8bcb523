# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A line for each result, times in nanoseconds for one operation."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rtstone.model import Run
from rtstone.model.text import neutral
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import COLUMNS, rows


def _write(runs: Sequence[Run]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, tuple(COLUMNS), lineterminator="\n")
    writer.writeheader()
    for row, _, _ in rows(runs):
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return neutral(text.getvalue()).encode()


def _cell(value: object) -> object:
    """A cell that a spreadsheet cannot take for a formula. Names come from targets, so they are not trusted."""
    if isinstance(value, str):
        return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
    return repr(value) if isinstance(value, float) else value


EXPORTER = Exporter("csv", "a line for each result, times in nanoseconds", _write)
