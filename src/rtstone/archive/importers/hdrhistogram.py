# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""HdrHistogram logs (V1.x, as HistogramLogWriter writes them): the histograms of a tag become repetitions of a quantity."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import Disagreement, distribution
from rtstone.errors import InfrastructureError
from rtstone.model import Clock, Degraded, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "hdrhistogram"
_LINE = re.compile(r"(?:Tag=([^,]*),)?([\d.]+),([\d.]+),([\d.]+),([A-Za-z0-9+/=]+)", re.ASCII)
_HEAD = re.compile(r"#\[Histogram log format version (\d+)\.(\d+)\]", re.ASCII)
_LOSSES = (
    Degraded(
        "import-unit",
        "the log does not tell the unit of its values: whole nanoseconds unless --tick says otherwise",
        "rtstone import --tick 1us",
    ),
    Degraded("import-extremes-rounded", "minimum, maximum and sum are known to within a bucket"),
    Degraded("import-order", "the order of the samples within an interval is not told"),
)


def _recognises(source: SourceFile) -> bool:
    head = source.lines[:64]
    return any(_HEAD.match(line) or line.startswith('"StartTimestamp","Interval_Length"') for line in head)


def _read(source: SourceFile, options: Options) -> Reading:
    for number, line in enumerate(source.lines, 1):
        found = _HEAD.match(line)
        if found and found[1] != "1":
            raise source.wrong(number, f"version {found[1]}.{found[2]} of the log is unknown; this reads 1.x")
    tick = options.tick_ns or 1.0
    hz = round(1e9 / tick)
    if hz < 1:
        raise source.wrong(1, f"a tick of {tick:g} ns is longer than a second")
    tagged: dict[str, list[tuple[int, dict[int, int]]]] = {}
    for number, tag, counts in _histograms(source):
        tagged.setdefault(tag, []).append((number, counts))
    if not tagged:
        raise source.ended("the first histogram")
    longest = max(len(found) for found in tagged.values())
    sessions = tuple(
        tuple(
            _result(source, *found[at], n, tag or "latency")
            for n, (tag, found) in enumerate(tagged.items())
            if at < len(found)
        )
        for at in range(longest)
    )
    started = next((m[1] for line in source.lines if (m := re.match(r"#\[StartTime: ([\d.]+)", line))), "")
    return Reading(
        version=next((f"log {m[1]}.{m[2]}" for line in source.lines if (m := _HEAD.match(line))), ""),
        sessions=sessions,
        clock=Clock(id=0, name="as recorded", hz=hz, source="the log", resolution_ticks=1),
        losses=_LOSSES if options.tick_ns is None else _LOSSES[1:],
        started=_utc(started),
    )


def _histograms(source: SourceFile) -> Iterator[tuple[int, str, dict[int, int]]]:
    """For each histogram its line and tag, and the counts by the highest value of each bucket."""
    for number, line in enumerate(source.lines, 1):
        if not line or line.startswith(("#", '"')):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            if number == len(source.lines):
                raise source.ended("the histogram of this line does")
            raise source.wrong(number, f"this is no line of an HdrHistogram log: '{line[:40]}'")
        counts = _decoded(source, number, found[5])
        # An interval without a sample does not count as a repetition.
        if counts:
            yield number, found[1] or "", counts


def _decoded(source: SourceFile, number: int, payload: str) -> dict[int, int]:
    import zlib

    try:
        from hdrh.histogram import HdrHistogram
    except ModuleNotFoundError as error:
        raise InfrastructureError("logs of HdrHistogram need hdrhistogram: pip install 'rtstone[hdr]'") from error

    try:
        decoded: Any = HdrHistogram.decode(payload)
        return {
            int(item.value_iterated_to): int(item.count_added_in_this_iter_step)
            for item in decoded.get_recorded_iterator()
            if item.count_added_in_this_iter_step
        }
    except (
        ValueError,
        TypeError,
        IndexError,
        ArithmeticError,
        LookupError,
        zlib.error,
        EOFError,
        MemoryError,
    ) as error:
        text = "the histogram of this line is truncated or damaged"
        raise source.wrong(number, text) from error


def _result(source: SourceFile, number: int, counts: dict[int, int], item: int, tag: str) -> Result:
    quantity = re.sub(r"[^a-z0-9.]+", "-", tag.lower()).strip("-") or "latency"
    try:
        return distribution(quantity, _NAME, counts, item=item)
    except Disagreement as error:
        raise source.wrong(number, str(error)) from error


def _utc(seconds: str) -> str:
    try:
        return datetime.fromtimestamp(float(seconds), UTC).isoformat(timespec="seconds") if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""


IMPORTER = Importer(_NAME, "HistogramLogWriter's logs, a quantity for each tag", _recognises, _read)
