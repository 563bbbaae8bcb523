# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of what was around the measurements: interrupts, priorities, loads, the rest of the system."""

from __future__ import annotations

from rtstone.model import Run
from rtstone.studies._check_method import SCHED_REASONS
from rtstone.studies._model import Condition, Study
from rtstone.studies.conditions import NOTHING, Answer, check, concerned, measured, several

IDLE_SHARE = 0.05
"""Largest share of the measured CPU that others may use in a run that calls itself idle."""


@check("interrupt-source")
def interrupt_source(run: Run, study: Study, condition: Condition) -> Answer:
    """The measured interrupt reached a handler in the kernel (or there is no kernel), and not a thread that stands in for one."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    notes = [n.text for r in results for n in r.notes if n.service == "timer" and n.kind == "substituted"]
    sources = several([r.variant.timer for r in results])
    if notes:
        return "substituted", "not the same interrupt", several(notes, 1)
    return (
        "met",
        "an interrupt of the target's own timer, handled in the kernel",
        f"source {sources}; nothing stands in for the handler",
    )


@check("highest-priority")
def highest_priority(run: Run, study: Study, condition: Condition) -> Answer:
    """The measuring task had the highest priority that the target gives, in its real-time class."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    priorities = ", ".join(map(str, sorted({r.priority for r in results})))
    refused = [d for d in run.degraded if d.reason in SCHED_REASONS]
    if refused:
        return "not met", "the real-time class was refused: ordinary priority", several([d.text for d in refused], 1)
    if any(r.variant.sched != "rt" for r in results):
        return "not met", "measured in the time-sharing class", f"priority {priorities}"
    return (
        "met",
        "real-time class, the highest priority that the port gives",
        f"priority {priorities} in all {len(results)} results",
    )


@check("idle-was-idle")
def idle_was_idle(run: Run, study: Study, condition: Condition) -> Answer:
    """While nothing was to run beside the measurement, nothing did: CPU time of others and steal time say so."""
    results = [r for r in measured(run, study, condition) if r.variant.load == "none"]
    if not results:
        return (
            "not met",
            "no idle measurement in this run",
            f"loads: {several([r.variant.load for r in concerned(run, study, condition)])}",
        )
    if single_user(run):
        return "met", "nothing else exists on the target", f"target {run.target}"
    shares: dict[str, float] = {}
    for session in run.sessions:
        for r in session.results:
            if r not in results or not r.elapsed:
                continue
            elapsed_ns = session.clock(r.clock).ns(r.elapsed)
            for figure in r.load:
                if figure.key in OTHERS_NS and elapsed_ns > 0:
                    name = OTHERS_NS[figure.key]
                    shares[name] = max(shares.get(name, 0.0), figure.value / elapsed_ns)
    if not shares:
        return (
            "not met",
            "a live system; how busy it was is not in the record",
            "no figure of other CPU time or steal time",
        )
    told = ", ".join(f"{name} {share:.1%} at the most" for name, share in shares.items())
    if max(shares.values()) <= IDLE_SHARE:
        return "met", "others hardly used the measured CPU", told
    return "not met", "others used the measured CPU too", told


OTHERS_NS = {"other_cpu_ns": "other programs", "steal_ns": "steal time", "others_ns": "other programs"}
"""Figures of the record that tell what others took, and how they are called."""


@check("load-achieved")
def load_achieved(run: Run, study: Study, condition: Condition) -> Answer:
    """The load really loaded: its own figures say how much it got done."""
    results = [r for r in measured(run, study, condition) if r.variant.load != "none"]
    if not results:
        return "not met", "nothing was measured under load", "no loaded result in the record"
    silent = [r.measurement for r in results if not any(f.value > 0 for f in r.load)]
    if silent:
        return "not met", "some of it ran without the load having done anything", several(silent)
    totals: dict[str, int] = {}
    for r in results:
        for figure in r.load:
            totals[f"{figure.load} {figure.key}"] = totals.get(f"{figure.load} {figure.key}", 0) + figure.value
    return (
        "met",
        f"load {several([r.variant.load for r in results])}, at work in every loaded result",
        (several([f"{key} {value:,}".replace(",", " ") for key, value in totals.items()])),
    )


@check("load-kind")
def load_kind(run: Run, study: Study, condition: Condition) -> Answer:
    """The load is of the paper's kind."""
    anything = _of_any_load(condition)
    loads = {r.variant.load for r in measured(run, study, anything)} - {"none"}
    if not loads:
        return "not met", "nothing was measured under load", "no loaded result in the record"
    if loads <= set(condition.loads):
        return "met", "the same kind of load", f"load {', '.join(sorted(loads))}"
    return (
        "substituted",
        f"another load: {', '.join(sorted(loads))}",
        f"the paper's kind would be {', '.join(condition.loads)}",
    )


def _of_any_load(condition: Condition) -> Condition:
    """The condition, speaking of every load: here `loads` names what is wanted, not what is looked at."""
    return Condition(check=condition.check, paper=condition.paper, table=condition.table)


@check("single-user-mode")
def single_user_mode(run: Run, study: Study, condition: Condition) -> Answer:
    """Nothing was started on the target but the measurement."""
    if single_user(run):
        return "met", "the target runs nothing but the measurement", f"target {run.target}"
    return "not met", "a live machine in its ordinary state", f"target {run.target}"


@check("other-interrupt-sources")
def other_interrupt_sources(run: Run, study: Study, condition: Condition) -> Answer:
    """Other devices could interrupt the measurement: the record names a network and a clock."""
    if not measured(run, study, condition):
        return NOTHING
    told = {key: value for s in run.sessions for key, value in s.env.items() if key in SOURCES}
    told |= {key: value for key, value in run.host.items() if key in SOURCES}
    there = {kind for key, kind in SOURCES.items() if told.get(key, "") not in {"", "0", "none"}}
    evidence = several([f"{key}: {value}" for key, value in told.items()], 3) or "the record names no other source"
    if there == {"network", "clock"}:
        return "met", "a network and a clock are attached", evidence
    return "not met", "the record does not show both a network and a clock", evidence


SOURCES = {
    "interrupts.network": "network",
    "network": "network",
    "interrupts.rtc": "clock",
    "rtc": "clock",
    "interrupts.timer": "clock",
}
"""Keys of the record that name other sources of interrupts, and which kind each is."""


def single_user(run: Run) -> bool:
    """True where the target is a board that runs nothing but the measurement (virtual boards, by construction)."""
    return run.target.startswith("board:")
