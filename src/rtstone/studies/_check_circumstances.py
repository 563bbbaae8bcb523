# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of what was around the measurements: interrupts, priorities, loads, the rest of the system."""

from __future__ import annotations

import re

from rtstone.model import LoadFigure, Result, Run
from rtstone.studies._check_method import SCHED_REASONS
from rtstone.studies._model import Condition, Study
from rtstone.studies.conditions import NOTHING, Answer, check, concerned, measured, several


@check("interrupt-source")
def interrupt_source(run: Run, study: Study, condition: Condition) -> Answer:
    """The measured interrupt reached a handler in the kernel (or there is no kernel), and not a thread that stands in for one."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    notes = [
        n.text for r in results for n in r.notes if n.service in {"timer", "kernel-split"} and n.kind == "substituted"
    ]
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
    told = {word: run.host[key] for key, (word, _) in OTHERS_PERCENT.items() if key in run.host}
    if not told:
        return (
            "not met",
            "a live system; how busy it was is not in the record",
            "no share of CPU time of others, no steal time",
        )
    evidence = ", ".join(f"{word} {value} %" for word, value in told.items())
    over = [word for key, (word, limit) in OTHERS_PERCENT.items() if _percent(run.host.get(key, "0")) > limit]
    if over:
        return "not met", f"a live system that was not idle: {' and '.join(over)}", f"of the measured CPU: {evidence}"
    return "met", "a live system that was idle but for the measurement", f"of the measured CPU: {evidence}"


OTHERS_PERCENT = {
    "cpu.measured.others_percent": ("used by others", 3.0),
    "cpu.measured.steal_percent": ("steal time", 0.5),
}
"""Facts of the host on what others took of the measured CPU: how each is called, and how much an idle system may show."""


def _percent(text: str) -> float:
    """A share as the record has it; what is no number cannot pass for a small one."""
    try:
        return float(text)
    except ValueError:
        return float("inf")


@check("load-achieved")
def load_achieved(run: Run, study: Study, condition: Condition) -> Answer:
    """The load really loaded: its own figures say how much it got done."""
    results = [r for r in measured(run, study, condition) if r.variant.load != "none"]
    if not results:
        return "not met", "nothing was measured under load", "no loaded result in the record"
    silent = [r.measurement for r in results if not any(f.value > 0 for f in _achieved(r))]
    if silent:
        return "not met", "some of it ran without the load having done anything", several(silent)
    totals: dict[str, int] = {}
    for r in results:
        for figure in _achieved(r):
            totals[f"{figure.load} {figure.key}"] = totals.get(f"{figure.load} {figure.key}", 0) + figure.value
    return (
        "met",
        f"load {several([r.variant.load for r in results])}, at work in every loaded result",
        (several([f"{key} {value:,}".replace(",", " ") for key, value in totals.items()])),
    )


def _achieved(result: Result) -> list[LoadFigure]:
    """What the load got done: what it was asked for, and how long it had for it, tell nothing."""
    return [figure for figure in result.load if figure.key not in STATED and not figure.key.endswith("_per_s")]


STATED = frozenset(
    {
        "intensity",
        "programs",
        "elapsed_ns",
        "seed",
        "failures",
        "array_bytes",
        "working_set_bytes",
        "last_level_cache_bytes",
        "raised_interrupt_threads",
        "interrupt_thread_priority",
        "records",
        "pause_ms",
        "burst_ns",
    }
)
"""Figures of a load that stand whether or not it ran."""


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
    """Other devices could interrupt the measurement: the record names a network and a clock, the target's own or a load's."""
    found = measured(run, study, condition)
    if not found:
        return NOTHING
    rates = {key.removeprefix(RATE): _rate(value) for key, value in run.host.items() if key.startswith(RATE)}
    rates |= {
        f"{f.load} {f.key.removesuffix(LOAD_RATE)}": float(f.value)
        for r in found
        for f in r.load
        if f.key.endswith(LOAD_RATE)
    }
    clocks = {source: rate for source, rate in rates.items() if source in CLOCKS and rate > 0}
    networks = {source: rate for source, rate in rates.items() if _is_network(source) and rate > 0}
    lines = {source: rate for source, rate in rates.items() if source in LINES and rate > 0}
    told = clocks | networks | lines
    evidence = ", ".join(f"{source} {rate:g}/s" for source, rate in told.items()) or "the record names no other source"
    if clocks and networks:
        return "met", "a clock and a network interrupt the measured CPU too", evidence
    if clocks and lines:
        return "substituted", "a clock and a serial line, for a network, interrupt the measured CPU too", evidence
    if clocks:
        return "not met", "a clock interrupts the measured CPU too, but no network does", evidence
    return "not met", "the record does not show both a network and a clock", evidence


RATE = "interrupts_per_s."
LOAD_RATE = "_interrupts_per_s"
CLOCKS = frozenset({"LOC", "arch_timer", "rtc0", "8 rtc0", "0 timer", "traffic timer"})
"""Sources of interrupts that are clocks, as the kernel or a load names them."""
CABLE = ("network", "network-above", "chargen", "ioc", "ioc-above")
"""Loads through network devices and a serial line of their own."""
LINES = frozenset({"traffic line", *(f"{load} line" for load in CABLE)})
"""A load's serial lines."""
ENDS = frozenset(f"{load} {end}" for load in CABLE for end in ("near", "far"))
"""A load's network devices."""
_NETWORK = re.compile(
    r"(?:eth|en[a-z]*|wl[a-z]*)[0-9].*|virtio[0-9]+-(?:input|output|rx|tx)(?:\.[0-9]+)?|.*(?:TxRx|-rx|-tx).*"
)
"""Devices of networks, as Linux names them in /proc/interrupts."""


def _is_network(source: str) -> bool:
    return source in ENDS or _NETWORK.fullmatch(source.rpartition(" ")[2]) is not None


def _rate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def single_user(run: Run) -> bool:
    """True where the target is a board that runs nothing but the measurement (virtual boards, by construction)."""
    return run.target.startswith("board:")
