# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Repeats a session under masks.c.
Reports the bound of its scheduling latency, and for each term the place of its longest section."""

from __future__ import annotations

import bisect
import hashlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from rtstone.errors import IncompleteError, InfrastructureError, UsageError
from rtstone.explain._btf import Types
from rtstone.explain._explain import MEASUREMENT, alone, chosen, differs, failure_named
from rtstone.explain._samples import LINUX, SWITCH, TASK, Sample, StackStep, steps_of
from rtstone.explain._sections import (
    ENTRIES,
    ENTRY,
    STARTS,
    STOPS,
    TERMS,
    Interference,
    Interrupt,
    Section,
    TracePoint,
    Wake,
    Watched,
    Watcher,
    bound,
)
from rtstone.explain._trace import Functions, guest_functions, plugin, repeated, require, run_again, trace
from rtstone.explain.document import HELPERS, Bound, Explanation, Observed, Place, Source, Stream, Term, Within
from rtstone.model import Run, Session
from rtstone.stream.plan import Plan, decode_echo

_ADDRESS = 0xFFFFFFFFFFFFFF
_WORDS = 4
_PLACES = 3
"""Most places that are reported for each term."""
_BEFORE = 200_000
"""The callers of a section are searched for within this many instructions before it."""
_SLICE_NS, _RAW = 250_000_000, 2048
"""The engine restarts the interrupt after this time (pace.c),
and after this many samples where it saves each sample (run.h)."""
_PRIVATE = {27: "virtual timer", 30: "physical timer, which is measured"}
"""Interrupts of the CPU itself on this board."""


def scheduling_bound(
    run: Run,
    logs: Sequence[bytes],
    *,
    repetition: int | None = None,
    on_step: Callable[[str], None] = lambda _: None,
) -> Bound:
    """The bound of a run's scheduling latency, from the observed sections and interrupts of one session.

    `logs`: the run's record streams, as the archive saves them. `repetition`: the session;
    None: that of the largest sample. Calls `on_step` with a description of the next step.

    UsageError where the run cannot be repeated or watched; InfrastructureError where the guest or a compiler fails;
    IncompleteError where the second run is not the same to the byte, the trace is incomplete, or a sample is above the
    bound.
    """
    with failure_named(run):
        return _watch(run, logs, repetition, on_step)[0]


def explain_term(
    run: Run,
    logs: Sequence[bytes],
    term: str,
    *,
    repetition: int | None = None,
    whole: bool = False,
    on_step: Callable[[str], None] = lambda _: None,
) -> Explanation:
    """Explains the longest section of a term of the bound (``D_POID``, …). The session is repeated twice.

    UsageError where the kernel has no such section; else as `scheduling_bound` and `explain`.
    """
    if term not in {f"D_{name}" for name in TERMS}:
        raise UsageError(f"--term: '{term}' is none of {', '.join(f'D_{name}' for name in TERMS)}")
    with failure_named(run) as failed:
        made = _longest(run, logs, term, repetition, whole, on_step)
    return msgspec.structs.replace(made, failed=failed)


def _longest(
    run: Run,
    logs: Sequence[bytes],
    term: str,
    repetition: int | None,
    whole: bool,
    on_step: Callable[[str], None],
) -> Explanation:
    """The longest section of the term, and the functions that ran in it."""
    made, watched, log = _watch(run, logs, repetition, on_step)
    found = next((one for one in made.terms if one.name == term), None)
    if found is None or not found.places:
        raise UsageError(f"{run.target}: no section of {term} was seen")
    within, section = found.places[0], watched.sections[term.removeprefix("D_")][0]
    board, kernel = require(run.target, run.deterministic)
    since, until = section.begins.at, section.ends.at
    with tempfile.TemporaryDirectory(prefix="rtstone-explain-") as folder:
        only = (max(0, since - _BEFORE), until + 1)
        plan = decode_echo(log)
        traced = repeated(lambda: trace(board, kernel, plan, Path(folder), on_step=on_step, only=only), log, on_step)
    if traced.stream != log:
        raise IncompleteError(differs(run, traced, log))
    steps, _ = steps_of(traced, LINUX, since, int(np.searchsorted(traced.when, until)))
    if not steps or steps[0].stack[-1] != within.begins.function:
        raise IncompleteError(f"the two traces do not agree: {within.begins.function} does not run where {term} begins")
    inside = [one for one in watched.interrupts if since <= one.at < until]
    stages, at = [], since
    for one in inside:
        stages += [("section", one.at - at), ("interrupt", one.length)]
        at = one.at + one.length
    stages.append(("section", until - at))
    sample = Sample(within.sample, until - since, tuple(stages), tuple(steps))
    return Explanation(
        run=run.id,
        target=run.target,
        kernel=made.kernel,
        repetition=made.repetition,
        load=within.load,
        hz=made.hz,
        stream=made.stream,
        term=term,
        section=within,
        samples=sum(one.samples for one in made.observed if one.load == within.load),
        known=0,
        usual=0.0,
        sample=alone(sample, _without(sample, inside, since), whole=whole),
        slow=0,
        causes=(),
    )


def _without(sample: Sample, interrupts: Sequence[Interrupt], since: int) -> Sample:
    """The sample as if these interrupts had not happened."""
    steps, taken = [], sum(one.length for one in interrupts)
    for step in sample.steps:
        at = since + step.at
        if not any(one.at <= at < one.at + one.length for one in interrupts):
            before = sum(one.length for one in interrupts if one.at < at)
            steps.append(StackStep(step.at - before, step.stack))
    return Sample(sample.index, sample.total - taken, sample.stages, tuple(steps))


def _watch(
    run: Run, logs: Sequence[bytes], repetition: int | None, on_step: Callable[[str], None]
) -> tuple[Bound, Watched, bytes]:
    """The bound, the observations behind it, and the session's record stream."""
    board, kernel = require(run.target, run.deterministic)
    if not board.emulator.suite:
        raise UsageError(
            f"{run.target}: its emulator shows no registers to a plugin; measure on board:arm64-bound/{kernel.id} and bound that run"
        )
    if kernel.kind != "linux":
        raise UsageError(f"{run.target}: only Linux can be watched so far")
    number, _ = chosen(run, SWITCH, "", repetition)
    if number >= len(logs):
        raise UsageError(f"run {run.id} is kept without its record streams: it cannot be run again")
    session, plan = run.sessions[number], decode_echo(logs[number])
    hz = board.clock.hz
    if board.clock.instructions_per_second != hz:
        raise UsageError(f"{run.target}: an instruction is not a tick of its clock")
    with tempfile.TemporaryDirectory(prefix="rtstone-bound-") as folder:
        on_step("looking up the kernel's functions")
        functions = guest_functions(board, kernel, Path(folder))
        image = functions.image.read_bytes()
        option = _option(functions, Types(image, run.kernel()), Path(folder))
        on_step("running the session again under the plugin")
        again = repeated(lambda: run_again(board, kernel, plan, option), logs[number], on_step)
        if again.stream != logs[number]:
            raise IncompleteError(differs(run, again, logs[number]))
        on_step("following the sections")
        named = names(functions)
        events = _events(Path(folder) / "events", functions)
    watched = Watcher(named).follow(events.tolist())
    slices = _slices(plan, session, watched, hz)
    length, taken = bound(watched)
    proven = b" PREEMPT_RT " in image
    if not proven:  # without preemption the kernel does not count it: when it schedules, and the windows, are unknown
        taken = [msgspec.structs.replace(one, in_window=0) for one in taken]
    made = Bound(
        run=run.id,
        target=run.target,
        kernel=run.kernel(),
        repetition=session.repetition,
        hz=hz,
        stream=Stream(len(again.stream), hashlib.sha256(again.stream).hexdigest()),
        events=len(events),
        proven=proven,
        bound=length if proven else None,
        terms=tuple(_term(term, watched, named, slices) for term in (TERMS if proven else TERMS[:1])),
        interrupts=tuple(_source(one) for one in taken),
        observed=tuple(_observed(watched, slices)),
    )
    for one in made.observed:
        if made.bound is not None and one.max is not None and one.max > made.bound:
            raise IncompleteError(
                f"load {one.load}: a task was switched to {one.max} ticks after its waking, above the bound of {made.bound}:"
                " the trace is not whole"
            )
    return made, watched, logs[number]


def _option(functions: Functions, types: Types, folder: Path) -> str:
    """The argument of ``-plugin``."""
    task = types.offset("task_struct", "thread_info")
    words = [
        str(plugin("masks", folder)),
        f"count={task + types.offset('thread_info', 'preempt_count')}",
        f"flags={task + types.offset('thread_info', 'flags')}",
        functions.options("from", STARTS),
        *(functions.options("entry", name) for name in ENTRIES),
        f"out={folder / 'events'}",
    ]
    ends = (*functions.addresses[1:], functions.addresses[-1] + 1)
    for address, end, name in zip(functions.addresses, ends, functions.names, strict=True):
        if name == "gic_handle_irq":
            words.append(f"acknowledge={address:x}-{end:x}")
    return ",".join(words)


def _events(file: Path, functions: Functions) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """The events until the measured interrupt was stopped for the last time.
    Later events belong to the machine's shutdown."""
    words = np.fromfile(file, dtype="<u8")
    events = words[: len(words) // _WORDS * _WORDS].reshape(-1, _WORDS)
    stops = [a & _ADDRESS for a, name in zip(functions.addresses, functions.names, strict=True) if name == STOPS]
    what = events[:, 1]
    is_stop = (what >> np.uint64(56) == ENTRY) & np.isin(what & np.uint64(_ADDRESS), np.array(stops, dtype=np.uint64))
    places = np.flatnonzero(is_stop)
    if not len(places):
        raise InfrastructureError("the plugin saw no interrupt being measured")
    return events[: places[-1]]


def names(functions: Functions) -> Callable[[int], str]:
    """Makes a function that names the kernel's function at an address. The address lacks its uppermost byte."""
    places = [address & _ADDRESS for address in functions.addresses]

    @cache
    def name(address: int) -> str:
        place = bisect.bisect_right(places, address & _ADDRESS) - 1
        return functions.names[place] if place >= 0 and address & _ADDRESS >= 1 << 55 else "(user space)"

    return name


class _Slice(msgspec.Struct, frozen=True):
    """Samples of an item between two starts of its interrupt."""

    item: int
    load: str
    start: int
    """Number of the interrupt's start, from 0."""
    before: int
    """The item's samples before this slice."""
    samples: int
    until: int
    """Instructions executed before the first interrupt that belongs to no sample:
    it came while the last sample ended."""


def _slices(plan: Plan, session: Session, watched: Watched, hz: int) -> list[_Slice]:
    """The starts of each item, in order, derived from its warm-up and its samples.
    IncompleteError where the trace has others."""
    results = {result.item: result for result in session.results if result.quantity == SWITCH and result.count}
    longest = {result.item: result.max for result in session.results if result.quantity == TASK}
    found: list[_Slice] = []
    place = 0
    for item in plan.items:
        if item.measurement != MEASUREMENT or item.item not in results:
            continue
        count = results[item.item].count
        # The interrupt is stopped after the last sample. Until then it may come again, at most this often.
        more = 1 + int((longest.get(item.item) or 0) * 1_000_000_000 // (hz * item.period_ns))
        most = min(max(1, _SLICE_NS // item.period_ns), _RAW if item.raw else count)
        warmup = [(0, size) for _, size in _cut(item.warmup, max(1, _SLICE_NS // item.period_ns))]
        for number, (before, wanted) in enumerate([*warmup, *_cut(count, most)]):
            while place < len(watched.handled) and not wanted <= len(watched.handled[place]) <= wanted + more:
                place += 1
            if place == len(watched.handled):
                raise IncompleteError(
                    f"trace and record do not agree: the {count} interrupts of item {item.item} are not in the trace"
                )
            own = watched.handled[place]
            if number >= len(warmup):
                until = own[wanted] if len(own) > wanted else sys.maxsize
                found.append(_Slice(item.item, item.load, place, before, wanted, until))
            place += 1
    return found


def _cut(count: int, most: int) -> Iterator[tuple[int, int]]:
    """For each slice: the number of samples before it, and in it."""
    for before in range(0, count, most):
        yield before, min(most, count - before)


def _observed(watched: Watched, slices: Sequence[_Slice]) -> list[Observed]:
    own = {one.start: one for one in slices}
    of: dict[int, list[Wake]] = {one.item: [] for one in slices}
    for wake in watched.wakes:
        if wake.start in own and wake.at < own[wake.start].until:
            of[own[wake.start].item].append(wake)
    found = []
    for item, wakes in of.items():
        parts = [one for one in slices if one.item == item]
        measured = Counter(wake.task for wake in wakes).most_common(1)
        lengths = [wake.length for wake in wakes if wake.task == measured[0][0]]
        samples = sum(one.samples for one in parts)
        found.append(Observed(parts[0].load, samples, len(lengths), max(lengths, default=None)))
    return found


def _term(term: str, watched: Watched, name: Callable[[int], str], slices: Sequence[_Slice]) -> Term:
    places = [_within(section, watched, name, slices) for section in watched.sections[term][:_PLACES]]
    return Term(name=f"D_{term}", ticks=watched.longest(term), places=tuple(places))


def _within(section: Section, watched: Watched, name: Callable[[int], str], slices: Sequence[_Slice]) -> Within:
    """A section with the load and the sample in which it ran."""
    at = section.begins.at
    firsts = [one[0] if one else -1 for one in watched.handled]
    load, sample = "", -1
    for one in slices:
        own = watched.handled[one.start][: one.samples]
        if firsts[one.start] <= at <= own[-1] + section.length and at < one.until:
            load, sample = one.load, one.before + bisect.bisect_right(own, at) - 1
    return Within(
        ticks=section.length,
        begins=_place(section.begins, name),
        ends=_place(section.ends, name),
        at_ticks=at - firsts[0] if firsts else at,
        load=load,
        sample=sample,
    )


def _place(point: TracePoint, name: Callable[[int], str]) -> Place:
    function = name(point.address)
    return Place(function, name(point.link) if function.startswith(HELPERS) else "")


def _source(one: Interference) -> Source:
    if one.source < 0:
        title = "of no device"
    else:
        title = _PRIVATE.get(one.source, f"interrupt {one.source}")
    return Source(one.source, title, one.count, one.longest, one.in_window)
