# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds facts that differ between runs' environments, most important first, and reasons not to compare runs or rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rtstone.judge.compare._model import Difference, Importance
from rtstone.judge.compare._series import RowKey, SideSeries
from rtstone.model import Run
from rtstone.model.likeness import ConditionDifference, results_unlike, runs_unlike
from rtstone.model.variant import differences as variant_differences

ORDER: tuple[Importance, ...] = ("instrument", "machine", "kernel", "settings", "circumstances")

# The beginning of a fact's name -> the fact's importance. The longest beginning that fits counts. For a virtual board
# the facts host.* describe the machine that emulates it, on which instruction-time does not depend.
_GROUPS: dict[str, Importance] = {
    "tool": "instrument",
    "engine": "instrument",
    "port": "instrument",
    "compiler": "instrument",
    "libc": "instrument",
    "clock": "instrument",
    "timer": "instrument",
    "probe.source": "instrument",
    "unit": "instrument",
    "board.emulator": "instrument",
    "board.flags": "instrument",
    "board.platform": "instrument",
    "board.icount": "instrument",
    "board.instructions_per_second": "instrument",
    "board.ramdisk": "instrument",
    "probe": "instrument",
    "cpu": "machine",
    "board": "machine",
    "board.kernel": "kernel",
    "board.append": "kernel",
    "board.image": "kernel",
    "board.title": "kernel",
    "machine": "machine",
    "memory": "machine",
    "virtualisation": "machine",
    "kernel": "kernel",
    "mitigations": "kernel",
    "os": "kernel",
    "task": "kernel",
    "idle": "kernel",
    "sched": "settings",
    "tunable": "settings",
    "limit": "settings",
    "changed": "settings",
    "degraded": "settings",
    "memory.run_bytes": "instrument",
    "cpu.frequency": "settings",
    "cpu.chosen": "settings",
    "cpu.measured": "circumstances",
    "host": "circumstances",
    "before": "settings",
    "network": "settings",
}

# Beginnings of facts that always differ, or that follow from other listed facts.
_LEFT_OUT = (
    *(
        "board.first_record_ms",
        "board.started_from",
        "board.emulator.cpu_s",
        "board.emulator.said",
        "board.identity",
        "context_switches",
    ),
    *(
        "load.average",
        "interrupts_per_s",
        "engine.memory_bytes",
        "memory.run_bytes",
        "memory.total",
        "machine.memory",
        "python",
    ),
    *("attach.began-at", "attach.programs.", "cpu.frequency.khz", "host."),
)
_WORDS = frozenset({"kernel.cmdline", "board.append", "board.flags", "compiler.flags"})


def facts(runs: Sequence[Run]) -> dict[str, str]:
    """All recorded facts on where and how the runs of a side were made. A fact with several values lists them all."""
    values_of: dict[str, dict[str, None]] = {}
    for run in runs:
        for key, value in _facts(run).items():
            values_of.setdefault(key, {})[value] = None
    return {key: " / ".join(values) for key, values in values_of.items()}


def _facts(run: Run) -> dict[str, str]:
    said: dict[str, dict[str, None]] = {}
    for session in run.sessions:
        for key, value in session.env.items():
            said.setdefault(key, {})[value] = None
        said.setdefault("engine", {})[session.engine] = None
        said.setdefault("port", {})[session.port] = None
        for clock in session.clocks:
            said.setdefault(f"clock.{clock.name}", {})[f"{clock.hz:.4g} Hz"] = None  # each session calibrates it
    for lack in run.degraded:
        said.setdefault("degraded", {})[lack.reason] = None
    found = {key: " / ".join(values) for key, values in said.items()}
    found["tool"] = f"rtstone {run.tool}"
    for key, value in run.host.items():
        if key.startswith("target."):
            found[key.removeprefix("target.")] = value
        else:
            found[key if key.startswith("board.") or run.tells_host else f"host.{key}"] = value
    return found


def differences(sides: Sequence[Sequence[Run]]) -> tuple[Difference, ...]:
    """Facts that differ between the sides, by importance and name. Facts that always differ are left out."""
    return differences_of([facts(runs) for runs in sides])


def differences_of(facts_of: Sequence[dict[str, str]]) -> tuple[Difference, ...]:
    """As :func:`differences`, from facts that :func:`facts` has already collected."""
    found = []
    for key in sorted({key for one in facts_of for key in one}):
        values = tuple(one.get(key, "") for one in facts_of)
        if len(set(values)) > 1 and not key.startswith(_LEFT_OUT):
            words = _own_words(values) if key in _WORDS else ()
            found.append(Difference(importance=importance(key), fact=key, values=values, words=words))
    return tuple(sorted(found, key=lambda d: ORDER.index(d.importance)))


def importance(key: str) -> Importance:
    """The importance of a fact, from the beginning of its name."""
    parts = key.split(".")
    for length in range(len(parts), 0, -1):
        group = _GROUPS.get(".".join(parts[:length]))
        if group is not None:
            return group
    return "circumstances"


def _own_words(values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """For each value, the words that not all values contain, in their order."""
    lists = [value.split() for value in values]
    shared = set.intersection(*map(set, lists))
    return tuple(tuple(word for word in words if word not in shared) for words in lists)


_LOAD_APART = 0.25
"""Relative difference in a load's rate above which two rows get a remark."""


def sides_unlike(reference: Sequence[Run], other: Sequence[Run]) -> tuple[str, ...]:
    """Why no figure of these two sides may be compared, each as `what: reference | other`."""
    return _texts(unlike for run in other for unlike in runs_unlike(reference[0], run))


def not_one_population(runs: Sequence[Run]) -> tuple[str, ...]:
    """Why the runs of one side are not of one population."""
    return _texts(unlike for run in runs[1:] for unlike in runs_unlike(runs[0], run, "together"))


def _texts(found: Iterator[ConditionDifference]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.text for one in found))


def rows_unlike(key: RowKey, other_key: RowKey, reference: SideSeries, other: SideSeries) -> Iterator[str]:
    """Why the figures of two rows may not be compared, each as `what: reference | other`."""
    yield from variant_differences(key.variant, other_key.variant)
    sides = [[one.read for one in side.repetitions] for side in (reference, other)]
    if all(sides):
        yield from (one.text for one in results_unlike(*sides))


def remarks(reference: SideSeries, other: SideSeries, label: str) -> Iterator[str]:
    """Remarks on two rows that do not forbid comparing them."""
    done, other_done = _achieved(reference), _achieved(other)
    for name in sorted(done.keys() & other_done.keys()):
        low, high = sorted((done[name], other_done[name]))
        if high > 0 and low < high * (1 - _LOAD_APART):
            yield f"the load worked at different rates: {name} {done[name]:.4g} a second | {other_done[name]:.4g} a second ({label})"
    counted, other_counted = (
        {(f.name, f.unit): f.value / len(s.repetitions) for f in s.counted} for s in (reference, other)
    )
    for name, unit in sorted(counted.keys() & other_counted.keys()):
        # The system's counters explain a sample. They are not figures of the measurement.
        if counted[name, unit] != other_counted[name, unit] and not name.startswith("system-"):
            values = f"{counted[name, unit]:.4g} | {other_counted[name, unit]:.4g}"
            yield f"counted in a repetition, without a verdict: {name.replace('_', ' ')} {values} {unit} ({label})"
    if other.why_not and other.repetitions:
        yield f"{label}: {other.why_not}"


def _achieved(series: SideSeries) -> dict[str, float]:
    """The rates that the load achieved (per second), by figure."""
    amounts = {f"{figure.load} {figure.key}": figure.value for figure in series.load}
    elapsed = {name.split(" ")[0]: value for name, value in amounts.items() if name.endswith(" elapsed_ns")}
    found = {}
    for name, value in amounts.items():
        load, _, key = name.partition(" ")
        if key not in {"elapsed_ns", "intensity", "seed"} and elapsed.get(load):
            found[name.replace("_", " ")] = value * 1e9 / elapsed[load]
    return found
