# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads cyclictest (rt-tests): text with a histogram (-h, -H), summary lines (-q), and JSON (--json)."""

from __future__ import annotations

import re

from rtstone.archive.importers import _rt_tests as rt
from rtstone.archive.importers._json import line_of
from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import MICROSECONDS, NANOSECONDS, NO_ORDER, Disagreement, distribution, summary
from rtstone.model import Degraded, Result, Variant
from rtstone.model import units as form

_NAME = "cyclictest"
_ROW = re.compile(r"\d{6,}(?:\s+\d+)+", re.ASCII)
_THREAD = re.compile(
    r"T:\s*(\d+)\s*\(\s*\d+\)\s*P:\s*(\d+)\s+I:\s*(\d+)\s+C:\s*(\d+)\s+Min:\s*(-?\d+)\s+Act:\s*-?\d+\s+Avg:\s*(-?\d+)\s+Max:\s*(-?\d+)",
    re.ASCII,
)
_LOSSES = (
    Degraded(
        "import-skipped-periods", "a period that has passed when cyclictest wakes is jumped over and is in no figure"
    ),
    NO_ORDER,
)
_BINS = Degraded(
    "import-no-histogram", "only count, minimum, mean and maximum are told: no percentiles", "cyclictest -h 1000"
)


def _recognises(source: SourceFile) -> bool:
    if rt.is_of(source, _NAME):
        return True
    head = source.lines[:64]
    return "# Histogram" in head or any(re.match(r"T:\s*\d+ \(\s*\d+\) P:", line) for line in head)


def _read(source: SourceFile, _: Options) -> Reading:
    if rt.is_of(source, _NAME):
        return _json(source)
    if "# Histogram" in source.lines:
        return _text(source)
    return _lines(source)


def _json(source: SourceFile) -> Reading:
    document = rt.read_json(source)
    version, started, ended, env, facts = rt.about(document)
    words = facts["import.command"]
    nanoseconds = document.values.get("resolution_in_ns") == 1
    limit = rt.option(words, "-h", "-H", "--histogram", "--histofall") or 0
    period = (rt.option(words, "-i", "--interval") or 1000) * (1 if nanoseconds else 1000)
    threads = document.child("thread")
    results = []
    bins = True
    for number, name in enumerate(threads.values):
        thread = threads.child(name)
        line = line_of(source, name)
        cycles, quantity = thread.whole("cycles"), _quantity(number, len(threads.values))
        least, most, mean = thread.whole("min"), thread.whole("max"), thread.number("avg")
        variant = Variant(period_ns=period)
        priority = rt.option(words, "-p", "--priority") or 0
        try:
            if "histogram" not in thread.values or not limit:
                bins = False
                results.append(
                    summary(
                        quantity,
                        _NAME,
                        count=cycles,
                        minimum=least,
                        maximum=most,
                        mean=mean,
                        item=number,
                        variant=variant,
                    )
                )
                continue
            counts = thread.counts("histogram")
            beyond = cycles - sum(counts.values())
            if beyond < 0:
                raise Disagreement(
                    f"the histogram holds {form.counted(sum(counts.values()), 'sample')}, the tool counts {form.count(cycles)}"
                )
            results.append(
                distribution(
                    quantity,
                    _NAME,
                    counts,
                    item=number,
                    beyond=beyond,
                    limit=limit,
                    count=cycles,
                    minimum=least,
                    maximum=most,
                    mean=mean,
                    variant=variant,
                    cpu=thread.whole("cpu") if "cpu" in thread.values else -1,
                    priority=priority,
                )
            )
        except Disagreement as error:
            raise source.wrong(line, f"thread {name}: {error}") from error
    if not results:
        raise source.wrong(line_of(source, "thread"), "there is no thread in it")
    return Reading(
        version=version,
        sessions=(tuple(results),),
        clock=NANOSECONDS if nanoseconds else MICROSECONDS,
        losses=_LOSSES if bins else (*_LOSSES, _BINS),
        env=env,
        facts=facts,
        started=started,
        ended=ended,
    )


def _text(source: SourceFile) -> Reading:
    start = source.lines.index("# Histogram") + 1
    rows: list[list[int]] = []
    end = start
    for end in range(start, len(source.lines)):
        line = source.lines[end]
        if line.startswith("#"):
            break
        if not line or line.startswith(("T:", "policy:", "/dev/", "\x1b")):
            continue
        if not _ROW.fullmatch(line):
            raise source.wrong(end + 1, f"this is no row of cyclictest's histogram: '{line[:40]}'")
        rows.append([int(word) for word in line.split()])
        if len(rows[-1]) != len(rows[0]):
            raise source.wrong(end + 1, f"a row of {len(rows[-1])} columns among rows of {len(rows[0])}")
        if rows[-1][0] != len(rows) - 1:
            raise source.wrong(end + 1, f"row {rows[-1][0]} stands where {len(rows) - 1} belongs")
    if not rows:
        raise source.ended("the first row of the histogram")
    totals, least, mean, most, overflows = (
        _figures(source, end, name)
        for name in ("Total", "Min Latencies", "Avg Latencies", "Max Latencies", "Histogram Overflows")
    )
    threads = len(least[1])
    if not threads <= len(rows[0]) - 1 <= threads + 1 or not all(
        threads <= len(cells[1]) <= threads + 1 for cells in (totals, mean, most, overflows)
    ):
        raise source.wrong(
            least[0],
            f"{form.counted(threads, 'thread')} here, {form.counted(len(rows[0]) - 1, 'column')} in the histogram",
        )
    results = []
    for thread in range(threads):
        beyond = overflows[1][thread]
        try:
            results.append(
                distribution(
                    _quantity(thread, threads),
                    _NAME,
                    {row[0]: row[thread + 1] for row in rows},
                    item=thread,
                    beyond=beyond,
                    limit=len(rows),
                    count=totals[1][thread] + beyond,
                    minimum=least[1][thread],
                    maximum=most[1][thread],
                    mean=mean[1][thread] + 0.5,  # cyclictest prints the mean without its fraction
                )
            )
        except Disagreement as error:
            raise source.wrong(totals[0], f"thread {thread}: {error}") from error
    unit = Degraded(
        "import-unit",
        "the text does not tell whether -N was given: its figures are taken for whole µs",
        "cyclictest --json",
    )
    return Reading(version="", sessions=(tuple(results),), clock=MICROSECONDS, losses=(*_LOSSES, unit))


def _figures(source: SourceFile, after: int, name: str) -> tuple[int, list[int]]:
    """The number of a summary line, and the numbers in it."""
    for number in range(after, len(source.lines)):
        line = source.lines[number]
        if line.startswith(f"# {name}:"):
            words = line.partition(":")[2].split()
            if not words or not all(re.fullmatch(r"-?\d{1,18}", word) for word in words):
                raise source.wrong(number + 1, f"these are no numbers: '{line[:60]}'")
            return number + 1, [int(word) for word in words]
    raise source.ended(f"the line '# {name}:'")


def _lines(source: SourceFile) -> Reading:
    last: dict[int, tuple[int, re.Match[str]]] = {}
    for number, line in enumerate(source.lines, 1):
        if line.startswith("T:"):
            found = _THREAD.match(line)
            if found is None:
                raise source.wrong(number, f"this is no line of cyclictest: '{line[:60]}'")
            last[int(found[1])] = (number, found)
    results: list[Result] = []
    for thread, (number, found) in sorted(last.items()):
        _, priority, interval, count, least, mean, most = (int(found[n]) for n in range(1, 8))
        if not count:
            raise source.wrong(number, f"thread {thread} took no sample")
        try:
            results.append(
                summary(
                    _quantity(len(results), len(last)),
                    _NAME,
                    count=count,
                    minimum=least,
                    maximum=most,
                    mean=mean + 0.5,
                    item=len(results),
                    variant=Variant(period_ns=interval * 1000),
                    priority=priority,
                )
            )
        except Disagreement as error:
            raise source.wrong(number, f"thread {thread}: {error}") from error
    return Reading(version="", sessions=(tuple(results),), clock=MICROSECONDS, losses=(*_LOSSES, _BINS))


def _quantity(thread: int, threads: int) -> str:
    return "wakeup-latency" if threads == 1 else f"wakeup-latency-thread-{thread}"


IMPORTER = Importer(_NAME, "timer to thread: text with -h or -H, summary lines, --json", _recognises, _read)
