# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Zephyr's benchmark latency_measure: the averages that it prints on the console."""

from __future__ import annotations

import re

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import NANOSECONDS, average
from rtstone.model import Clock, Degraded, Note, Result

_NAME = "latency-measure"
_ROW = re.compile(r"\s*([A-Za-z0-9_.]+)\s+- (.+?)\s*:\s*(\d{1,15}) cycles ,\s*(\d{1,15}) ns :(.*)", re.ASCII)
_BEGUN = re.compile(r"\s*[a-z][\w]*(?:\.[\w]+){2,}\s+- \S", re.ASCII)
_BOOT = re.compile(r"\*\*\* Booting Zephyr OS (?:build|version) (\S+)")
_END = "PROJECT EXECUTION "
_LOSSES = (
    Degraded("import-averages", "the benchmark prints averages alone: no minimum, no maximum, no distribution"),
    Degraded("import-iterations", "over how many iterations each average was taken is not printed"),
)


def _recognises(source: SourceFile) -> bool:
    return any(_ROW.match(line) for line in source.lines[:512])


def _read(source: SourceFile, _: Options) -> Reading:
    rows: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate(source.lines, 1):
        found = _ROW.match(line)
        if found:
            rows.append((number, found))
        elif _BEGUN.match(line):
            raise source.wrong(number, f"this line of the benchmark is not whole: '{line.strip()[:60]}'")
    ends = [line for line in source.lines if _END in line]
    if not ends:
        raise source.ended(f"the line '{_END}SUCCESSFUL'")
    hz = _hz(source)
    results: list[Result] = []
    for number, found in rows:
        cycles, ns = int(found[3]), int(found[4])
        if found[5].strip():
            raise source.wrong(number, f"the benchmark found fault with this figure: '{found[5].strip()[:60]}'")
        total = cycles if hz else ns
        quantity = re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-")
        notes = (Note("environment", found[1], found[2]),)
        results.append(average(quantity, _NAME, total, 1, item=len(results), notes=notes))
    if "SUCCESSFUL" not in ends[-1]:
        raise source.wrong(source.lines.index(ends[-1]) + 1, "the benchmark failed: its figures are doubtful")
    version = next((m[1] for line in source.lines if (m := _BOOT.search(line))), "")
    clock = Clock(id=0, name="cycles", hz=hz, source="the console", resolution_ticks=1) if hz else NANOSECONDS
    env = {"kernel.name": "Zephyr"} | ({"kernel.release": version} if version else {})
    return Reading(version, (tuple(results),), clock, _LOSSES, env)


def _hz(source: SourceFile) -> int:
    """The rate (Hz) of the cycles, if the console prints it in whole MHz; 0: use the printed nanoseconds."""
    for line in source.lines:
        found = re.search(r"Clock frequency: (\d{1,6}) MHz", line)
        if found:
            return int(found[1]) * 1_000_000
    return 0


IMPORTER = Importer(_NAME, "Zephyr's benchmark, from its console", _recognises, _read)
