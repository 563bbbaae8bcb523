# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a check file, before anything is measured. Refuses, with file and line, rows that could never be judged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from rtstone.errors import UsageError, nearest, this_program, unknown, unknown_key
from rtstone.judge.check._model import ATTACHED, BaselineEntry, BoundEntry, CheckFile, MeasureEntry, Selection
from rtstone.judge.check._requirement import Requirement, contradiction, percent, requirement
from rtstone.model.likeness import NAMES
from rtstone.model.loads import load_kind
from rtstone.stats import Statistic, statistic

_HEADER = re.compile(r"^\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?$")
_PATH = re.compile(r"\$\.([A-Za-z_-]+)(?:\[([0-9]+)\])?(?:\.([A-Za-z_-]+))?")


def line_of(text: str, table: str = "", number: int = 0, key: str = "", value: str = "") -> int:
    """The line (from 1) of a key, or of a value within it, in the `number`th table of that name.

    If the table has no such key: the line of the table. An empty table name means the lines before the first table.
    Line 1 if nothing is found.
    """
    lines = text.splitlines()
    seen, current, start = -1, "", 0
    block: list[int] = []
    for position, line in enumerate(lines):
        header = _HEADER.match(line)
        if header is not None:
            current = header[1]
            if current == table:
                seen += 1
                if seen == number:
                    start = position
                    continue
        if (current == table and seen == number) or (not table and not current):
            block.append(position)
    if value:
        for position in block:
            if value in lines[position] and not lines[position].lstrip().startswith("#"):
                return position + 1
    for position in block:
        if key and re.match(rf'\s*"?{re.escape(key)}"?\s*=', lines[position]):
            return position + 1
    return start + 1


def line_of_path(text: str, message: str) -> int:
    """The line that an error message refers to by a path such as `$.bound[2].quantity`; 1 if it has no path."""
    match = _PATH.search(message)
    if match is None:
        wrong = unknown_key(message)
        return line_of(text, key=wrong) if wrong else 1
    table, number, key = match[1], int(match[2] or 0), match[3] or ""
    if line_of(text, table, number) == 1 and not key:
        return line_of(text, key=table)
    return line_of(text, table, number, key or unknown_key(message))


def _keys(message: str) -> str:
    """The keys that an error's table knows, as a sentence with a full stop before it; empty for any other error."""
    wrong, table = unknown_key(message), _PATH.search(message)
    if not wrong:
        return ""
    kinds: dict[str, type[msgspec.Struct]] = {"measure": MeasureEntry, "bound": BoundEntry, "baseline": BaselineEntry}
    kind = kinds[table[1]] if table is not None and table[1] in kinds else CheckFile
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    return f".{nearest(wrong, known)} There are: {', '.join(known)}"


MAJOR = 1
_TARGET = "target"
"""A difference that files of version 1.0 could allow. It has no effect any more."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements, passes, studies and loads that a check file may name."""

    quantities: Mapping[str, tuple[str, ...]]
    """By measurement."""
    passes: Mapping[str, tuple[str, ...]]
    """By measurement; a measurement that is missing here has only the single pass."""
    studies: Mapping[str, frozenset[str]]
    """Measurements by study."""
    loads: tuple[str, ...]


class ResolvedBound(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement on one quantity under one load, resolved."""

    line: int
    selection: Selection
    load: str
    requirement: Requirement
    unlike: tuple[str, ...] = ()
    """Short names of the differences that runs judged together may have."""


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """One statistic of one quantity under one load that must not have become worse."""

    line: int
    selection: Selection
    load: str
    entry: BaselineEntry
    statistic: Statistic
    allow: float
    detect: float | None
    folder: Path
    """The folder that `files` are relative to."""
    source_line: int
    """The line that names the runs."""


class Checks(msgspec.Struct, frozen=True, kw_only=True):
    """A check file, read and resolved."""

    path: str
    file: CheckFile
    bounds: tuple[ResolvedBound, ...]
    baselines: tuple[Baseline, ...]
    measure_line: int = 1
    time_line: int = 1

    def selections(self) -> tuple[tuple[int, Selection, str], ...]:
        """Line, selection and load of every row."""
        bounds = [(bound.line, bound.selection, bound.load) for bound in self.bounds]
        return (*bounds, *((row.line, row.selection, row.load) for row in self.baselines))


def read(path: Path, known: Known) -> Checks:
    """The checks of a file. Raises UsageError, beginning with the file, if it cannot be read, and with file and line for
    any fault in it."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: no text in UTF-8: byte {error.start} is {error.object[error.start]:#04x}") from error
    return parse(text, str(path), path.parent, known)


def parse(text: str, name: str, folder: Path, known: Known) -> Checks:
    """As :func:`read`, but from a text."""
    return _Reader(text, name, folder, known).checks()


class _Reader:
    def __init__(self, text: str, name: str, folder: Path, known: Known) -> None:
        self._text, self._name, self._folder, self._known = text, name, folder, known

    def checks(self) -> Checks:
        file = self._decoded()
        if not 0 < file.false_alarms < 1:
            raise self._wrong("false-alarms lies between 0 and 1; 0.01 is one file in a hundred", key="false-alarms")
        if not 0.5 < file.confidence < 1:
            raise self._wrong("confidence lies between 0.5 and 1", key="confidence")
        if not file.bounds and not file.baselines:
            raise self._wrong("there is nothing to check: neither [[bound]] nor [[baseline]]")
        bounds = [bound for number, entry in enumerate(file.bounds) for bound in self._bounds(number, entry)]
        baselines = [row for number, entry in enumerate(file.baselines) for row in self._baselines(number, entry)]
        self._twice(bounds)
        if file.measure is not None:
            self._measure(file, file.measure)
        return Checks(
            path=self._name,
            file=file,
            bounds=tuple(bounds),
            baselines=tuple(baselines),
            measure_line=line_of(self._text, "measure"),
            time_line=line_of(self._text, key="time"),
        )

    def _decoded(self) -> CheckFile:
        try:
            document = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            place = re.search(r" \(at (?:line ([0-9]+), column [0-9]+|end of document)\)", str(error))
            line = int(place[1]) if place and place[1] else max(1, len(self._text.splitlines()))
            raise UsageError(f"{self._name}:{line}: {str(error).split(' (at ')[0]}") from error
        if document.get("schema") != "rtstone.check":
            raise self._wrong('no check file: it has no line schema = "rtstone.check"', key="schema")
        version = str(document.get("version", ""))
        if not re.fullmatch(r"[0-9]+\.[0-9]+", version):
            raise self._wrong('it has no version = "1.0"', key="version")
        if version.partition(".")[0] != str(MAJOR):
            raise self._wrong(f"version {version} is not {MAJOR}.x, which this rtstone reads", key="version")
        try:
            return msgspec.convert(document, CheckFile)
        except msgspec.ValidationError as error:
            line = line_of_path(self._text, str(error))
            said = str(error).replace("`", "'").replace("Object contains unknown field", "unknown key")
            raise UsageError(f"{self._name}:{line}: {said.replace(' - at ', ', at ')}{_keys(str(error))}") from error

    def _wrong(self, text: str, table: str = "", number: int = 0, key: str = "", value: str = "") -> UsageError:
        return UsageError(f"{self._name}:{line_of(self._text, table, number, key, value)}: {text}")

    def _bounds(self, number: int, entry: BoundEntry) -> Iterable[ResolvedBound]:
        selection = self._resolved("bound", number, entry)
        self._unlike("bound", number, entry.unlike)
        if not entry.require:
            raise self._wrong("require is empty", "bound", number, "require")
        found = []
        for text in entry.require:
            line = line_of(self._text, "bound", number, "require", text)
            try:
                found.append((line, requirement(text)))
            except UsageError as error:
                raise UsageError(f"{self._name}:{line}: {error}") from error
        clash = contradiction(tuple(one for _, one in found))
        if clash is not None:
            raise self._wrong(
                f"'{clash[0].text}' and '{clash[1].text}' cannot both hold", "bound", number, "require", clash[1].text
            )
        for line, one in found:
            if one.subject == "exceedance" and entry.pass_ == "batch":
                raise UsageError(
                    f"{self._name}:{line}: '{one.text}': in the batch pass there are sets, no single samples"
                )
            for load in selection.loads:
                yield ResolvedBound(line=line, selection=selection, load=load, requirement=one, unlike=entry.unlike)

    def _baselines(self, number: int, entry: BaselineEntry) -> Iterable[Baseline]:
        selection = self._resolved("baseline", number, entry)
        self._unlike("baseline", number, entry.unlike)
        if not (entry.runs or entry.labels or entry.files):
            raise self._wrong("a baseline names runs, labels or files", "baseline", number)
        source = next(key for key in ("runs", "labels", "files") if getattr(entry, key))
        changes: dict[str, float] = {}
        for key, value in (("allow", entry.allow), ("detect", entry.detect)):
            try:
                changes[key] = percent(value, key) if value else 0.0
            except UsageError as error:
                raise self._wrong(str(error), "baseline", number, key) from error
        for name in entry.statistics:
            line = line_of(self._text, "baseline", number, "statistics", f'"{name}"')
            try:
                wanted = statistic(name)
            except ValueError as error:
                raise UsageError(f"{self._name}:{line}: {error}") from error
            for load in selection.loads:
                yield Baseline(
                    line=line,
                    selection=selection,
                    load=load,
                    entry=entry,
                    statistic=wanted,
                    allow=changes["allow"],
                    detect=changes["detect"] if entry.detect else None,
                    folder=self._folder,
                    source_line=line_of(self._text, "baseline", number, source),
                )

    def _resolved(self, table: Literal["bound", "baseline"], number: int, entry: Selection) -> Selection:
        """The selection with both measurement and quantity named."""
        known = self._known
        if entry.study and entry.study not in known.studies:
            raise self._unknown("study", entry.study, known.studies, table, number)
        measurement, quantity = entry.measurement, entry.quantity
        if not measurement and not quantity:
            raise self._wrong("it names neither a measurement nor a quantity", table, number)
        if measurement == ATTACHED and measurement not in known.quantities:
            raise self._wrong(
                f"{ATTACHED} is not measured by check: run `{this_program()} attach …` first, then check its run without --measure",
                table,
                number,
                "measurement",
            )
        if measurement and measurement not in known.quantities:
            raise self._unknown("measurement", measurement, known.quantities, table, number)
        if not measurement:
            makers = [name for name, made in known.quantities.items() if quantity in made]
            of_study = known.studies.get(entry.study, frozenset())
            makers = [name for name in makers if name in of_study] or makers
            if not makers:
                every = {q for made in known.quantities.values() for q in made}
                raise self._unknown("quantity", quantity, sorted(every), table, number)
            if len(makers) > 1:
                raise self._wrong(
                    f"'{quantity}' comes from {', '.join(makers)}: say which measurement", table, number, "quantity"
                )
            measurement = makers[0]
        made = known.quantities[measurement]
        if quantity and quantity not in made:
            raise self._unknown(f"quantity of {measurement}", quantity, made, table, number, key="quantity")
        if not quantity and len(made) > 1:
            raise self._wrong(
                f"{measurement} yields {', '.join(made)}: say which quantity", table, number, "measurement"
            )
        if entry.study and measurement not in known.studies[entry.study]:
            raise self._wrong(f"{measurement} is no part of study {entry.study}", table, number, "study")
        passes = known.passes.get(measurement, ("single",))
        if entry.pass_ not in passes:
            raise self._wrong(
                f"{measurement} has no {entry.pass_} pass, only {', '.join(passes)}", table, number, "pass"
            )
        for load in entry.loads:
            if not set(load_kind(load).split("+")) <= set(known.loads):
                raise self._unknown("load", load, known.loads, table, number)
        if not entry.loads:
            raise self._wrong("load is empty: write none for an idle machine", table, number, "load")
        return msgspec.convert(
            {
                **{f.encode_name: getattr(entry, f.name) for f in msgspec.structs.fields(Selection)},
                "measurement": measurement,
                "quantity": quantity or made[0],
            },
            Selection,
        )

    def _unknown(
        self, what: str, name: str, known: Iterable[str], table: str, number: int, key: str = ""
    ) -> UsageError:
        return self._wrong(str(unknown(what, name, known)), table, number, key or what)

    def _unlike(self, table: str, number: int, names: Iterable[str]) -> None:
        for name in names:
            if name not in (*NAMES, _TARGET):
                raise self._unknown("difference", name, NAMES, table, number, key="unlike")

    def _twice(self, bounds: Iterable[ResolvedBound]) -> None:
        seen: dict[tuple[Selection, str, str], int] = {}
        for bound in bounds:
            key = (msgspec.structs.replace(bound.selection, study="", load=""), bound.load, bound.requirement.text)
            if key in seen:
                raise UsageError(
                    f"{self._name}:{bound.line}: '{bound.requirement.text}' stands in line {seen[key]} already"
                )
            seen[key] = bound.line

    def _measure(self, file: CheckFile, entry: MeasureEntry) -> None:
        if entry.repetitions < 1:
            raise self._wrong("repetitions is a whole number above 0", "measure", 0, "repetitions")
        if entry.target.startswith("board:") and file.time == "time":
            raise self._wrong(
                f'{entry.target} has no machine\'s time: if the bounds are intended for it, say time = "instruction-time" '
                f'or "emulated-time" ({this_program()} boards says which)',
                "measure",
                0,
                "target",
            )
        if file.time != "time" and entry.target.partition(":")[0] in {"local", "serial", "ssh"}:
            raise self._wrong(f"bounds of {file.time} are for virtual boards; {entry.target} has time", key="time")
