# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a run is plausible. Stream, import, archive and file all use this one check.
It covers what types cannot express.

A fault is one line that begins with the path of the field: ``sessions[0].clocks[0].hz is 0; it must lie in 1 … 10^18``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from operator import attrgetter, le, lt
from typing import Literal, NamedTuple, get_origin

import msgspec

from rtstone.model._agree import LIMIT, disagreement
from rtstone.model.histogram import Geometry, Histogram
from rtstone.model.loads import load_parts
from rtstone.model.run import Result, Run, Session

__all__ = ["LIMIT", "SUM", "UINT64", "disagreement", "fault", "id_fault", "runs_fault"]

UINT64 = (1 << 64) - 1
"""The largest count and the largest time (ticks)."""
SUM = 10**60
"""No sum, sum of squares or figure reaches it."""
_HZ = 10**18
SUB_BITS = 30
BITS = 64

_NATURAL = (0, LIMIT)
_SIGNED = (-LIMIT, LIMIT)
_ANY = (1 - SUM, SUM - 1)
_COUNT = (0, UINT64)
_TIME = (-UINT64, UINT64)

RANGES: dict[tuple[str, str], tuple[int, int]] = {
    ("Geometry", "sub_bits"): (1, SUB_BITS),
    ("Geometry", "max_bits"): (0, BITS),
    ("Geometry", "negative_bits"): (0, BITS),
    ("Histogram", "overflow"): _COUNT,
    ("Clock", "hz"): (1, _HZ),
    ("Calibration", "count"): _COUNT,
    ("Calibration", "total"): _ANY,
    ("Calibration", "min"): _SIGNED,
    ("Calibration", "median"): _SIGNED,
    ("Calibration", "max"): _SIGNED,
    **{("Check", name): _ANY for name in ("value", "low", "high")},
    ("Figure", "value"): _ANY,
    ("LoadFigure", "value"): _ANY,
    ("Event", "at"): _TIME,
    ("Event", "value"): _ANY,
    ("Extreme", "value"): _SIGNED,
    ("Extreme", "index"): _COUNT,
    ("Extreme", "at"): _TIME,
    ("Windows", "width"): (1, UINT64),
    ("Result", "cpu"): _SIGNED,
    ("Result", "priority"): _SIGNED,
    ("Result", "ops"): (1, LIMIT),
    ("Result", "count"): _COUNT,
    ("Result", "overflow"): _COUNT,
    ("Result", "dropped"): _COUNT,
    ("Result", "min"): _SIGNED,
    ("Result", "max"): _SIGNED,
    ("Result", "sum"): _ANY,
    ("Result", "sumsq"): (0, SUM - 1),
    ("Result", "elapsed"): _COUNT,
    ("Session", "seed"): (0, SUM - 1),
    ("Run", "seed"): (0, SUM - 1),
    ("Run", "instructions_per_second"): (0, _HZ),
}
"""Least and largest value of each whole number of the model. A number that is not named here lies in 0 … 2^53 - 1."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_RESERVED = re.compile(r"last|.*\.json|group-.*", re.ASCII | re.IGNORECASE)
_GROUP = re.compile(r"(group-[A-Za-z0-9._-]{1,99})?", re.ASCII)
_SHOWN = 40


def fault(run: Run) -> str | None:
    """The first fault of a run, beginning with the field's path; None: no fault."""
    return next(_run(run), None)


def runs_fault(runs: Sequence[Run]) -> str | None:
    """The first fault of the runs of one document, whose ids must differ; paths begin with ``runs[N]``."""
    ids: set[str] = set()
    for number, run in enumerate(runs):
        found = fault(run) or (f"id is '{_short(run.id)}', as that of a run before" if run.id in ids else None)
        if found:
            return f"runs[{number}].{found}"
        ids.add(run.id)
    return None


def id_fault(run_id: str) -> str | None:
    """The fault of a run's id. Commands recognise an id by its form. None: no fault."""
    if not _ID.fullmatch(run_id):
        return f"'{_short(run_id)}'; it must be 1 to 100 letters, digits, '.', '_' and '-', a letter or digit first"
    if _RESERVED.fullmatch(run_id):
        return f"'{_short(run_id)}', a word that commands have another meaning for"
    return None


def result_fault(result: Result, path: str = "") -> str | None:
    """The first fault of a result by itself, whatever its status; None: no fault."""
    return next(_result(result, path), None)


def _run(run: Run) -> Iterator[str]:
    found = id_fault(run.id)
    if found:
        yield f"id is {found}"
    if not _GROUP.fullmatch(run.group):
        yield f"group is '{_short(run.group)}'; it must begin with 'group-'"
    for name, value in (("started", run.started), ("ended", run.ended)):
        if value and not _is_time(value):
            yield f"{name} is '{_short(value)}', which is no time (ISO 8601, 2026-01-31T12:00:00+00:00)"
    if run.resumes and id_fault(run.resumes):
        yield f"resumes is {id_fault(run.resumes)}"
    for position, session in enumerate(run.sessions):
        yield from _session(session, f"sessions[{position}].")
    yield from _numbers(run, "", apart=("sessions",))


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _session(session: Session, path: str) -> Iterator[str]:
    yield from _numbers(session, path, apart=("results",))
    ids = [clock.id for clock in session.clocks]
    if len(set(ids)) != len(ids):
        yield f"{path}clocks has two clocks of one id"
    exact = session.port != "imported"
    measured: set[tuple[int, str]] = set()
    for position, result in enumerate(session.results):
        here = f"{path}results[{position}]"
        yield from _result(result, f"{here}.", exact)
        if result.count and result.clock not in ids:
            yield f"{here}.clock is {result.clock}, which is no clock of the session"
        if result.status != "ok":
            continue  # untrusted figures need not agree
        wrong = disagreement(result, exact=exact)
        if wrong is not None:
            yield f"{here} does not agree with itself: {wrong[1]}"
        if (result.item, result.quantity) in measured:
            yield f"{here}.quantity is '{_short(result.quantity)}', as that of a result of the same item before"
        measured.add((result.item, result.quantity))


def _result(result: Result, path: str, exact: bool = True) -> Iterator[str]:
    yield from _numbers(result, path, apart=("histogram", "extremes", "windows", "batches", "samples"))
    try:
        parts = load_parts(result.variant.load)
    except ValueError:
        yield f"{path}variant.load is '{_short(result.variant.load)}', which is no load"
    else:
        for intensity in parts.values():
            if intensity > LIMIT:
                yield f"{path}variant.load is '{_short(result.variant.load)}'; an intensity must lie in 0 … {_of(LIMIT)}"
    yield from _all_within(result.batches, _TIME, f"{path}batches")
    if result.histogram is not None:
        yield from _histogram(result.histogram, f"{path}histogram.", exact)
    for position, one in enumerate(result.extremes):
        yield from _numbers(one, f"{path}extremes[{position}].")
    if result.windows is not None:
        yield from _numbers(result.windows, f"{path}windows.")
        maxima = [value for value in result.windows.maxima if value is not None]
        yield from _all_within(maxima, _SIGNED, f"{path}windows.maxima")
    if result.samples is not None and len(result.samples) % 8:
        yield f"{path}samples has {len(result.samples)} bytes; it must have 8 a sample"


def _histogram(histogram: Histogram, path: str, exact: bool) -> Iterator[str]:
    yield from (found := list(_numbers(histogram.geometry, f"{path}geometry.")))
    yield from _numbers(histogram, path, apart=("geometry",))
    if found:
        return
    geometry = histogram.geometry
    for side, bits in (("positive", geometry.max_bits), ("negative", geometry.negative_bits)):
        pairs: tuple[tuple[int, int], ...] = getattr(histogram, side)
        if not pairs:
            continue
        indexes, counts = zip(*pairs, strict=True)
        # Other tools' bins end between two powers of two: larger values are overflow, from the lower power on.
        end = buckets_of(geometry, bits if exact else bits + 1)
        yield from _all_within(counts, (1, UINT64), f"{path}{side} (counts)")
        yield from _all_within(indexes, (0, end - 1), f"{path}{side} (indexes)")
        if not all(map(lt, indexes, indexes[1:])):
            yield f"{path}{side} has indexes that do not ascend"
    if histogram.count > UINT64:
        yield f"{path}positive and negative count {_of(histogram.count)} samples; the most is {_of(UINT64)}"


def buckets_of(geometry: Geometry, bits: int) -> int:
    """Number of buckets on a side whose values have this many bits."""
    return geometry.index((1 << bits) - 1) + 1 if bits else 0


def _numbers(value: msgspec.Struct, path: str, apart: Sequence[str] = ()) -> Iterator[str]:
    """The first wrong number of a structure and of the structures within it,
    except the fields that are checked separately."""
    wrong = _wrong_number(value, apart)
    if wrong:
        yield path + wrong


def _wrong_number(value: msgspec.Struct, apart: Sequence[str] = ()) -> str:
    fields, others, whole = _limits(type(value))
    # An archive's run has ten thousand structures, so their whole numbers are compared in one pass.
    if whole is not None:
        numbers = whole.read(value)
        if all(map(le, whole.low, numbers)) and all(map(le, numbers, whole.high)):
            fields = others
    for field, low, high in fields:
        found = getattr(value, field)
        if isinstance(found, int):
            if not low <= found <= high and not isinstance(found, bool) and field not in apart:
                return f"{field} is {_of(found)}; it must lie in {_of(low)} … {_of(high)}"
        elif isinstance(found, msgspec.Struct):
            if field not in apart and (wrong := _wrong_number(found)):
                return f"{field}.{wrong}"
        elif isinstance(found, tuple) and found and isinstance(found[0], msgspec.Struct) and field not in apart:
            for position, one in enumerate(found):
                if wrong := _wrong_number(one):
                    return f"{field}[{position}].{wrong}"
    return ""


class _Whole(NamedTuple):
    """The fields of a structure that always hold a whole number, and the least and the largest number of each."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    read: Callable[[msgspec.Struct], tuple[int, ...]]


_Fields = tuple[tuple[str, int, int], ...]


@cache
def _limits(kind: type[msgspec.Struct]) -> tuple[_Fields, _Fields, _Whole | None]:
    """The fields of a structure that may hold numbers, each with the least and the largest number that it may have.
    Then those of them that may also hold something else, and the rest for a check in one pass (None: it is too short)."""
    of = [one for one in msgspec.structs.fields(kind) if one.type is not str and get_origin(one.type) is not Literal]
    fields = tuple((one.name, *RANGES.get((kind.__name__, one.name), _NATURAL)) for one in of)
    always = {one.name for one in of if one.type is int}
    if len(always) < 2:  # attrgetter returns no tuple of one
        return fields, fields, None
    names, low, high = zip(*(field for field in fields if field[0] in always), strict=True)
    others = tuple(field for field in fields if field[0] not in always)
    return fields, others, _Whole(low, high, attrgetter(*names))


def _all_within(values: Iterable[int], limits: tuple[int, int], path: str) -> Iterator[str]:
    known = values if isinstance(values, (tuple, list)) else tuple(values)
    if known and not limits[0] <= min(known) <= max(known) <= limits[1]:
        wrong = next(value for value in known if not limits[0] <= value <= limits[1])
        yield f"{path} has {_of(wrong)}; it must lie in {_of(limits[0])} … {_of(limits[1])}"


def _of(number: int) -> str:
    """A number for a message. If it has hundreds of digits, only their count is printed."""
    if number.bit_length() <= 70:
        return str(number)
    if abs(number) in (SUM, SUM - 1):
        return f"{'-' if number < 0 else ''}10^60"
    return f"a number of {number.bit_length()} bits"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
