# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every condition of every study comes out met, substituted and not met, each from a record that calls for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from rtstone.model import Check, Clock, Degraded, Figure, LoadFigure, Result, Run, Session
from rtstone.studies import Condition, studies, study
from rtstone.studies.conditions import CHECKS, TOGETHER, judge
from support.measured import TRANSFER, noted, run_for, skipped

HOUR = 3600 * 10**9
QUIET = {"cpu.measured.others_percent": "0.40", "cpu.measured.steal_percent": "0.00"}
STOLEN = {**QUIET, "cpu.measured.steal_percent": "7.00"}
BUSY = {**QUIET, "cpu.measured.others_percent": "12.00"}
REFUSED = (Degraded("no-realtime", "SCHED_FIFO is refused", ""),)
CLOCK = {"interrupts_per_s.LOC": "250.0"}
NETWORK = {"interrupts_per_s.24 virtio0-input.0": "3.0"}
PUTS = {"records": 5000, "pause_ms": 5000, "bursts": 2, "puts": 10_000, "monitors": 10_000, "burst_ns": 10**9}

Case = Callable[[Condition, str], tuple[Run, Sequence[Run]]]
"""From a condition and its study's id: the run to judge, and the other runs of its table."""


def env(run: Run, port: str = "", **facts: str) -> Run:
    """The run with these facts of its target (`_` for a dot), by another port if one is named."""

    def told(session: Session) -> Session:
        return replace(
            session,
            port=port or session.port,
            env={**session.env, **{key.replace("_", "."): value for key, value in facts.items()}},
        )

    return replace(run, sessions=tuple(told(session) for session in run.sessions))


def of(condition: Condition, change: Callable[[Result], Result]) -> Callable[[Result], Result]:
    """The change for the condition's measurements alone, or for all."""
    return lambda r: change(r) if not condition.measurements or r.measurement in condition.measurements else r


def case(
    change: Callable[[Result], Result] = lambda r: r,
    host: dict[str, str] | None = None,
    loads: Sequence[str] = ("none", "cpu"),
    degraded: tuple[Degraded, ...] = (),
    then: Callable[[Run], Run] = lambda run: run,
    beside: Callable[[Run], Sequence[Run]] = lambda run: (),
) -> Case:
    """A record, given by its differences from one without any fault.

    The change applies to the condition's measurements.
    """

    def make(condition: Condition, name: str) -> tuple[Run, Sequence[Run]]:
        run = then(run_for(name, change=of(condition, change), host=host, loads=loads, degraded=degraded))
        return run, beside(run)

    return make


def stand_in(result: Result) -> Result:
    return noted(result, "timer", "a thread stands in for the handler")


def substitute(result: Result) -> Result:
    return noted(result, "blocks", "malloc for a partition")


def figures(**changes: int) -> Callable[[Result], Result]:
    def change(result: Result) -> Result:
        if not result.measurement.startswith(("tcp-", "udp-")):
            return result
        small = {"window_bytes": 8192, "bytes_received": 2_048_000} if result.measurement.endswith("-8k") else {}
        return replace(result, figures=tuple(Figure(k, "x", v) for k, v in {**TRANSFER, **small, **changes}.items()))

    return change


def loaded(**keys: int) -> Callable[[Result], Result]:
    def change(result: Result) -> Result:
        load = result.variant.load
        return (
            result if load == "none" else replace(result, load=tuple(LoadFigure(load, k, v) for k, v in keys.items()))
        )

    return change


def period(ns: int) -> Callable[[Result], Result]:
    return lambda r: replace(r, variant=replace(r.variant, period_ns=ns))


def through(*windows: str, slave: str = "Universe II") -> Callable[[Run], Run]:
    """The run with its results once for each window, of every width."""

    def widen(run: Run) -> Run:
        results = [
            replace(noted(r, "", slave, "environment"), variant=replace(r.variant, window=window))
            for r in run.results()
            for window in windows
        ]
        return replace(run, sessions=(replace(run.sessions[0], results=tuple(results)),))

    return widen


def bus(condition: Condition, name: str) -> tuple[Run, Sequence[Run]]:
    """A record that has all that this condition asks of a bus."""
    end = "/map" if condition.way == "mapped" else ""
    windows = [f"vme:0/{space.partition(':')[2]}/100000{end}" for space in condition.windows]
    return through(*windows)(run_for(name)), ()


def other_clock(run: Run, resolution_ticks: int) -> Run:
    first = run.sessions[0]
    second = Clock(id=1, name="monotonic", hz=10**9, source="definition", resolution_ticks=resolution_ticks)
    results = tuple(replace(r, clock=i % 2) for i, r in enumerate(first.results))
    return replace(run, sessions=(replace(first, clocks=(*first.clocks, second), results=results),))


def loses(quantity: str) -> Callable[[Result], Result]:
    return lambda r: replace(r, count=2_000_000 - 7 * (r.quantity == quantity))


def split_few(run: Run) -> Run:
    """Two million interrupts by the split. For a few of them the kernel did not report the stages."""
    model = run.results()[0]
    results = [
        replace(
            model,
            measurement="interrupt-split",
            quantity=quantity,
            item=item,
            count=count,
            variant=replace(model.variant, load=load),
        )
        for item, load in enumerate(("none", "network"))
        for quantity, count in (
            ("interrupt-task-response", 2_000_000),
            ("expiry-to-handler", 1_999_993),
            ("context-switch-delay", 1_999_993),
        )
    ]
    return replace(run, sessions=(replace(run.sessions[0], results=tuple(results)),))


def raised(run: Run) -> Run:
    def change(r: Result) -> Result:
        above = r.variant.load == "network-above"
        return replace(r, load=(LoadFigure("network-above", "interrupt_thread_priority", 93),)) if above else r

    session = run.sessions[0]
    return replace(run, sessions=(replace(session, results=tuple(change(r) for r in session.results)),))


def second(run: Run, **facts: str) -> list[Run]:
    return [env(replace(run, id="another"), **facts)]


def broken(r: Result) -> Result:
    return replace(r, checks=(Check("switches", 3, 9, 9),))


def to_peer(r: Result) -> Result:
    name = r.measurement.replace("-link", "-to-peer")
    return replace(figures(peer_elsewhere=1)(r), measurement=name, quantity=name)


def one_pair_apart(r: Result) -> Result:
    return figures(receiver_cpu=int(r.measurement == "tcp-local"))(r)


def no_class(*scheds: str) -> Callable[[Result], Result]:
    return lambda r: skipped(r) if r.variant.sched in scheds else r


def at_99(r: Result) -> Result:
    return replace(r, priority=99)


def hours(count: float, parts: int = 1) -> Callable[[Run], Run]:
    def last(run: Run) -> Run:
        session = run.sessions[0]
        each = tuple(replace(r, elapsed=int(count * HOUR / parts)) for r in session.results)
        return replace(run, sessions=(replace(session, results=each),) * parts)

    return last


# Of each check: met, substituted, not met.
OUTCOMES: dict[str, tuple[Case, Case, Case]] = {
    "one-cpu": (
        case(then=lambda run: env(run, cpu_count="1")),
        case(then=lambda run: env(run, cpu_count="4")),
        case(lambda r: replace(r, cpu=r.item % 2)),
    ),
    "equal-iterations": (
        case(),
        case(lambda r: replace(r, stop="budget")),
        case(lambda r: replace(r, ops=16 if r.measurement == "queue-fill" and r.ops > 1 else r.ops)),
    ),
    "clock-and-cache-state": (
        case(),
        case(then=lambda run: other_clock(run, 3)),
        case(then=lambda run: other_clock(run, 1000)),
    ),
    "checks-hold": (case(figures()), case(lambda r: substitute(figures()(r))), case(broken)),
    "service-itself": (case(), case(substitute), case(skipped)),
    "interrupt-source": (
        lambda condition, name: (env(run_for(name), probe_source=condition.sources[-1]), ()),
        case(then=lambda run: env(run, probe_source="hrtimer")),
        case(stand_in),
    ),
    "highest-priority": (case(at_99), case(lambda r: replace(r, priority=90)), case(degraded=REFUSED)),
    "other-interrupt-sources": (
        case(host=CLOCK | NETWORK),
        case(lambda r: replace(r, load=(LoadFigure("traffic", "line_interrupts_per_s", 9),)), host=CLOCK),
        case(host=CLOCK),
    ),
    "sample-count": (
        case(lambda r: replace(r, count=2_000_000)),
        lambda condition, name: (
            (split_few(run_for(name)), ())
            if name == "slac"
            else case(lambda r: replace(r, count=condition.least), then=_some_without_stages)(condition, name)
        ),
        case(lambda r: replace(r, count=7)),
    ),
    "idle-was-idle": (case(host=QUIET), case(host=STOLEN), case(host=BUSY)),
    "all-measured": (case(), case(substitute), case(lambda r: replace(r, status="invalid", reason="check"))),
    "interrupt-rate": (case(), case(period(400_000)), case(period(1_000_000))),
    "load": (
        lambda condition, name: (run_for(name, loads=("none", condition.loads[0])), ()),
        case(loads=("none", "disk")),
        case(lambda r: replace(r, load=tuple(f for f in r.load if f.key == "intensity"))),
    ),
    "native-and-pthreads": (
        case(
            then=lambda run: env(run, kernel_name="RTEMS"), beside=lambda run: [env(replace(run, id="b"), port="rtems")]
        ),
        case(then=lambda run: env(run, port="epics", kernel_name="Linux")),
        case(then=lambda run: env(run, kernel_name="Linux"), beside=lambda run: second(run, kernel_name="FreeRTOS")),
    ),
    "process-not-thread": (case(), case(substitute), case(skipped)),
    "single-user-mode": (
        case(host={"system.mode": "single-user: rescue.target"}),
        case(host={**QUIET, "system.mode": "multi-user"}),
        case(host={**BUSY, "system.mode": "multi-user"}),
    ),
    "classes-measured": (case(), case(no_class("ts")), case(no_class("rt", "ts"))),
    "bus-window": (
        bus,
        case(then=through("pci:0000:00:04.0/2" + "/a24")),
        case(),
    ),
    "ends-share-cpu": (case(figures()), case(one_pair_apart), case(figures(receiver_cpu=0))),
    "across-a-link": (case(to_peer), case(figures()), case(skipped)),
    "block-and-window": (case(figures()), case(figures(receive_buffer_bytes=10_000)), case(figures(block_bytes=1024))),
    "window-sizes": (
        case(figures(), host={"board.peer": "another"}),
        case(figures()),
        case(lambda r: skipped(r) if r.measurement.endswith("-8k") else figures()(r)),
    ),
    "inside-ioc": (case(then=lambda run: env(run, ioc_base="7.0")), case(), case(skipped)),
    "software-trigger": (
        case(),
        case(lambda r: skipped(r) if r.variant.timer.startswith("software") else r),
        case(skipped),
    ),
    "bottom-half": (case(), case(stand_in), case(skipped)),
    "user-isr": (case(), case(stand_in), case(skipped)),
    "driver-thread": (
        case(),
        case(lambda r: replace(r, variant=replace(r.variant, timer="workqueue"))),
        case(skipped),
    ),
    "one-machine-two-kernels": (
        case(
            then=lambda run: env(
                replace(run, target="local"), machine_id="a", kernel_name="Linux", kernel_release="6.1"
            ),
            beside=lambda run: second(run, kernel_release="6.1-rt"),
        ),
        case(
            then=lambda run: env(replace(run, target="board:pc/x"), machine_id="a", kernel_name="Linux"),
            beside=lambda run: second(run, kernel_name="other"),
        ),
        case(
            then=lambda run: env(replace(run, target="local"), machine_id="a", kernel_name="Linux"),
            beside=lambda run: second(run, kernel_name="other", machine_id="b"),
        ),
    ),
    "preemption-model": (
        case(
            then=lambda run: env(run, kernel_name="Linux", kernel_release="6.1", kernel_preempt="full"),
            beside=lambda run: second(run, kernel_release="6.12", kernel_preempt="voluntary"),
        ),
        case(
            then=lambda run: env(run, kernel_name="Linux", kernel_release="6.1", kernel_preempt="full"),
            beside=lambda run: second(run, kernel_release="6.12", kernel_preempt="PREEMPT_RT"),
        ),
        case(),
    ),
    "interrupt-threads": (
        case(loads=("network", "network-above"), then=raised),
        case(loads=("none", "network")),
        case(),
    ),
    "ioc-load": (
        case(loaded(**PUTS), loads=("none", "ioc")),
        case(loaded(**(PUTS | {"records": 400, "pause_ms": 400})), loads=("none", "ioc")),
        case(loaded(**(PUTS | {"monitors_lost": 1})), loads=("none", "ioc")),
    ),
    "ioc-clients": (
        case(loaded(**PUTS, outside=1), loads=("none", "ioc")),
        case(
            loaded(**PUTS, near_interrupts=7),
            loads=("none", "ioc"),
            then=lambda run: replace(run, target="board:pc/linux-6.1"),
        ),
        case(loaded(**PUTS), loads=("none", "ioc")),
    ),
    "duration": (
        case(then=lambda run: hours(17)(replace(run, host={"network": "public"}))),
        lambda condition, name: (hours(condition.least / 3600, parts=4)(run_for(name)), ()),
        case(then=hours(0.99)),
    ),
    "delays-of-one-interrupt": (
        case(),
        case(lambda r: replace(r, item=100 * r.item + len(r.quantity))),  # each quantity in an item of its own
        case(lambda r: skipped(r) if r.measurement.endswith("-stages") else r),
    ),
}


def _some_without_stages(run: Run) -> Run:
    """One of an item's quantities has a few samples less than its interrupts."""
    session = run.sessions[0]
    results = tuple(
        replace(r, count=r.count - 7) if r.quantity == "interrupt-service-response" else r for r in session.results
    )
    return replace(run, sessions=(replace(session, results=results),))


def _conditions() -> list[tuple[str, int]]:
    return [(one.id, i) for one in studies() for i in range(len(one.conditions))]


@pytest.mark.parametrize(("name", "which"), _conditions(), ids=lambda value: str(value))
def test_a_condition_comes_out_three_ways(name: str, which: int) -> None:
    one = study(name)
    condition = one.conditions[which]
    verdicts = []
    for make in OUTCOMES[condition.check]:
        run, beside = make(condition, name)
        verdicts.append(judge(run, one, beside)[which].verdict)
    assert verdicts == ["met", "substituted", "not met"], condition.paper


def test_no_check_is_left_out() -> None:
    assert set(OUTCOMES) == {*CHECKS, *TOGETHER}


def test_a_condition_says_where_its_paper_states_it() -> None:
    for one in studies():
        for condition in one.conditions:
            assert condition.section, condition.paper
            assert condition.quote or one.id == "rhealstone", f"{one.id}: {condition.paper}"


def test_a_disk_that_interrupts_is_named_beside_network_and_clock() -> None:
    sscl = study("sscl")
    condition = next(c for c in sscl.conditions if c.check == "other-interrupt-sources")
    for disk, word in (({"interrupts_per_s.25 virtio1-req.0": "40.0"}, "as on LynxOS"), ({}, "no disk does")):
        run, _ = case(host=CLOCK | NETWORK | disk)(condition, "sscl")
        verdict, ours, evidence = CHECKS[condition.check](run, sscl, condition)
        assert (verdict, word in ours, "virtio1-req" in evidence) == ("met", True, bool(disk))


@pytest.mark.parametrize(
    ("window", "lacks"), [("pci:0000:00:04.0/2", True), ("pci:0000:00:04.0/2/kernel", False), ("vme:0/a24/0/map", True)]
)
def test_a_window_says_whether_the_kernel_moves_the_blocks(window: str, *, lacks: bool) -> None:
    one = next(condition for condition in study("spring8").conditions if condition.check == "bus-window")
    _, text, _ = CHECKS["bus-window"](through(window)(run_for("spring8")), study("spring8"), one)
    assert ("not from kernel space" in text) == lacks
