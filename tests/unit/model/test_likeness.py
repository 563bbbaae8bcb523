# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One definition of comparability: compare, check, pooling and resume all notice whether two runs are unlike."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from rtstone.judge.check import Known, judge, parse
from rtstone.judge.compare import compare
from rtstone.judge.fit import Asked
from rtstone.judge.fit import judge as fit
from rtstone.measure._resume import unlike
from rtstone.model import Clock, Degraded, Note, Result, Run, Variant, labels
from rtstone.model.likeness import NAMES, Degree, reads, results_unlike, runs_unlike
from rtstone.model.sense import fault
from support.runs import make_result, make_run, make_session

PERIOD_NS = 1_000_000
QUANTITY = "interrupt-service-response"
KNOWN = Known(quantities={"interrupt-response": (QUANTITY,)}, passes={}, studies={}, loads=("none",))
CHECKS = parse(
    'schema = "rtstone.check"\nversion = "1.0"\n[[baseline]]\nmeasurement = "interrupt-response"\nruns = ["x"]\n'
    '[[bound]]\nmeasurement = "interrupt-response"\nrequire = ["median < 1ms"]\n',
    "f.toml",
    Path(),
    KNOWN,
)


def run_of(name: str, *, batch: bool = False) -> Run:
    variant = Variant(period_ns=PERIOD_NS, pass_="batch" if batch else "single")
    result = make_result(QUANTITY, measurement="interrupt-response", variant=variant, count=400)
    told = msgspec.structs.replace(result, meaning=1, entered="vector", readings=2)
    sessions = tuple(make_session((told,), repetition=i) for i in range(3))
    return make_run(name, sessions=sessions, degraded=())


def env(**facts: str) -> Callable[[Run], Run]:
    told = {key.replace("_", "."): value for key, value in facts.items()}

    def change(run: Run) -> Run:
        sessions = tuple(msgspec.structs.replace(s, env=s.env | told) for s in run.sessions)
        return msgspec.structs.replace(run, sessions=sessions)

    return change


def session(**changes: object) -> Callable[[Run], Run]:
    def change(run: Run) -> Run:
        return msgspec.structs.replace(run, sessions=tuple(msgspec.structs.replace(s, **changes) for s in run.sessions))

    return change


def result(**changes: object) -> Callable[[Run], Run]:
    def change(run: Run) -> Run:
        sessions = tuple(
            msgspec.structs.replace(s, results=tuple(msgspec.structs.replace(r, **changes) for r in s.results))
            for s in run.sessions
        )
        return msgspec.structs.replace(run, sessions=sessions)

    return change


def whole(**changes: object) -> Callable[[Run], Run]:
    return lambda run: msgspec.structs.replace(run, **changes)


def board(**facts: str) -> Callable[[Run], Run]:
    told = {"board.platform": "p-1", "board.identity": "i-1"} | {f"board.{k}": v for k, v in facts.items()}
    return whole(target="board:x/k", time="instruction-time", instructions_per_second=1_000_000, host=told)


def same(run: Run) -> Run:
    return run


CHANGES: dict[str, tuple[Callable[[Run], Run], Callable[[Run], Run]]] = {
    "time": (same, whole(time="emulated-time")),
    "instructions-per-second": (board(), lambda run: whole(instructions_per_second=2_000_000)(board()(run))),
    "machine": (env(machine_id="11aa"), env(machine_id="22bb")),
    "board": (board(), board(platform="p-2")),
    "image": (board(), board(identity="i-2")),
    "kernel.machine": (env(kernel_machine="x86_64"), env(kernel_machine="aarch64")),
    "cpu.model": (same, env(cpu_model="another")),
    "virtualisation.hypervisor": (same, env(virtualisation_hypervisor="KVM")),
    "degraded": (same, whole(degraded=(Degraded("sched", "not permitted"),))),
    "port": (same, session(port="epics")),
    "kernel": (same, env(kernel_release="6.12")),
    "kernel.cmdline": (same, env(kernel_cmdline="preempt=full")),
    "clock.source": (env(clock_source="tsc"), env(clock_source="hpet")),
    "before": (same, whole(host={"target.before": "true"})),
    "settings": (same, whole(host={"target.tune.set.huge-pages": "never"})),
    "engine": (same, session(engine="9.9")),
    "compiler": (same, env(compiler="clang 19")),
    "meaning": (same, result(meaning=2)),
    "substituted": (same, result(notes=(Note("substituted", "semaphore", "two of them"),))),
    "entered": (same, result(entered="handler")),
    "clock": (same, session(clocks=(Clock(id=0, name="monotonic", hz=1_000_000_000, resolution_ticks=1),))),
    "readings": (same, result(readings=3)),
}
BESIDE = ("port", "kernel", "kernel.cmdline", "clock.source", "before", "settings", "engine", "compiler")
"""Facts that may differ side by side, because they are what is compared."""


def pair(name: str) -> tuple[Run, Run]:
    before, after = CHANGES[name]
    batch = name == "readings"
    return before(run_of("a", batch=batch)), after(run_of("b", batch=batch))


def told(first: Run, second: Run, degree: Degree = "side by side") -> set[str]:
    sides = [
        [reads(run, r, s.clock(r.clock), s.engine) for s in run.sessions for r in s.results] for run in (first, second)
    ]
    return {one.what for one in (*runs_unlike(first, second, degree), *results_unlike(*sides))}


def test_nothing_that_makes_unlike_is_without_a_trial() -> None:
    assert set(CHANGES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_noticed_by_its_name_and_only_in_the_degrees_that_ask_for_it(name: str) -> None:
    first, second = pair(name)
    assert name in told(first, second, "one run")
    assert (name in told(first, second)) == (name not in BESIDE)
    assert told(first, first, "one run") == set()


@pytest.mark.parametrize("name", NAMES)
def test_compare_and_check_agree_on_what_is_like(name: str) -> None:
    first, second = pair(name)
    verdicts = {j.verdict for row in compare([first, second]).rows for f in row.figures for j in f.against}
    assert ("not comparable" in verdicts) == (name not in BESIDE)
    if first.time != "time" or second.time != "time" or name == "readings":
        return  # a check file speaks of one kind of time, and of no batch here
    before = tuple(msgspec.structs.replace(first, id=f"x{i}") for i in range(3))
    baseline, bound = judge(CHECKS, [second], {0: before}).rows[::-1]
    assert ("not comparable" in baseline.reason) == (name not in BESIDE)
    together = judge(CHECKS, [first, second], {0: ()}).rows[0]
    assert (together.outcome == "inconclusive" and "not comparable" in together.reason) == (name not in BESIDE)
    assert bound.outcome == "pass"


@pytest.mark.parametrize("name", NAMES)
def test_several_runs_of_one_side_are_no_population_where_they_are_unlike(name: str) -> None:
    first, second = pair(name)
    third = msgspec.structs.replace(first, id="c")
    made = compare([[first, second], third])
    verdicts = {j.verdict for row in made.rows for f in row.figures for j in f.against}
    assert (verdicts == {"not comparable"}) == (name not in ("engine", "compiler")), made.unlike


@pytest.mark.parametrize("name", NAMES)
def test_resume_refuses_whatever_is_unlike(name: str) -> None:
    first, second = pair(name)
    assert unlike(first, second)
    assert not unlike(first, first)


@pytest.mark.parametrize("name", NAMES)
def test_fit_adds_up_no_evidence_of_what_is_unlike(name: str) -> None:
    """Four hundred samples of each: only together would they be seven hundred."""
    first, second = pair(name)
    if name == "readings":
        return  # fit knows no batch
    report = fit(Asked(period_ns=PERIOD_NS, deadline_ns=100_000, exceedance=1e-2), [first, second])
    rows = [row for level in report.levels for way in level.ways for row in way.rows]
    most = max(row.samples for row in rows)
    assert (most == 1200) == (name not in ("engine", "compiler")), (most, [level.platform for level in report.levels])


def test_a_task_response_does_not_change_with_the_handlers_stamp() -> None:
    def of(entered: str, quantity: str) -> Result:
        return msgspec.structs.replace(make_result(quantity), meaning=1, entered=entered)

    run, clock = run_of("a"), None
    for quantity, alike in (
        ("interrupt-task-response", True),
        ("context-switch-delay", True),
        (QUANTITY, False),
        ("top-to-bottom-half", False),
        ("expiry-to-handler", False),
        ("waking-to-switch", True),
    ):
        sides = [[reads(run, of(entered, quantity), clock, "1")] for entered in ("vector", "handler")]
        assert (results_unlike(*sides) == ()) is alike, quantity


def test_as_many_readings_an_operation_are_alike() -> None:
    def of(readings: int, ops: int) -> Result:
        made = make_result(QUANTITY, variant=Variant(pass_="batch"))
        return msgspec.structs.replace(made, meaning=1, entered="vector", readings=readings, ops=ops)

    run = run_of("a")
    for first, second, alike in (
        ((2, 100), (2, 1000), True),
        ((2, 100), (20, 1000), True),
        ((2, 100), (20, 100), False),
        ((0, 100), (20, 100), True),
    ):
        sides = [[reads(run, of(*one), None, "1")] for one in (first, second)]
        assert (results_unlike(*sides) == ()) is alike, (first, second)


def test_the_kernels_of_one_board_name_its_clock_and_its_cpu_each_in_their_own_way() -> None:
    first, second = board()(run_of("a")), board(identity="i-2")(run_of("b"))
    named = session(clocks=(Clock(id=0, name="cntvct", hz=62_500_000, resolution_ticks=1),))(second)
    other = env(cpu_model="another", kernel_release="other")(named)
    assert told(first, other) == set()


def test_a_hypervisor_is_the_same_by_its_old_name_and_its_new_one(root: Path) -> None:
    source = (root / "linux" / "describe_cpu.c").read_text(encoding="utf-8")
    known = dict(re.findall(r'\{"([^"]+)", +"([^"]+)"\}', source))
    assert labels.hypervisor("KVMKVMKVM, container docker") == "KVM, container docker"
    assert {old: labels.hypervisor(old) for old in labels._HYPERVISORS}.items() <= known.items()
    for old, new in labels._HYPERVISORS.items():
        first, second = (env(virtualisation_hypervisor=name)(run_of("r")) for name in (old, new))
        assert not runs_unlike(first, second)


@pytest.mark.parametrize("field", ["started", "ended"])
def test_a_runs_times_are_times(field: str) -> None:
    assert fault(whole(**{field: ""})(run_of("r"))) is None
    told = fault(whole(**{field: "last"})(run_of("r")))
    assert told is not None
    assert told.startswith(f"{field} is 'last'")


def test_machines_that_nothing_identifies_are_never_joined() -> None:
    runs = [env(**{"machine_id-source": "nothing"})(run_of(name)) for name in ("a", "b")]
    (found,) = runs_unlike(runs[0], runs[1])
    assert (found.what, found.text) == (
        "machine",
        "machine: nothing identifies it in its container (set RTSTONE_MACHINE)",
    )
    assert runs_unlike(runs[0], runs[1], "one run") == ()


def test_a_machine_that_is_known_by_its_boot_says_so() -> None:
    runs = [env(**{"machine_id": name * 8, "machine_id-source": "boot-id"})(run_of(name)) for name in ("11aa", "22bb")]
    (found,) = runs_unlike(runs[0], runs[1])
    assert found.text.count("known by its boot alone (set RTSTONE_MACHINE)") == 2


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"kernel.sysname": "none", "kernel.release": "bare metal"}, "bare metal"),
        ({"kernel.sysname": "Linux", "kernel.release": "6.1"}, "Linux 6.1"),
    ],
)
def test_a_target_without_a_kernel_is_named_once(facts: dict[str, str], name: str) -> None:
    sessions = tuple(msgspec.structs.replace(session, env=facts) for session in make_run().sessions)
    assert make_run(sessions=sessions).kernel() == name
