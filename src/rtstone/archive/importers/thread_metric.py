# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Thread-Metric: how often a service was used in each period, as its programs print it on the console."""

from __future__ import annotations

import re

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import NANOSECONDS, average
from rtstone.model import Degraded, Result

_NAME = "thread-metric"
_HEAD = re.compile(r"\*\*\*\* Thread-Metric (.+?) \*\*\*\* Relative Time:\s*(\d{1,9})")
_TOTAL = re.compile(r"Time Period Total:\s*(\d{1,15})$")
_LOSSES = (
    Degraded("import-averages", "Thread-Metric counts operations in a period: no single time, no distribution"),
    Degraded("import-whole-seconds", "the length of a period is told in whole seconds of the kernel's own tick"),
)


def _recognises(source: SourceFile) -> bool:
    return any(_HEAD.search(line) for line in source.lines[:512])


def _read(source: SourceFile, _: Options) -> Reading:
    periods: dict[str, list[Result]] = {}
    last: dict[str, int] = {}
    head: tuple[int, str, int] | None = None
    for number, line in enumerate(source.lines, 1):
        begun, total = _HEAD.search(line), _TOTAL.search(line)
        if begun:
            if head:
                raise source.wrong(number, f"the period of line {head[0]} has no total")
            head = number, begun[1], int(begun[2])
        elif "ERROR:" in line:
            raise source.wrong(number, f"the program found fault with itself: '{line.strip()[:80]}'")
        elif total:
            if head is None:
                raise source.wrong(number, "a total without its period")
            name, at = head[1:]
            seconds = at - last.get(name, 0)
            if seconds <= 0:
                raise source.wrong(head[0], f"a period ends at {at} s, the one before at {last[name]} s")
            if not int(total[1]):
                raise source.wrong(number, "nothing was counted in this period")
            found = periods.setdefault(name, [])
            found.append(
                average(_quantity(name), _NAME, seconds * 1_000_000_000, int(total[1]), item=list(periods).index(name))
            )
            last[name], head = at, None
    if head:
        raise source.ended(f"the total of the period of line {head[0]}")
    if not periods:
        raise source.ended("the first total")
    longest = max(len(found) for found in periods.values())
    sessions = tuple(tuple(found[at] for found in periods.values() if at < len(found)) for at in range(longest))
    return Reading("", sessions, NANOSECONDS, _LOSSES)


def _quantity(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower().removesuffix(" test")).strip("-")


IMPORTER = Importer(_NAME, "operations in a period, from the console; each period is a repetition", _recognises, _read)
