# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of an interrupt's way to the task: who raised it, what lies between handler and task, beside what, for how long."""

from __future__ import annotations

from rtstone.model import Result, Run, load_kind
from rtstone.studies._model import Condition, Study
from rtstone.studies.conditions import NOTHING, Answer, check, concerned, measured, several


@check("bottom-half")
def bottom_half(run: Run, study: Study, condition: Condition) -> Answer:
    """What lies between handler and task is the kernel's own kind of it, or a task above all others where a kernel has none."""
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


KINDS = {"default": "thread", "probe": "thread", "software": "thread", "workqueue": "work queue"}
"""Sources of the measured interrupt, by what their bottom half is; the others' is their name."""


@check("software-trigger")
def software_trigger(run: Run, study: Study, condition: Condition) -> Answer:
    """The measuring task raised the interrupt itself."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    raised = [r for r in results if r.variant.timer.startswith("software")]
    timed = len(results) - len(raised)
    if raised:
        also = f"; {timed} results of interrupts that came by themselves beside them" if timed else ""
        return "met", "raised by the measuring task, and so labelled", f"{len(raised)} results{also}"
    return "substituted", "by a timer: they come wherever the kernel then is", f"{timed} results"


@check("user-isr")
def user_isr(run: Run, study: Study, condition: Condition) -> Answer:
    """A routine in user space was called by a signal of the kernel's bottom half."""
    found = [r for r in concerned(run, study, condition) if r.measurement.startswith("user-isr")]
    good = [r for r in found if r.count > 0]
    if good:
        return "met", "a thread of the measuring process is sent the signal", f"{len(good)} results"
    return "not met", "not measured here", several([r.text or r.reason for r in found], 1) or "no result in the record"


@check("total-by-itself")
def total_by_itself(run: Run, study: Study, condition: Condition) -> Answer:
    """Stages and total were measured, each by interrupts of its own."""
    names = {r.measurement for r in measured(run, study, condition)}
    totals = sorted(n for n in names if n.endswith("-total"))
    if totals and len(names) > len(totals):
        return (
            "met",
            "the total is measured by itself, not stamped on its way; the residual is printed",
            several(totals),
        )
    return "not met", "not both measured", several(sorted(names)) or "no result in the record"


@check("duration")
def duration(run: Run, study: Study, condition: Condition) -> Answer:
    """Each line under load was measured for as long as `least` seconds, its repetitions together."""
    seconds: dict[tuple[object, ...], float] = {}
    for session in run.sessions:
        hz = {clock.id: clock.hz for clock in session.clocks}
        for r in session.results:
            if r.count and r.variant.load != "none" and _of(r, study):
                key = (r.measurement, r.quantity, r.variant)
                seconds[key] = seconds.get(key, 0.0) + r.elapsed / hz.get(r.clock, 1)
    if not seconds:
        return "not met", "nothing was measured under load", "no loaded result in the record"
    least, most = min(seconds.values()), max(seconds.values())
    evidence = f"{least:.3g} to {most:.3g} s a line"
    if least >= condition.least:
        return "met", "as long, or longer", evidence
    return "not met", "shorter: --profile paper asks for the paper's", evidence


def _of(result: Result, study: Study) -> bool:
    return any(result.measurement == row.measurement for table in study.tables for row in table.rows) or any(
        result.measurement == variant.measurement for table in study.tables for variant in table.variants
    )


@check("load-present")
def load_present(run: Run, study: Study, condition: Condition) -> Answer:
    """Something was measured under a load of that name."""
    anything = Condition(check=condition.check, paper=condition.paper, table=condition.table)
    loads = {load_kind(r.variant.load) for r in measured(run, study, anything)}
    found = [name for name in condition.loads if name in loads]
    if found:
        return "met", "measured under it", f"load {', '.join(found)}"
    return "not met", "not measured", f"loads of the record: {several(sorted(loads)) or 'none'}"


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
        return "not met", "one order only: this kernel's network is not served by threads", why or "no raised threads"
    return "not met", "no load of a network", f"loads: {several([r.variant.load for r in results])}"


@check("preemption-model")
def preemption_model(run: Run, study: Study, condition: Condition) -> Answer:
    """Which preemption model the kernel runs in is in the record."""
    if not measured(run, study, condition):
        return NOTHING
    told = several([v for s in run.sessions for k, v in s.env.items() if k == "kernel.preempt"])
    if told:
        return "met", "the kernel says in which model it runs; each has a line of its own", told
    if all(s.port != "posix" for s in run.sessions):
        return "met", "a kernel that preempts always, or none", several([s.port for s in run.sessions])
    return "not met", "the kernel does not say", "no fact of it in the record"
