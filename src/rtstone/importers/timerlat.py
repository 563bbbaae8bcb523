# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""rtla timerlat hist: from a timer's expiry to its handler, to the thread, and back to user space."""

from __future__ import annotations

from rtstone.importers import _rtla
from rtstone.importers._model import Importer, Options, Reading, Source
from rtstone.importers._rtla_result import result
from rtstone.importers._series import MICROSECONDS, NANOSECONDS, NO_ORDER
from rtstone.model import Degraded

_NAME = "timerlat"
_KINDS = {"IRQ": "timer-interrupt", "Thr": "timer-thread", "Usr": "timer-user-return"}
_LOSSES = (
    Degraded("import-cut", "each sample is cut to the bin that it fell into, the mean to a whole unit"),
    NO_ORDER,
)


def _recognises(source: Source) -> bool:
    return _rtla.title(_NAME) in source.lines[:256]


def _read(source: Source, _: Options) -> Reading:
    table = _rtla.read(source, _NAME)
    results = tuple(result(source, column, n, _NAME, _KINDS) for n, column in enumerate(table.columns))
    return Reading(
        version="",
        sessions=(results,),
        clock=NANOSECONDS if table.unit_ns == 1 else MICROSECONDS,
        losses=_LOSSES,
        facts={"import.duration": table.duration},
    )


IMPORTER = Importer(_NAME, "expiry to handler, thread and return to user space: rtla timerlat hist", _recognises, _read)
