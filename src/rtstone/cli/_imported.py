# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lets a check file name measurements of another tool, or of a watched thread: the names in such runs are known too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rtstone.errors import RtstoneError, UsageError

if TYPE_CHECKING:
    from rtstone.judge.check import Checks
    from rtstone.judge.check._load import Known
    from rtstone.model import Run

_KINDS = ("imported:", "attached:")


def read_checks(file: Path, known: Known, runs: Callable[[], Sequence[Run]]) -> Checks:
    """The check file. If it names measurements that are unknown here,
    the runs are searched for them before it is refused."""
    from rtstone.judge.check import read

    try:
        return read(file, known)
    except UsageError:
        try:
            imported = [run for run in runs() if run.target.startswith(_KINDS)]
        except RtstoneError:
            imported = []
        if not imported:
            raise
    return read(file, _with(known, imported))


def _with(known: Known, runs: Sequence[Run]) -> Known:
    quantities = {name: dict.fromkeys(made) for name, made in known.quantities.items()}
    passes = {name: dict.fromkeys(made) for name, made in known.passes.items()}
    for result in (result for run in runs for result in run.results()):
        quantities.setdefault(result.measurement, {})[result.quantity] = None
        passes.setdefault(result.measurement, {})[result.variant.pass_] = None
    return msgspec.structs.replace(
        known,
        quantities={name: tuple(made) for name, made in quantities.items()},
        passes={name: tuple(made) for name, made in passes.items()},
    )
