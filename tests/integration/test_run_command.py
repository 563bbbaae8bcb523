# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone run`, `show` and `list` as a user starts them, on the simulated target and on this machine."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest

from rtstone.cli import main
from rtstone.studies import needs, studies
from support import split
from support.command import command, environment
from support.command import rtstone as run
from support.schemas import schema

pytestmark = pytest.mark.usefixtures("engine", "simulated_engine")


QUICK = ("--target", "simulated", "--profile", "quick", "--count", "200", "--sets", "5")


def test_a_run_shows_one_screen_keeps_the_run_and_says_what_comes_next() -> None:
    done = run("run", "--study", "sscl,rhealstone,spring8", *QUICK)
    lines = done.stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in done.stdout
    (ping,) = (line for line in lines if line.startswith("Ping Semaphore"))
    assert ping.split()[2:4] == ["0.385", "–"]  # the script's median; 200 samples have no 99.9th percentile
    assert re.search(r"  avg 0\.[0-9]+, pSOS\+ 219$", ping.rstrip())
    assert run("show", "last").stdout == done.stdout
    assert next(line for line in lines if line.startswith("Conditions of")).startswith("Conditions of sscl: ")
    assert "rtstone show last" in done.stderr
    assert "rtstone report last" in done.stderr


def test_show_has_the_papers_tables_and_full_has_all_there_is() -> None:
    full = run("run", "--full", "--study", "sscl,rhealstone,spring8", *QUICK).stdout
    for title in ("sscl Table 1", "sscl Table 2", "rhealstone Table 1", "spring8 Table 3", "Fidelity sheet, sscl"):
        assert full.count(title) == 1, title
    assert run("show", "last", "--full").stdout == full
    papers = run("show", "--tables").stdout
    assert "540/600/591" in papers
    assert "(cpu load)" in papers
    (ping,) = (line for line in papers.splitlines() if "210/220/219" in line)
    assert (
        len(re.findall(r" 0\.38[0-9]/", ping)) == 2
    )  # a pipe has no width: ours, idle and loaded, on the line of the papers' figures
    assert "0.478/0.478/0.478" in papers
    assert "Fidelity sheet" not in papers
    assert "as a distribution" not in papers
    assert set(papers.splitlines()) <= set(full.splitlines())


def test_many_targets_have_a_line_each() -> None:
    done = run("run", "--study", "sscl", "--target", "simulated,simulated:negative", *QUICK[2:]).stdout
    lines = done.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    for load in ("idle", "cpu load"):
        assert sum(line.startswith(f"simulated:negative {load} ") for line in lines) == 1
    # One repetition a side shows no difference, and the screen says how many it takes.
    assert "simulated:negative against simulated, idle, cpu load: insufficient data" in done
    assert "more quantities of these runs: rtstone show --tables" in done


def test_every_format_of_show_has_the_figures() -> None:
    run("run", "--study", "slac", *QUICK)
    document = json.loads(run("show", "--json").stdout)
    assert (document["schema"], document["version"]) == ("rtstone.runs", "1.1")
    (kept,) = document["runs"]
    figures = {r["quantity"]: r for s in kept["sessions"] for r in s["results"] if r["variant"]["load"] == "none"}
    assert figures["interrupt-service-response"]["count"] == 200
    rows = list(csv.DictReader(io.StringIO(run("show", kept["id"], "--format", "csv").stdout)))
    assert {r["source"] for r in rows} == {"published", "measured"}
    assert "13.5 (1.7 ± 0.2)" in run("show", "--format", "markdown").stdout


def test_json_of_a_run_is_one_document_and_nothing_else() -> None:
    done = run("run", "-m", "queue-fill", "--load", "none", "--json", *QUICK)
    document = json.loads(done.stdout)
    assert document["runs"][0]["studies"] == []
    assert {r["variant"]["pass"] for r in document["runs"][0]["sessions"][0]["results"]} == {"batch", "single"}


def test_all_rows_of_table_1_have_sets_of_one_size() -> None:
    limited = {"task-create-delete", "queue-fill", "queue-drain", "queue-fill-urgent", "block-allocate", "block-free"}
    done = run("run", "--study", "sscl", "--target", "simulated", "--load", "none", "--profile", "quick", "--json")
    (session,) = json.loads(done.stdout)["runs"][0]["sessions"]
    rows = {r["quantity"]: r for r in session["results"] if r["variant"]["pass"] == "batch"}
    assert len(rows) == 14  # the paper's twelve operations; its two suspensions are of tasks and of processes here
    assert {(r["status"], r["ops"]) for r in rows.values()} == {("ok", 500)}
    assert {name for name, r in rows.items() if r["readings"] != 1} == limited
    assert {rows[name]["readings"] for name in limited} == {-(-500 // 8), -(-500 // 16)}
    assert {c["name"] for c in session["calibrations"]} == {"clock-read", "loop", "ping-account"}


def test_two_targets_stand_beside_each_other() -> None:
    words = ("--study", "slac", "--target", "simulated,local", "--count", "50", "--repetitions", "2", "--quiet")
    done = run("run", *words, expect=None)
    split.require_run(done.returncode, done.stderr)
    document = json.loads(run("show", "last", "last~1", "--json").stdout)
    assert {r["target"] for r in document["runs"]} == {"simulated", "local"}
    assert all(len(r["sessions"]) == 2 for r in document["runs"])
    assert len({r["group"] for r in document["runs"]} - {""}) == 1
    local = next(r for r in document["runs"] if r["target"] == "local")
    machine = local["sessions"][0]["env"]["machine.name"]
    for name in ("simulated", machine):
        assert any(line.startswith(f"{name} ") for line in done.stdout.splitlines()), name


def test_a_report_is_written(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    run("run", "--study", "slac", "--report", str(path), *QUICK)
    assert path.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_no_archive_keeps_nothing() -> None:
    run("run", "--study", "slac", "--no-archive", *QUICK)
    run("show", "last", expect=2)


REFUSED: list[Sequence[str]] = [
    ("--study", "ssl"),
    ("--measurement", "queue-full"),
    ("--load", "cpuu"),
    ("--profile", "quik"),
    ("--target", "lokal"),
    ("--count", "0"),
    ("--count", "-1"),
    ("--sets", "0"),
    ("--period", "0"),
    ("--cpu", "4096"),
    ("--repetitions", "0"),
    ("--sched", "idle"),
    ("--cache", "cold"),
    ("--timer", "hpet"),
    ("--seed", "-1"),
    ("--report", "/no/such/folder/report.html"),
    ("--study", "sscl", "--measurement", "queue-fill"),
]


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_cannot_be_is_refused_in_one_line_before_anything_is_measured(
    arguments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", *arguments])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = (line for line in said.err.splitlines() if line)
    assert line.startswith("rtstone: ")
    assert not list(Path(os.environ["XDG_DATA_HOME"]).rglob("*.sqlite"))


def test_an_interrupted_run_keeps_what_is_complete() -> None:
    with subprocess.Popen(
        command("run", "--study", "sscl", "--profile", "standard"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stderr is not None
        # A busy machine may measure nothing for any number of seconds. A line reports when something was measured.
        for line in process.stderr:
            if re.search(r": [1-9][0-9]* of [0-9]+ measured", line):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "results complete, shown and saved" in err
    assert "Traceback" not in err
    assert out.count("Conditions of sscl") == 1
    assert "the run is interrupted" in run("show", "last").stdout
    kept = json.loads(run("show", "last", "--json").stdout)["runs"][0]
    assert kept["status"] == "interrupted"
    assert any(r["status"] == "ok" for r in kept["sessions"][0]["results"])


def test_a_reader_that_leaves_does_not_end_the_run() -> None:
    with subprocess.Popen(
        command("run", "--study", "sscl,slac", *QUICK, "--quiet"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 0, err
    assert json.loads(run("show", "last", "--json").stdout)["runs"][0]["status"] == "complete"


def test_lists_name_what_there_is() -> None:
    document = json.loads(run("list", "--json").stdout)
    wanted = schema("list")
    jsonschema.Draft202012Validator(wanted).validate(document)
    assert set(document) == {"schema", "version", *wanted["properties"]}
    assert [row["study"] for row in document["studies"]] == ["rhealstone", "sscl", "infn", "slac", "spring8", "aps"]
    assert {"none", "cpu"} <= {row["load"] for row in document["loads"]}
    assert {"local", "simulated", "replay"} <= {row["target"] for row in document["targets"]}
    known = {row["measurement"] for row in document["measurements"]}
    assert {row["measurement"] for row in document["quantities"]} == known
    assert run("list", "profiles").stdout.count("\n") == 1 + len(document["profiles"])
    assert "Did you mean 'loads'" in run("list", "load", expect=2).stderr


def test_every_measurement_that_a_study_needs_is_one_that_the_engine_has() -> None:
    document = json.loads(run("list", "--json").stdout)
    passes = {row["measurement"]: row["passes"] for row in document["measurements"]}
    series = {(row["measurement"], row["quantity"]) for row in document["quantities"]}
    for study in studies():
        for need in needs(study):
            assert need.pass_ in passes[need.measurement], (study.id, need)
            assert (need.measurement, need.quantity) in series, (study.id, need)


def test_a_live_run_of_three_repetitions_shows_its_figures() -> None:
    """Each session calibrates its counter itself: three rates, one clock."""
    arguments = ("-m", "semaphore-ping", "--load", "none", "--repetitions", "3", "--count", "400", "--sets", "5")
    run("run", *arguments)
    (kept,) = json.loads(run("show", "--json").stdout)["runs"]
    results = [[r for r in session["results"] if r["status"] == "ok"] for session in kept["sessions"]]
    assert [len(of) for of in results] == [2, 2, 2]
    rates = {clock["hz"] for session in kept["sessions"] for clock in session["clocks"] if clock["id"] == 0}
    assert len(rates) > 1 or {c["uncertainty_ppb"] for c in kept["sessions"][0]["clocks"]} == {0}
    rows = [r for r in csv.DictReader(io.StringIO(run("show", "--format", "csv").stdout)) if r["source"] == "measured"]
    assert {row["state"] for row in rows} == {"value"}
    assert len(rows) >= 2
