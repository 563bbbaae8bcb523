# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the plan of a command from studies, loads and a profile. The items of the plan keep to the profile's time.

Every measurement is made once, however many tables show it. A fast one ends by its count, long before its budget.
Budgets limit the slow ones, and together they never exceed the profile's time. On a live target the unused time goes to
the measured interrupts, which come last.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from rtstone.errors import UsageError
from rtstone.stream.plan import Item, Plan
from rtstone.studies._loader import Cost, Profile, profile, profiles
from rtstone.studies._model import Counts, Need, Pass, Sched, Study, needs
from rtstone.studies._traits import Trait, traits_by_name

FEW_WARM_UP = 2
"""Warm-up operations, which are not counted, where each operation takes long by design,
or on a CPU emulated in real time."""

SLOW_OPERATIONS = 20
"""Most operations of a batch set where one operation may take milliseconds (any, on a CPU emulated in real time).
A set cannot be cut short."""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement requested by name, with its properties from the engine's list."""

    name: str
    passes: tuple[Pass, ...] = ("single",)
    paced: bool = False
    period_ns: int = 0
    """Period of a paced measurement; 0: the usual one."""
    most: int = 0
    """Most operations; 0: the profile's count."""
    sched: Sched | None = None
    """The only scheduling class that it can be measured in; None: any."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The user's request. None and empty: as in the studies and the profile."""

    studies: tuple[Study, ...] = ()
    measurements: tuple[Chosen, ...] = ()
    profile: str = "standard"
    loads: tuple[str, ...] = ("none", "cpu")
    loads_given: bool = True
    """False: the user named no loads, so that a study's own loads are used first."""
    repetitions: int = 1
    targets: int = 1
    """Targets that are measured one after the other: they share the profile's time."""
    count: int | None = None
    sets: int | None = None
    period_ns: int | None = None
    cpu: int = -1
    timer: str = "default"
    windows: tuple[str, ...] = ("default",)
    """Windows that data transfers access, measured one after the other: names as in spec/measurements.md."""
    intensity: int = 0
    """Intensity of every load, in its own unit; 0: on a board the profile's, elsewhere 1."""
    trace_over_ns: int = 0
    """For measurements with event trails: trails are saved of samples above this; 0: none."""
    loads_required: bool = False
    """A load that cannot start ends the run before it measures anything; False: only the load's items are skipped."""
    sched: Sched | None = None
    cache: Literal["warm", "flushed"] = "warm"
    raw: bool = False
    seed: int = 1
    given: tuple[str, ...] = ()
    """Requirements of variants that this command meets: `peer`, or `live` where a target is a machine of silicon."""
    peer: str = ""
    """Address of the other host for network measurements; empty: none."""
    load_command: str = ""
    """Command that the load `command` runs."""
    clock: str = ""
    """Clock that times durations; empty: the engine's best clock."""
    least_period_ns: int = 0
    """Shortest period of the target's measured interrupt. A study with a shorter period gets this one."""
    inside_ioc: bool = False
    """The target is in an EPICS IOC, or its guest can be one: studies have loads for it."""
    virtual: bool = False
    """For a virtual board: the profile's counts for boards, budgets in the board's own time, and phases that vary."""
    emulated: bool = False
    """For a board that is emulated in real time: the profile's counts for boards, but the time of a live target."""
    traits: dict[str, frozenset[str]] = {}
    """Traits of measurements, as the engine lists them.
    A measurement without an entry has the traits that its name implies."""

    def has(self, trait: Trait, measurement: str) -> bool:
        """Whether a measurement has a trait on the measuring engine."""
        listed = self.traits.get(measurement)
        return trait in (traits_by_name(measurement) if listed is None else listed)


LIVE = "live"
"""Given where a target is a machine of silicon:
allows measurements that only such a machine has (its kernel's own tracepoints)."""

PHASES_NS = 20_000_000
"""Phases are drawn from 0 up to this: two ticks of the slowest kernel (100 Hz), twenty of the fastest."""

_DEFAULT_PERIOD_NS = 250_000
_OWN_COUNTS = Counts(stated=False)


def phase_ns(seed: int, repetition: int, item: int) -> int:
    """When the first measured interrupt of an item comes (ns, 0 to 20 ms), from the numbers of the repetition alone.

    The first eight bytes of SHA-256 of ``phase/<seed>/<repetition>/<item>`` as a big-endian number, modulo 20 ms. A virtual
    board's runs are identical to the byte; the phase of the measured timer against the kernel's tick and the load is varied
    on purpose instead, so that repetitions are samples. Kernels that are compared have the same phases.
    """
    digest = hashlib.sha256(f"phase/{seed}/{repetition}/{item}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % PHASES_NS


def board_repetitions(profile_name: str) -> int:
    """How many repetitions a profile asks of a virtual board, each with a phase of its own."""
    return profile(profile_name).board.repetitions


def make_plan(request: Request, repetition: int = 0) -> Plan:
    """The plan of one session. Raises UsageError where nothing is left to measure."""
    wanted = _wanted(request)
    if not wanted:
        raise UsageError("nothing to measure: no row of the chosen studies fits what was asked for")
    chosen, cost = profile(request.profile), profiles().cost
    if request.virtual:
        # Each repetition has its own time:
        # boards are measured in parallel, and one slow repetition must not shorten others.
        chosen = chosen.on_board()
        request = msgspec.structs.replace(request, repetitions=1, targets=1)
    elif request.emulated:
        chosen = msgspec.structs.replace(chosen.on_board(), total_s=chosen.total_s, reserve_s=chosen.reserve_s)
    shares = chosen.total_s > 0 and request.count is None and not (request.virtual or request.emulated)
    if shares:
        wanted = dict(sorted(wanted.items(), key=lambda one: one[0][0].period_ns > 0))
    budgets = _budgets(tuple(wanted), chosen, cost, request)
    parts = request.repetitions if chosen.parts > 1 and not request.virtual else 1
    items = []
    for number, ((need, load), counts) in enumerate(wanted.items()):
        item = _part(_item(number, need, load, counts, budgets[number], chosen, request), parts, request)
        if shares and need.period_ns:
            item = msgspec.structs.replace(item, spare=1)
        if request.virtual and need.period_ns:
            item = msgspec.structs.replace(item, phase_ns=phase_ns(request.seed, repetition, number))
        items.append(item)
    return Plan(
        seed=request.seed,
        repetition=repetition,
        items=tuple(items),
        # Only some kernels of a board have a given load. The columns of the others report it missing,
        # and the rest is measured. The same holds for a study's own loads, which the user did not name.
        loads_required=request.loads_required
        and not request.virtual
        and not any(_own_loads(study, request) for study in request.studies),
        peer=request.peer,
        load_command=request.load_command,
        clock=request.clock,
    )


def _wanted(request: Request) -> dict[tuple[Need, str], Counts]:
    """Each measurement and load once, in the order of the tables.
    Where studies share a measurement, it gets the larger counts."""
    found: dict[tuple[Need, str], Counts] = {}
    for study in request.studies:
        by_pass: dict[tuple[Pass, bool], list[Need]] = {}
        for need in needs(study):
            if need.sched is not None and request.sched not in {None, need.sched}:
                continue
            if need.requires and need.requires not in _given(request):
                continue
            by_pass.setdefault((need.pass_, need.period_ns > 0), []).append(need)
        loads = tuple(load for load in request.loads if load in study.loads) or request.loads
        loads = _own_loads(study, request) or loads
        for group in by_pass.values():
            ordered = sorted(group, key=lambda need: _common(need, request))
            for load in loads:
                for need in ordered:
                    for resolved in _resolved(need, request):
                        _add(found, resolved, load, study.counts)
    for measurement in request.measurements:
        period_ns = (measurement.period_ns or _DEFAULT_PERIOD_NS) if measurement.paced else 0
        for pass_ in measurement.passes:
            need = Need(
                measurement=measurement.name,
                quantity="",
                pass_=pass_,
                sched=measurement.sched,
                period_ns=period_ns,
                most=measurement.most,
            )
            for load in request.loads:
                for resolved in _resolved(need, request):
                    _add(found, resolved, load, _OWN_COUNTS)
    return found


def _own_loads(study: Study, request: Request) -> tuple[str, ...]:
    """A study's own loads for this kind of target, where the command names none; empty: the study has none."""
    if request.loads_given:
        return ()
    given = _given(request)
    return (
        (study.ioc_loads if request.inside_ioc else ())
        or (study.board_loads if request.virtual else ())
        or (study.peer_loads if LIVE in given and "peer" in given else ())
        or (study.live_loads if LIVE in given else ())
    )


def _common(need: Need, request: Request) -> bool:
    """Whether many targets have it. Rarer measurements come first,
    paced or not: if one is skipped, the later ones get its time."""
    return need.timer in {"", "default"} and not request.has("kernel-handler", need.measurement)


def _given(request: Request) -> tuple[str, ...]:
    """The requirements of variants that are met:
    a virtual board is never live, even if the command measures other targets too."""
    return tuple(g for g in request.given if g != LIVE) if request.virtual else request.given


def _resolved(need: Need, request: Request) -> tuple[Need, ...]:
    """The needs with this command's class, period and windows.
    All quantities of a measurement come from one item, so theirs is dropped."""
    period_ns = max(request.period_ns or need.period_ns, request.least_period_ns) if need.period_ns else 0
    sched = need.sched or request.sched or "rt"
    made = msgspec.structs.replace(need, quantity="", sched=sched, period_ns=period_ns, requires="")
    windows = request.windows if request.has("window", need.measurement) else ("default",)
    return tuple(msgspec.structs.replace(made, window=window) for window in windows)


def _add(found: dict[tuple[Need, str], Counts], need: Need, load: str, counts: Counts) -> None:
    before = found.get((need, load), counts)
    found[(need, load)] = Counts(
        stated=before.stated or counts.stated,
        sets=max(before.sets, counts.sets),
        operations=max(before.operations, counts.operations),
        samples=max(before.samples, counts.samples),
        interrupts=max(before.interrupts, counts.interrupts),
    )


def _slow(need: Need, load: str) -> bool:
    return need.sched == "ts" and load != "none"


def _budgets(wanted: tuple[tuple[Need, str], ...], chosen: Profile, cost: Cost, request: Request) -> list[int]:
    """Milliseconds for each item (0: no limit), so that all sessions together keep the profile's time."""
    if chosen.total_s == 0 or request.count is not None:
        return [0] * len(wanted)
    weights = []
    for need, load in wanted:
        if need.period_ns:
            weights.append(cost.paced_weight)
        elif _slow(need, load):
            weights.append(cost.slow_weight)
        else:
            weights.append(cost.idle_weight if load == "none" else cost.loaded_weight)
    fixed_ms = sum(cost.idle_ms if load == "none" else cost.loaded_ms for _, load in wanted)
    sessions = max(1, request.repetitions) * max(1, request.targets)
    left_ms = (chosen.total_s - chosen.reserve_s) * 1000 / sessions - fixed_ms
    share_ms = max(0.0, left_ms) / sum(weights)
    least_ms = cost.emulated_ms if request.emulated else cost.least_ms
    return [max(least_ms, int(share_ms * weight)) for weight in weights]


def _part(item: Item, parts: int, request: Request) -> Item:
    """One session's part of an item whose counts are the whole run's. Counts given by the user are for each session."""
    if item.pass_ == "batch":
        return item if request.sets else msgspec.structs.replace(item, sets=-(-item.sets // parts))
    return item if request.count else msgspec.structs.replace(item, count=-(-item.count // parts))


def _intensity(load: str, chosen: Profile, request: Request) -> int:
    """The user's intensity, else the profile's for the load."""
    if load == "none":
        return 1
    return request.intensity or chosen.intensity.get(load, 1)


def live_sessions(profile_name: str, *, emulated: bool = False) -> int:
    """Number of sessions in which a profile measures a live target: the parts of its counts, or repetitions.
    `emulated`: a start takes minutes, so that several sessions are worth it only for counts in parts."""
    chosen = profile(profile_name)
    return chosen.parts if chosen.parts > 1 or emulated else chosen.repetitions


def _item(
    number: int, need: Need, load: str, counts: Counts, budget_ms: int, chosen: Profile, request: Request
) -> Item:
    if need.pass_ == "batch":
        count = chosen.operations or counts.operations
        if _slow(need, load) or request.emulated:
            count = min(count, SLOW_OPERATIONS)
    elif need.period_ns:
        count = chosen.interrupts or counts.interrupts
    else:
        count = chosen.samples or counts.samples
    count = min(count, need.most or count)
    item = Item(
        item=number,
        measurement=need.measurement,
        pass_=need.pass_,
        count=request.count or count,
        sets=request.sets or chosen.sets or counts.sets,
        budget_ms=budget_ms,
        load=load,
        intensity=_intensity(load, chosen, request),
        sched=need.sched or "rt",
        cache=request.cache,
        cpu=request.cpu,
        timer=need.timer or request.timer,
        window=need.window,
        trace_over_ns=request.trace_over_ns if request.has("trails", need.measurement) else 0,
        raw=int(request.raw and need.pass_ == "single"),
    )
    if need.most or (request.emulated and not need.period_ns):
        item = msgspec.structs.replace(item, warmup=min(FEW_WARM_UP, need.most or FEW_WARM_UP))
    return msgspec.structs.replace(item, period_ns=need.period_ns) if need.period_ns else item
