# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads jitterdebugger: the results.json that it saves with --output."""

from __future__ import annotations

import re

from rtstone.archive.importers._json import Members, decode, line_of, looks_like, sysinfo
from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile
from rtstone.archive.importers._series import MICROSECONDS, NANOSECONDS, NO_ORDER, Disagreement, distribution
from rtstone.model import Degraded, Result
from rtstone.model import units as form

_NAME = "jitterdebugger"
_VERSION = 3
_ENTRIES = 1000
"""Number of bins of its histogram, each one unit wide."""
_LOSSES = (
    Degraded("import-skipped-periods", "a period that has passed when the thread wakes is in no figure"),
    NO_ORDER,
)
_UNTOLD = Degraded(
    "import-overflow-untold", "samples beyond the histogram are counted, the tool does not tell how late they were"
)


def _recognises(source: SourceFile) -> bool:
    head = source.text[:4096]
    return looks_like(source) and '"sysinfo"' in head and re.search(r'"cpu"\s*:\s*\{', head) is not None


def _read(source: SourceFile, _: Options) -> Reading:
    document = Members(source, decode(source), "document")
    version = document.whole("version")
    if version != _VERSION:
        raise source.wrong(
            line_of(source, "version"), f"version {version} of the file is unknown; this reads {_VERSION}"
        )
    info = document.child("sysinfo")
    nanoseconds = info.whole("resolution_in_ns") == 1
    cpus = document.child("cpu")
    results: list[Result] = []
    for name in cpus.values:
        cpu = cpus.child(name)
        counts = cpu.counts("histogram")
        beyond = cpu.whole("count") - sum(counts.values())
        try:
            if beyond < 0:
                raise Disagreement(
                    f"the histogram holds {form.counted(sum(counts.values()), 'sample')}, the tool counts {form.count(cpu.whole('count'))}"
                )
            results.append(
                distribution(
                    "wakeup-latency" if len(cpus.values) == 1 else f"wakeup-latency-cpu-{name}",
                    _NAME,
                    counts,
                    item=len(results),
                    beyond=beyond,
                    limit=max(_ENTRIES, max(counts, default=0) + 1),
                    count=cpu.whole("count"),
                    minimum=cpu.whole("min"),
                    maximum=cpu.whole("max"),
                    mean=cpu.number("avg"),
                    cpu=int(name) if name.isdecimal() else -1,
                )
            )
        except Disagreement as error:
            raise source.wrong(line_of(source, name), f"CPU {name}: {error}") from error
    if not results:
        raise source.wrong(line_of(source, "cpu"), "there is no CPU in it")
    overflow = any(result.overflow for result in results)
    return Reading(
        version="",
        sessions=(tuple(results),),
        clock=NANOSECONDS if nanoseconds else MICROSECONDS,
        losses=(*_LOSSES, _UNTOLD) if overflow else _LOSSES,
        env=sysinfo(info),
    )


IMPORTER = Importer(_NAME, "timer to thread: results.json", _recognises, _read)
