# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""rtla osnoise hist: how long a busy thread was kept from running, a sample for each interruption."""

from __future__ import annotations

from rtstone.importers import _rtla
from rtstone.importers._model import Importer, Options, Reading, Source
from rtstone.importers._rtla_result import result
from rtstone.importers._series import MICROSECONDS, NANOSECONDS, NO_ORDER
from rtstone.model import Degraded

_NAME = "osnoise"
_KINDS = {"CPU": "noise"}
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


IMPORTER = Importer(_NAME, "noise of a CPU: rtla osnoise hist", _recognises, _read)
