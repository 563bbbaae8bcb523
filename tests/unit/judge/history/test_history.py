# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""History of a quantity: steps found and none made up, what changed there, which runs are one series, what the command says."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.cli.history import judge
from rtstone.errors import BoundExceeded, IncompleteError, UsageError
from rtstone.judge.history import RunReading, history, new_regressions, read
from rtstone.model import Run, Variant
from rtstone.show.judged.history import lines
from rtstone.stats import ALPHA_CHANGE, LEAST_FOR_CHANGE, changes, resemble
from rtstone.stats._changes import _scores
from support.command import environment
from support.runs import make_result, make_run, make_session
from support.schemas import schema

QUANTITY = "semaphore-ping"
SPREAD = 0.01


def _run(
    number: int, typical: float, *, kernel: str = "6.1.190", machine: str = "aaaa", meaning: int = 1, **changed: object
) -> Run:
    result = msgspec.structs.replace(make_result(QUANTITY, values=[round(typical)] * 20), meaning=meaning)
    session = make_session((result,))
    env = session.env | {"kernel.release": kernel, "machine.id": machine, "machine.name": "bench"}
    session = msgspec.structs.replace(session, env=env)
    started = f"2026-10-{number // 24 + 1:02d}T{number % 24:02d}:00:00Z"
    made = make_run(
        f"20261001T000000-{number + 1:08x}{0:012x}", results=(), sessions=(session,), started=started, degraded=()
    )
    return msgspec.structs.replace(made, **changed)


def _runs(steps: Sequence[tuple[int, float, str]], **changed: object) -> list[Run]:
    """Runs that vary by 1 %: so many of each level (ticks) under a kernel."""
    draw = random.Random(4)
    levels = [(level, kernel) for count, level, kernel in steps for _ in range(count)]
    return [
        _run(number, level * (1 + draw.gauss(0, SPREAD)), kernel=kernel, **changed)  # type: ignore[arg-type]
        for number, (level, kernel) in enumerate(levels)
    ]


BEFORE, AFTER = (14, 20_000.0, "6.1.190"), (10, 21_000.0, "6.1.192")


def test_a_step_is_found_in_its_place_with_what_changed_there() -> None:
    (series,) = history(_runs([BEFORE, AFTER]), QUANTITY).series
    (step,) = series.steps
    assert abs(step.at - 14) <= 1
    assert step.verdict == "regressed"
    assert step.change == pytest.approx(0.05, abs=0.02)
    assert [(one.fact, one.values) for one in step.differences] == [("kernel.release", ("6.1.190", "6.1.192"))]
    assert (series.enough, series.exact, series.wanders, series.machine) == (True, False, False, "aaaa")
    assert [(level.first, level.last) for level in series.levels] == [(0, step.at - 1), (step.at, 23)]


def _samples_of(readings: Sequence[RunReading]) -> set[tuple[object, ...]]:
    """Each combination of the fields for samples, over all results that the readings contain."""
    repetitions = [one for reading in readings for _, entry in reading.rows for one in entry.repetitions]
    results = [result for one in repetitions for result in (one.result, one.read.result)]
    return {(one.histogram, one.extremes, one.windows, one.batches, one.samples) for one in results}


@pytest.mark.parametrize("statistic", ["median", "p90", "max"])
def test_what_is_kept_of_runs_tells_the_same_history_without_their_samples(statistic: str) -> None:
    runs = [*_runs([BEFORE, AFTER]), _run(30, 21_000, status="incomplete"), _run(31, 21_000, meaning=2)]
    readings = [read(run, QUANTITY, statistic) for run in runs]
    assert history(readings, QUANTITY, statistic=statistic) == history(runs, QUANTITY, statistic=statistic)
    kept = [one.result for reading in readings for _, entry in reading.rows for one in entry.repetitions]
    assert len(kept) == len(runs) - 1
    assert _samples_of(readings) == {(None, (), None, (), None)}
    assert not any(session.results for reading in readings for session in reading.run.sessions)


def test_two_steps_are_found_and_one_that_was_taken_back_is_no_new_regression() -> None:
    made = history(_runs([BEFORE, (14, 22_000.0, "6.1.192"), (12, 20_000.0, "6.1.193")]), QUANTITY)
    assert [step.verdict for step in made.series[0].steps] == ["regressed", "improved"]
    assert new_regressions(made, 100) == ()
    grown = history(_runs([BEFORE, AFTER]), QUANTITY)
    assert [step.verdict for _, step in new_regressions(grown, 12)] == ["regressed"]
    assert new_regressions(grown, 5) == ()


@pytest.mark.parametrize("law", ["normal", "heavy", "drift"])
@pytest.mark.parametrize("length", [20, 60])
def test_where_nothing_steps_at_most_one_series_in_a_hundred_has_a_step(law: str, length: int) -> None:
    draw = np.random.default_rng([11, length])
    wrong = 0
    for _ in range(100):
        figures = 0.02 * (draw.standard_t(3, length) / np.sqrt(3) if law == "heavy" else draw.standard_normal(length))
        figures += 0.001 * np.arange(length) * (law == "drift")
        wrong += bool(changes(figures.tolist(), drift=0.001))
    # Of 100 with a chance of 1 % more than 6 are wrong in less than one of ten thousand tries.
    assert wrong <= 6
    assert ALPHA_CHANGE == 0.01


def test_a_drift_alone_is_a_step_to_who_allows_for_none() -> None:
    draw = np.random.default_rng(5)
    figures = (0.004 * np.arange(40) + 0.02 * draw.standard_normal(40)).tolist()
    assert changes(figures)
    assert not changes(figures, drift=0.004)
    assert resemble(figures)
    assert not resemble(draw.standard_normal(40).tolist())


def test_ties_and_too_few_figures_show_nothing() -> None:
    assert changes([5.0] * 50) == ()
    assert not resemble([5.0] * 50)
    assert changes([0.0] * 5 + [1.0] * (LEAST_FOR_CHANGE - 6)) == ()
    (one,) = changes([0.0] * 12 + [1.0] * 12)
    assert one.at == 12
    made = history(_runs([(5, 20_000.0, "6.1"), (5, 30_000.0, "6.2")]), QUANTITY)
    assert (made.series[0].enough, made.series[0].steps) == (False, ())


@pytest.mark.parametrize("kinds", [3, 40, 10**6])
def test_ranks_are_those_of_scipy(kinds: int) -> None:
    draw = np.random.default_rng(kinds)
    for length in (1, 2, 57):
        values = draw.integers(-kinds, kinds, length) / 7
        scores = ndtri(rankdata(values) / (length + 1))
        assert _scores(values).tolist() == (scores - scores.mean()).tolist()


def test_a_search_for_steps_does_not_load_scipy_stats() -> None:
    asked = (
        "import sys, rtstone.stats as s; print(len(s.changes([0.0] * 12 + [1.0] * 12)), 'scipy.stats' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, env=environment())
    assert said.stdout == "1 False\n"


def test_the_same_series_is_told_the_same_each_time() -> None:
    figures = np.random.default_rng(1).standard_normal(30).tolist()
    figures[20:] = [value + 4 for value in figures[20:]]
    assert changes(figures) == changes(list(figures))


def test_runs_that_are_not_like_are_series_of_their_own() -> None:
    runs = _runs([BEFORE, AFTER])
    for changed, word in (({"machine": "bbbb"}, "machine"), ({"meaning": 2}, "definition of the measurement")):
        other = [_run(100 + n, 40_000, **changed) for n in range(3)]
        made = history([*runs, *other], QUANTITY)
        assert [len(series.points) for series in made.series] == [3, 24]  # the newest first
        assert made.series[0].apart == ()
        assert word in made.series[1].apart[0]
        (together,) = history([*runs, *other], QUANTITY, unlike=True).series
        assert len(together.points) == 27
        assert history(runs, QUANTITY, unlike=True).forced


def test_of_instruction_time_whatever_differs_is_a_step() -> None:
    runs = [_run(n, 20_000 + (n >= 2), target="board:x/y", time="instruction-time") for n in range(3)]
    made = [
        msgspec.structs.replace(run, instructions_per_second=10**9, host={"board.platform": "emulator"}) for run in runs
    ]
    assert all(run.deterministic for run in made)
    (series,) = history(made, QUANTITY).series
    assert (series.exact, series.enough) == (True, True)
    assert [(step.at, step.p) for step in series.steps] == [(2, 0.0)]


def _exact(*levels: int, seed: int = 1) -> list[Run]:
    """Runs of a board that counts instructions."""
    runs = [_run(n, level, target="board:x/y", time="instruction-time") for n, level in enumerate(levels)]
    return [
        msgspec.structs.replace(
            run,
            instructions_per_second=10**9,
            host={"board.platform": "emulator", "board.id": "x"},
            sessions=tuple(msgspec.structs.replace(session, seed=seed) for session in run.sessions),
        )
        for run in runs
    ]


def test_a_series_has_its_runs_levels_and_steps_in_order_of_time() -> None:
    levels = (20_000, 20_000, 20_010, 20_000)
    runs = _exact(*levels)
    cut = msgspec.structs.replace(_run(9, 20_000), status="incomplete")
    made = history([cut, *runs[::-1]], QUANTITY, alpha=0.02, drift=0.03, least_change=0.04)
    assert (made.quantity, made.false_alarms, made.drift, made.least_change) == (QUANTITY, 0.02, 0.03, 0.04)
    assert (made.forced, made.runs, made.incomplete) == (False, 4, (cut.id,))
    (series,) = made.series
    assert (series.measurement, series.quantity, series.variant) == (QUANTITY, QUANTITY, Variant())
    assert (series.statistic, series.target, series.machine_name) == ("median", "board:x/y", "board x")
    assert series.machine == runs[0].machine != ""
    assert (series.enough, series.exact, series.wanders, series.apart) == (True, True, False, ())
    assert [(one.run, one.started, one.label, one.repetitions) for one in series.points] == [
        (run.id, run.started, "this machine", 1) for run in runs
    ]
    assert [one.value_ns for one in series.points] == pytest.approx(levels)
    assert [(one.first, one.last) for one in series.levels] == [(0, 1), (2, 2), (3, 3)]
    assert [one.median_ns for one in series.levels] == pytest.approx(levels[1:])
    assert [(one.at, one.verdict, one.p, one.differences) for one in series.steps] == [
        (2, "regressed", 0, ()),
        (3, "improved", 0, ()),
    ]
    assert [one.change for one in series.steps] == pytest.approx([0.0005, 20_000 / 20_010 - 1])
    for step, before, after in zip(series.steps, runs[1:3], runs[2:], strict=True):
        assert (step.before, step.before_started, step.after, step.after_started) == (
            *(before.id, before.started),
            *(after.id, after.started),
        )


@pytest.mark.parametrize(
    ("levels", "last", "found"),
    [
        ((20_000, 20_000, 20_001), 1, [2]),
        ((20_000, 20_000, 20_001), 0, []),
        ((20_000, 20_001, 20_002), 2, [1, 2]),
        ((20_000, 20_001, 20_002), 1, [2]),
        ((20_000, 20_002, 20_001), 2, [1]),
        ((20_000, 20_001, 20_000), 2, []),
        ((20_000, 20_001, 19_999), 3, []),
    ],
)
def test_a_regression_is_new_in_the_last_runs_unless_made_up_for(
    levels: tuple[int, ...], last: int, found: list[int]
) -> None:
    made = history(_exact(*levels), QUANTITY)
    assert [step.at for _, step in new_regressions(made, last)] == found
    assert all(series == made.series[0] for series, _ in new_regressions(made, last))


def test_runs_of_unlike_seeds_are_not_exact() -> None:
    (series,) = history([*_exact(20_000, 20_010), *_exact(20_000, 20_000, 20_020, seed=2)[2:]], QUANTITY).series
    assert (series.exact, series.enough, series.steps) == (False, False, ())


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"alpha": 0.0}, True),
        ({"alpha": 0.5}, True),
        ({"alpha": 0.49}, False),
        ({"drift": -0.01}, True),
        ({"drift": 1.0}, True),
        ({"drift": 0.0}, False),
        ({"drift": 0.99}, False),
        ({"least_change": -0.01}, True),
        ({"least_change": 10.0}, True),
        ({"least_change": 0.0}, False),
        ({"least_change": 9.9}, False),
        ({"statistic": "p101"}, True),
    ],
)
def test_shares_out_of_range_are_refused(given: dict[str, float], refused: bool) -> None:
    if refused:
        with pytest.raises(UsageError):
            history([], QUANTITY, **given)  # type: ignore[arg-type]
    else:
        assert history([], QUANTITY, **given).series == ()  # type: ignore[arg-type]


def test_only_the_load_and_the_pass_that_are_asked_for_are_told() -> None:
    given = [Variant(load=load, pass_=pass_) for load in ("none", "cpu") for pass_ in ("single", "batch")]
    made = [make_result(QUANTITY, variant=one, values=[100] * 11) for one in (*given, Variant(period_ns=1_000))]
    run = make_run(results=(*made, make_result("other")))
    for asked, kept in (
        ({}, [*given, Variant(period_ns=1_000)]),
        ({"load": "cpu"}, given[2:]),
        ({"pass_": "batch"}, given[1::2]),
        ({"load": "none", "pass_": "batch"}, given[1:2]),
    ):
        series = history([run], QUANTITY, statistic="p90", **asked).series  # type: ignore[arg-type]
        assert sorted(one.variant for one in series) == sorted(kept)
        assert all(one.statistic == ("mean" if one.variant.pass_ == "batch" else "p90") for one in series)
        assert len({one.title for one in series}) == len(kept)
    reading = read(run, QUANTITY)
    assert len(reading.rows) == 5
    assert _samples_of([reading]) == {(None, (), None, (), None)}


def test_the_figure_of_a_run_is_the_geometric_mean_of_its_repetitions() -> None:
    sessions = [make_session((make_result(QUANTITY, values=[v] * 9),), repetition=n) for n, v in enumerate((100, 400))]
    (series,) = history([make_run(sessions=tuple(sessions))], QUANTITY).series
    (point,) = series.points
    assert point.value_ns == pytest.approx(200, rel=1e-4)
    assert point.repetitions == 2


@pytest.mark.parametrize("levels", [(20_000, 22_000, 22_100), (20_000, 20_100, 22_000), (22_100, 22_000, 20_000)])
def test_the_smallest_step_is_the_one_that_is_not_told(levels: tuple[int, ...]) -> None:
    runs = [_run(n, levels[n // 14]) for n in range(42)]
    (all_of,) = history(runs, QUANTITY, least_change=0).series
    assert [step.at for step in all_of.steps] == [14, 28]
    (series,) = history(runs, QUANTITY).series
    at = 14 if abs(levels[1] - levels[0]) > 1_000 else 28
    assert [step.at for step in series.steps] == [at]
    assert series.steps[0].change == pytest.approx(series.levels[1].median_ns / series.levels[0].median_ns - 1)
    assert [(level.first, level.last) for level in series.levels] == [(0, at - 1), (at, 41)]


def test_a_step_from_nothing_has_no_share() -> None:
    found = history([_run(n, 0 if n < 12 else 20_000) for n in range(24)], QUANTITY)
    (series,) = found.series
    assert [(step.at, step.verdict, step.change) for step in series.steps] == [(12, "regressed", None)]
    shown = ["".join(span.text for span in line) for line in lines(found, 80)]
    assert any(text.startswith("  1  regressed: longer (0") for text in shown), shown


def test_false_alarms_and_drift_decide_what_a_step_is() -> None:
    draw = np.random.default_rng(5)
    rising = [_run(n, 20_000 * math.exp(0.004 * n + 0.02 * draw.standard_normal())) for n in range(40)]
    assert history(rising, QUANTITY, drift=0).series[0].steps
    assert not history(rising, QUANTITY, drift=0.004).series[0].steps
    stepped = [_run(n, 20_000 if n < 12 else 22_000) for n in range(24)]
    assert history(stepped, QUANTITY).series[0].steps
    assert not history(stepped, QUANTITY, alpha=1e-5).series[0].steps  # fewer random orders than that are tried
    assert [history(stepped[:n], QUANTITY).series[0].enough for n in (11, 12)] == [False, True]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (("a",) * 8 + ("b",) * 6, ("c",) * 8 + ("d",) * 6, ("a", "c")),
        (("a",) * 8 + ("b",) * 6, ("c",) * 7 + ("d",) * 7, None),
        (("a",) * 8 + ("b",) * 6, ("a",) * 14, None),
        (("a",) * 6 + ("",) * 8, ("c",) * 14, ("", "c")),
        (("",) * 14, ("c",) * 14, None),  # not recorded: no change
    ],
)
def test_what_changed_is_what_most_runs_say(before: Sequence[str], after: Sequence[str], told: object) -> None:
    runs = []
    for number, value in enumerate((*before, *after)):
        run = _run(number, 20_000 if number < len(before) else 22_000)
        (session,) = run.sessions
        # Each run calibrates its clock: that is no change of the environment.
        clock = msgspec.structs.replace(session.clocks[0], hz=1_000_000_000 if number < len(before) else 1_002_000_000)
        env = session.env | ({"kernel.cmdline": value} if value else {})
        session = msgspec.structs.replace(session, env=env, clocks=(clock,))
        runs.append(msgspec.structs.replace(run, sessions=(session,)))
    (step,) = history(runs, QUANTITY).series[0].steps
    found = {one.fact: one.values for one in step.differences}
    assert found == ({} if told is None else {"kernel.cmdline": told})


def test_a_small_step_is_not_told_and_its_levels_are_one() -> None:
    runs = [_run(n, 20_000 * (1.005 if n >= 15 else 1)) for n in range(30)]
    (series,) = history(runs, QUANTITY).series
    assert (series.steps, len(series.levels)) == ((), 1)
    assert len(history(runs, QUANTITY, least_change=0.001).series[0].steps) == 1


def test_incomplete_runs_are_left_out_and_said() -> None:
    runs = _runs([BEFORE, AFTER])
    cut = msgspec.structs.replace(runs[3], status="incomplete")
    made = history([*runs[:3], cut, *runs[4:]], QUANTITY)
    assert made.incomplete == (cut.id,)
    assert cut.id not in [point.run for point in made.series[0].points]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("history") / "archive.sqlite"
    archive = open_archive(str(path))
    for run in _runs([BEFORE, AFTER]):
        archive.save(run)
    return path


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    with pytest.raises(SystemExit) as ended:
        main(("history", *words))
    said = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, said.out, said.err


def test_the_command_shows_it_in_eighty_columns(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = _said(capsys, QUANTITY, "--archive", str(kept))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "regressed: " in out
    assert "kernel.release 6.1.190 → 6.1.192" in out
    assert "•" in out


def test_what_the_command_prints_as_json_fits_its_schema(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _said(capsys, QUANTITY, "--archive", str(kept), "--json")
    made = json.loads(out)
    jsonschema.validate(made, schema("history"))
    assert len(made["series"][0]["steps"]) == 1


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["--fail-on-regression"], 1, "regressed: semaphore-ping"),
        (["--fail-on-regression", "--last", "3"], 0, ""),
        (["--fail-on-regression", "--limit", "5"], 4, "too few runs"),
        (["--pass", "batch"], 2, "no complete run that matches"),
        (["--machine", "cccc"], 2, "no run that matches"),
        (["--statistic", "middle"], 2, "middle"),
    ],
)
def test_exit_codes(kept: Path, given: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    ended, _, err = _said(capsys, QUANTITY, "--archive", str(kept), *given)
    assert (ended, said in err) == (code, True), err


def test_an_unknown_quantity_is_told_the_nearest(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _said(capsys, "semaphore-pin", "--archive", str(kept))
    assert code == 2
    assert "Did you mean 'semaphore-ping'?" in err


def test_a_step_of_a_series_that_wanders_by_itself_is_no_verdict() -> None:
    made = history(_runs([BEFORE, AFTER]), QUANTITY)
    wandering = msgspec.structs.replace(made.series[0], wanders=True)
    with pytest.raises(IncompleteError, match="may be the series' own wandering"):
        judge(msgspec.structs.replace(made, series=(wandering,)), 12)
    with pytest.raises(BoundExceeded, match="regressed: semaphore-ping, idle, median by"):
        judge(msgspec.structs.replace(made, series=(wandering, made.series[0])), 12)
    judge(msgspec.structs.replace(made, series=(wandering,)), 3)


def test_figures_that_follow_each_other_are_said_to_wander() -> None:
    draw = random.Random(2)
    runs = [_run(n, 20_000 * (1 + 0.04 * math.sin(n / 2) + draw.gauss(0, 0.005))) for n in range(40)]
    (series,) = history(runs, QUANTITY).series
    assert series.wanders
    assert any("resemble their neighbours" in span.text for line in lines(history(runs, QUANTITY), 80) for span in line)
