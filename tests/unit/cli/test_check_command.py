# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone check` as a user types it: exit codes, what is printed and written, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.cli._check import baseline_runs, known
from rtstone.judge.check import read
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
    code, _, err = _call(capfd, _file(tmp_path, BASELINE.format('labels = ["mane"]')))
    assert code == 2
    assert err == "rtstone: gate.toml:5: the archive has no complete run labelled 'mane'\n"


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
    assert _call(capfd, "none.toml")[0] == 3


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


def test_a_degraded_run_passes_with_a_warning_unless_strict(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    open_archive().save(make_run("r-5", sessions=(make_session((make_result(count=300),)),)))
    name = _file(tmp_path, PING.format("1ms"))
    code, _, err = _call(capfd, name)
    assert (code, err) == (0, "rtstone: warning: degraded: SCHED_FIFO is not permitted\n")
    assert _call(capfd, name, "--strict")[0] == 4


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
        return {run.id for run in baseline_runs(checks, open_archive, [runs[judged]] if judged is not None else [])[0]}

    assert found(row, 4) == {"m-0", "m-2"}
    assert found(row, 3) == {"m-1"}
    assert found(row, None) == {f"m-{n}" for n in range(5)}
    assert found(row + 'unlike = ["machine"]\n', 4) == {f"m-{n}" for n in range(4)}
