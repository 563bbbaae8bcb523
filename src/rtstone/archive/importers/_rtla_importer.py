# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Importers of rtla's histogram tables: each column is a result."""

from __future__ import annotations

from collections.abc import Mapping

from rtstone.archive.importers import _rtla
from rtstone.archive.importers._model import Importer, Options, Reading, Source
from rtstone.archive.importers._rtla import Column
from rtstone.archive.importers._series import MICROSECONDS, NANOSECONDS, NO_ORDER, Disagreement, distribution
from rtstone.model import Degraded, Result

_LOSSES = (
    Degraded("import-cut", "each sample is cut to the bin that it fell into, the mean to a whole unit"),
    NO_ORDER,
)


def importer(tool: str, summary: str, kinds: Mapping[str, str]) -> Importer:
    """Of `rtla <tool> hist`; kinds: the name of the series of each heading of a column."""

    def recognises(source: Source) -> bool:
        return _rtla.title(tool) in source.lines[:256]

    def read(source: Source, _: Options) -> Reading:
        table = _rtla.read(source, tool)
        results = tuple(_result(source, column, n, tool, kinds) for n, column in enumerate(table.columns))
        return Reading(
            version="",
            sessions=(results,),
            clock=NANOSECONDS if table.unit_ns == 1 else MICROSECONDS,
            losses=_LOSSES,
            facts={"import.duration": table.duration},
        )

    return Importer(tool, summary, recognises, read)


def _result(source: Source, column: Column, item: int, tool: str, kinds: Mapping[str, str]) -> Result:
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
