# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every command that measures plans the same items for the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.cli import _check, main
from rtstone.cli._check import known
from rtstone.errors import UsageError
from rtstone.judge.check import MeasureEntry, read
from rtstone.measure import Job, TargetPlans
from rtstone.stream.plan import Item

pytestmark = pytest.mark.usefixtures("engine", "simulated_engine")

FILE = """schema = "rtstone.check"
version = "1.0"
[measure]
target = "local"
profile = "quick"
repetitions = 1
[[bound]]
measurement = "{name}"
sched = "{sched}"
require = ["max < 1s"]
"""


class _PlannedError(Exception):
    """Ends a command once its plan is known."""


def _of_run(name: str, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[Item, ...]:
    from rtstone.cli import _session

    asked: list[TargetPlans] = []

    def prepared(job: Job) -> None:
        from rtstone.measure import ask
        from rtstone.targets import open_target

        asked.append(ask(open_target(job.targets[0]), job.request))
        raise _PlannedError

    monkeypatch.setattr(_session, "prepare", prepared)
    with pytest.raises((_PlannedError, SystemExit)):
        main(("run", "-t", "local", "-m", name, "-p", "quick", "--load", "none", "-r", "1", *words))
    return asked[0].plans[0].items


@pytest.mark.parametrize(("name", "sched"), [("tcp-link", "ts"), ("driver-response", "rt"), ("process-switch", "rt")])
def test_check_plans_what_run_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sched: str) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(FILE.format(name=name, sched=sched), encoding="utf-8")
    checks = read(file, known())
    from rtstone.measure import ask
    from rtstone.targets import open_target

    made = _check._request(checks, checks.file.measure or MeasureEntry(), loads_required=True)
    own = ask(open_target("local"), made).plans[0].items
    of_run = [item for item in _of_run(name, monkeypatch) if item.pass_ == "single"]
    alike = ("measurement", "period_ns", "sched", "count", "warmup")
    assert [[getattr(item, field) for field in alike] for item in own] == [
        [getattr(item, field) for field in alike] for item in of_run
    ]


def test_check_refuses_a_class_that_the_measurement_does_not_have(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(FILE.format(name="tcp-link", sched="rt"), encoding="utf-8")
    checks = read(file, known())
    with pytest.raises(UsageError, match=r'gate\.toml:10: tcp-link is measured in class ts only: add sched = "ts"'):
        _check._request(checks, checks.file.measure or MeasureEntry(), loads_required=True)


def test_fit_and_run_plan_the_same_number_of_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    from rtstone.cli import _keeping
    from rtstone.cli.fit import measure_now
    from rtstone.judge.fit import Asked as Question

    asked: list[TargetPlans] = []

    def planned(_job: Job, one: TargetPlans, **_: object) -> None:
        asked.append(one)
        raise _PlannedError

    monkeypatch.setattr(_keeping, "measure_and_keep", planned)
    question = Question(period_ns=500_000, deadline_ns=1e6, exceedance=1e-2, confidence=0.95)
    with pytest.raises(_PlannedError):
        measure_now(
            question, "local", ["none"], None, None, None, loads_required=True, label="", archive=None, quiet=True
        )
    own = {item.measurement: item for item in asked[0].plans[0].items}
    (of_run,) = _of_run("interrupt-response", monkeypatch, "--period", "500us")
    assert own["interrupt-response"].count == of_run.count
    assert {item.period_ns for item in own.values()} == {500_000}
