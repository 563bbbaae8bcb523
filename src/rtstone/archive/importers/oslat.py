# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""oslat (rt-tests): how long a busy loop is kept from running; its text and its JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rtstone.archive.importers import _rt_tests as rt
from rtstone.archive.importers._json import line_of
from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import MICROSECONDS, NO_ORDER, Disagreement, distribution
from rtstone.model import Degraded, Result

_NAME = "oslat"
_ROW = re.compile(r"\s*(\d+) \((us|ns)\):((?:\s+\d+)+)( \(including overflows\))?", re.ASCII)
_LOSSES = (
    Degraded("import-rounded-up", "each passage of the loop is rounded up to whole µs"),
    Degraded(
        "import-overflow-untold", "the last bin counts all that is longer, without telling how many", "oslat -b 1000"
    ),
    NO_ORDER,
)


def _recognises(source: SourceFile) -> bool:
    return rt.is_of(source, _NAME) or any(line.startswith("oslat V ") for line in source.lines[:64])


def _read(source: SourceFile, _: Options) -> Reading:
    return _json(source) if rt.is_of(source, _NAME) else _text(source)


def _json(source: SourceFile) -> Reading:
    document = rt.read_json(source)
    version, started, ended, env, facts = rt.about(document)
    last = rt.option(facts["import.command"], "-b", "--bucket-size") or 32
    threads = document.child("thread")
    results: list[Result] = []
    for name in threads.values:
        thread = threads.child(name)
        line = line_of(source, name)
        results.append(
            _result(
                source,
                line,
                len(results),
                len(threads.values),
                thread.counts("histogram"),
                last,
                (thread.whole("min"), thread.whole("max"), thread.number("avg")),
                thread.whole("cpu"),
                thread.number("duration"),
            )
        )
    if not results:
        raise source.wrong(line_of(source, "thread"), "there is no thread in it")
    return Reading(version, (tuple(results),), MICROSECONDS, _LOSSES, env, facts, started, ended)


def _text(source: SourceFile) -> Reading:
    version = next(line.split()[2] for line in source.lines if re.match(r"oslat V \S", line))
    if not any("Core:" in line for line in source.lines):
        raise source.ended("its table")
    row = next(n for n, line in enumerate(source.lines) if "Core:" in line)
    cores = _numbers(source, row, source.lines[row])
    rows: dict[int, Sequence[float]] = {}
    for number in range(row, len(source.lines)):
        found = _ROW.fullmatch(source.lines[number])
        if found is None:
            continue
        if found[2] != "us":
            raise source.wrong(number + 1, f"figures in {found[2]} are unknown; this reads µs")
        rows[int(found[1])] = [int(word) for word in found[3].split()]
        if len(rows[int(found[1])]) != len(cores):
            raise source.wrong(number + 1, f"{len(rows[int(found[1])])} columns for {len(cores)} cores")
        if found[4]:
            break
    else:
        raise source.ended("the bin that includes overflows")
    statistics = {name: _figure(source, name, len(cores)) for name in ("Minimum", "Maximum", "Average", "Duration")}
    results = [
        _result(
            source,
            row + 1,
            n,
            len(cores),
            {value: int(counts[n]) for value, counts in rows.items()},
            max(rows),
            (int(statistics["Minimum"][n]), int(statistics["Maximum"][n]), statistics["Average"][n]),
            int(core),
            statistics["Duration"][n],
        )
        for n, core in enumerate(cores)
    ]
    return Reading(version, (tuple(results),), MICROSECONDS, _LOSSES)


def _result(
    source: SourceFile,
    line: int,
    item: int,
    threads: int,
    counts: dict[int, int],
    last: int,
    extremes_and_mean: tuple[int, int, float],
    cpu: int,
    duration_s: float,
) -> Result:
    """The result of one core. The last bin counts samples of exactly its length and all longer ones. They all count as
    overflow if the maximum is longer than the bin."""
    least, most, mean = extremes_and_mean
    beyond = counts.pop(last, 0)
    if beyond and most <= last:
        counts[last], beyond = beyond, 0
    try:
        return distribution(
            "loop-interruption" if threads == 1 else f"loop-interruption-cpu-{cpu}",
            _NAME,
            counts,
            item=item,
            beyond=beyond,
            limit=last,
            minimum=least,
            maximum=most,
            mean=mean,
            cpu=cpu,
            elapsed=round(duration_s * 1e6),
        )
    except Disagreement as error:
        raise source.wrong(line, f"CPU {cpu}: {error}") from error


def _figure(source: SourceFile, name: str, count: int) -> list[float]:
    for number, line in enumerate(source.lines):
        if line.strip().startswith(f"{name}:"):
            if not line.endswith(")"):
                raise source.ended(f"the unit of '{name}'")
            found = _numbers(source, number, line)
            if len(found) != count:
                raise source.wrong(number + 1, f"{len(found)} figures for {count} cores")
            return found
    raise source.ended(f"the line '{name}:'")


def _numbers(source: SourceFile, number: int, line: str) -> list[float]:
    words = line.partition(":")[2].partition("(")[0].split()
    if not words or not all(re.fullmatch(r"\d{1,15}(\.\d+)?", word) for word in words):
        raise source.wrong(number + 1, f"these are no numbers: '{line.strip()[:60]}'")
    return [float(word) for word in words]


IMPORTER = Importer(_NAME, "interruptions of a busy loop: text, --json", _recognises, _read)
