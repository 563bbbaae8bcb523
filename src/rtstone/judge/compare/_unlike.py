# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What makes runs or rows unlike, so that a difference of their figures would say nothing of the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rtstone.judge.compare._series import Key, Series
from rtstone.model import Run
from rtstone.model.likeness import Unlike, results_unlike, runs_unlike
from rtstone.model.variant import differences

_LOAD_APART = 0.25
"""A load that got this much more or less done is not what it was."""


def sides_unlike(reference: Sequence[Run], other: Sequence[Run]) -> tuple[str, ...]:
    """Why no figure of these two sides may be compared, each as `what: reference | other`."""
    return _texts(unlike for run in other for unlike in runs_unlike(reference[0], run))


def not_one_population(runs: Sequence[Run]) -> tuple[str, ...]:
    """Why the runs of one side are not of one population."""
    return _texts(unlike for run in runs[1:] for unlike in runs_unlike(runs[0], run, "together"))


def _texts(found: Iterator[Unlike]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.text for one in found))


def rows_unlike(key: Key, other_key: Key, reference: Series, other: Series) -> Iterator[str]:
    """Why the figures of two rows may not be compared, each as `what: reference | other`."""
    yield from differences(key.variant, other_key.variant)
    sides = [[one.read for one in side.repetitions] for side in (reference, other)]
    if all(sides):
        yield from (one.text for one in results_unlike(*sides))


def remarks(reference: Series, other: Series, label: str) -> Iterator[str]:
    """What a reader should know of two rows though they may be compared."""
    done, other_done = _achieved(reference), _achieved(other)
    for name in sorted(done.keys() & other_done.keys()):
        low, high = sorted((done[name], other_done[name]))
        if high > 0 and low < high * (1 - _LOAD_APART):
            yield f"the load did unlike much: {name} {done[name]:.4g} a second | {other_done[name]:.4g} a second ({label})"
    told, other_told = ({(f.name, f.unit): f.value / len(s.repetitions) for f in s.counted} for s in (reference, other))
    for name, unit in sorted(told.keys() & other_told.keys()):
        # What the system counted around an item explains a sample; it is no figure of the measurement.
        if told[name, unit] != other_told[name, unit] and not name.startswith("system-"):
            values = f"{told[name, unit]:.4g} | {other_told[name, unit]:.4g}"
            yield f"counted in a repetition, without a verdict: {name.replace('_', ' ')} {values} {unit} ({label})"
    if other.why_not and other.repetitions:
        yield f"{label}: {other.why_not}"


def _achieved(series: Series) -> dict[str, float]:
    """What the load did a second, by figure."""
    told = {f"{figure.load} {figure.key}": figure.value for figure in series.load}
    elapsed = {name.split(" ")[0]: value for name, value in told.items() if name.endswith(" elapsed_ns")}
    found = {}
    for name, value in told.items():
        load, _, key = name.partition(" ")
        if key not in {"elapsed_ns", "intensity", "seed"} and elapsed.get(load):
            found[name.replace("_", " ")] = value * 1e9 / elapsed[load]
    return found
