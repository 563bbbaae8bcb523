# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An experiment that watches the user's own threads: a planted effect is found, nothing in nothing, and the rest is measured later."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.attach.threads import BY_THE_USER, WITH_ITS_THREADS, Wanted
from rtstone.errors import InfrastructureError, RtstoneError, UsageError
from rtstone.machine.settings import MachineSettings
from rtstone.machine.system import System
from rtstone.measure import Listener, Outcome, keep_runs
from rtstone.stats import design
from rtstone.studies import Chosen, Request
from rtstone.tune import measure as tune
from rtstone.tune.experiment import Experiment, experiment
from rtstone.tune.judge import Report, judge, of_runs
from rtstone.tune.measure_for import carry_out_for
from support.runs import make_result, make_run, make_session, make_values

PLACES = [f"/proc/sys/kernel/knob-{number}" for number in range(3)]
EXPERIMENT = Experiment(
    schema="rtstone.tune",
    version="1.0",
    settings=dict.fromkeys(PLACES, (0, 1)),
    target="local",
    comm="my loop",
    rounds=4,
)


class Threads:
    """Threads of a program that wake up later by a factor while a file has a value; `ends`: how the session after so many ended."""

    def __init__(
        self, root: Path, place: str = "", factor: float = 1.0, ends: tuple[int, str | RtstoneError] = (1 << 30, "")
    ) -> None:
        self._root, self._place, self._factor, self._ends = root, place, factor, ends
        self._draw = random.Random(23)
        self.watched: list[Wanted] = []

    def __call__(self, wanted: Wanted) -> Outcome:
        self.watched.append(wanted)
        number = len(self.watched)
        ended = self._ends[1] if number > self._ends[0] else "in time"
        if isinstance(ended, RtstoneError):
            raise ended
        high = self._place and (self._root / self._place.lstrip("/")).read_text().strip() == "1"
        typical = int(2000 * self._draw.lognormvariate(0, 0.03) * (self._factor if high else 1.0))
        result = make_result(
            "wakeup-latency-my_loop", measurement="attach", values=make_values(1500, typical=typical, seed=number)
        )
        run = make_run(
            f"20261121T200000-{number:04x}",
            sessions=(make_session((result,), seed=number),),
            host={"attach.ended": ended},
            target="attached:comm my loop",
            studies=(),
            planned=1,
        )
        return Outcome(run=run, logs=(b"counts\n",), owner=f"{number:032x}")


@pytest.fixture
def machine(tmp_path: Path) -> System:
    for place in (*PLACES, "/proc/sys/kernel/random/boot_id"):
        path = tmp_path / place.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("5")
    return System(tmp_path)


def _carry_out(machine: System, threads: Threads, **how: object) -> tuple[Outcome, ...]:
    request = Request(measurements=(Chosen(name="task-switch"),), profile="quick", loads=("none",), count=1000)
    plan = tune.planned(EXPERIMENT, design(len(PLACES)).rows, request, system=machine)
    settings = MachineSettings(machine, machine.root / "journal")
    wanted = Wanted(name="comm my loop", comm="my loop", duration_s=2)
    given: dict[str, object] = {"archive": None, "settings": settings, "watch": threads} | how
    try:
        return carry_out_for(plan, wanted, Listener(), **given)  # type: ignore[arg-type]
    finally:
        assert {(machine.root / path.lstrip("/")).read_text().strip() for path in PLACES} == {"5"}


def _report(outcomes: tuple[Outcome, ...]) -> Report:
    return judge([outcome.run for outcome in outcomes])


def test_a_planted_effect_on_the_threads_is_found(machine: System) -> None:
    threads = Threads(machine.root, PLACES[1], 1.3)
    outcomes = _carry_out(machine, threads)
    report = _report(outcomes)
    assert {one.name: one.keep for one in report.settings if one.keep != "no effect shown"} == {PLACES[1]: "low"}
    assert (report.measurement, report.quantity, report.rounds) == ("attach", "wakeup-latency-my_loop", 4)
    assert len(threads.watched) == 4 * len(outcomes) == 4 * report.rows
    for outcome in outcomes:
        run = outcome.run
        assert (run.status, run.planned, len(outcome.logs)) == ("complete", 4, 4)
        assert [session.repetition for session in run.sessions] == [0, 1, 2, 3]
        assert len({session.nonce for session in run.sessions}) == 4
    assert len({outcome.run.group for outcome in outcomes}) == 1


def test_of_nothing_nothing_is_found(machine: System) -> None:
    report = _report(_carry_out(machine, Threads(machine.root)))
    assert {one.keep for one in report.settings} == {"no effect shown"}


@pytest.mark.parametrize(
    ("ended", "status"),
    [(BY_THE_USER, "interrupted"), (WITH_ITS_THREADS, "incomplete"), (InfrastructureError("gone"), "incomplete")],
)
def test_an_end_before_its_time_keeps_whole_sessions_and_the_rest_is_measured_later(
    machine: System, ended: str | RtstoneError, status: str
) -> None:
    where = str(machine.root / "archive.sqlite")
    outcomes = _carry_out(machine, Threads(machine.root, ends=(19, ended)), archive=where)
    assert sum(len(outcome.run.sessions) for outcome in outcomes) == 19
    assert {outcome.run.status for outcome in outcomes} == {status}
    assert any(outcome.error is not None for outcome in outcomes) == (ended != BY_THE_USER)
    # The checkpoints alone: the command was killed before it could save its runs.
    archive = open_archive(where)
    (group,) = {summary.group for summary in archive.list()}
    _, runs = of_runs([archive.load(summary.id) for summary in archive.list(group=group)])
    assert sum(len(run.sessions) for run in runs.values()) == 19
    taken = {row: (run, archive.raw_logs(run.id)) for row, run in runs.items()}
    second = Threads(machine.root)
    outcomes = _carry_out(machine, second, archive=where, group=group, taken=taken)
    assert len(second.watched) == 32 - 19
    assert keep_runs(outcomes, where).error is None
    _, runs = of_runs([archive.load(summary.id) for summary in archive.list(group=group)])
    assert [len(run.sessions) for _, run in sorted(runs.items())] == [4] * 8


def test_where_nothing_can_be_watched_the_error_is_raised(machine: System) -> None:
    with pytest.raises(UsageError, match="no thread"):
        _carry_out(machine, Threads(machine.root, ends=(0, UsageError("no thread is called so"))))


HEAD = 'schema = "rtstone.tune"\nversion = "1.0"\ncomm = "loop"\n'
SETTINGS = "[settings]\nhuge-pages = ['a', 'b']\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEAD}load = 'cpu'\n{SETTINGS}", "the load is your own"),
        (f"{HEAD}target = 'simulated'\n{SETTINGS}", "watched on this machine"),
        (f"{HEAD}[words]\na = ['', 'b']\n", "with [settings] alone"),
        (f"{HEAD}duration = '1ms'\n{SETTINGS}", "a time from 100ms to 1h"),
        (f"{HEAD}deadline = 'soon'\n{SETTINGS}", "a time above 0"),
        (HEAD.replace("loop", "a name of more than 15 bytes") + SETTINGS, "at most 15 bytes"),
        (HEAD.replace('comm = "loop"', "deadline = '1ms'") + SETTINGS, "is for threads of your own"),
    ],
)
def test_what_a_file_may_not_say(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        experiment(text.encode(), "t.toml")
    assert said in str(refused.value)


def test_which_quantity_is_judged() -> None:
    made = experiment((HEAD + SETTINGS).encode(), "t.toml")
    assert made.judged == "wakeup-latency-loop"
    assert experiment((HEAD + "deadline = '1ms'\n" + SETTINGS).encode(), "t.toml").judged == "response-loop"
    named = experiment((HEAD + "deadline = '1ms'\nquantity = 'start-latency-loop'\n" + SETTINGS).encode(), "t.toml")
    assert named.judged == "start-latency-loop"
