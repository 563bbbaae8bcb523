# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A column of rtla's table as a result."""

from __future__ import annotations

from collections.abc import Mapping

from rtstone.importers._model import Source
from rtstone.importers._rtla import Column
from rtstone.importers._series import Disagreement, distribution
from rtstone.model import Result


def result(source: Source, column: Column, item: int, tool: str, kinds: Mapping[str, str]) -> Result:
    """Named by what the column counts, and its CPU. Raises, naming the line, for a kind that the tool is not known to have."""
    kind = kinds.get(column.kind)
    if kind is None:
        raise source.wrong(column.line, f"an unknown column: '{column.kind}'")
    top = column.width - 1
    most = column.most
    if most is not None and most % column.width == 0:
        # osnoise rounds its maximum down to a bin; an exact one of timerlat that ends so is put too high by less than a bin.
        most += top
    try:
        return distribution(
            f"{kind}-cpu-{column.cpu}",
            tool,
            {low + top: n for low, n in column.bins.items()},
            item=item,
            beyond=column.over,
            limit=column.limit,
            count=column.count,
            minimum=column.least,
            maximum=most,
            mean=None if column.mean is None else column.mean + 0.5,
            step=column.width,
            cpu=column.cpu,
        )
    except Disagreement as error:
        raise source.wrong(column.line, f"{column.kind} of CPU {column.cpu}: {error}") from error
