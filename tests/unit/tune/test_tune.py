# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An experiment from its settings to its answer: two planted effects of sixteen, nothing, and the rest of one that broke off."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.errors import IncompleteError, UsageError
from rtstone.machine.settings import MachineSettings
from rtstone.machine.system import System
from rtstone.measure import Listener, Outcome, keep_runs
from rtstone.stats import Effect, design
from rtstone.studies import Chosen, Request
from rtstone.tune import measure as tune
from rtstone.tune.document import keep_file, rows, sentences
from rtstone.tune.experiment import Experiment
from rtstone.tune.judge import Report, _change, judge, of_runs
from support.planted import SAMPLES, Planted
from support.schemas import schema

PLACES = [f"/proc/sys/kernel/knob-{number:02}" for number in range(16)]
EXPERIMENT = Experiment(
    schema="rtstone.tune",
    version="1.0",
    settings=dict.fromkeys(PLACES, (0, 1)),
    target="planted",
    measurement="task-switch",
    quantity="switch",
    rounds=2,
)


@pytest.fixture
def machine(tmp_path: Path) -> System:
    for place in (*PLACES, "/proc/sys/kernel/random/boot_id"):
        path = tmp_path / place.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("5")
    return System(tmp_path)


def _carry_out(
    machine: System,
    target: Planted,
    monkeypatch: pytest.MonkeyPatch,
    experiment: Experiment = EXPERIMENT,
    **how: object,
) -> tuple[Outcome, ...]:
    monkeypatch.setattr(tune, "open_target", lambda _: target)
    request = Request(measurements=(Chosen(name="task-switch"),), profile="quick", loads=("none",), count=SAMPLES)
    plan = tune.planned(experiment, design(len(experiment.factors)).rows, request, system=machine)
    settings = MachineSettings(machine, machine.root / "journal")
    return tune.carry_out(plan, Listener(), **({"archive": None} | how), settings=settings)  # type: ignore[arg-type]


def _report(machine: System, target: Planted, monkeypatch: pytest.MonkeyPatch) -> Report:
    outcomes = _carry_out(machine, target, monkeypatch)
    assert {path: (machine.root / path.lstrip("/")).read_text().strip() for path in PLACES} == dict.fromkeys(
        PLACES, "5"
    )
    return judge([outcome.run for outcome in outcomes])


def test_two_planted_effects_of_sixteen_are_found(machine: System, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = {PLACES[3]: ("1", 1.25), PLACES[11]: ("0", 1.4)}
    report = _report(machine, Planted(machine.root, planted), monkeypatch)
    found = {one.name: one.keep for one in report.settings if one.keep != "no effect shown"}
    assert found == {PLACES[3]: "low", PLACES[11]: "high"}
    assert [one.name for one in report.settings[:2]] == [PLACES[11], PLACES[3]], "the one that does most is first"
    for one, true in ((report.settings[0], 1 / 1.4), (report.settings[1], 1.25)):
        median = one.changes[0]
        assert median.change == pytest.approx(true - 1, abs=0.032), "to a bucket of the histogram"
        assert median.high is not None
        assert median.low < median.change < median.high < median.low + 0.1
    assert (report.rounds, report.rows, report.tests) == (2, 32, 93)
    text = keep_file(report, lambda name: (name,))
    assert f"w {PLACES[11]} - - - - 1\n" in text
    assert f"w {PLACES[3]} - - - - 0\n" in text
    assert text.count("\nw ") == 2
    assert len(list(rows(report))) == 16
    assert not any("No setting" in line for line in sentences(report))


def test_of_nothing_nothing_is_found(machine: System, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _report(machine, Planted(machine.root, {}), monkeypatch)
    assert {one.keep for one in report.settings} == {"no effect shown"}
    assert report.interactions == ()
    assert any("No setting is shown" in line for line in sentences(report))
    (line,) = keep_file(report, lambda name: (name,)).splitlines()
    assert line.startswith("# rtstone tune found no setting that changes")


def test_few_rounds_of_one_setting_are_said_to_show_nothing(machine: System, monkeypatch: pytest.MonkeyPatch) -> None:
    one = msgspec.structs.replace(EXPERIMENT, settings={PLACES[0]: (0, 1)})
    outcomes = _carry_out(machine, Planted(machine.root, {PLACES[0]: ("1", 3.0)}), monkeypatch, one)
    report = judge([outcome.run for outcome in outcomes])
    assert report.notes == ("nothing that varies can be shown in fewer than 7 rounds of 2 sessions: set rounds",)
    jsonschema.validate(msgspec.json.decode(msgspec.json.encode(report)), schema("tune"))
    assert all("no limit" in cell for cell in next(rows(report))[3:6])


@pytest.mark.parametrize(
    ("high", "printed"), [(0.5, pytest.approx(0.6487, abs=1e-4)), (1e4, None), (float("inf"), None)]
)
def test_an_end_beyond_all_numbers_is_no_end(high: float, printed: float | None) -> None:
    """Two rounds of two rows: some orders leave hardly any error, and the interval reaches as far as it likes."""
    made = _change("p50", Effect(value=0.1, low=-high, high=high, p=0.5), 0.5)
    assert made.high == printed
    assert made.low >= -1


def test_what_broke_off_goes_on(machine: System, monkeypatch: pytest.MonkeyPatch) -> None:
    where = str(machine.root / "archive.sqlite")
    few = msgspec.structs.replace(EXPERIMENT, settings=dict.fromkeys(PLACES[:3], (0, 1)))
    first = Planted(machine.root, {}, fail_after=11)
    outcomes = _carry_out(machine, first, monkeypatch, few, archive=where)
    assert "planted failure" in str(next(one.error for one in outcomes if one.error is not None))
    assert {(machine.root / path.lstrip("/")).read_text().strip() for path in PLACES} == {"5"}
    with pytest.raises(IncompleteError, match="1 of 2 rounds"):
        judge([outcome.run for outcome in outcomes])
    # What is in the archive are the checkpoints alone: the command was killed before it could keep its runs.
    archive = open_archive(where)
    (group,) = {summary.group for summary in archive.list()}
    kept = [archive.load(summary.id) for summary in archive.list(group=group)]
    experiment, runs = of_runs(kept)
    assert (experiment, sum(len(run.sessions) for run in runs.values())) == (few, 11)
    assert {run.host[f"target.tune.set.{PLACES[0]}"] for run in kept} == {"0", "1"}
    second = Planted(machine.root, {})
    taken = {row: (run, archive.raw_logs(run.id)) for row, run in runs.items()}
    outcomes = _carry_out(machine, second, monkeypatch, few, archive=where, taken=taken, group=group)
    assert second.sessions == 5
    assert keep_runs(outcomes, where).error is None
    experiment, runs = of_runs([archive.load(summary.id) for summary in archive.list(group=group)])
    assert [len(run.sessions) for _, run in sorted(runs.items())] == [2] * 8
    assert judge(list(runs.values())).rounds == 2


def test_every_row_has_its_settings_and_rounds_differ_in_their_order(
    machine: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(measurements=(Chosen(name="task-switch"),), profile="quick", loads=("none",), count=SAMPLES)
    monkeypatch.setattr(tune, "open_target", lambda _: Planted(machine.root, {}))
    plan = tune.planned(EXPERIMENT, design(16).rows, request, system=machine)
    assert plan.order(0) != plan.order(1)
    assert sorted(plan.order(0)) == sorted(plan.order(1)) == list(range(32))
    assert [[int(value) for _, _, value in row] for row in plan.values] == [list(row) for row in plan.rows]


def test_settings_and_words_are_refused_where_they_are_not_the_targets(machine: System) -> None:
    request = Request()
    board = Experiment(
        schema="rtstone.tune", version="1.0", settings={PLACES[0]: (0, 1)}, target="board:arm64/freertos"
    )
    with pytest.raises(UsageError, match="are of this machine"):
        tune.planned(board, design(1).rows, request, system=machine)
    words = Experiment(schema="rtstone.tune", version="1.0", words={"quiet": ("", "quiet")}, target="local")
    with pytest.raises(UsageError, match="a board's Linux"):
        tune.planned(words, design(1).rows, request, system=machine)
    linux = Experiment(
        schema="rtstone.tune",
        version="1.0",
        words={"threads": ("", "threadirqs"), "tick": ("nohz=off", "nohz=on")},
        targets=("board:arm64/linux-6.1", "board:arm64/linux-6.1-rt"),
    )
    plan = tune.planned(linux, design(3).rows, request, system=machine)
    assert plan.targets[0] == "board:arm64/linux-6.1?append=nohz%3Doff"
    assert "board:arm64/linux-6.1-rt?append=threadirqs%20nohz%3Don" in plan.targets
    assert plan.rounds == 16
