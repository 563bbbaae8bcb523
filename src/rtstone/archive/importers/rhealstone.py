# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""RTEMS' rhealstone programs: the average that each prints on the console."""

from __future__ import annotations

import re

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import Disagreement, average
from rtstone.errors import UsageError
from rtstone.model import Clock, Degraded, Result

_NAME = "rtems-rhealstone"
_ROW = re.compile(r"Rhealstone: ([A-Za-z][A-Za-z ]*?)\s*(?:-|:|\s)\s*(-?\d{1,15})\s*$", re.ASCII)
_BEGUN = re.compile(r"\*\*\* BEGIN OF TEST (.+?) \*\*\*")
_END = re.compile(r"\*\*\* END OF TEST (.+?) \*\*\*")
_VERSION = re.compile(r"\*\*\* TEST VERSION: (\S+)")
_LOSSES = (
    Degraded("import-averages", "each program prints an average alone: no minimum, no maximum, no distribution"),
    Degraded("import-iterations", "over how many iterations the average was taken is not printed"),
    Degraded("import-overhead", "the overhead of loop and directives was subtracted before it was printed"),
)


def _recognises(source: SourceFile) -> bool:
    return any("Rhealstone: " in line for line in source.lines[:2048])


def _read(source: SourceFile, options: Options) -> Reading:
    results: dict[str, Result] = {}
    open_test: tuple[int, str] | None = None
    for number, line in enumerate(source.lines, 1):
        begun, ended = _BEGUN.search(line), _END.search(line)
        if not begun and "*** BEGIN OF TEST" in line:
            raise source.wrong(number, f"this line is not whole: '{line.strip()[:60]}'")
        if begun:
            if open_test:
                raise source.wrong(number, f"{open_test[1]}, begun on line {open_test[0]}, has no end")
            open_test = number, begun[1]
        elif ended:
            open_test = None
        elif "Rhealstone: " in line:
            found = _ROW.search(line)
            if found is None:
                raise source.wrong(number, f"there is no whole figure in '{line.strip()[:60]}'")
            quantity = re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-")
            if quantity in results:
                raise source.wrong(
                    number, f"'{found[1]}' stands in the file twice: one file is one run of each program"
                )
            try:
                results[quantity] = average(quantity, _NAME, int(found[2]), 1, item=len(results))
            except Disagreement as error:
                raise source.wrong(number, str(error)) from error
    if open_test:
        raise source.ended(f"the end of {open_test[1]}, begun on line {open_test[0]}")
    if not results:
        raise source.ended("the first figure")
    if options.tick_ns is None:
        raise UsageError(
            f"{source.name}: the console does not tell the unit of its figures: add --tick 1ns, or what one is on that board"
        )
    hz = round(1e9 / options.tick_ns)
    if hz < 1:
        raise UsageError(f"--tick: {options.tick_ns:g} ns are longer than a second")
    version = next((m[1] for line in source.lines if (m := _VERSION.search(line))), "")
    env = {"kernel.name": "RTEMS"} | ({"kernel.release": version} if version else {})
    clock = Clock(id=0, name="benchmark timer", hz=hz, source="--tick", resolution_ticks=1)
    return Reading(version, (tuple(results.values()),), clock, _LOSSES, env)


IMPORTER = Importer(_NAME, "RTEMS' rhealstone programs, from the console; needs --tick", _recognises, _read)
