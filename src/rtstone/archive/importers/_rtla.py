# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the histogram tables of rtla: a row for each bin, a column for each CPU and kind, and a summary below."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import MICROSECONDS, NANOSECONDS, NO_ORDER, Disagreement, distribution
from rtstone.model import Degraded, Result

_UNITS = {"microseconds (us)": 1000, "nanoseconds (ns)": 1}
_SUMMARY = ("over", "count", "min", "avg", "max")


@dataclass(frozen=True)
class RtlaColumn:
    """The figures of one column, in the table's unit. Bins are named by their lowest value."""

    kind: str
    cpu: int
    line: int
    bins: dict[int, int]
    width: int
    limit: int
    over: int
    count: int
    least: int | None
    mean: int | None
    most: int | None


@dataclass(frozen=True)
class RtlaTable:
    """A whole table."""

    unit_ns: int
    duration: str
    columns: tuple[RtlaColumn, ...]


def _title(tool: str) -> str:
    """The first line of a tool's table."""
    return f"# RTLA {tool} histogram"


def _table(source: SourceFile, tool: str) -> RtlaTable:
    """The table of `rtla <tool> hist`. Raises InfrastructureError, naming the line."""
    start = source.lines.index(_title(tool))
    unit, duration, number = 0, "", start + 1
    for number in range(start + 1, len(source.lines)):
        line = source.lines[number]
        if line.startswith("# Time unit is "):
            unit = _UNITS.get(line.removeprefix("# Time unit is "), 0)
            if not unit:
                raise source.wrong(number + 1, f"an unknown unit of time: '{line[:60]}'")
        elif line.startswith("# Duration:"):
            duration = line.partition(":")[2].strip()
        elif line.startswith("Index"):
            break
        elif line and not line.startswith("#"):
            raise source.wrong(number + 1, f"this is no heading of rtla's: '{line[:60]}'")
    else:
        raise source.ended("the line 'Index'")
    if not unit:
        raise source.wrong(number + 1, "the line '# Time unit is' is missing")
    heads = [_head(source, number, word) for word in source.lines[number].split()[1:]]
    if not heads:
        raise source.wrong(number + 1, "the table has no columns")
    rows, summary = _rows(source, number + 1, len(heads))
    values = sorted(rows)
    steps = {after - before for before, after in pairwise(values)}
    # rtla may leave out rows without a sample, so the least step between rows is the width of a bin, or a multiple of
    # it.
    width = min(steps, default=1)
    if any(value % width for value in values):
        raise source.wrong(number + 1, f"bins of unlike width: steps of {', '.join(map(str, sorted(steps)))}")
    return RtlaTable(
        unit,
        duration,
        tuple(
            RtlaColumn(
                *(kind, cpu, number + 1),
                {value: int(row[n] or 0) for value, row in rows.items()},
                width,
                max(values, default=-width) + width,
                summary["over"][n] or 0,
                summary["count"][n] or 0,
                *(summary[name][n] for name in ("min", "avg", "max")),
            )
            for n, (kind, cpu) in enumerate(heads)
        ),
    )


def _head(source: SourceFile, number: int, word: str) -> tuple[str, int]:
    found = re.fullmatch(r"([A-Za-z]+)-(\d{1,6})", word)
    if found is None:
        raise source.wrong(number + 1, f"an unknown column: '{word[:40]}'")
    return found[1], int(found[2])


def _rows(
    source: SourceFile, start: int, columns: int
) -> tuple[dict[int, list[int | None]], dict[str, list[int | None]]]:
    rows: dict[int, list[int | None]] = {}
    summary: dict[str, list[int | None]] = {}
    for number in range(start, len(source.lines)):
        words = source.lines[number].split()
        if not words:
            continue
        name = words[0].removesuffix(":")
        numbers = [_number(source, number, word) for word in words[1:]] if name in _SUMMARY or name.isdecimal() else []
        if name in _SUMMARY:
            if len(numbers) != columns:
                raise source.wrong(number + 1, f"{len(numbers)} figures for {columns} columns")
            summary[name] = numbers
            if name == _SUMMARY[-1]:
                break
        elif not name.isdecimal():
            raise source.wrong(number + 1, f"this is no row of rtla's: '{source.lines[number][:60]}'")
        elif len(numbers) != columns:
            raise source.wrong(number + 1, f"{len(numbers)} figures for {columns} columns")
        elif rows and int(name) <= max(rows):
            raise source.wrong(number + 1, f"row {name} stands after row {max(rows)}")
        else:
            rows[int(name)] = numbers
    for name in _SUMMARY:
        if name not in summary:
            raise source.ended(f"the line '{name}:'")
    return rows, summary


def _number(source: SourceFile, number: int, word: str) -> int | None:
    """The number in a cell; None for a dash, which rtla prints if there is no value."""
    if word == "-":
        return None
    if not re.fullmatch(r"\d{1,18}", word):
        raise source.wrong(number + 1, f"this is no number: '{word[:40]}'")
    return int(word)


_LOSSES = (
    Degraded("import-cut", "each sample is cut to the bin that it fell into, the mean to a whole unit"),
    NO_ORDER,
)


def importer(tool: str, summary: str, kinds: Mapping[str, str]) -> Importer:
    """The importer of `rtla <tool> hist`. `kinds`: the name of the series for each kind of column."""

    def recognises(source: SourceFile) -> bool:
        return _title(tool) in source.lines[:256]

    def read(source: SourceFile, _: Options) -> Reading:
        table = _table(source, tool)
        results = tuple(_result(source, column, n, tool, kinds) for n, column in enumerate(table.columns))
        return Reading(
            version="",
            sessions=(results,),
            clock=NANOSECONDS if table.unit_ns == 1 else MICROSECONDS,
            losses=_LOSSES,
            facts={"import.duration": table.duration},
        )

    return Importer(tool, summary, recognises, read)


def _result(source: SourceFile, column: RtlaColumn, item: int, tool: str, kinds: Mapping[str, str]) -> Result:
    """The result of a column, named by the column's kind and CPU. Raises InfrastructureError, naming the line, for an
    unknown kind."""
    kind = kinds.get(column.kind)
    if kind is None:
        raise source.wrong(column.line, f"an unknown column: '{column.kind}'")
    top = column.width - 1
    most = column.most
    if most is not None and most % column.width == 0:
        # osnoise rounds its maximum down to a bin. An exact maximum of timerlat that is such a multiple becomes too
        # high by less than a bin.
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
