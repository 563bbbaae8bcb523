# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure under loads, as a user starts them: loads together, by command, and where one cannot be started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rtstone.archive import open_archive
from support.command import rtstone as run

pytestmark = pytest.mark.usefixtures("engine")

FEW = ("run", "-m", "interrupt-response", "--count", "40", "--period", "5ms", "--no-archive", "-q")


def _results(*words: str) -> list[dict[str, Any]]:
    (found,) = json.loads(run(*FEW, *words, "--json").stdout)["runs"]
    return [result for session in found["sessions"] for result in session["results"]]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--load", "none,network"), "the load network cannot be started: no network devices are set aside"),
        (("--load", "none,cpu", "--intensity", "99"), "the load cpu cannot be started: it cannot be of this intensity"),
        (("--load", "none,cpu:99"), "the load cpu cannot be started: it cannot be of this intensity"),
        (
            ("--load-command", "exit 7"),
            "the load command cannot be started: the command ended at once, with exit code 7",
        ),
    ],
)
def test_a_load_that_cannot_start_ends_the_run_before_it_measures(words: tuple[str, ...], why: str) -> None:
    done = run(*FEW, *words, "--json", expect=3)
    (line,) = [said for said in done.stderr.splitlines() if not said.startswith("rtstone: warning: degraded: ")]
    assert why in line
    assert line.endswith("--allow-missing-load measures the rest")
    results = [r for kept in json.loads(done.stdout)["runs"] for s in kept["sessions"] for r in s["results"]]
    assert all(result.get("count", 0) == 0 for result in results)


def test_the_rest_is_measured_where_that_is_allowed() -> None:
    results = _results("--load", "none,network", "--allow-missing-load")
    told = {(r["variant"]["load"], r["status"]) for r in results}
    assert told == {("none", "ok"), ("network", "skipped")}
    assert all("rtstone.network=" in r["text"] for r in results if r["status"] == "skipped")


GATE = """
schema = "rtstone.check"
version = "1.0"

[measure]
profile = "quick"
count = 40
period = "5ms"

[[bound]]
measurement = "interrupt-response"
quantity = "interrupt-task-response"
load = ["none", "network"]
require = ["max < 100s"]
"""
MISSING = "the load network cannot be started: no network devices are set aside"


def _gate(folder: Path) -> str:
    file = folder / "gate.toml"
    file.write_text(GATE)
    return str(file)


@pytest.mark.parametrize("command", ["check", "fit", "watch"])
def test_every_command_that_measures_requires_its_loads(command: str, tmp_path: Path) -> None:
    loads = ("--load", "none,network")
    arguments = {
        "check": ("--measure", _gate(tmp_path)),
        "fit": ("--period", "5ms", "--deadline", "1ms", "--count", "40", *loads),
        "watch": ("--period", "5ms", "--duration", "1s", *loads),
    }[command]
    done = run(command, *arguments, expect=3)
    assert MISSING in done.stderr.splitlines()[-1]
    assert done.stderr.endswith("--allow-missing-load measures the rest\n")
    assert all(result.count == 0 for kept in _kept() for result in kept.results())


def test_check_measures_the_rest_where_that_is_allowed_and_is_inconclusive(tmp_path: Path) -> None:
    done = run("check", "--measure", "--allow-missing-load", "--json", _gate(tmp_path), expect=4)
    assert [row["outcome"] for row in json.loads(done.stdout)["rows"]] == ["pass", "inconclusive"]
    (kept,) = _kept()
    assert {(r.variant.load, r.status) for r in kept.results()} == {("none", "ok"), ("network", "skipped")}


def test_watch_goes_on_without_the_load_where_that_is_allowed() -> None:
    loads = ("--load", "none,network", "--allow-missing-load")
    run("watch", "--period", "5ms", "--duration", "3s", *loads)
    (kept,) = _kept()
    assert len(kept.sessions) >= 2
    assert {(r.variant.load, r.status) for r in kept.results()} == {("none", "ok"), ("network", "skipped")}


def _kept() -> list[Any]:
    archive = open_archive()
    return [archive.load(summary.id) for summary in archive.list()]


def test_loads_together_are_one_condition_of_the_record() -> None:
    results = _results("--load", "cpu+page-faults", "--intensity", "2")
    assert {r["variant"]["load"] for r in results} == {"cpu+page-faults"}
    for result in results:
        figures = {(f["load"], f["key"]): f["value"] for f in result["load"]}
        assert figures["cpu", "intensity"] == figures["page-faults", "intensity"] == 2
        assert figures["cpu", "programs"] == figures["page-faults", "programs"] == 2


def test_each_load_has_the_intensity_that_stands_behind_it() -> None:
    results = _results("--load", "cpu:3+page-faults", "--intensity", "2")
    assert {(r["variant"]["load"], r["variant"]["intensity"]) for r in results} == {("cpu:3+page-faults", 2)}
    for result in results:
        figures = {(f["load"], f["key"]): f["value"] for f in result["load"]}
        assert figures["cpu", "intensity"] == figures["cpu", "programs"] == 3
        assert figures["page-faults", "intensity"] == figures["page-faults", "programs"] == 2


def test_the_users_command_is_a_condition_beside_idle() -> None:
    results = _results("--load-command", "while :; do :; done")
    assert {r["variant"]["load"] for r in results} == {"none", "command"}
    assert {r["status"] for r in results} == {"ok"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--load", "command"), "--load-command"),
        (("--load-command", " "), "an empty word"),
        (("--load", "cpu+cpuu"), "unknown load 'cpuu'"),
        (("--load", "cpu+cpu"), "named once"),
        (("--load", "cpu", "--intensity", "0"), "--intensity"),
        (("--load-command", "true", "--target", "simulated"), "the targets local and ssh"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(words: tuple[str, ...], why: str) -> None:
    (line,) = run(*FEW, *words, expect=2).stderr.splitlines()
    assert why in line


def test_stress_ng_runs_with_what_it_is_told_and_what_it_did() -> None:
    results = _results("--load", "stress-ng:2", "--count", "200")
    assert {(r["variant"]["load"], r["status"]) for r in results} == {("stress-ng:2", "ok")}
    for result in results:
        figures = {f["key"]: f["value"] for f in result["load"]}
        assert (figures["intensity"], figures["workers"], figures["ended_early"]) == (2, 8, 0)
        assert figures["cpu_time_ns"] > 0
        assert any("stress-ng --quiet --seed" in note["text"] for note in result["notes"])


def test_stress_ng_that_is_not_installed_ends_the_run_before_it_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = run(*FEW, "--load", "none,stress-ng", expect=3)
    assert "the load stress-ng cannot be started: stress-ng is not installed: apt-get install stress-ng" in done.stderr
