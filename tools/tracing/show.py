# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints what the samples of a trace say: stages, calls, and what ran in one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import fmean, median

import msgspec

from tracing.samples import STAGES, SWITCH, VECTORS, Sample

LANDMARKS = (
    *(
        "el0t_64_irq",
        "el1h_64_irq",
        "handle_percpu_devid_irq",
        "handle_fasteoi_irq",
        "irq_thread",
        "irq_forced_thread_fn",
    ),
    *("hrtimer_interrupt", "tick_sched_timer", "tick_nohz_handler", "__do_softirq", "handle_softirqs", "run_ksoftirqd"),
    *("try_to_wake_up", "wake_up_process", SWITCH, "__schedule", "preempt_schedule_irq", "rt_spin_unlock", "el0_svc"),
    *("free_pcppages_bulk", "refresh_cpu_vm_stats", "(user space)"),
)
"""Functions by which a reader finds the way; a module's are told too."""


class Call(msgspec.Struct, frozen=True):
    """A function from its beginning on, what it called and what interrupted it included."""

    at: int
    function: str
    instructions: int | None
    """Until its return; None where it had begun before the sample, or another task was switched to before it returned."""
    depth: int


def calls(sample: Sample) -> list[Call]:
    """What was called in a sample, by when it began.

    A step into a function that is under way is seen as a return to it. One into a function that was under way before the sample looks like
    a call that never returns.
    """
    done = []
    stack: list[tuple[str, int]] = []

    def end(until: int, now: int | None) -> None:
        while len(stack) > until:
            name, began = stack.pop()
            done.append(Call(began, name, None if now is None else now - began, len(stack)))

    for step in sample.steps:
        under_way = [name for name, _ in stack]
        if step.function in under_way and step.function not in VECTORS:
            end(under_way.index(step.function) + 1, step.at)
        else:
            stack.append((step.function, step.at))
        if step.function == SWITCH:
            end(0, None)
    end(0, None)
    return sorted(done, key=lambda call: (call.at, call.depth))


def is_landmark(function: str) -> bool:
    """Whether the short account of a sample tells of it."""
    return function in LANDMARKS or function.endswith("]")


def table(samples: Sequence[Sample]) -> Iterator[str]:
    """Stages of the middle tenth, the slowest hundredth and the slowest sample: means, in ticks."""
    ranked = sorted(samples, key=lambda sample: sample.total)
    middle, slow = len(ranked) // 2, max(1, len(ranked) // 100)
    tenth = max(1, len(ranked) // 20)
    groups = {
        "middle tenth": ranked[max(0, middle - tenth) : middle + tenth],
        "slowest 1 %": ranked[-slow:],
        f"slowest ({ranked[-1].index})": ranked[-1:],
    }
    yield f"{'ticks':<16}{'samples':>8}{'response':>10}" + "".join(f"{stage:>10}" for stage in STAGES)
    for name, group in groups.items():
        stages = "".join(f"{fmean(sample.stages[n] for sample in group):>10.0f}" for n in range(len(STAGES)))
        yield f"{name:<16}{len(group):>8}{fmean(sample.total for sample in group):>10.0f}{stages}"


def lengths(samples: Sequence[Sample]) -> Iterator[str]:
    """How long landmarks took wherever they fell into a sample, interrupts in their midst included."""
    found: dict[str, list[int]] = defaultdict(list)
    for sample in samples:
        for call in calls(sample):
            if is_landmark(call.function) and call.at >= 0 and call.instructions is not None:
                found[call.function].append(call.instructions)
    yield f"{'function':<34}{'calls':>8}{'median':>10}{'longest':>10}"
    for name, took in sorted(found.items(), key=lambda item: -max(item[1])):
        yield f"{name:<34}{len(took):>8}{median(took):>10.0f}{max(took):>10}"


def story(sample: Sample, *, whole: bool) -> Iterator[str]:
    """One sample from due to its task's reading: ticks after due, ticks until its return, function. `whole`: every function."""
    yield f"sample {sample.index}: {sample.total} ticks; " + ", ".join(
        f"{name} {ticks}" for name, ticks in zip(STAGES, sample.stages, strict=True)
    )
    told = [call for call in calls(sample) if whole or is_landmark(call.function)]
    for _, group in groupby(told, key=lambda call: call.at if whole else call.function):
        several = list(group)
        first = several[0]
        took = "" if first.instructions is None else str(first.instructions)
        indent = "  " * min(first.depth, 20) if whole else ""
        yield f"{first.at:>8}{took:>8}  {indent}{first.function}{f' ({len(several)} times)' if len(several) > 1 else ''}"
