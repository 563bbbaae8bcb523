# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the method: processors, counts, services, switches, classes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone.model import Result, Run, Variant
from rtstone.model.units import counted
from rtstone.model.variant import load_words
from rtstone.studies._checking import NOTHING, Answer, Verdict, check, concerned, measured, several, together
from rtstone.studies._model import Condition, Study, needs


@check("one-cpu")
def one_cpu(run: Run, study: Study, condition: Condition) -> Answer:
    """The machine has one processor; a substitute is to pin all participants to one of several."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    cpus = sorted({r.cpu for r in results})
    counts = {s.env.get("cpu.count", "?") for s in run.sessions}
    if counts == {"1"}:
        return "met", "a machine with one processor", "cpu.count 1"
    if len(cpus) != 1 or cpus[0] < 0:
        return "not met", "not everything was pinned to one CPU", f"CPUs {', '.join(map(str, cpus))}"
    return (
        "substituted",
        f"one CPU of {several(sorted(counts))}: both parties and the load are pinned to it, the rest of the system is not",
        f"CPU {cpus[0]} in all {counted(len(results), 'result')}",
    )


@check("equal-iterations")
def equal_iterations(run: Run, study: Study, condition: Condition) -> Answer:
    """Sets of one size were repeated, as the plan requires for every kernel;
    too few sets because of the budget are a substitute."""
    results = [r for r in measured(run, study, condition) if r.variant.pass_ == "batch"]
    if not results:
        return NOTHING
    sizes = sorted({r.ops for r in results}, reverse=True)
    each = f"sets of {', '.join(map(str, sizes))} operations"
    sets = sorted({r.count for r in results})
    if len(sizes) > 1:
        unlike = several([f"{r.measurement} {r.ops}" for r in results if r.ops != sizes[0]])
        return "not met", f"unequal sets: {each}", unlike
    if sets[0] < REPEATED:
        alone = several([r.measurement for r in results if r.count < REPEATED])
        return "not met", "the measurement was not repeated: one set shows no variance", alone
    if all(r.stop == "count" for r in results):
        return (
            "met",
            f"{sets[-1] if len(sets) == 1 else f'{sets[0]} to {sets[-1]}'} {each}, the same plan for every kernel",
            (f"all {counted(len(results), 'result')} ended by their count"),
        )
    cut = [r for r in results if r.stop != "count"]
    return (
        "substituted",
        f"the same plan for every kernel ({each}), within a budget of time",
        (
            f"{len(cut)} of {counted(len(results), 'result')} ended early, with {counted(min(r.count for r in cut), 'set')} at the least"
        ),
    )


REPEATED = 2
"""Fewest sets that show how an average varies."""


@check("clock-and-cache-state")
def clock_and_cache_state(run: Run, study: Study, condition: Condition) -> Answer:
    """Within each table one clock and one cache state; another clock of like resolution is a substitute."""
    statements: list[str] = []
    verdict: Verdict = "met"
    for table in study.tables:
        clocks: dict[str, set[float]] = {}
        caches: set[str] = set()
        of_table = {
            (r.item, r.quantity) for r in measured(run, study, msgspec.structs.replace(condition, table=table.number))
        }
        for session in run.sessions:
            known = {clock.id: clock for clock in session.clocks}
            for r in session.results:
                if (r.item, r.quantity) in of_table:
                    caches.add(r.variant.cache)
                    clock = known.get(r.clock)
                    quantum = clock.ns(clock.resolution_ticks) if clock and clock.resolution_ticks else 0.0
                    clocks.setdefault(clock.name if clock else "unknown", set()).add(quantum)
        if not clocks:
            continue
        quanta = [quantum for of in clocks.values() for quantum in of]
        alike = min(quanta) > 0 and max(quanta) <= LIKE_RESOLUTION * min(quanta)
        if len(caches) > 1 or (len(clocks) > 1 and not alike):
            verdict = "not met"
        elif len(clocks) > 1 and verdict == "met":
            verdict = "substituted"
        statements.append(
            f"table {table.number}: clock {', '.join(sorted(clocks))}, caches {', '.join(sorted(caches))}"
        )
    if not statements:
        return NOTHING
    words = {
        "met": "one clock and one cache state throughout each table",
        "substituted": f"clocks whose resolutions differ by less than {LIKE_RESOLUTION:g} times, one cache state",
        "not met": "clocks or cache states differ within a table",
    }
    return verdict, words[verdict], "; ".join(statements)


LIKE_RESOLUTION = 2.0
"""Clocks whose resolutions differ by less are of like resolution."""


@check("checks-hold")
def checks_hold(run: Run, study: Study, condition: Condition) -> Answer:
    """The required counts (the switches of a ping and so on) exist, lie within their limits,
    and are of the thing itself."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    checks = [(r, c) for r in results for c in r.checks]
    if not checks:
        return "not met", "nothing was counted that would show it", f"no check in {counted(len(results), 'result')}"
    broken = [f"{r.measurement}: {c.name} {c.value} not in {c.low}…{c.high}" for r, c in checks if not c.holds]
    if broken:
        return "not met", "a count does not agree", several(broken, 2)
    without = several([r.measurement for r in results if not r.checks])
    if without:
        return "not met", "counted, but not for every one of these", f"no check of {without}"
    names = several([c.name for _, c in checks])
    if notes := _stand_ins(results, condition):
        return "substituted", "counted, of a stand-in that is noted at its cell", several(notes, 2)
    return "met", "counted in each of these measurements", f"{names}: {len(checks)} counts, all where they must lie"


def _stand_ins(results: list[Result], condition: Condition) -> list[str]:
    kinds = {"substituted", "approximated"} | ({"environment"} if condition.remarks else set())
    return [n.text for r in results for n in r.notes if n.kind in kinds]


@check("service-itself")
def service_itself(run: Run, study: Study, condition: Condition) -> Answer:
    """The kernel's own service was measured, and not a substitute."""
    results = concerned(run, study, condition)
    if not results:
        return NOTHING
    skipped = [r for r in results if r.status == "skipped"]
    if len(skipped) == len(results):
        reasons = several([r.text or r.reason for r in skipped], 1)
        return "not met", "not measured (* in the table)", reasons
    if notes := _stand_ins(results, condition):
        return "substituted", "a stand-in, noted at its cell", several(notes, 2)
    if skipped:
        return "not met", "measured in part", f"skipped: {several([r.measurement for r in skipped])}"
    return "met", "the kernel's own service", f"no substitute in {counted(len(results), 'result')}"


def _with_items(run: Run, results: list[Result]) -> list[tuple[Result, int]]:
    """Each result with its item's number of samples.
    A sample whose stages the kernel did not record is missing only in the stages."""
    most: dict[int, int] = {}
    for session in run.sessions:
        items: dict[int, int] = {}
        for r in session.results:
            items[r.item] = max(items.get(r.item, 0), r.count)
        most |= {id(r): items[r.item] for r in session.results}
    return [(r, most[id(r)]) for r in results]


@check("sample-count")
def sample_count(run: Run, study: Study, condition: Condition) -> Answer:
    """Each result has the number of samples of the paper, or our own number where the paper gives none."""
    # A measurement may have quantities that no row of the study shows (single stages, alternating comparisons).
    # They are not the paper's.
    asked = {n.quantity for n in needs(study)}
    results = [r for r in measured(run, study, condition) if r.variant.pass_ == "single" and r.quantity in asked]
    if not results:
        return NOTHING
    totals: dict[tuple[str, str, Variant], int] = {}
    taken: dict[tuple[str, str, Variant], int] = {}
    for r, of_item in _with_items(run, results):
        key = (r.measurement, r.quantity, r.variant)
        totals[key] = totals.get(key, 0) + r.count
        taken[key] = taken.get(key, 0) + of_item
    fewest = min(totals.values())
    evidence = f"samples of each figure: {_by_load(totals)}; asked for: {condition.least}"
    if fewest >= condition.least:
        return "met", f"{counted(fewest, 'sample')} or more", evidence
    if min(taken.values()) >= condition.least:
        without = max(taken[key] - totals[key] for key in totals)
        return (
            "substituted",
            f"{counted(min(taken.values()), 'sample')} or more, of which up to {without} have no stages",
            evidence,
        )
    return "not met", f"{counted(fewest, 'sample')} at the least (profile {run.profile})", evidence


def _by_load(totals: dict[tuple[str, str, Variant], int]) -> str:
    """The fewest and the most samples of a figure under each load."""
    found: dict[str, list[int]] = {}
    for (_, _, variant), count in totals.items():
        found.setdefault(load_words(variant.load), []).append(count)
    return ", ".join(
        f"{load} {min(counts)}" + (f" to {max(counts)}" if max(counts) > min(counts) else "")
        for load, counts in found.items()
    )


@check("interrupt-rate")
def interrupt_rate(run: Run, study: Study, condition: Condition) -> Answer:
    """The measured interrupt came at the paper's rate."""
    results = measured(run, study, condition)
    if not results:
        return NOTHING
    periods = sorted({r.variant.period_ns for r in results})
    rates = ", ".join(f"{1e9 / p:g} Hz" for p in periods if p)
    if periods == [condition.period_ns]:
        return (
            "met",
            f"interrupts at {rates}",
            f"period {periods[0] / 1000:g} µs in all {counted(len(results), 'result')}",
        )
    near = all(p and 1 / NEAR_RATE <= p / condition.period_ns <= NEAR_RATE for p in periods)
    return (
        "substituted" if near else "not met",
        f"interrupts at {rates or 'a rate that is not known'}",
        f"asked for: {condition.period_ns / 1000:g} µs",
    )


NEAR_RATE = 2.0
"""A rate within this factor of the paper's stands in for it."""


@check("process-not-thread")
def process_not_thread(run: Run, study: Study, condition: Condition) -> Answer:
    """Two processes, each in an address space of its own, were switched."""
    results = measured(run, study, condition)
    if not results:
        skipped = [r for r in concerned(run, study, condition) if r.status == "skipped"]
        return (
            ("not met", "no switch between processes was measured", several([r.text for r in skipped], 1))
            if skipped
            else NOTHING
        )
    notes = [n.text for r in results for n in r.notes if n.kind == "substituted"]
    if notes:
        return "substituted", "something stands in for the processes", several(notes, 1)
    return (
        "met",
        "two processes, each with its own address space; between threads beside it",
        (f"{several([r.measurement for r in results])}: {counted(len(results), 'result')}"),
    )


@check("classes-measured")
def classes_measured(run: Run, study: Study, condition: Condition) -> Answer:
    """The scheduling classes of the paper were both measured, as such."""
    results = measured(run, study, condition)
    there = {r.variant.sched for r in results}
    names = {"rt": "real-time", "ts": "time-sharing"}
    missing = [names[s] for s in condition.scheds if s not in there]
    if lost := [d.text for d in run.degraded if d.reason in SCHED_REASONS]:
        return "not met", "the real-time class was refused, so all is time-sharing", several(lost, 1)
    if missing:
        return (
            "substituted" if there else "not met",
            f"not measured in the {' and the '.join(missing)} class",
            several(_why(run, study, condition), 1),
        )
    return (
        "met",
        "both classes are measured, each in its own line",
        (
            ", ".join(
                f"{names[s]}: {counted(sum(r.variant.sched == s for r in results), 'result')}" for s in condition.scheds
            )
        ),
    )


@check("all-measured")
def all_measured(run: Run, study: Study, condition: Condition) -> Answer:
    """Every row of the study has a reliable figure."""
    wanted = {(n.measurement, n.quantity) for n in needs(study)}
    good = {(r.measurement, r.quantity) for r in measured(run, study, condition) if r.status == "ok"}
    missing = [quantity for measurement, quantity in wanted if (measurement, quantity) not in good]
    if missing:
        return (
            "not met",
            f"{len(wanted) - len(missing)} of {len(wanted)} components measured",
            f"without: {several(sorted(missing))}",
        )
    stand_ins = [n.text for r in measured(run, study, condition) for n in r.notes if n.kind == "substituted"]
    if stand_ins:
        return "substituted", f"all {len(wanted)} components measured, some by a stand-in", several(stand_ins, 2)
    return (
        "met",
        f"all {counted(len(wanted), 'component')} measured",
        f"{counted(len(wanted), 'quantity')} with status ok",
    )


@together("native-and-pthreads")
def native_and_pthreads(runs: Sequence[Run], study: Study, condition: Condition) -> Answer:
    """Each interface of one kernel has a column of its own in the table."""
    if not measured(runs[0], study, condition):
        return NOTHING
    ports: dict[str, set[str]] = {}
    for run in runs:
        if measured(run, study, condition):
            ports.setdefault(run.kernel(), set()).update(s.port for s in run.sessions)
    mine = ports[runs[0].kernel()]
    evidence = f"{runs[0].kernel()}: port {', '.join(sorted(mine))}"
    if len(mine) > 1:
        return "met", "more than one interface of the kernel, a column each", evidence
    if mine == {"epics"}:
        both = "--target local,epics has both, a column each"
        return "substituted", f"EPICS's interface, a wrapper of the kernel's: {both}", evidence
    return "not met", "one interface of the kernel, that of its port", evidence


SCHED_REASONS = frozenset({"no-realtime"})
"""Reasons of a degraded run that mean: no real-time class was available."""


def _why(run: Run, study: Study, condition: Condition) -> list[str]:
    skipped: list[Result] = [r for r in concerned(run, study, condition) if r.status == "skipped"]
    return [r.text or r.reason for r in skipped] or ["no such result in the record"]
