# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone check` as a user types it: exit codes, what is printed and written, what is refused."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import RunStore, open_archive
from rtstone.cli import _check, main
from rtstone.cli._check import baseline_runs, known
from rtstone.errors import InfrastructureError
from rtstone.judge.check import read
from rtstone.model import Degraded, Figure
from support.runs import make_result, make_run, make_session

HEAD = 'schema = "rtstone.check"\nversion = "1.0"\n'
PING = '[[bound]]\nmeasurement = "semaphore-ping"\nrequire = ["max < {}", "loss = 0"]\n'
BASELINE = '[[baseline]]\nmeasurement = "semaphore-ping"\n{}\n'


@pytest.fixture(autouse=True)
def _runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four runs in the usual archive, three of them labelled main."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    for number, name in enumerate(("r-1", "r-2", "r-3", "r-4")):
        sessions = tuple(make_session((make_result(count=300, seed=10 * number + i),), repetition=i) for i in range(3))
        open_archive().save(make_run(name, label="main" if number < 3 else "new", sessions=sessions, degraded=()))


def _file(tmp_path: Path, text: str) -> str:
    (tmp_path / "gate.toml").write_text(HEAD + text, encoding="utf-8")
    return "gate.toml"


def _call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(("check", *arguments))
    out, err = capfd.readouterr()
    return int(ended.value.code or 0), out, err


def test_pass_exceeded_and_inconclusive_have_their_codes(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = _call(capfd, _file(tmp_path, PING.format("1ms")))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "gate.toml: 2 rows: 2 pass"
    code, out, _ = _call(capfd, _file(tmp_path, PING.format("1us")), "-q")
    assert code == 1
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "outcome",
        "exceeded",
        "judged: r-4 (new) 2026-11-21",
        "gate.toml: 2 rows: 1 pass, 1 exceeded",
    ]
    few = '[[bound]]\nmeasurement = "semaphore-ping"\nrequire = ["p99.99 < 1ms"]\n'
    assert _call(capfd, _file(tmp_path, few))[0] == 4


def test_baselines_by_label_run_and_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for name in ("r-1", "r-2", "r-3"):
        (tmp_path / "kept" / f"{name}.json").write_bytes(msgspec.json.encode(open_archive().load(name)))
    for named in ('labels = ["main"]', 'runs = ["r-1", "r-2", "last~1"]', 'files = ["kept/*.json"]'):
        code, out, err = _call(capfd, _file(tmp_path, BASELINE.format(named)))
        assert (code, err) == (0, ""), out
        assert "3 against 1 run" in out
    # What is judged is never its own baseline.
    code, out, _ = _call(capfd, _file(tmp_path, BASELINE.format('labels = ["main"]')), "r-1")
    assert code == 4
    assert "the baseline has 2 runs" in out
    assert "the baseline leaves out 1 run, because this check judges it" in out
    code, _, err = _call(capfd, _file(tmp_path, BASELINE.format('labels = ["mane"]')))
    assert code == 2
    assert err == "rtstone: gate.toml:5: the archive has no complete run labelled 'mane'. Did you mean 'main'?\n"


def test_the_judged_runs_are_named_in_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = make_run(
        "20261121T101500-7f3a9c21004455667788", sessions=(make_session((make_result(count=300),)),), degraded=()
    )
    open_archive().save(msgspec.structs.replace(run, label="", started="2026-11-22T10:15:59Z"))
    file = _file(tmp_path, PING.format("1ms"))
    line = "judged: 7f3a9c21 2026-11-22, r-3 (main) 2026-11-21, r-2 (main) 2026-11-21"
    code, out, _ = _call(capfd, file, "last", "main", "main~1")
    assert (code, out.splitlines()[-2]) == (0, line)
    assert line in _call(capfd, file, "last", "main", "main~1", "--format", "markdown")[1].splitlines()
    assert json.loads(_call(capfd, file, "main~2", "--json")[1])["runs"] == ["r-1"]


def test_the_archive_keeps_the_last_verdict_of_each_run_that_was_judged(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "gates"
    folder.mkdir()
    (folder / "night.toml").write_text(HEAD + PING.format("1us"), encoding="utf-8")
    code, out, _ = _call(capfd, "gates/night.toml", "r-1")
    assert code == 1
    judged = {run.id: run.gate for run in open_archive().list()}
    assert [name for name, gate in judged.items() if gate is not None] == ["r-1"]
    gate = judged["r-1"]
    assert gate is not None
    assert (gate.outcome, gate.file) == ("exceeded", "night.toml")
    assert out.splitlines()[-1] == f"gates/night.toml: {gate.summary}", "a page for everybody names no folder"
    (row,) = gate.rows
    assert (row.outcome, row.quantity, row.requirement) == ("exceeded", "semaphore-ping", "max < 1us")
    assert row.observed in out
    assert row.why in out
    assert _call(capfd, _file(tmp_path, PING.format("1ms")), "r-1", "r-2")[0] == 0
    kept = [run.gate.outcome if run.gate else None for run in open_archive().list()]
    assert kept == [None, None, "pass", "exceeded"], "a better verdict of another file hides no failed gate"
    (folder / "night.toml").write_text(HEAD + PING.format("1ms"), encoding="utf-8")
    assert _call(capfd, "gates/night.toml", "r-1")[0] == 0
    assert [run.gate.outcome if run.gate else None for run in open_archive().list()] == [None, None, "pass", "pass"]


def test_of_many_failed_rows_the_archive_keeps_the_worst_and_counts_the_rest(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bounds = ", ".join(f'"p{percent} < 20ns"' for percent in range(50, 75))
    name = _file(tmp_path, f'[[bound]]\nmeasurement = "semaphore-ping"\nrequire = [{bounds}]\n')
    code, _, err = _call(capfd, name, "r-1")
    assert code == 1, err
    (gate,) = (run.gate for run in open_archive().list() if run.gate is not None)
    assert (len(gate.rows), gate.unshown) == (20, 5)


def test_a_pass_that_strict_refuses_is_recorded_with_its_reason(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = msgspec.structs.replace(open_archive().load("r-1"), id="r-9", degraded=(Degraded("lock", "no lock"),))
    open_archive().save(run)
    assert _call(capfd, _file(tmp_path, PING.format("1ms")), "r-9", "--strict")[0] == 4
    (gate,) = (run.gate for run in open_archive().list() if run.gate is not None)
    assert (gate.outcome, gate.rows) == ("inconclusive", ())
    assert "--strict, and degraded: " in gate.summary


def test_a_verdict_that_cannot_be_recorded_leaves_the_exit_code(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InfrastructureError("the archive is read-only")

    monkeypatch.setattr(RunStore, "record_gate", refuse)
    code, out, err = _call(capfd, _file(tmp_path, PING.format("1ms")))
    assert (code, err) == (0, "rtstone: the verdict is not recorded: the archive is read-only\n"), out


def test_what_is_wrong_is_refused_with_its_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = _call(capfd, _file(tmp_path, PING.format("5%")), "--measure")
    assert (code, out) == (2, "")
    assert err.startswith("rtstone: gate.toml:5: 'max < 5%': a time is expected")
    for arguments, said in (
        (("--measure", "r-1"), "name no other"),
        (("--target", "local"), "--measure"),
        (("--annotations", "gitlab"), "There are: auto, github, none"),
        (("--junit", "none/x.xml"), "no folder"),
        (("r-9",), "no run 'r-9'"),
    ):
        code, _, err = _call(capfd, _file(tmp_path, PING.format("1ms")), *arguments)
        assert code == 2
        assert said in err
        assert err.count("\n") == 1
    assert _call(capfd, "none.toml")[0] == 2


def test_junit_annotations_and_json(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    name = _file(tmp_path, PING.format("1us"))
    _, out, _ = _call(capfd, name, "--junit", "x.xml")
    assert "::error file=gate.toml,line=5,title=semaphore-ping%3A max < 1us::" in out
    assert b'failures="1"' in (tmp_path / "x.xml").read_bytes()
    code, out, err = _call(capfd, name, "--json")
    document = json.loads(out)
    assert (code, document["outcome"], [row["outcome"] for row in document["rows"]]) == (
        1,
        "exceeded",
        ["exceeded", "pass"],
    )
    assert err.startswith("::error ")
    assert "::" not in _call(capfd, name, "--annotations", "none")[1]


def test_a_verdict_wins_over_a_file_that_cannot_be_written(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for bound, code in (("1us", 1), ("1ms", 3)):  # a success whose file is missing is a failure
        ended, _, err = _call(capfd, _file(tmp_path, PING.format(bound)), "--junit", "/dev/full")
        assert ended == code, err
        assert "/dev/full" in err
        assert "Traceback" not in err


@pytest.mark.parametrize("file", ["/dev/full", "no/such"])
def test_a_verdict_wins_over_a_summary_that_cannot_be_written(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, file: str
) -> None:
    few = '[[bound]]\nmeasurement = "semaphore-ping"\nrequire = ["p99.99 < 1ms"]\n'
    for text, code in ((PING.format("1us"), 1), (few, 4), (PING.format("5%"), 2), (PING.format("1ms"), 3)):
        ended, _, err = _call(capfd, _file(tmp_path, text), "--summary", file)
        assert ended == code, err
        assert err.count(f"rtstone: {file} cannot be written: ") == 1
        assert "Traceback" not in err


def test_the_summary_of_an_interrupted_check_says_so(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, simulated_engine: Path
) -> None:
    """Once by a signal while nothing is measured, once while the measurement goes on."""
    from rtstone.cli._progress import Shown
    from rtstone.judge import check as judge

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    measure = '[measure]\ntarget = "simulated"\nrepetitions = 3\ncount = 200\n'
    name = _file(tmp_path, measure + PING.format("1ms"))
    with monkeypatch.context() as patch:
        patch.setattr(judge, "judge", interrupted)
        assert _call(capfd, name, "--summary", "said")[0] == 130
    assert Path("said").read_text() == "interrupted\n"
    monkeypatch.setattr(Shown, "__call__", lambda *_: signal.raise_signal(signal.SIGINT))
    assert _call(capfd, name, "--measure", "--summary", "said")[0] == 130
    assert Path("said").read_text() == "interrupted: the measurement was not completed, and is not judged\n"


def test_a_degraded_run_passes_with_a_warning_unless_strict(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    open_archive().save(make_run("r-5", sessions=(make_session((make_result(count=300),)),)))
    name = _file(tmp_path, PING.format("1ms"))
    code, _, err = _call(capfd, name)
    assert (code, err) == (0, "rtstone: warning: degraded: SCHED_FIFO is not permitted\n")
    code, _, err = _call(capfd, name, "--strict")
    assert code == 4
    assert err.endswith("rtstone: inconclusive: --strict, and degraded: SCHED_FIFO is not permitted\n")


def test_a_run_that_a_quota_stopped_is_inconclusive_if_strict(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    figures = (
        Figure("system-quota-periods", "periods", 236),
        Figure("system-throttled-periods", "periods", 135),
        Figure("system-throttled", "ns", 6_700_000_000),
    )
    result = msgspec.structs.replace(make_result(count=300), figures=figures)
    open_archive().save(make_run("r-6", sessions=(make_session((result,)),), degraded=()))
    name = _file(tmp_path, PING.format("1ms"))
    sentence = "the CPU quota stopped the control group in 135 of 236 periods, for 6.70 s in all"
    code, _, err = _call(capfd, name)
    assert (code, err) == (0, f"rtstone: warning: {sentence}\n")
    code, _, err = _call(capfd, name, "--strict")
    assert (code, err) == (4, f"rtstone: warning: {sentence}\nrtstone: inconclusive: --strict, and {sentence}\n")


def test_the_summary_is_one_sentence_and_written_in_place(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    open_archive().save(make_run("r-7", sessions=(make_session((make_result(count=300),)),)))
    file = tmp_path / "termination-log"
    file.touch()
    inode = file.stat().st_ino
    name = _file(tmp_path, PING.format("1us"))
    assert _call(capfd, name, "--summary", str(file))[0] == 1
    (line,) = file.read_text().splitlines()
    assert line.startswith("exceeded: gate.toml: 2 rows: ")
    assert "semaphore-ping" in line
    assert file.stat().st_ino == inode  # in a pod it is a mount
    assert _call(capfd, _file(tmp_path, PING.format("1ms")), "--strict", "--summary", str(file))[0] == 4
    (line,) = file.read_text().splitlines()
    assert line.startswith("inconclusive: ")
    assert "--strict, and degraded: " in line
    assert _call(capfd, "no-such.toml", "--summary", str(file))[0] == 2
    assert file.read_text().startswith("failed: no-such.toml")
    code, _, err = _call(capfd, name, "--summary", str(tmp_path / "no" / "such"))
    assert (code, err.count("\n")) == (3, 2)


def test_measuring_first(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = _file(tmp_path, '[measure]\ntarget = "simulated"\nrepetitions = 3\ncount = 200\n' + PING.format("1ms"))
    code, out, err = _call(capfd, name, "--measure")
    assert code == 0, err
    assert "600 in 3" in out
    assert open_archive().load("last").target == "simulated"
    unlike = _file(
        tmp_path, PING.format("1ms") + PING.format("2ms").replace('"loss = 0"', '"mean < 1ms"') + 'sched = "ts"\n'
    )
    code, _, err = _call(capfd, unlike, "--measure", "--target", "simulated")
    assert (code, "make two files" in err) == (2, True)


def test_a_last_run_of_another_target_than_the_files_is_named(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = _file(tmp_path, '[measure]\ntarget = "simulated"\nrepetitions = 3\ncount = 200\n' + PING.format("1ms"))
    there = open_archive().load("last").target
    code, _, err = _call(capfd, name)
    assert (code, err.count("\n")) == (0, 1)
    assert f"the last run is of {there}, and gate.toml measures simulated" in err
    assert "check gate.toml simulated` judges that target's last run" in err
    assert _call(capfd, name, "last")[2] == "", "the user chose the run"
    assert _call(capfd, name, "simulated")[0] == 2
    assert _call(capfd, name, "--measure", "--quiet")[0] == 0
    assert _call(capfd, name)[2] == ""


def test_a_labels_runs_are_those_of_the_machine_that_is_judged(tmp_path: Path) -> None:
    session = make_session((make_result(count=300),))
    runs = {}
    for number, machine in enumerate(("aa", "bb", "aa", "bb", "aa")):
        told = msgspec.structs.replace(session, env=session.env | {"machine.id": machine, "machine.name": machine})
        runs[number] = make_run(f"m-{number}", label="fleet", sessions=(told,), degraded=())
        open_archive().save(runs[number])
    file = tmp_path / "fleet.toml"
    row = '[[baseline]]\nmeasurement = "semaphore-ping"\nlabels = ["fleet"]\n'

    def found(text: str, judged: int | None) -> set[str]:
        file.write_text(HEAD + text)
        checks = read(file, known())
        return {
            run.id for run in baseline_runs(checks, open_archive, [runs[judged]] if judged is not None else [])[0][0]
        }

    assert found(row, 4) == {"m-0", "m-2", "m-4"}
    assert found(row, 3) == {"m-1", "m-3"}
    assert found(row, None) == {f"m-{n}" for n in range(5)}
    assert found(row + 'unlike = ["machine"]\n', 4) == {f"m-{n}" for n in range(5)}


def test_the_runs_that_a_label_has_and_the_baseline_leaves_out_are_counted(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_check, "_LABELLED", 3)
    for number, machine in enumerate(("aa", "bb", "bb", *["aa"] * 4)):
        result = make_result(count=300, seed=number)
        session = make_session((result,))
        session = msgspec.structs.replace(session, env=session.env | {"machine.id": machine, "machine.name": machine})
        label = "fleet" if number < 6 else ""
        open_archive().save(make_run(f"m-{number}", label=label, sessions=(session,), degraded=()))
    for named, elsewhere, older in (("", "2 runs", "3 runs"), ('runs = ["m-1"]', "1 run", "2 runs")):
        row = f'labels = ["fleet"]\nunlike = ["machine"]\n{named}'
        _, out, _ = _call(capfd, _file(tmp_path, BASELINE.format(row)), "m-6")
        assert f"leaves out {older} older than the last 3 of a label" in out
        assert "other machines" not in out
        _, out, _ = _call(capfd, _file(tmp_path, BASELINE.format(row.replace('unlike = ["machine"]\n', ""))), "m-6")
        assert f"the baseline leaves out {elsewhere} of other machines" in out
        assert "the baseline leaves out 1 run older than the last 3 of a label" in out


def test_a_terminal_shows_the_reason_of_each_row_that_did_not_pass_below_the_table(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = '[[bound]]\nmeasurement = "semaphore-ping"\nload = "cpu"\nrequire = ["max < 1ms"]\n'
    file = _file(tmp_path, PING.format("1us") + other)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, out, _ = _call(capfd, file)
    assert code == 1
    assert max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    for line in (
        "exceeded: local semaphore-ping, idle, max < 1us: the observed figure itself breaks the requirement",
        "pass: the observed figure itself meets the requirement",
        "inconclusive: local semaphore-ping, cpu load, max < 1ms: run r-4 has no such result; it has: idle",
    ):
        assert said.count(line) == 1
