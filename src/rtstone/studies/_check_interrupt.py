# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of an interrupt's way to the task: its source, the code between handler and task, the load, the duration."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Result, Run, load_kind
from rtstone.model.units import counted
from rtstone.model.variant import load_words
from rtstone.studies._checking import NOTHING, Answer, check, concerned, measured, several, together
from rtstone.studies._model import Condition, Study


@check("bottom-half")
def bottom_half(run: Run, study: Study, condition: Condition) -> Answer:
    """The code between handler and task is the kernel's own bottom half,
    or a task above all others where a kernel has none."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    stand_ins = [n.text for r in results for n in r.notes if n.service == "timer" and n.kind == "substituted"]
    if stand_ins:
        return "substituted", "threads of the engine stand in for handler and bottom half", several(stand_ins, 1)
    ports = several([s.port for s in run.sessions])
    if all(s.port != "posix" for s in run.sessions):
        return "met", "a task above all others, as on vxWorks and RTEMS", f"port {ports}"
    kinds = {KINDS.get(r.variant.timer.removeprefix("software-"), r.variant.timer) for r in results}
    return "met", "the kernel's own, by a module that stamps it", f"bottom half: {', '.join(sorted(kinds))}"


@check("driver-thread")
def driver_thread(run: Run, study: Study, condition: Condition) -> Answer:
    """The span ends in a thread of the kernel that the handler woke; a work queue's thread is a substitute."""
    results = measured(run, study, condition)
    if not results:
        reasons = [r.text or r.reason for r in concerned(run, study, condition)]
        return "not met", "the handler's entry alone, at the most", several(reasons, 1) or "no result in the record"
    kinds = {KINDS.get(r.variant.timer.removeprefix("software-"), r.variant.timer) for r in results}
    evidence = f"bottom half: {', '.join(sorted(kinds))}"
    if "thread" in kinds:
        return "met", "a thread of the kernel, woken as those of its threaded handlers are", evidence
    return "substituted", "no thread of the driver's own", evidence


KINDS = {"default": "thread", "probe": "thread", "software": "thread", "workqueue": "work queue"}
"""Sources of the measured interrupt -> their bottom half. Another source is named after its own."""


@check("software-trigger")
def software_trigger(run: Run, study: Study, condition: Condition) -> Answer:
    """The measuring task raised the interrupt itself."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    raised = [r for r in results if r.variant.timer.startswith("software")]
    timed = len(results) - len(raised)
    if raised:
        also = f"; {counted(timed, 'result')} of interrupts that came by themselves beside them" if timed else ""
        return "met", "raised by the measuring task, and so labelled", f"{counted(len(raised), 'result')}{also}"
    return "substituted", "by a timer: they come wherever the kernel then is", f"{counted(timed, 'result')}"


@check("user-isr")
def user_isr(run: Run, study: Study, condition: Condition) -> Answer:
    """A routine in user space was called by a signal of the kernel's bottom half."""
    found = [r for r in concerned(run, study, condition) if r.measurement.startswith("user-isr")]
    good = [r for r in found if r.count > 0]
    if not good:
        return (
            "not met",
            "not measured here",
            several([r.text or r.reason for r in found], 1) or "no result in the record",
        )
    if notes := [n.text for r in good for n in r.notes if n.kind == "substituted"]:
        return "substituted", "called by a signal, after a stand-in for the interrupt", several(notes, 1)
    return "met", "a thread of the measuring process is sent the signal", f"{counted(len(good), 'result')}"


@check("delays-of-one-interrupt")
def delays_of_one_interrupt(run: Run, study: Study, condition: Condition) -> Answer:
    """Stages and total of the same interrupt are recorded; a total of other interrupts is a substitute."""
    found: dict[tuple[int, int], set[str]] = {}
    for s, session in enumerate(run.sessions):
        for r in session.results:
            if r.count and _of(r, study):
                found.setdefault((s, r.item), set()).add(r.quantity)
    together = [quantities for quantities in found.values() if {TOTAL, *STAGES} <= quantities]
    if together:
        most = max(together, key=len)
        return "met", f"{len(most)} delays of each interrupt", several(sorted(most), 6)
    if any(set(SPLIT) <= quantities for quantities in found.values()):
        ours = "handler, switch and total of each, by the kernel's own stamps; a timer has no bottom half of its own and sends no signal"
        return "substituted", ours, several(list(SPLIT))
    every_quantity = set().union(*found.values()) if found else set()
    if {TOTAL, *STAGES} <= every_quantity:
        return "substituted", "stages and total are of different interrupts", several(sorted(every_quantity), 6)
    return "not met", "not all measured", several(sorted(every_quantity), 6) or "no result in the record"


TOTAL = "interrupt-task-response"
STAGES = ("interrupt-service-response", "top-to-bottom-half", "context-switch-delay")
"""The delays of the paper's structure that every kernel has; a user-level routine adds one."""
SPLIT = ("expiry-to-handler", "context-switch-delay", "split-task-response")
"""The delays that a stock kernel stamps."""


def _long(seconds: float) -> str:
    unit, of_it = ("h", 3600) if seconds >= 7200 else ("min", 60) if seconds >= 120 else ("s", 1)
    return f"{seconds / of_it:.3g} {unit}"


@check("duration")
def duration(run: Run, study: Study, condition: Condition) -> Answer:
    """Each line under load was measured for `least` seconds without a break;
    the same time in several parts is a substitute."""
    whole: dict[tuple[object, ...], float] = {}
    longest: dict[tuple[object, ...], float] = {}
    for session in run.sessions:
        hz = {clock.id: clock.hz for clock in session.clocks}
        for r in session.results:
            if r.count and r.variant.load != "none" and _of(r, study):
                key = (r.measurement, r.quantity, r.variant)
                seconds = r.elapsed / hz.get(r.clock, 1)
                whole[key] = whole.get(key, 0.0) + seconds
                longest[key] = max(longest.get(key, 0.0), seconds)
    if not whole:
        return "not met", "nothing was measured under load", "no loaded result in the record"
    evidence = f"{_long(min(whole.values()))} to {_long(max(whole.values()))} a line"
    network = run.host.get("network", "") or "a network that the record does not name"
    if min(whole.values()) < condition.least:
        return "not met", "shorter: --profile paper asks for the paper's", evidence
    if condition.loads and network not in condition.loads:
        return "substituted", f"as long, on {network}", evidence
    if min(longest.values()) < condition.least:
        return "substituted", "as long, in several parts", evidence
    return "met", "as long, or longer, without a break", evidence


def _of(result: Result, study: Study) -> bool:
    return any(result.measurement == row.measurement for table in study.tables for row in table.rows) or any(
        result.measurement == variant.measurement for table in study.tables for variant in table.variants
    )


@check("interrupt-threads")
def interrupt_threads(run: Run, study: Study, condition: Condition) -> Answer:
    """The network's interrupts were served below the measuring task, and above it."""
    results = measured(run, study, Condition(check=condition.check, paper=condition.paper))
    below = any(load_kind(r.variant.load) in {"network", "ioc"} for r in results)
    raised = {f.value for r in results for f in r.load if f.key == "interrupt_thread_priority"}
    if below and raised:
        return (
            "met",
            "the network's interrupt threads below the task, and above it",
            f"raised to {several([str(v) for v in raised])}",
        )
    if below:
        why = several(
            [
                r.text
                for r in concerned(run, study, condition)
                if load_kind(r.variant.load).endswith("-above") and r.text
            ],
            1,
        )
        return (
            "substituted",
            "one order only: this kernel's network is not served by threads",
            why or "no raised threads",
        )
    return "not met", "no load of a network", f"loads: {several([load_words(r.variant.load) for r in results])}"


@together("preemption-model")
def preemption_model(runs: Sequence[Run], study: Study, condition: Condition) -> Answer:
    """The table has kernels of both kinds: one that preempts itself, and one that does not."""
    models: dict[str, str] = {}
    for run in runs:
        if measured(run, study, condition):
            for session in run.sessions:
                if model := session.env.get("kernel.preempt"):
                    models[run.kernel()] = model
    if not measured(runs[0], study, condition):
        return NOTHING
    evidence = several([f"{kernel}: {model}" for kernel, model in models.items()])
    kinds = {model in NOT_PREEMPTIVE for model in models.values()}
    if kinds == {True, False}:
        return "met", "kernels of both kinds, a column each", evidence
    if kinds:
        return "substituted", "kernels of one kind only; the record says which", evidence
    return "not met", "the kernel does not say", "no fact of it in the record"


NOT_PREEMPTIVE = frozenset({"none", "voluntary"})
"""Linux' models in which kernel code gives up the CPU only of its own accord."""
