# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Input of `rtstone check`: the names of existing measurements, the named runs, and a new run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rtstone.errors import InfrastructureError, RtstoneError, UsageError, command, nearest
from rtstone.judge.check import Baseline, Checks, Known, MeasureEntry, read, refuse
from rtstone.model.units import counted

if TYPE_CHECKING:
    from rtstone.archive import RunStore
    from rtstone.model import Run
    from rtstone.studies import Pass, Request

USUAL_LOADS = (
    "cpu",
    "traffic",
    "network",
    "chargen",
    "network-above",
    "network-virtual",
    "network-peer",
    "fork",
    "files",
    "disk",
    "page-faults",
    "memory-bandwidth",
    "cache-thrash",
    "timer-storm",
    "busy",
    "ipi-storm",
    "command",
    "stress-ng",
    "ioc",
    "ioc-above",
)
"""Loads that a file may name where the engine does not answer."""

_KINDS = {
    "time": "has a machine's time",
    "instruction-time": "counts instructions",
    "emulated-time": "is emulated in real time",
}

_LABELS = 500
"""Runs whose labels an error may suggest."""
_LABELLED = 50
"""Most runs of one label that form a baseline, the last ones."""


def known() -> Known:
    """The names known to this machine's engine and the studies. Where the engine does not answer, the studies alone."""
    from rtstone.cli._engine_lists import engine_list
    from rtstone.studies import needs, studies

    quantities: dict[str, dict[str, None]] = {}
    passes: dict[str, dict[str, None]] = {}
    by_study: dict[str, frozenset[str]] = {}
    loads: dict[str, None] = {"none": None}
    for study in studies():
        wanted = needs(study)
        by_study[study.id] = frozenset(need.measurement for need in wanted)
        for need in wanted:
            quantities.setdefault(need.measurement, {})[need.quantity or need.measurement] = None
            passes.setdefault(need.measurement, {})[need.pass_] = None
        loads |= dict.fromkeys(study.loads)
    try:
        listed = engine_list()
    except InfrastructureError:
        loads |= dict.fromkeys(USUAL_LOADS)
        listed = None
    for measurement in listed.measurements if listed else ():
        made = quantities.setdefault(measurement.name, {})
        made |= dict.fromkeys(measurement.series or ((measurement.name,) if not made else ()))
        passes.setdefault(measurement.name, {}).update(dict.fromkeys(measurement.passes))
    loads |= dict.fromkeys(load.name for load in listed.loads) if listed else {}
    return Known(
        quantities={name: tuple(made) for name, made in quantities.items()},
        passes={name: tuple(made) for name, made in passes.items()},
        studies=by_study,
        loads=tuple(loads),
    )


def read_checks(file: Path, runs: Callable[[], Sequence[Run]]) -> Checks:
    """The check file. If it names measurements that are unknown here, as those of another tool or of a watched thread,
    the runs are searched for them before it is refused."""
    names = known()
    try:
        return read(file, names)
    except UsageError:
        try:
            imported = [run for run in runs() if run.target.startswith(("imported:", "attached:"))]
        except RtstoneError:
            imported = []
        if not imported:
            raise
    return read(file, _with(names, imported))


def _with(names: Known, runs: Sequence[Run]) -> Known:
    quantities = {name: dict.fromkeys(made) for name, made in names.quantities.items()}
    passes = {name: dict.fromkeys(made) for name, made in names.passes.items()}
    for result in (result for run in runs for result in run.results()):
        quantities.setdefault(result.measurement, {})[result.quantity] = None
        passes.setdefault(result.measurement, {})[result.variant.pass_] = None
    return msgspec.structs.replace(
        names,
        quantities={name: tuple(made) for name, made in quantities.items()},
        passes={name: tuple(made) for name, made in passes.items()},
    )


def given_runs(references: Sequence[str], archive: Callable[[], RunStore]) -> list[Run]:
    """The named runs, each once. A name is first a file, else a run of the archive."""
    from rtstone.archive import read_file
    from rtstone.cli._run_file import runs_of
    from rtstone.cli._select import runs as selected

    found: dict[str, Run] = {}
    for reference in references:
        path = Path(reference)
        if path.suffix != ".json" and path.is_file():
            named = [read_file(path)]
        else:
            named = list(runs_of(path)) if path.suffix == ".json" else selected([reference], archive())
        for run in named:
            found.setdefault(run.id, run)
    return list(found.values())


def baseline_runs(
    checks: Checks, archive: Callable[[], RunStore], judged: Sequence[Run] = ()
) -> tuple[dict[int, tuple[Run, ...]], dict[int, tuple[str, ...]]]:
    """The runs that each baseline row names, and which runs with its labels it leaves out, in sentences; both by the
    row's position. Raises UsageError with file and line.

    A label selects its last runs on the judged runs' machines, or on all machines if the row allows others.
    """
    cache: dict[str, Run] = {}
    machines = {run.machine for run in judged}
    found: dict[int, tuple[Run, ...]] = {}
    left_out: dict[int, tuple[str, ...]] = {}
    for position, row in enumerate(checks.baselines):
        try:
            labelled = _labelled(row, archive, machines)
            named = {run.id: run for run in _named(row, labelled.chosen, archive, cache)}
        except RtstoneError as error:
            raise type(error)(f"{checks.path}:{row.source_line}: {error}") from error
        found[position] = tuple(named.values())
        left_out[position] = tuple(
            f"the baseline leaves out {counted(len(ids), 'run')} {why}"
            for ids, why in (
                (labelled.elsewhere - named.keys(), "of other machines"),
                (labelled.older - named.keys(), f"older than the last {_LABELLED} of a label"),
            )
            if ids
        )
    return found, left_out


class _Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """The ids of the complete runs with a row's labels: those that are its baseline, and the others by the reason."""

    chosen: tuple[str, ...]
    elsewhere: frozenset[str]
    older: frozenset[str]


def _labelled(row: Baseline, archive: Callable[[], RunStore], machines: set[str]) -> _Labelled:
    chosen: list[str] = []
    elsewhere: set[str] = set()
    older: set[str] = set()
    for label in row.entry.labels:
        there = archive().list(label=label, status="complete")
        if not there:
            near = nearest(label, dict.fromkeys(filter(None, (one.label for one in archive().list(_LABELS)))))
            raise UsageError(f"the archive has no complete run labelled '{label}'.{near}")
        # If no run is of such a machine, all are used: the comparison then reports the difference.
        here = [s for s in there if s.machine in machines and "machine" not in row.entry.unlike] or there
        ids = [s.id for s in here]
        elsewhere |= {s.id for s in there} - set(ids)
        chosen += ids[:_LABELLED]
        older |= set(ids[_LABELLED:])
    return _Labelled(chosen=tuple(chosen), elsewhere=frozenset(elsewhere), older=frozenset(older))


def _named(row: Baseline, labelled: Sequence[str], archive: Callable[[], RunStore], cache: dict[str, Run]) -> list[Run]:
    """The runs of the row's files, of its references, and these ones of its labels."""
    from rtstone.archive import read_file

    runs = []
    for pattern in row.entry.files:
        # A pattern of files matches more runs as they are added to the folder.
        paths = sorted(row.folder.glob(pattern)) if not Path(pattern).is_absolute() else [Path(pattern)]
        if not paths:
            raise UsageError(f"no file is named {pattern}")
        for path in paths:
            if str(path) not in cache:
                cache[str(path)] = read_file(path)
            runs.append(cache[str(path)])
    for reference in (*row.entry.runs, *labelled):
        if reference not in cache:
            cache[reference] = archive().load(reference)
        runs.append(cache[reference])
    return runs


def measured_image(checks: Checks, target: str | None, firmware: Path | None, kernel: Path | None) -> str | None:
    """The target of a user's image, where one is named, on the board of `target`, or of the file. Raises UsageError."""
    from rtstone.cli import _own_kernel

    boards = (target or (checks.file.measure or MeasureEntry()).target,)
    if firmware is not None:
        return _own_kernel.firmware(firmware, boards)
    return target if kernel is None else _own_kernel.kernel(kernel, None, None, boards)


def measure_for(checks: Checks, target: str | None, where: str | None, *, loads_required: bool, quiet: bool) -> Run:
    """Measure the quantities of the rows, save the run, and return it. Raises the error that ended it early."""
    from rtstone.cli._keeping import measure_and_keep
    from rtstone.cli._output import say
    from rtstone.config import load
    from rtstone.measure import Job, ask, require_archive, time_of
    from rtstone.targets import open_target

    entry = checks.file.measure or MeasureEntry()
    if target is not None:
        entry = msgspec.structs.replace(entry, target=target)
    settings = load({"archive": where}).values
    made = _request(checks, entry, loads_required=loads_required)
    opened = open_target(entry.target)
    kind = time_of(opened)
    if kind != checks.file.time:
        raise UsageError(
            f'{checks.path}:{checks.time_line}: {entry.target} {_KINDS[kind]}, and the file has time = "{checks.file.time}"'
        )
    _refuse_by_earlier(checks, entry.target, settings.archive)
    job = Job(request=made, targets=(entry.target,), label=entry.label, archive=settings.archive)
    require_archive(job.archive)
    asked = ask(opened, made)
    if not quiet:
        say(f"measuring {counted(asked.items, 'item')} on {entry.target}, profile {made.profile}, for {checks.path}")
    return measure_and_keep(job, asked, quiet=quiet, next_=command(f"check {shlex.quote(checks.path)} last"))


def _refuse_by_earlier(checks: Checks, target: str, archive: str | None) -> None:
    """Refuses rows that the last run of this target shows to be impossible, without a new run."""
    from rtstone.archive import open_archive

    kept = open_archive(archive)
    for summary in kept.list(1, target=target):
        refuse(checks, [kept.load(summary.id)])


def _request(checks: Checks, entry: MeasureEntry, *, loads_required: bool) -> Request:
    """The request that `rtstone run` would make."""
    from rtstone.cli import _choices as choose
    from rtstone.cli import _values
    from rtstone.cli._request import request

    rows = checks.selections()
    same: dict[str, str] = {}
    for name in ("sched", "cache", "timer", "intensity"):
        values = {getattr(selection, name): line for line, selection, _ in rows}
        if len(values) > 1:
            first, second = list(values)[:2]
            raise UsageError(
                f"{checks.path}:{values[second]}: one command measures with one {name}, not {first} and {second}: make two files"
            )
        same[name] = str(next(iter(values)))
    if same["intensity"] != "1":
        raise UsageError(f"{checks.path}:{rows[0][0]}: --measure measures at intensity 1; check a saved run")
    passes: dict[str, dict[Pass, None]] = {}
    line_of: dict[str, int] = {}
    for line, selection, _ in rows:
        passes.setdefault(selection.measurement, {})[selection.pass_] = None
        line_of.setdefault(selection.measurement, line)
    targets = (entry.target,)
    try:
        chosen = choose.measurements(tuple(passes), targets)
        for one in chosen:
            if one.sched not in {None, same["sched"]}:
                raise UsageError(
                    f'{checks.path}:{line_of[one.name]}: {one.name} is measured in class {one.sched} only: add sched = "{one.sched}"'
                )
        return request(
            targets,
            measurements=tuple(msgspec.structs.replace(one, passes=tuple(passes[one.name])) for one in chosen),
            profile=entry.profile,
            loads=list(dict.fromkeys(load for _, _, load in rows)),
            loads_required=loads_required,
            repetitions=entry.repetitions,
            count=_values.positive("count", entry.count),
            sets=_values.positive("sets", entry.sets),
            period=entry.period,
            cpu=entry.cpu,
            timer=same["timer"],
            sched=same["sched"],
            cache=same["cache"],
        )
    except UsageError as error:
        if str(error).startswith(f"{checks.path}:"):
            raise
        raise UsageError(f"{checks.path}:{checks.measure_line}: {error}") from error
