# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the session, the item and the sample, has them traced, and reports why the sample was late."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np

from rtstone.errors import IncompleteError, UsageError
from rtstone.explain import _attached, _trail
from rtstone.explain._samples import (
    LINUX,
    SERVICE,
    TASK,
    Sample,
    StackStep,
    TraceSamples,
    find,
    known_samples,
    loads_of,
    own,
)
from rtstone.explain._samples import KernelPath as Paths
from rtstone.explain._trace import Again, Trace, repeated, require, trace
from rtstone.explain.document import (
    HELPERS,
    Blame,
    Call,
    Cause,
    ExplainedSample,
    Explanation,
    Off,
    Part,
    Place,
    Stage,
    Stream,
    is_slow,
)
from rtstone.model import Result, Run
from rtstone.model.units import counted
from rtstone.stream.plan import Plan, decode_echo

MEASUREMENT = "interrupt-response"
_LEAST_SHARE = 0.02
"""Calls with a smaller share of a sample are omitted from its explanation."""
_COMMON_SHARE = 0.25
"""A function with more than this share of the usual response is on every sample's path,
so its name explains nothing."""
_LEAST_PART, _MOST_PARTS = 0.1, 4
_SAMPLE = re.compile(r"worst|[0-9]{1,9}|p[0-9]{1,2}(\.[0-9]{1,6})?", re.ASCII)


def explain(
    run: Run,
    logs: Sequence[bytes],
    *,
    sample: str = "worst",
    quantity: str = TASK,
    load: str = "",
    repetition: int | None = None,
    whole: bool = False,
    on_step: Callable[[str], None] = lambda _: None,
) -> Explanation:
    """Why a sample of a run was late.

    `logs`: the run's record streams, as the archive saves them. `sample`: ``worst``, a number from 0, or a percentile
    such as ``p99.9``. `quantity`: the one whose largest sample is meant. `load` and `repetition`: where they are not
    those of the largest sample. `whole`: keep every call of the sample, not only the important ones. Calls `on_step`
    with a description of the next step.

    A run with event trails (interrupt-split with --trace-over)
    is not repeated: its trails are the explanation, and `logs` is unused.

    UsageError where the run cannot be repeated or has no such sample; InfrastructureError where the guest or a compiler
    fails; IncompleteError where the second run is not the same to the byte, or trace and record do not agree to the
    tick.
    """
    if not _SAMPLE.fullmatch(sample):
        raise UsageError(f"--sample: '{sample}' is neither worst, nor a number, nor a percentile such as p99.9")
    again = run.deterministic and any(result.measurement == MEASUREMENT for result in run.results())
    with failure_named(run) as failed:
        if _attached.is_attached(run):
            made = _attached.explain(run, sample=sample, quantity="" if quantity == TASK else quantity, on_step=on_step)
        elif _trail.kept(run, or_asked=not again):
            made = _trail.explain(run, sample=sample, quantity=quantity, load=load, repetition=repetition)
        else:
            made = _of_board(
                run,
                logs,
                sample=sample,
                quantity=quantity,
                load=load,
                repetition=repetition,
                whole=whole,
                on_step=on_step,
            )
    return msgspec.structs.replace(made, failed=failed)


@contextmanager
def failure_named(run: Run) -> Iterator[str]:
    """Why the run has not all of its samples, as `Explanation.failed`. A UsageError raised inside begins with it."""
    failed = _failure(run)
    try:
        yield failed
    except UsageError as error:
        if failed:
            raise UsageError(f"{failed}; {error}") from error
        raise


def _failure(run: Run) -> str:
    """Why the run has not all of its samples, as a sentence without a full stop; empty: it is complete."""
    if run.error:
        return f"the run failed: {run.error}"
    if run.status == "interrupted":
        return "the run was interrupted"
    problems = [problem for session in run.sessions for problem in session.problems]
    return f"the run is incomplete: {problems[0]}" if run.status == "incomplete" and problems else ""


def _of_board(
    run: Run,
    logs: Sequence[bytes],
    *,
    sample: str,
    quantity: str,
    load: str,
    repetition: int | None,
    whole: bool,
    on_step: Callable[[str], None],
) -> Explanation:
    """Why a sample of a board's run was late, from a repetition of its session."""
    board, kernel = require(run.target, run.deterministic)
    number, item = chosen(run, quantity, load, repetition)
    if number >= len(logs):
        raise UsageError(f"run {run.id} is kept without its record streams: it cannot be run again")
    session = run.sessions[number]
    results = {result.quantity: result for result in session.results if result.item == item}
    if not {SERVICE, TASK} <= results.keys():
        why = run.host.get("board.kernel.probe", "the kernel has no probe module")
        raise UsageError(
            f"run {run.id} measured the interrupt from user space alone, whose functions are not traced: {why}"
        )
    index = _index(results[quantity], sample)
    known = known_samples(results[SERVICE]).keys() | known_samples(results[TASK]).keys()
    if index not in known:
        raise UsageError(
            f"sample {index} is not one that the record tells by itself ({_listed(known)}); run with --raw to have all"
        )
    plan = decode_echo(logs[number])
    with tempfile.TemporaryDirectory(prefix="rtstone-explain-") as folder:
        traced = repeated(lambda: trace(board, kernel, plan, Path(folder), on_step=on_step), logs[number], on_step)
    if traced.stream != logs[number]:
        raise IncompleteError(differs(run, traced, logs[number]))
    on_step("looking for the samples in the trace")
    found = find(traced, linux=kernel.kind == "linux", results=results, before=_before(plan, session.results, item))
    usual = [found.sample(one) for one in _middle(found)]
    usually = _Usual(usual, found.kernel)
    slow = _slow(results[TASK], found)
    traced_samples = {one: found.sample(one) for one in {index, *slow}}
    least = 0.0 if whole else _LEAST_SHARE
    return Explanation(
        run=run.id,
        target=run.target,
        kernel=run.kernel(),
        repetition=session.repetition,
        repetitions=len(run.sessions),
        load=results[quantity].variant.load,
        loads=loads_of(run, MEASUREMENT, quantity),
        hz=session.clock(results[quantity].clock).hz,
        stream=Stream(len(traced.stream), hashlib.sha256(traced.stream).hexdigest()),
        slack=found.trace.slack,
        samples=len(found.interrupts),
        known=len(found.due),
        usual=usually.total,
        sample=msgspec.structs.replace(
            _explained(traced_samples[index], usually, least), off=_off(found, traced_samples[index], least)
        ),
        slow=len(slow),
        causes=_causes([traced_samples[one] for one in slow], usually),
    )


def chosen(run: Run, quantity: str, load: str, repetition: int | None) -> tuple[int, int]:
    """Session and item with the largest sample of the quantity, among the requested ones."""
    there: list[tuple[int, int, int]] = []
    loads: dict[str, None] = {}
    for number, session in enumerate(run.sessions):
        for result in session.results:
            if result.measurement != MEASUREMENT or result.quantity != quantity or not result.count:
                continue
            loads[result.variant.load] = None
            if result.max is None or (load and result.variant.load != load):
                continue
            if repetition is None or session.repetition == repetition:
                there.append((result.max, number, result.item))
    if not loads:
        raise UsageError(f"run {run.id} has no samples of {quantity}, which {MEASUREMENT} measures")
    if not there:
        raise UsageError(
            f"run {run.id} has no such samples; it has the loads {', '.join(loads)} and {counted(len(run.sessions), 'repetition')}, from 0"
        )
    largest = max(there, key=lambda one: one[0])
    return largest[1], largest[2]


def _before(plan: Plan, results: Sequence[Result], item: int) -> tuple[int, int]:
    """Number of interrupts before the item's first sample:
    of items of the same measurement, and of all with a handler."""
    counts = {result.item: result.count for result in results if result.entered}
    same = sum(
        one.warmup + counts.get(one.item, 0)
        for one in plan.items
        if one.item < item and one.measurement == MEASUREMENT and one.item in counts
    )
    every = sum(one.warmup + counts[one.item] for one in plan.items if one.item < item and one.item in counts)
    warmup = next(one.warmup for one in plan.items if one.item == item)
    return same + warmup, every + warmup


def _index(result: Result, sample: str) -> int:
    """The number of the chosen sample. A percentile is the nearest rank."""
    values = known_samples(result)
    ranked = sorted(values, key=lambda index: (-values[index], index))
    if sample == "worst":
        return ranked[0]
    if sample.startswith("p"):
        above = result.count - max(1, int(np.ceil(result.count * float(sample[1:]) / 100)))
        if above >= len(ranked):
            raise UsageError(
                f"--sample {sample} is number {above + 1} from the largest on, and the record has only the {len(ranked)} largest;"
                " run with --raw to have all"
            )
        return ranked[above]
    if int(sample) >= result.count:
        raise UsageError(f"--sample {sample}: there are samples 0 to {result.count - 1}")
    return int(sample)


def _listed(indexes: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(indexes)[:40]))


def differs(run: Run, again: Trace | Again, kept: bytes) -> str:
    """Describes the first record that differs, and the facts in which the board differs from the run's."""
    others = [
        name
        for name, value in run.host.items()
        if name.startswith("board.") and name.endswith(("emulator", "sha256", "package", "version"))
        if again.facts.get(name, "") != value
    ]
    why = f"; {' and '.join(others)} is another one" if others else ""
    for number, (one, other) in enumerate(zip(again.stream.splitlines(), kept.splitlines(), strict=False), 1):
        if one != other:
            return f"run {run.id} is not the same when it is run again: record {number} differs{why}"
    return (
        f"run {run.id} is not the same when it is run again: {len(again.stream)} bytes of record, not {len(kept)}{why}"
    )


def _middle(found: TraceSamples) -> list[int]:
    """The middle tenth of the samples, by the ticks from release to task, which the trace has for every sample."""
    delays = found.switch_delays()
    order = np.argsort(delays, kind="stable")
    tenth = max(1, len(order) // 20)
    middle = len(order) // 2
    chosen = order[max(0, middle - tenth) : middle + tenth]
    return [int(one) for one in chosen[:: max(1, len(chosen) // 100)]]


def _slow(result: Result, found: TraceSamples) -> list[int]:
    """Numbers of the samples above the 99th percentile, the slowest first."""
    values = {index: value for index, value in known_samples(result).items() if index in found.due}
    return sorted(values, key=lambda index: (-values[index], index))[: max(1, result.count // 100)]


class _Usual:
    """The samples of the middle, with which a sample is compared."""

    def __init__(self, samples: Sequence[Sample], kernel: Paths) -> None:
        self._kernel = kernel
        self.total = float(np.mean([sample.total for sample in samples]))
        self.stages = _means([dict(sample.stages) for sample in samples])
        self._functions = _means([sample.inclusive(kernel) for sample in samples])

    def blame(self, sample: Sample) -> Blame:
        """The function with at least half of the sample's ticks above the usual ones; the innermost of several."""
        above = round(sample.total - self.total)
        if not is_slow(above, self.total):
            return Blame(function="", path=(), ticks=0, of=max(0, above), parts=())
        more = self.more(sample)
        half = [name for name, ticks in more.items() if 2 * ticks >= above]
        if not half:
            return Blame(function="", path=(), ticks=0, of=above, parts=tuple(self._parts(sample, more, above)))
        paths = {name: self._path(sample, name) for name in half}
        chosen = max(half, key=lambda name: (len(paths[name]), more[name]))
        return Blame(function=chosen, path=paths[chosen], ticks=more[chosen], of=above, parts=())

    def more(self, sample: Sample) -> dict[str, int]:
        """Ticks above the usual ones, for each function whose name explains something."""
        most = _COMMON_SHARE * self.total
        found = {}
        for name, ticks in sample.inclusive(self._kernel).items():
            usual = self._functions.get(name, 0.0)
            if usual <= most:
                found[name] = round(ticks - usual)
        return found

    def _parts(self, sample: Sample, more: dict[str, int], above: int) -> Iterator[Part]:
        """The functions with the most ticks above the usual ones, none of which called another of them."""
        taken: dict[str, tuple[str, ...]] = {}
        for name in sorted(more, key=lambda one: -more[one]):
            if len(taken) == _MOST_PARTS or more[name] < _LEAST_PART * above:
                return
            path = self._path(sample, name)
            if not any(one in path or name in other for one, other in taken.items()):
                taken[name] = path
                yield Part(name, more[name])

    def _path(self, sample: Sample, name: str) -> tuple[str, ...]:
        """The callers of the function where it had most of its ticks."""
        ticks: dict[tuple[str, ...], int] = {}
        for step, length in sample.lengths():
            stack = tuple(own(step.stack, self._kernel))
            if name in stack:
                path = stack[: stack.index(name)]
                ticks[path] = ticks.get(path, 0) + length
        return max(ticks, key=lambda path: ticks[path])


def _explained(sample: Sample, usually: _Usual, least_share: float) -> ExplainedSample:
    """A sample compared with the usual ones."""
    return ExplainedSample(
        index=sample.index,
        ticks=sample.total,
        stages=tuple(Stage(name, ticks, usually.stages.get(name, 0.0)) for name, ticks in sample.stages),
        blame=usually.blame(sample),
        calls=tuple(_calls(sample, least_share)),
    )


def _off(found: TraceSamples, sample: Sample, least_share: float) -> tuple[Off, ...] | None:
    """Where in the sample interrupts or preemption were off."""
    held = found.held(sample, least_share * sample.total)
    if held is None:
        return None
    return tuple(
        Off(
            what=one.what,
            at=one.at,
            total=one.total,
            ticks=min(one.at + one.total, sample.total) - max(0, one.at),
            begins=_place(one.begins),
            ends=_place(one.ends),
        )
        for one in held
    )


def _place(stack: Sequence[str]) -> Place:
    """The innermost function, and if it masks for others, its first caller that does not."""
    caller = next((name for name in reversed(stack) if not name.startswith(HELPERS)), "")
    function = stack[-1] if stack else ""
    return Place(function, caller if function != caller else "")


def alone(sample: Sample, net: Sample, *, whole: bool) -> ExplainedSample:
    """A sample without usual ones for comparison.
    Its cause is the innermost function with half the ticks of `net`, a part of it."""
    usually = _Usual([Sample(-1, 0, (), (StackStep(0, ()),))], LINUX)
    made = _explained(sample, usually, 0.0 if whole else _LEAST_SHARE)
    return msgspec.structs.replace(made, blame=usually.blame(net))


def _means(rows: Sequence[dict[str, int]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: float(np.mean([row.get(name, 0) for row in rows])) for name in names}


def _calls(sample: Sample, least_share: float) -> list[Call]:
    """The calls of a sample in the order of their start.
    A function that stays on the stack from step to step is one call."""
    done: list[Call] = []
    open_: list[tuple[str, int]] = []

    def end(depth: int, at: int) -> None:
        while len(open_) > depth:
            name, began = open_.pop()
            done.append(Call(began, at - max(0, began), len(open_), name))

    for step in sample.steps:
        same = 0
        while same < min(len(open_), len(step.stack)) and open_[same][0] == step.stack[same]:
            same += 1
        end(same, step.at)
        open_.extend((name, step.at) for name in step.stack[same:])
    end(0, sample.total)
    least = least_share * sample.total
    return sorted((call for call in done if call.ticks > least), key=lambda call: (call.at, call.depth))


def _causes(slow: Sequence[Sample], usually: _Usual) -> tuple[Cause, ...]:
    """The functions that caused slow samples, the one with the most samples first; each sample counts once."""
    labels = {sample.index: usually.blame(sample) for sample in slow}
    depths = {blame.function: len(blame.path) for blame in labels.values() if blame.function}
    above = {sample.index: (usually.more(sample), labels[sample.index].of) for sample in slow}
    left = {sample.index: sample.total for sample in slow}
    found: list[Cause] = []

    def behind(name: str) -> list[int]:
        return [
            index for index in left if labels[index].function and 2 * above[index][0].get(name, 0) >= above[index][1]
        ]

    while depths:
        name = max(depths, key=lambda one: (len(behind(one)), depths[one]))
        samples = behind(name)
        del depths[name]
        if samples:
            found.append(_cause(name, {index: left.pop(index) for index in samples}))
    if left:
        found.append(_cause("", left))
    return tuple(found)


def _cause(name: str, samples: Mapping[int, int]) -> Cause:
    """The cause of these samples, number -> ticks."""
    slowest = max(samples, key=lambda index: (samples[index], -index))
    return Cause(name, len(samples), samples[slowest], slowest)
