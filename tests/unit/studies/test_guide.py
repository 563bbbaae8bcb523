# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/how-to/add-a-study.md, followed: the study that it shows loads, is planned and has a table; its check works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from rtstone.model import Run
from rtstone.show.tables import plain, study_lines, study_view
from rtstone.studies import Condition, Study, load_file, make_plan
from rtstone.studies._checking import NOTHING, Answer, measured
from support.measured import request_for, run_for


@pytest.fixture
def guide(root: Path) -> dict[str, str]:
    """The guide's blocks of code, by language."""
    text = (root / "docs" / "how-to" / "add-a-study.md").read_text(encoding="utf-8")
    return dict(re.findall(r"```(toml|python)\n(.*?)```", text, re.DOTALL))


def test_the_example_is_a_study(guide: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(guide["toml"], encoding="utf-8")
    study = load_file(file)
    plan = make_plan(replace(request_for("sscl"), studies=(study,)))
    assert {(i.measurement, i.pass_, i.load) for i in plan.items} == {
        ("semaphore-get-release", pass_, load) for pass_ in ("batch", "single") for load in ("none", "cpu")
    }
    text = plain(study_lines(study_view([run_for("sscl")], study)))
    assert "Get/Release" in text
    assert "One processor" in text
    assert "One operation at a time" not in text.split("Fidelity")[1]


def test_the_example_is_a_check(guide: dict[str, str]) -> None:
    names = {
        "check": lambda name: lambda function: function,
        "measured": measured,
        "NOTHING": NOTHING,
        "Answer": Answer,
        "Run": Run,
        "Study": Study,
        "Condition": Condition,
    }
    exec(guide["python"], names)  # noqa: S102 - our own guide
    one_clock = names["one_clock"]
    assert callable(one_clock)
    condition = Condition(check="one-clock", paper="One clock")
    run = run_for("slac")
    study = request_for("slac").studies[0]
    assert one_clock(run, study, condition)[0] == "met"
    mixed = run_for("slac", change=lambda r: replace(r, clock=int(r.quantity == "context-switch-delay")))
    assert one_clock(mixed, study, condition)[0] == "substituted"
    own = {quantity: clock for clock, quantity in enumerate(sorted({r.quantity for r in run.results()}))}
    assert len(own) > 2
    each = run_for("slac", change=lambda r: replace(r, clock=own[r.quantity]))
    assert one_clock(each, study, condition)[0] == "not met"
