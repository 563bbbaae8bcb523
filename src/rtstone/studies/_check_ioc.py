# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of an IOC: whether the measurement was in one, how its clients loaded it, and where they were."""

from __future__ import annotations

from rtstone.model import Result, Run, units
from rtstone.model.units import counted
from rtstone.studies._checking import NOTHING, Answer, check, measured, of_items, several
from rtstone.studies._model import Condition, Study


@check("inside-ioc")
def inside_ioc(run: Run, study: Study, condition: Condition) -> Answer:
    """The sampler ran inside an EPICS IOC."""
    if not measured(run, study, condition):
        return NOTHING
    facts = [f"{k} {v}" for s in run.sessions for k, v in s.env.items() if k.startswith("ioc.")]
    if facts:
        return "met", "in a thread of the IOC's own process", several(facts, 2)
    return "substituted", "the same path, in a program of its own", "the record speaks of no IOC"


def _loaded(run: Run, study: Study, condition: Condition) -> tuple[list[Result], list[str]]:
    """A result of each item under the condition's loads, and the names of other loads that were measured."""
    anything = Condition(check=condition.check, paper=condition.paper, table=condition.table)
    loaded = [r for r in measured(run, study, anything) if r.variant.load != "none"]
    others = sorted({r.variant.load for r in loaded} - set(condition.loads))
    return of_items(run, [r for r in loaded if r.variant.load in condition.loads]), others


def _figure(results: list[Result], key: str) -> list[int]:
    return [figure.value for r in results for figure in r.load if figure.key == key]


@check("ioc-load")
def ioc_load(run: Run, study: Study, condition: Condition) -> Answer:
    """An IOC was loaded by bursts of at least `least` puts and monitors, `period_ns` apart, and lost no monitor."""
    results, others = _loaded(run, study, condition)
    if not results:
        wanted = f"the paper's kind would be {', '.join(condition.loads)}"
        return (
            ("substituted", f"another load: {', '.join(others)}", wanted)
            if others
            else ("not met", "nothing was measured under load", "no loaded result in the record")
        )
    records, pauses = _figure(results, "records"), _figure(results, "pause_ms")
    lost = sum(_figure(results, "monitors_lost"))
    bursts, puts, monitors = (sum(_figure(results, key)) for key in ("bursts", "puts", "monitors"))
    if not records or not pauses or not puts:
        return "not met", "the load does not say what it did", "no puts in the record"
    busy_ns = sum(_figure(results, "burst_ns"))
    rate = f", {units.count(round(puts / busy_ns * 1e9))} puts/s within bursts" if busy_ns else ""
    evidence = (
        f"{units.count(bursts)} bursts, {units.count(puts)} puts, {units.count(monitors)} monitors, {lost} lost{rate}"
    )
    if lost:
        return "not met", "monitors were lost", evidence
    ours = (
        f"{several([str(r) for r in records])} puts and monitors every {several([f'{p / 1000:g}' for p in pauses])} s"
    )
    wanted_ms = condition.period_ns / 1_000_000
    if min(records) >= condition.least and max(pauses) <= wanted_ms:
        return "met", ours, evidence
    return "substituted", f"{ours}: as many a second, in shorter bursts", evidence


@check("ioc-clients")
def ioc_clients(run: Run, study: Study, condition: Condition) -> Answer:
    """Clients reached the IOC through network devices that interrupted the measured CPU, or were on a machine of their own."""
    results, _ = _loaded(run, study, condition)
    if not results:
        return "not met", "no clients of an IOC", "no such load in the record"
    interrupts = sum(_figure(results, "near_interrupts"))
    evidence = f"{counted(interrupts, 'interrupt')} of the IOC's network device"
    elsewhere = all(_figure([result], "outside") == [1] for result in results)
    if not run.target.startswith("board:"):
        if elsewhere:
            return "met", "on another machine", f"their kernel is another one than the IOC's; {evidence}"
        return (
            "not met",
            "on this machine: their work takes its CPUs' time",
            f"the kernel that they run on is the IOC's; {evidence}",
        )
    if interrupts == 0:
        return "not met", "the clients came through no network device", evidence
    if elsewhere:
        return (
            "met",
            "on the host that the board is on, over a link of their own: they take none of its CPU's time",
            evidence,
        )
    return (
        "substituted",
        "at the other end of a cable between two network devices, but of the same CPU: the clients' work takes its time too",
        evidence,
    )
