# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes of late samples that are planted on this machine, each named by `rtstone explain`, and no innocent beside them.

Lengths are drawn by lot. Only the test knows what it planted and when; it judges the samples one by one against that.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import pytest

from rtstone.archive import open_archive
from rtstone.explain import _cpu, _trail
from rtstone.explain.document import NOTHING
from rtstone.machine.groups import ControlGroup
from support import split
from support.causes import Spans, burner, cpu_of_ours, origin, share
from support.children import children
from support.control_groups import control_group, set_quota, set_realtime

pytestmark = [pytest.mark.alone, pytest.mark.needs("bpf")]

COUNT, PERIOD_MS, OVER_US = 4000, 1, 2000
DRAW = random.SystemRandom()


class Trial(NamedTuple):
    """The late samples of a run, and the cause that was found for each."""

    trails: list[_cpu.Trail]
    causes: list[str]
    """Of each: to blame; empty where nothing had half."""
    origin: int

    def overlap(self, trail: _cpu.Trail, spans: Spans) -> float:
        """The share of the sample in which something was planted."""
        return share(trail, spans, self.origin)


def _engine(of: subprocess.Popen[bytes]) -> int:
    """The engine that a run has started and that has begun to measure."""
    for _ in range(1000):
        with suppress(OSError):
            for child in children(of.pid):
                process = Path(f"/proc/{child}")
                threads = len([*(process / "task").iterdir()])
                if (process / "exe").readlink().name == "rtstone-engine" and threads > 1:
                    return child
        time.sleep(0.01)
    pytest.fail("the run starts no engine")


def _run(cpu: int, plant: Callable[[int], object], *before: str) -> Trial:
    """Measures while something is planted, which is called with the engine's PID. `before`: words in front of the command."""
    words = [sys.executable, "-m", "rtstone", "run", "-m", "interrupt-split", "-r", "1", "--load", "none", "--raw"]
    words += ["--cpu", str(cpu), "--count", str(COUNT), "--period", f"{PERIOD_MS}ms", "--trace-over", f"{OVER_US}us"]
    with subprocess.Popen([*before, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        try:
            plant(_engine(run))
            said = run.communicate(timeout=60)[1].decode()
        finally:
            run.kill()
    split.require_run(run.returncode, said)
    archive = open_archive()
    kept = archive.load("last")
    whole = next(result for result in kept.results() if result.quantity == "interrupt-task-response")
    found = _trail.trails(whole)
    assert whole.min is not None
    return Trial(found, [_trail.blame(trail, whole.min).function for trail in found], origin(archive, kept.id))


def _stops(engine: int) -> Spans:
    """Stops the measuring threads again and again."""
    spans: Spans = []
    with suppress(ProcessLookupError):
        for _ in range(20):  # lengths are drawn: twelve may be short ones that make too few samples late
            time.sleep(DRAW.uniform(0.1, 0.2))
            begin = time.monotonic_ns()
            os.kill(engine, signal.SIGSTOP)
            time.sleep(DRAW.uniform(0.005, 0.040))
            os.kill(engine, signal.SIGCONT)
            spans.append(
                (begin, time.monotonic_ns())
            )  # where this process waits for a CPU before it sends one, that counts
    return spans


def _nothing(_: int) -> None:
    """Plants nothing: the cause runs by itself."""


def _report(name: str, trial: Trial) -> None:
    for cause, count in Counter(trial.causes).most_common():
        print(f"{name}: {count:5} of {len(trial.trails)}  {cause}")  # the table of the page


def test_a_stopped_thread_is_called_stopped_and_nothing_else_is(engine: Path) -> None:
    assert engine.is_file()
    cpu = cpu_of_ours()
    spans: Spans = []
    trial = _run(cpu, lambda pid: spans.extend(_stops(pid)))
    _report("stopped", trial)
    _require(trial, spans, _cpu.STOPPED)


@pytest.mark.needs("top-priority")
@pytest.mark.long  # where both fill a sample for a like time, either may be named: of some 140 one or two more than may be
def test_a_stop_and_a_task_above_the_thread_are_told_apart(engine: Path) -> None:
    assert engine.is_file()
    cpu = cpu_of_ours()
    spans: Spans = []
    name = f"hog-{uuid4().hex[:9]}"
    with burner(cpu, 98, name, on=0.006, off=0.1) as had:
        trial = _run(cpu, lambda pid: spans.extend(_stops(pid)))
    _report("stopped, and a task above", trial)
    # A thread that is stopped while the other has the CPU leaves the CPU only then. A sample that both filled may be
    # either's.
    _require(trial, spans, _cpu.STOPPED, besides=had)
    _require(trial, had, f"task {name}, priority 98", besides=spans, least=20)


def _require(trial: Trial, spans: Spans, cause: str, *, besides: Spans | None = None, least: int = 100) -> None:
    """`cause` is named in 95 % of the samples that it alone filled, and in at most 1 % of those it hardly touched."""
    judged = [
        (trial.overlap(trail, spans), trial.overlap(trail, besides or []), named)
        for trail, named in zip(trial.trails, trial.causes, strict=True)
    ]
    filled = [named for share, other, named in judged if share > 0.6 and other < 0.3]
    others = [named for share, _, named in judged if share < 0.3]
    assert len(filled) > least
    assert filled.count(cause) >= 0.95 * len(filled), Counter(filled)
    assert others.count(cause) <= 0.01 * len(judged), Counter(others)


@pytest.mark.needs("realtime", "realtime-budgets")
def test_an_exhausted_real_time_budget_is_named_and_not_who_runs_meanwhile(engine: Path) -> None:
    """A task below the thread uses up the budget of their group: the CPU idles, or runs what is not real-time."""
    assert engine.is_file()
    cpu = cpu_of_ours()
    below = f"low-{uuid4().hex[:9]}"
    budget = DRAW.randrange(40_000, 70_000)
    with control_group() as group:
        set_realtime(group, budget, 100_000)
        with burner(cpu, 10, below, group=group):
            trial = _run(cpu, _joining(group))
    _report("real-time budget", trial)
    _require_kernels_word(trial, _cpu.THROTTLED, below)


@pytest.mark.needs("realtime")
@pytest.mark.long  # how often the kernel serves its fair tasks within four seconds varies: 63 to 135 late samples
def test_a_fair_server_is_named_and_not_the_task_that_it_serves(engine: Path) -> None:
    """A task below the thread starves one that is not real-time: the kernel serves that one before the thread (Linux from 6.8 on).

    Where the kernel has a budget for all that is real-time too, the one below uses it up now and then: that is named as well.
    """
    assert engine.is_file()
    cpu = cpu_of_ours()
    trials: list[Trial] = []
    below, served = (f"{kind}-{uuid4().hex[:9]}" for kind in ("low", "fair"))
    while sum(len(one.trails) for one in trials) <= 120 and len(trials) < 6:
        with burner(cpu, 10, below), burner(cpu, 0, served):
            trials.append(_run(cpu, _nothing))
    trial = Trial([one for each in trials for one in each.trails], [one for each in trials for one in each.causes], 0)
    _report("fair server", trial)
    _require_kernels_word(trial, _cpu.FAIR_SERVER, below, served, also=_cpu.THROTTLED)


def _joining(group: ControlGroup) -> Callable[[int], object]:
    """Puts an engine into the group."""
    return lambda pid: Path(group.folder, "cgroup.procs").write_text(str(pid))


@pytest.mark.needs("control-groups")
def test_a_used_up_quota_is_named(engine: Path) -> None:
    """The thread is not real-time, and a task of its group uses up the group's quota.

    Where the trail shows no other program's task, the quota is named. On a busy machine there are few such samples in a run.
    """
    assert engine.is_file()
    cpu = cpu_of_ours()
    named: Counter[str] = Counter()
    for _ in range(8):
        below = f"burn-{uuid4().hex[:9]}"
        quota = DRAW.randrange(2_500, 4_500)
        with control_group() as group:
            set_quota(group, quota, 20_000)
            with burner(cpu, 0, below, group=group):
                words = ("setpriv", "--bounding-set", "-sys_nice")  # what is real-time has no quota
                trial = _run(cpu, _joining(group), *words)
        _report("quota", trial)
        named.update("the burner" if below in cause else cause for cause in trial.causes)
        if named[_cpu.QUOTA] > 100:
            break
    assert named[_cpu.QUOTA] > 100, named
    wrong = {_cpu.THROTTLED, _cpu.FAIR_SERVER, _cpu.STOPPED, _trail.AWAY}
    assert not [cause for cause in named if cause in wrong], named
    innocent = named["the burner"] + sum(count for cause, count in named.items() if cause.startswith(NOTHING))
    assert innocent <= 0.05 * named[_cpu.QUOTA], named


def _require_kernels_word(trial: Trial, cause: str, *innocent: str, also: str = "") -> None:
    """The cause is named for 95 of 100 late samples whose steps are all there and that no hypervisor made late; no innocent is."""
    named = Counter(trial.causes)
    untold = (_trail.STOLEN, _trail.AWAY, _cpu.UNKNOWN, _cpu.UNTOLD, _cpu.BUSY, also)
    known = len(trial.trails) - sum(named[one] for one in untold)
    assert named[cause] > 100
    assert named[cause] >= 0.95 * known, named
    assert not [one for one in named if any(name in one for name in innocent)]
    assert sum(count for one, count in named.items() if one.startswith(NOTHING)) <= 0.05 * known
