# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes of late cycles that are planted in a program of the user's, each named by `rtstone explain`, and no innocent beside them.

Some ten seconds each on a quiet machine. Lengths are drawn. The test alone knows when it planted a cause; it compares each trail with that.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import jsonschema
import pytest

from rtstone.archive import open_archive
from rtstone.explain import _attached, _cpu, _trail
from rtstone.explain.document import NOTHING
from rtstone.machine.groups import ControlGroup
from rtstone.model import Result, Run
from support.causes import Spans, burner, cpu_of_ours, share
from support.command import command, environment, rtstone
from support.control_groups import control_group, set_quota, set_realtime
from support.loop_account import built
from support.schemas import schema
from support.static_program import static_program

pytestmark = [pytest.mark.alone, pytest.mark.needs("bpf", "host-processes")]

COUNT, PERIOD_NS, PRIORITY = 2500, 2_000_000, 80
SIZES = [COUNT, pytest.param(10_000, marks=pytest.mark.long)]
"""Cycles; one in forty has a planted cause."""
OVER, DEADLINE = "1ms", "1500us"
DRAW = random.SystemRandom()


class Trial(NamedTuple):
    """A run, and the causes that the program planted itself."""

    run: Run
    name: str
    planted: Spans
    touched: Spans
    """When the few pages of a cycle took long, although they were not planted to."""

    def result(self, kind: str) -> Result:
        return next(one for one in self.run.results() if one.quantity == f"{kind}-{self.name}")

    def judged(self, kind: str, planted: Spans) -> Iterator[tuple[float, str]]:
        """For each late sample: the share in which something was planted, and the cause that is named."""
        result, origin = self.result(kind), int(self.run.host["attach.began-at.ns"])
        usual = float(_trail.median(result) or 0)
        faults = float(_trail.median(self.result("page-faults")) or 0) if kind == "response" else 0
        for trail in _trail.trails(result):
            yield share(trail, planted, origin), _trail.blame(trail, usual, faults).function


@pytest.fixture(autouse=True)
def _capable(engine: Path) -> None:
    if os.geteuid() != 0:
        pytest.fail("threads are watched with CAP_BPF and CAP_PERFMON: run the tests as root")
    if b"cycle_switch" not in engine.read_bytes():
        pytest.fail("the engine was built without BPF: tools/setup run installs what it takes, then `make engine`")


@pytest.fixture(scope="session")
def program(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with a cycle."""
    source = root / "tests" / "support" / "cycles.c"
    return static_program(tmp_path_factory.mktemp("cycles") / "cycles", source, flags=("-pthread",))


def _watched(
    program: Path,
    archive: Path,
    plant: str,
    during: Callable[[subprocess.Popen[bytes]], object] = lambda _: None,
    priority: int = PRIORITY,
    count: int = COUNT,
) -> Trial:
    """The program watched while it runs its cycles; `during` is called once it does."""
    name = f"own-{uuid4().hex[:8]}"
    words = [str(program), *map(str, (cpu_of_ours(), priority, PERIOD_NS, count, name, plant))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as own:
        try:
            _until_named(own.pid, name)
            said, run = _attached_run(own, name, archive, OVER, DEADLINE, during)
        finally:
            own.kill()
    planted = [(begin, end) for begin, end, *faults in said if not faults]
    return Trial(run, name, planted, [(begin, end) for begin, end, *faults in said if faults])


def _attached_run(
    own: subprocess.Popen[bytes],
    name: str,
    archive: Path,
    over: str,
    deadline: str,
    during: Callable[[subprocess.Popen[bytes]], object] = lambda _: None,
) -> tuple[Any, Run]:
    """What the program prints, and the run, which is watched from its first byte on."""
    options = ("--trace-over", over, "--deadline", deadline, "--duration", "2min", "--archive", str(archive))
    watching = subprocess.Popen(
        command("attach", "--pid", str(own.pid), "--comm", name, *options),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert watching.stderr is not None
    first = watching.stderr.readline()
    assert ": 0 s: " in first, first
    assert own.stdin is not None
    own.stdin.write(b"x")
    own.stdin.flush()
    during(own)
    printed = json.loads(own.communicate(timeout=120)[0])
    _, said = watching.communicate(timeout=60)
    assert watching.returncode in {0, 4}, said  # 4: a result is doubtful, which a busy host can make of any
    return printed, open_archive(str(archive)).load("last")


def _until_named(pid: int, name: str) -> None:
    give_up = time.monotonic() + 30
    while Path(f"/proc/{pid}/comm").read_text().strip() != name:
        assert time.monotonic() < give_up


def _require_counts(trial: Trial, count: int = COUNT) -> None:
    """Each cycle is counted once, and each late one has a trail or is counted as without."""
    start, response = trial.result("start-latency"), trial.result("response")
    figures = {one.name: one.value for one in start.figures}
    checks = {one.name: one.holds for one in response.checks}
    assert checks["cycles-accounted"]
    assert checks["cycle-parts-accounted"]
    assert start.count == figures["cycles"] <= count + 1
    for result in (start, response, trial.result("wakeup-latency")):
        late = next(one.value for one in result.figures if one.name == "samples-over-limit")
        ends = [one for one in result.events if one.kind.startswith("sample ")]
        assert len(ends) <= late
        assert {one.ticks > result.variant.trace_over_ns for one in ends} <= {True}
        assert result.histogram is not None or not ends
        assert len({one.value for one in ends}) == len(ends)


def _require_named(judged: list[tuple[float, str]], cause: str, *, least: int) -> None:
    """`cause` is named in 95 % of the samples that it alone filled, and in at most 1 % of those it hardly touched."""
    known = [(share, named) for share, named in judged if named != _cpu.UNKNOWN]
    filled = [named for share, named in known if share > 0.7]
    others = [named for share, named in known if share < 0.3]
    assert len(filled) >= least
    assert filled.count(cause) >= 0.95 * len(filled), Counter(filled)
    assert others.count(cause) <= 0.01 * len(judged), Counter(others)


def _require_innocent(judged: list[tuple[float, str]], *names: str) -> None:
    assert not [named for _, named in judged if any(name in named for name in names)]


def test_a_task_above_the_thread_is_named_and_one_below_is_not(program: Path, tmp_path: Path) -> None:
    """Two tasks on its CPU, and one of the highest priority on another one."""
    cpu = cpu_of_ours()
    above, below, apart = (f"{kind}-{uuid4().hex[:8]}" for kind in ("hog", "low", "far"))
    with (
        burner(cpu, 98, above, on=0.005, off=0.045) as had,
        burner(cpu, 10, below, on=0.004, off=0.008),
        burner(min(os.sched_getaffinity(0)), 98, apart, on=0.003, off=0.03),
    ):
        trial = _watched(program, tmp_path / "runs.sqlite", "none")
    _require_counts(trial)
    for kind in ("start-latency", "response"):
        judged = [*trial.judged(kind, had)]
        _require_named(judged, f"task {above}, priority 98", least=50)
        _require_innocent(judged, below, *([apart] if os.cpu_count() != 1 else []))
    made = rtstone("explain", "last", "--json", "--archive", str(tmp_path / "runs.sqlite"))
    document = json.loads(made.stdout)
    jsonschema.validate(document, schema("explanation"))
    assert sum(stage["ticks"] for stage in document["sample"]["stages"]) == document["sample"]["ticks"]
    assert sum(cause["samples"] for cause in document["causes"]) == document["slow"]
    assert f"task {above}, priority 98" in {cause["function"] for cause in document["causes"]}


def _stops(own: subprocess.Popen[bytes]) -> Spans:
    """Stops the program now and then for a time that is drawn."""
    spans: Spans = []
    for _ in range(40):
        time.sleep(DRAW.uniform(0.03, 0.06))
        own.send_signal(signal.SIGSTOP)
        began = time.monotonic_ns()
        time.sleep(DRAW.uniform(0.006, 0.02))
        ended = time.monotonic_ns()
        own.send_signal(signal.SIGCONT)
        spans.append((began, ended))
    return spans


def test_a_stopped_thread_is_called_stopped_and_nothing_else_is(program: Path, tmp_path: Path) -> None:
    spans: Spans = []
    trial = _watched(program, tmp_path / "runs.sqlite", "none", lambda own: spans.extend(_stops(own)))
    _require_counts(trial)
    for kind in ("start-latency", "response"):
        _require_named([*trial.judged(kind, spans)], _cpu.STOPPED, least=20)


class Account(NamedTuple):
    """Cycles of a program as it counted them itself: due and end in ns of CLOCK_MONOTONIC."""

    cycles: list[tuple[int, int]]
    after: list[int]
    """By how much (ns) a stall of the virtual CPU after a cycle's end may have lengthened it."""
    signals: list[int]
    """When a signal was sent to it."""

    def interrupted(self, at: int) -> bool:
        """Whether a signal came so near to a time that it is not known what it came before."""
        return any(abs(at - sent) < NEAR_NS for sent in self.signals)


NEAR_NS = 150_000
"""From a time stamp of the program to the kernel's, or from a signal to the thread's own reaction, at most on a busy machine."""


def _require_misses(run: Run, name: str, account: Account, deadline_ns: int) -> None:
    """`attach` counts the cycles that the program knows to be late, with the program's times.

    Exempt are cycles at whose limits a signal came, and cycles that the run itself counts as seen only in part.
    """
    results = {one.quantity.removesuffix(f"-{name}"): one for one in run.results() if one.quantity.endswith(f"-{name}")}
    response, start = results["response"], results["start-latency"]
    figures = {one.name: one.value for result in results.values() for one in result.figures}
    assert all(check.holds for check in response.checks if check.name.endswith("-accounted"))
    trails = _trail.trails(response)
    assert len(trails) == figures["deadline-misses"] - figures["trails-lost"]
    assert all(sum(_attached.parts(one).values()) == one.ticks for one in trails if not one.dropped)
    assert response.max == max((one.ticks for one in trails), default=response.max)
    origin = int(run.host["attach.began-at.ns"])
    numbers = {due: number for number, (due, _) in enumerate(account.cycles)}
    inside = [(due, end) for due, end in account.cycles if due > origin]
    late = {due for due, end in inside if end - due > deadline_ns}
    wrong = []
    for trail in trails:
        number = numbers[min(numbers, key=lambda due: abs(due - trail.due - origin))]
        (due, end), after = account.cycles[number], account.after[number]
        following = account.cycles[number + 1][0] if number + 1 < len(account.cycles) else end
        late -= {due}
        if account.interrupted(end) or account.interrupted(following):
            late -= {following}  # whose timer may have woken nobody
        elif abs(trail.due + origin - due) >= NEAR_NS or not 0 <= trail.ticks - (end - due) < NEAR_NS + after:
            wrong.append((trail.due + origin - due, trail.ticks, end - due, after))
    unseen = sum(figures[one] for one in ("cycles-unseen", "timers-undated", "wakings-unseen", "returns-unseen"))
    assert len(wrong) <= unseen, (wrong, figures)
    late = {due for due in late if not account.interrupted(due)}
    assert len(late) <= unseen + max(0, len(inside) - start.count), (late, figures)


@pytest.mark.parametrize("sleep", ["absolute", "relative"])
@pytest.mark.parametrize("sent", ["none", "stop", "handler", "answer"])
def test_a_sleep_that_a_signal_interrupts_is_one_sleep(root: Path, tmp_path: Path, sleep: str, sent: str) -> None:
    """A cycle ends with the sleep for the next, whatever interrupts it: a stop, or a handler after which the program sleeps on.

    A stop while it waits in mid-cycle is a part of the cycle.
    """
    program = static_program(tmp_path / "cycles", root / "tests" / "support" / "interrupted_cycles.c")
    name = f"own-{uuid4().hex[:8]}"
    words = [str(program), *map(str, (cpu_of_ours(), PRIORITY, PERIOD_NS, COUNT, name, sleep, sent))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as own:
        try:
            _until_named(own.pid, name)
            printed, run = _attached_run(own, name, tmp_path / "runs.sqlite", "100ms", "500us")
        finally:
            own.kill()
    cycles = [(due, end) for due, end, _ in printed["cycles"]]
    account = Account(cycles, [after for *_, after in printed["cycles"]], printed["signals"])
    assert len(account.signals) >= (0 if sent == "none" else COUNT // 20)
    _require_misses(run, name, account, 500_000)


def test_the_example_loop_and_attach_count_the_same_misses(root: Path, tmp_path: Path) -> None:
    """The page *My loop is late* with the fault `stop`."""
    folder, archive = built(root, root / "build" / "loop"), tmp_path / "runs.sqlite"
    words = [str(folder / "loop"), "--fault", "stop", "--cycles", "1000000", "--raw"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as loop:
        try:
            assert loop.stderr is not None
            pid = loop.stderr.readline().split()[2].removesuffix(",")
            options = ("--trace-over", "100ms", "--deadline", "1ms", "--duration", "4s", "--archive", str(archive))
            rtstone("attach", "--pid", pid, "--comm", "loop", *options, expect=None)
        finally:
            loop.send_signal(signal.SIGINT)
        printed = json.loads(loop.communicate(timeout=60)[0])
    run = open_archive(str(archive)).load("last")
    began = int(run.host["attach.began-at.ns"])
    elapsed = run.results()[0].elapsed
    (series,) = printed["series"]
    # `attach` may begin in the middle of a cycle.
    cycles = [cycle for cycle in series["cycles"] if began < cycle[3] < began + elapsed]
    ran = [(due, end) for _, due, _, end in cycles]
    # A stall of the virtual CPU after a cycle's end may outlast the next due time. The thread then does not sleep before
    # the next cycle, which starts late, and the kernel's cycle ends with that one.
    following = [end if start - due > NEAR_NS else 0 for _, due, start, end in cycles[1:]] + [0]
    after = [max(0, later - end) for later, (_, end) in zip(following, ran, strict=True)]
    stops = [plant["start_ns"] for plant in printed["plants"] if plant["state"] == "done"]
    account = Account(ran, after, stops)
    assert sum(end - due > 1_000_000 for due, end in ran) >= 40
    _require_misses(run, "loop", account, 1_000_000)


def test_a_cycle_is_late_for_the_run_before_it(program: Path, tmp_path: Path) -> None:
    """The run is long itself, and the cycles that were due meanwhile start late."""
    trial = _watched(program, tmp_path / "runs.sqlite", "run")
    _require_counts(trial)
    assert len(trial.planted) > 20
    _require_named([*trial.judged("start-latency", trial.planted)], _cpu.BUSY, least=len(trial.planted) // 2)
    judged = [*trial.judged("response", trial.planted)]
    ran = [
        (share, named) for share, named in judged if named != _cpu.BUSY
    ]  # a cycle that was due meanwhile is late for that
    _require_named(ran, _cpu.RAN, least=len(trial.planted) // 2)


@pytest.mark.parametrize("count", SIZES)
def test_page_faults_are_named_where_they_make_a_cycle_late(program: Path, tmp_path: Path, count: int) -> None:
    trial = _watched(program, tmp_path / "runs.sqlite", "fault", count=count)
    _require_counts(trial, count)
    assert len(trial.planted) > count // 100
    _require_named([*trial.judged("response", trial.planted)], _cpu.FAULTS, least=len(trial.planted) // 2)
    for kind in ("start-latency", "wakeup-latency"):
        _require_innocent([*trial.judged(kind, [])], _cpu.FAULTS)
    said = rtstone(
        "explain", "last", "--quantity", f"response-{trial.name}", "--archive", str(tmp_path / "runs.sqlite")
    )
    assert "Page faults in the cycle: " in said.stdout


@pytest.mark.needs("cpus")
@pytest.mark.parametrize("count", SIZES)
def test_a_thread_that_is_moved_is_late_by_who_runs_there(program: Path, tmp_path: Path, count: int) -> None:
    """Another thread moves it to a CPU where it then works itself. A cycle that is due there later is late for that thread alone."""
    trial = _watched(program, tmp_path / "runs.sqlite", "moved", count=count)
    _require_counts(trial, count)
    assert len(trial.planted) > count // 100
    there = max(os.sched_getaffinity(0) - {cpu_of_ours()})
    moved = f"the thread was moved to CPU {there}, where task h-{trial.name}, priority 90 ran"
    for kind in ("start-latency", "response"):
        _require_named([*trial.judged(kind, trial.planted)], moved, least=len(trial.planted) // 2)


@pytest.mark.needs("cpus")
@pytest.mark.parametrize("count", SIZES)
def test_page_faults_and_moves_that_delay_nothing_are_not_named(program: Path, tmp_path: Path, count: int) -> None:
    """Each cycle has page faults. The late ones have a move there and back too, and are late for their own work.

    Where the pages took long by the program's own clock, page faults are no innocent.
    """
    trial = _watched(program, tmp_path / "runs.sqlite", "innocent", count=count)
    _require_counts(trial, count)
    _require_named([*trial.judged("response", trial.planted)], _cpu.RAN, least=len(trial.planted) // 2)
    for kind in ("start-latency", "response", "wakeup-latency"):
        judged = [*trial.judged(kind, trial.touched)]
        _require_innocent(judged, "was moved to")
        slow_pages = 0.3
        quick = [(part, named) for part, named in judged if part < slow_pages]
        assert kind != "response" or len(quick) >= len(trial.planted) // 2
        _require_innocent(quick, _cpu.FAULTS)


def test_who_wakes_a_blocked_thread_is_named_beside_a_task_above_it(program: Path, tmp_path: Path) -> None:
    """Two causes at once: of one that both filled either may be named."""
    above = f"hog-{uuid4().hex[:8]}"
    with burner(cpu_of_ours(), 98, above, on=0.005, off=0.1) as had:
        trial = _watched(program, tmp_path / "runs.sqlite", "block")
    _require_counts(trial)
    judged = [*trial.judged("response", trial.planted)]
    hog = [*trial.judged("response", had)]
    blocked = f"the thread was blocked until task h-{trial.name}, priority 90 woke it"
    alone = [one for one, (share, _) in zip(judged, hog, strict=True) if share < 0.3]
    _require_named(alone, blocked, least=10)
    alone = [one for one, (share, _) in zip(hog, judged, strict=True) if share < 0.3]
    _require_named(alone, f"task {above}, priority 98", least=10)


def test_a_wake_up_by_a_task_is_late_by_who_had_the_cpu(program: Path, tmp_path: Path) -> None:
    above = f"hog-{uuid4().hex[:8]}"
    with burner(cpu_of_ours(), 98, above, on=0.005, off=0.045) as had:
        trial = _watched(program, tmp_path / "runs.sqlite", "pipe")
    assert trial.result("start-latency").count < COUNT // 10  # no timer wakes it
    judged = [*trial.judged("wakeup-latency", had)]
    _require_named(judged, f"task {above}, priority 98", least=30)
    made = _attached.explain(trial.run, sample="worst", quantity=f"wakeup-latency-{trial.name}")
    assert [stage.name for stage in made.sample.stages] == ["waking-to-switch"]
    assert not made.sample.blame.function.startswith(f"{NOTHING}: until")


@pytest.mark.needs("control-groups")
@pytest.mark.parametrize(
    ("priority", "limit", "cause", "least"),
    [
        pytest.param(
            PRIORITY,
            partial(set_realtime, runtime_us=50_000, period_us=100_000),
            _cpu.THROTTLED,
            50,
            marks=pytest.mark.needs("realtime-budgets"),
        ),
        (0, partial(set_quota, runtime_us=4_000, period_us=20_000), _cpu.QUOTA, 3),
    ],
)
def test_a_used_up_budget_is_named_and_not_who_used_it(
    program: Path, tmp_path: Path, priority: int, limit: Callable[[ControlGroup], None], cause: str, least: int
) -> None:
    """A task below the thread, or equal to it, uses up the budget of their group: the CPU idles, or runs another task."""
    below = f"low-{uuid4().hex[:8]}"
    with control_group() as group:
        limit(group)
        move = Path(group.folder, "cgroup.procs").write_text
        with burner(cpu_of_ours(), 10 if priority else 0, below, on=0.01, off=0, group=group):
            trial = _watched(program, tmp_path / "runs.sqlite", "none", lambda own: move(str(own.pid)), priority)
    _require_counts(trial)
    named = Counter(one for _, one in trial.judged("start-latency", []))
    assert named[cause] > least
    others = {_cpu.THROTTLED, _cpu.QUOTA, _cpu.FAIR_SERVER, _cpu.STOPPED, _trail.AWAY} - {cause}
    assert not others & named.keys()
    if priority:
        _require_innocent([*trial.judged("start-latency", [])], below)


def test_a_thread_of_sched_deadline_has_a_cycle_for_each_budget(root: Path, tmp_path: Path) -> None:
    """It never sleeps: it yields, and the kernel wakes it without a waking. A late start of it has a trail too."""
    count, work_ns = 600, 50_000
    passed, trial = _of_sched_deadline(root, tmp_path, count, work_ns, work_ns, "1us")
    start, response = trial.result("start-latency"), trial.result("response")
    holds = {check.name: check.holds for check in response.checks}
    assert holds["cycles-accounted"]
    assert holds["cycle-parts-accounted"]
    assert 0.95 * count < start.count <= passed + 1
    assert response.min is not None
    assert response.min >= work_ns
    assert trial.result("expiry-to-waking").count == 0  # the kernel shows no waking
    found = _trail.trails(start)
    assert len(found) > 200
    assert sum(one.dropped for one in found) < 0.05 * len(found)
    parts = [_attached.parts(one) for one in found if not one.dropped]
    assert {one["expiry-to-waking"] for one in parts} == {0}
    assert _cpu.DEADLINE_BUDGET not in Counter(one for _, one in trial.judged("start-latency", []))


def test_a_used_up_budget_of_sched_deadline_is_named(root: Path, tmp_path: Path) -> None:
    """Each tenth cycle works for longer than its budget of 5 ms and a tick of the kernel, and waits in mid-cycle for the next budget."""
    count, tenth_ns = 400, 10_000_000
    _, trial = _of_sched_deadline(root, tmp_path, count, 50_000, tenth_ns, "15ms", period_ns=20_000_000)
    named = Counter(one for _, one in trial.judged("response", []))
    assert 0.95 * count / 10 <= named.total() <= count / 10
    with_trail = named.total() - named[_cpu.UNKNOWN]  # a busy machine makes trails that are too long
    assert with_trail >= count / 20
    assert named[_cpu.DEADLINE_BUDGET] >= 0.95 * with_trail, named
    others = {_cpu.THROTTLED, _cpu.QUOTA, _cpu.FAIR_SERVER, _cpu.STOPPED, _cpu.IDLE, _cpu.PASSED}
    assert not others & named.keys()


def _of_sched_deadline(
    root: Path, tmp_path: Path, count: int, work_ns: int, tenth_ns: int, limit: str, period_ns: int = 2_000_000
) -> tuple[int, Trial]:
    """Periods that passed, and the trial of a thread with a quarter of each as its budget."""
    name = f"own-{uuid4().hex[:8]}"
    program = static_program(tmp_path / "deadline", root / "tests" / "support" / "deadline_cycles.c")
    words = [str(program), name, *map(str, (count, period_ns, work_ns, tenth_ns))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as own:
        try:
            _until_named(own.pid, name)
            passed, run = _attached_run(own, name, tmp_path / "runs.sqlite", limit, limit)
        finally:
            own.kill()
    return passed, Trial(run, name, [], [])
