# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads stress-ng --cyclic: the latency of a sleeping real-time process, from stress-ng's log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import NANOSECONDS, NO_ORDER, Disagreement, distribution, summary
from rtstone.model import Degraded, Note, Result, Variant
from rtstone.model import units as form

_NAME = "stress-ng"
_LINE = re.compile(r"stress-ng: \w+:\s+\[(\d+)\] (?:stress-ng-)?cyclic: ?(.*)", re.ASCII)
_SCHED = re.compile(r"sched (\w+): (\d+) ns delay, (\d+) samples", re.ASCII)
_MEAN = re.compile(r"mean: ([\d.]+) ns, mode: (\d+) ns", re.ASCII)
_RANGE = re.compile(r"min: (-?\d+) ns, max: (-?\d+) ns, std\.dev\. ([\d.]+)", re.ASCII)
_WIDTH = re.compile(r"latency distribution \((\d+) ns intervals\)", re.ASCII)
_ROW = re.compile(r"(\d+)\s+(\d+)", re.ASCII)
_PERCENT = re.compile(r"([\d.]+)%:\s+(\d+) ns", re.ASCII)
_BINS = Degraded(
    "import-no-histogram", "only count, extremes, mean and deviation are told", "stress-ng --cyclic-dist 1000"
)


def _recognises(source: SourceFile) -> bool:
    return any(_LINE.match(line) for line in source.lines)


def _read(source: SourceFile, _: Options) -> Reading:
    said: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(source.lines, 1):
        found = _LINE.match(line)
        if found:
            said.setdefault(found[1], []).append((number, found[2].strip()))
    results: list[Result] = []
    losses = [NO_ORDER]
    for lines in said.values():
        result, lacks = _result(source, lines, len(results), len(said))
        results.append(result)
        losses += lacks
    if not any("run completed in" in line for line in source.lines):
        raise source.ended("the line 'run completed'")
    version = next(
        (m[1] for line in source.lines if (m := re.search(r"stress-ng[ ,]+(?:version )?(\d+\.\d+\.\d+)", line))), ""
    )
    return Reading(version, (tuple(results),), NANOSECONDS, tuple(dict.fromkeys(losses)))


def _result(
    source: SourceFile, lines: Sequence[tuple[int, str]], item: int, several: int
) -> tuple[Result, list[Degraded]]:
    start, schedule = _find(source, lines, _SCHED, "the line that says 'sched'")
    count = int(schedule[3])
    _, mean = _find(source, lines, _MEAN, "the line that says 'mean'")
    where, match = _find(source, lines, _RANGE, "the line that says 'std.dev.'")
    least, most = int(match[1]), int(match[2])
    if not any(_PERCENT.match(text) and text.startswith("99.99%") for _, text in lines):
        raise source.ended("the percentile of 99.99 %")
    quantity = "cyclic-latency" if several == 1 else f"cyclic-latency-{item}"
    variant = Variant(
        sched="rt" if schedule[1] in {"SCHED_FIFO", "SCHED_RR", "SCHED_DEADLINE"} else "ts", period_ns=int(schedule[2])
    )
    lacks = []
    notes = tuple(Note("approximated", "samples", text) for _, text in lines if "--cyclic-samples needed" in text)
    if notes:
        lacks.append(
            Degraded(
                "import-first-samples",
                "only the first samples are told, the later ones are left out",
                "stress-ng --cyclic-samples",
            )
        )
    width = next(((n, int(m[1])) for n, text in lines if (m := _WIDTH.search(text))), None)
    try:
        if width is None:
            figures = summary(
                *(quantity, _NAME),
                count=count,
                minimum=least,
                maximum=most,
                mean=float(mean[1]),
                item=item,
                variant=variant,
                notes=notes,
            )
            return figures, [*lacks, _BINS]
        rows = {int(m[1]): int(m[2]) for n, text in lines if n > width[0] and (m := _ROW.fullmatch(text))}
        if not rows:
            raise source.ended("the first row of the distribution")
        if any(low % width[1] for low in rows):
            raise source.wrong(width[0], f"rows that are no multiples of {width[1]} ns")
        limit = max(rows) + width[1]
        lacks.append(
            Degraded("import-bins", f"samples are told by bins of {width[1]} ns; each is taken to be at its bin's end")
        )
        held = sum(rows.values())
        if held > count or (held < count and most < limit):
            raise Disagreement(
                f"the distribution holds {form.counted(held, 'sample')}, the tool counts {form.count(count)}"
            )
        return distribution(
            *(quantity, _NAME),
            {low + width[1] - 1: n for low, n in rows.items()},
            item=item,
            beyond=count - held,
            limit=limit,
            count=count,
            minimum=least,
            maximum=most,
            mean=float(mean[1]),
            sd=float(match[3]),
            step=width[1],
            variant=variant,
            notes=notes,
        ), lacks
    except Disagreement as error:
        raise source.wrong(where or start, str(error)) from error


def _find(
    source: SourceFile, lines: Sequence[tuple[int, str]], pattern: re.Pattern[str], missing: str
) -> tuple[int, re.Match[str]]:
    for number, text in lines:
        found = pattern.search(text)
        if found:
            return number, found
    raise source.ended(missing)


IMPORTER = Importer(_NAME, "--cyclic, from the log; with --cyclic-dist its histogram", _recognises, _read)
