# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the circumstances of measurements: interrupts, priorities, loads, the rest of the system."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rtstone.model import LoadFigure, Result, Run, Session, load_kind
from rtstone.model.idle import OTHERS, OTHERS_MOST, STEAL, STEAL_MOST
from rtstone.model.units import count, counted
from rtstone.model.variant import load_words
from rtstone.studies._check_method import SCHED_REASONS
from rtstone.studies._checking import NOTHING, Answer, check, concerned, measured, of_items, several
from rtstone.studies._model import Condition, Study


@check("interrupt-source")
def interrupt_source(run: Run, study: Study, condition: Condition) -> Answer:
    """An interrupt of the paper's kind reached a handler; another interrupt is a substitute, a woken thread is not."""
    found = {(r.item, r.quantity) for r in measured(run, study, condition)}
    if not found:
        return NOTHING
    kinds: set[str] = set()
    threads: list[str] = []
    for session in run.sessions:
        for r in session.results:
            if (r.item, r.quantity) not in found or not r.count:
                continue
            notes = [n.text for n in r.notes if n.service == "timer" and n.kind == "substituted"]
            if notes or r.entered == "thread":
                threads += notes or ["the first reading is of a woken thread"]
            else:
                kinds.add(_source(session, r))
    if not kinds:
        return "not met", "no handler was measured: a thread that the interrupt wakes", several(threads, 1)
    evidence = f"source: {several(sorted(kinds))}" + (f"; beside it a thread: {several(threads, 1)}" if threads else "")
    if kinds <= set(condition.sources):
        return "met", "an interrupt of the paper's kind, stamped in its handler", evidence
    return "substituted", "another interrupt, stamped in its handler", evidence


def _source(session: Session, result: Result) -> str:
    """The interrupt's source:
    `timer` is a counter of the target's own, `hrtimer` the kernel's timer service, others a probe's device."""
    if result.measurement == "interrupt-split":
        return "hrtimer"
    return session.env.get("probe.source") or ("timer" if "timer" in session.env else "not named by the record")


@check("highest-priority")
def highest_priority(run: Run, study: Study, condition: Condition) -> Answer:
    """The measuring task had the highest priority of the system; another one of a real-time class is a substitute."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    priorities = ", ".join(map(str, sorted({r.priority for r in results})))
    refused = [d for d in run.degraded if d.reason in SCHED_REASONS]
    if refused:
        return "not met", "the real-time class was refused: ordinary priority", several([d.text for d in refused], 1)
    if any(r.variant.sched != "rt" for r in results):
        return "not met", "measured in the time-sharing class", f"priority {priorities}"
    evidence = f"priority {priorities} in all {counted(len(results), 'result')}"
    if any(s.env.get("sched.rt", "").startswith("SCHED_") for s in run.sessions) and any(
        r.priority < FIFO_HIGHEST for r in results
    ):
        return (
            "substituted",
            f"SCHED_FIFO below {FIFO_HIGHEST}: the kernel's own threads at {FIFO_HIGHEST} come first",
            evidence,
        )
    return "met", "the highest priority that the kernel gives to tasks", evidence


FIFO_HIGHEST = 99
"""Highest priority of POSIX' real-time classes on Linux."""


@check("idle-was-idle")
def idle_was_idle(run: Run, study: Study, condition: Condition) -> Answer:
    """An idle measurement was idle: CPU time of other programs and steal time show that nothing else ran."""
    results = [r for r in measured(run, study, condition) if r.variant.load == "none"]
    if not results:
        return (
            "not met",
            "no idle measurement in this run",
            f"loads: {several([load_words(r.variant.load) for r in concerned(run, study, condition)])}",
        )
    if single_user(run):
        return "met", "nothing else exists on the target", f"target {run.target}"
    percentages = {word: run.host[key] for key, (word, _) in OTHERS_PERCENT.items() if key in run.host}
    if not percentages:
        return (
            "not met",
            "a live system; how busy it was is not in the record",
            "no share of CPU time of others, no steal time",
        )
    evidence = ", ".join(f"{word} {value} %" for word, value in percentages.items())
    over = [key for key, (_, limit) in OTHERS_PERCENT.items() if _percent(run.host.get(key, "0")) > limit]
    if over == [STEAL] and _percent(run.host[STEAL]) <= 100:
        ours = "a live system that was idle, on a virtual machine whose host took its CPU for others"
        return "substituted", ours, f"the measured CPU: {evidence}"
    if over:
        words = " and ".join(OTHERS_PERCENT[key][0] for key in over)
        return "not met", f"a live system that was not idle: {words}", f"the measured CPU: {evidence}"
    return "met", "a live system, idle except for the measurement", f"the measured CPU: {evidence}"


OTHERS_PERCENT = {
    OTHERS: ("used by other programs", OTHERS_MOST),
    STEAL: ("steal time", STEAL_MOST),
}
"""Facts of the host about others' use of the measured CPU -> the name of the use, and its limit on an idle system."""


def _percent(text: str) -> float:
    """A share as the record has it.
    Text that is not a number becomes infinite, so that it cannot pass for a small share."""
    try:
        return float(text)
    except ValueError:
        return float("inf")


@check("load")
def load(run: Run, study: Study, condition: Condition) -> Answer:
    """A load of the paper's kind and size was at work in every loaded result, as the load's own figures show."""
    anything = Condition(check=condition.check, paper=condition.paper, table=condition.table)
    results = [r for r in measured(run, study, anything) if r.variant.load != "none"]
    if not results:
        return "not met", "nothing was measured under load", "no loaded result in the record"
    silent = [f"{r.measurement} under {r.variant.load}" for r in results if not any(f.value > 0 for f in _achieved(r))]
    if silent:
        return "not met", "some of it ran without the load having done anything", several(silent)
    totals: dict[str, int] = {}
    for r in of_items(run, results):
        for figure in _achieved(r):
            totals[f"{figure.load} {figure.key}"] = totals.get(f"{figure.load} {figure.key}", 0) + figure.value
    evidence = several([f"{key} {count(value)}" for key, value in totals.items()])
    papers = [r for r in results if load_kind(r.variant.load) in condition.loads]
    if not papers:
        ours = f"another load: {several(sorted({r.variant.load for r in results}))}"
        return "substituted", f"{ours} (the paper's kind is {' or '.join(condition.loads)})", evidence
    programs = {f.value for r in papers for f in r.load if f.key == "intensity"}
    if condition.programs and programs != {condition.programs}:
        return "substituted", f"the same kind, of {', '.join(map(str, sorted(programs)))} programs", evidence
    if missing := _stand_ins(papers):
        return "substituted", "the paper's load, in part by stand-ins: " + "; ".join(missing), evidence
    return "met", f"load {several(sorted({r.variant.load for r in papers}))}, at work in every loaded result", evidence


_PEER = {
    "peer_elsewhere": "the peer is on this machine, so that its work falls on this machine's CPUs",
    "near_interrupts": "no network device interrupted",
    "serial_line": "a pseudo-terminal is no serial line",
    "line_interrupts": "the serial line did not interrupt",
}
"""Figures of the load `network-peer` -> the meaning of a figure of 0."""


def _stand_ins(results: Sequence[Result]) -> list[str]:
    """Parts of the load that were not the paper's, where another host was to make it."""
    return [
        text
        for key, text in _PEER.items()
        if any(f.value == 0 for r in results for f in r.load if (f.load, f.key) == ("network-peer", key))
    ]


def _achieved(result: Result) -> list[LoadFigure]:
    """The figures that show the load's work. Its settings and its running time show nothing, so they are omitted."""
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
        "outside",
        "peer_elsewhere",
        "serial_line",
    }
)
"""Figures of a load that are present whether or not it ran."""


@check("single-user-mode")
def single_user_mode(run: Run, study: Study, condition: Condition) -> Answer:
    """Nothing was started on the target but the measurement; an ordinary system that was idle is a substitute."""
    if single_user(run):
        return "met", "the target runs nothing but the measurement", f"target {run.target}"
    mode = run.host.get("system.mode", "")
    if mode.startswith("single-user"):
        return "met", "a live machine in single-user mode", mode
    percentages = {key: run.host[key] for key in OTHERS_PERCENT if key in run.host}
    evidence = f"{mode or 'its mode is not in the record'}; " + (
        ", ".join(f"{OTHERS_PERCENT[key][0]} {value} %" for key, value in percentages.items())
        or "how busy it was is not told"
    )
    if percentages and all(_percent(value) <= OTHERS_PERCENT[key][1] for key, value in percentages.items()):
        units = run.host.get("system.stopped", "").split()
        state = f"of which {len(units)} units were stopped" if units else "in its ordinary state"
        return "substituted", f"a live machine {state}, and that kept still", evidence
    return "not met", "a live machine in its ordinary state", evidence


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
    disks = {source: rate for source, rate in rates.items() if _DISK.search(source) and rate > 0}
    rate_of = clocks | networks | lines | disks
    disk = "a disk too, as on LynxOS alone" if disks else "no disk does, which LynxOS alone had"
    evidence = (
        ", ".join(f"{source} {rate:g}/s" for source, rate in rate_of.items()) or "the record names no other source"
    )
    if clocks and networks:
        return "met", f"a clock and a network interrupt the measured CPU too; {disk}", evidence
    if clocks and lines:
        return "substituted", "a clock and a serial line, for a network, interrupt the measured CPU too", evidence
    if clocks:
        return "not met", "a clock interrupts the measured CPU too, but no network does", evidence
    return "not met", "the record does not show both a network and a clock", evidence


RATE = "interrupts_per_s."
LOAD_RATE = "_interrupts_per_s"
CLOCKS = frozenset({"LOC", "arch_timer", "rtc0", "8 rtc0", "0 timer", "traffic timer"})
"""Sources of interrupts that are clocks, as the kernel or a load names them."""
CABLE = ("network", "network-above", "network-peer", "chargen", "ioc", "ioc-above")
"""Loads through network devices and a serial line of their own."""
LINES = frozenset({"traffic line", *(f"{load} line" for load in CABLE)})
"""A load's serial lines."""
ENDS = frozenset(f"{load} {end}" for load in CABLE for end in ("near", "far"))
"""A load's network devices."""
_NETWORK = re.compile(
    r"(?:eth|en[a-z]*|wl[a-z]*)[0-9].*|virtio[0-9]+-(?:input|output|rx|tx)(?:\.[0-9]+)?|.*(?:TxRx|-rx|-tx).*"
)
"""Devices of networks, as Linux names them in /proc/interrupts."""
_DISK = re.compile(
    r"\b(?:virtio[0-9]+-req|virtio_scsi|nvme[0-9]|ahci|ata_|mmc[0-9]|sdhci|megasas|mpt[0-9]|usb-storage)"
)
"""Devices of disks, likewise."""


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
