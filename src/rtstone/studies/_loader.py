# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the study files and the profiles, and checks what TOML cannot express."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from rtstone.errors import InfrastructureError, unknown
from rtstone.resources import data_dir
from rtstone.studies._formula import FormulaError, parsed
from rtstone.studies._model import Study, Table, TableRow
from rtstone.studies.conditions import CHECKS, TOGETHER

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MAJOR = 1
STATISTICS = frozenset(
    {
        "min",
        "max",
        "avg",
        "mean",
        "sd",
        "median",
        "value",
        ">100 µs",
        ">100 µs in bursts",
        ">100 µs between bursts",
        "specification",
    }
)
_PROFILES = "profiles.toml"


class BoardCounts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts of a profile for one repetition on a virtual board; `total_s` is in the board's own time,
    0: as the counts need."""

    repetitions: int
    total_s: int = 0
    sets: int = 0
    operations: int = 0
    samples: int = 0
    interrupts: int = 0
    intensity: dict[str, int] = {}
    """Intensity of loads, by name, where the command gives none; 1 where a name is missing."""


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long one command may take, and the counts of an item within that. `total_s` 0: as the counts need."""

    name: str
    summary: str
    total_s: int = 0
    reserve_s: int = 0
    repetitions: int = 1
    """Sessions of a live target, each with these counts, where the user gives no number of sessions."""
    parts: int = 1
    """Sessions into which a live target's counts are divided, where the user gives no number of sessions."""
    sets: int = 0
    operations: int = 0
    samples: int = 0
    interrupts: int = 0
    intensity: dict[str, int] = {}
    board: BoardCounts = BoardCounts(repetitions=1)

    def on_board(self) -> Profile:
        """The profile for one repetition on a virtual board."""
        counts = msgspec.structs.asdict(self.board)
        del counts["repetitions"]
        return msgspec.structs.replace(self, **counts, reserve_s=0)


class Cost(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cost of an item besides its budget (ms), and its share of the remaining time."""

    idle_ms: int
    loaded_ms: int
    idle_weight: float
    loaded_weight: float
    slow_weight: float
    paced_weight: float
    least_ms: int
    emulated_ms: int
    """Cost (ms) of an item on a CPU that is emulated in real time."""


class Profiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of profiles."""

    schema: Literal["rtstone.profiles"]
    version: str
    profiles: tuple[Profile, ...] = msgspec.field(name="profile")
    cost: Cost


@cache
def studies() -> tuple[Study, ...]:
    """All studies, oldest first. Raises InfrastructureError, naming the file, if one is damaged."""
    return tuple(sorted(map(study, _files()), key=lambda s: (s.year, s.id)))


@cache
def study(name: str) -> Study:
    """The study of that id; reads only its file. Raises UsageError naming the known ones, InfrastructureError if the file
    is damaged."""
    if name not in _files():
        raise unknown("study", name, (s.id for s in studies()))
    return load_file(_files()[name])


@cache
def _files() -> Mapping[str, Traversable]:
    """The file of each study, by its id."""
    files = (f for f in data_dir("studies").iterdir() if f.name.endswith(".toml") and f.name != _PROFILES)
    return {f.name.removesuffix(".toml"): f for f in files}


@cache
def profiles() -> Profiles:
    """The profiles, shortest first. Raises InfrastructureError if the file is damaged."""
    file = data_dir("studies") / _PROFILES
    try:
        return msgspec.toml.decode(file.read_bytes(), type=Profiles)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error


def profile(name: str) -> Profile:
    """The profile of that name. Raises UsageError naming the known ones."""
    for known in profiles().profiles:
        if known.name == name:
            return known
    raise unknown("profile", name, (p.name for p in profiles().profiles))


def load_file(file: Traversable) -> Study:
    """Read and check one study file. Raises InfrastructureError naming file and fault."""
    try:
        found = msgspec.toml.decode(file.read_bytes(), type=Study)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InfrastructureError(f"{file}: {error}") from error
    for fault in faults(found, file.name):
        raise InfrastructureError(f"{file}: {fault}")
    return found


def faults(found: Study, file_name: str) -> Sequence[str]:
    """Faults of a study that its types do not show, a sentence each."""
    known = {*CHECKS, *TOGETHER}
    wrong = []
    major = found.version.partition(".")[0]
    if major != str(MAJOR):
        wrong.append(f"version {found.version} is not {MAJOR}.x")
    if file_name != f"{found.id}.toml":
        wrong.append(f"id {found.id!r} is not the file's name")
    numbers = [t.number for t in found.tables]
    wrong += [f"table {n!r} is given twice" for n in {n for n in numbers if numbers.count(n) > 1}]
    for table in found.tables:
        where = f"table {table.number!r}"
        try:
            names = _named(table.cell)
        except ValueError as error:
            wrong.append(f"{where}: its cell is no layout: {error}")
            continue
        if not names:
            wrong.append(f"{where}: its cell names no statistic")
        wrong += [f"{where}: unknown statistic {n!r} in its cell" for n in names if n not in STATISTICS]
        labels = [row.label for row in table.rows]
        wrong += [f"{where}: row {n!r} is given twice" for n in {n for n in labels if labels.count(n) > 1}]
        wrong += [
            f"{where}: row {r.label!r} has no measurement" for r in table.rows if r.measured and not r.measurement
        ]
        wrong += [
            f"{where}: quantity of unknown row {n!r}"
            for v in table.variants
            for n in (*v.quantities, *v.measurements)
            if n not in labels and not (table.residual is not None and n == table.residual.title)
        ]
        if any(v.measurement and not v.quantities for v in table.variants) and not _one_measurement(table):
            wrong.append(
                f"{where}: a variant with a measurement of its own needs one row, or rows of one measurement's figures"
            )
        wrong += [f"{where}: row {row.label!r}: {fault}" for row in table.rows for fault in _formula_faults(table, row)]
        wrong += [f"{where}: {fault}" for fault in _column_faults(table, numbers)]
        if table.gain_over and table.gain_over not in labels:
            wrong.append(f"{where}: a gain over unknown row {table.gain_over!r}")
        for figure in table.figures:
            wrong += [f"{where}: weight of unknown row {n!r}" for n in figure.weights if n not in labels]
    for condition in found.conditions:
        if condition.check not in known:
            wrong.append(f"unknown check {condition.check!r}; there are: {', '.join(sorted(known))}")
        for number in (condition.table, *condition.tables):
            if number and number not in numbers:
                wrong.append(f"condition {condition.check!r} speaks of table {number!r}, which is not there")
    return wrong


def _named(layout: str) -> list[str]:
    """The statistics that a layout names. Raises ValueError where its braces do not match."""
    return [name for _, name, _, _ in string.Formatter().parse(layout) if name is not None]


def _column_faults(table: Table, numbers: Sequence[str]) -> list[str]:
    try:
        names = [name for column in table.columns for name in _named(column.cell)]
    except ValueError as error:
        return [f"a column's cell is no layout: {error}"]
    wrong = [f"unknown statistic {n!r} in a column" for n in names if n not in STATISTICS]
    if (table.columns or table.residual) and table.lines != "platforms":
        wrong.append("columns of its own need platforms as lines")
    if table.residual is not None:
        wrong += [
            f"its residual speaks of table {n!r}, which is not there" for n in table.residual.stages if n not in numbers
        ]
        if len(table.rows) != 1:
            wrong.append("a residual needs a table of one row")
    return wrong


def _one_measurement(table: Table) -> bool:
    """Whether another measurement can replace all rows' own:
    there is only one, or all rows derive from one measurement's figures."""
    measured = [row for row in table.rows if row.measured]
    return len(table.rows) == 1 or (
        all(row.formula for row in measured) and len({(row.measurement, row.quantity) for row in measured}) == 1
    )


def _formula_faults(table: Table, row: TableRow) -> list[str]:
    if not row.measured:
        return []
    if "{value}" in table.cell and not row.formula:
        return ["its cell asks for a value, so it needs a formula"]
    if row.formula and table.cell != "{value}":
        return ["it has a formula, so its table's cell must be {value}"]
    wrong = []
    for formula in (row.formula, row.agrees.formula if row.agrees else ""):
        try:
            if formula:
                parsed(formula)
        except FormulaError as error:
            wrong.append(str(error))
    if row.agrees and not row.formula:
        wrong.append("there is nothing that could agree without a formula")
    return wrong
