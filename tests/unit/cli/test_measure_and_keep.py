# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure ask for their archive beforehand, and neither judge nor lose what Ctrl-C cut short."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.cli._progress import Shown
from rtstone.measure import Progress

pytestmark = pytest.mark.usefixtures("simulated_engine")

CHECK = 'schema = "rtstone.check"\nversion = "1.0"\n[measure]\ntarget = "simulated"\nrepetitions = 3\ncount = 200\n'
BOUND = '[[bound]]\nmeasurement = "semaphore-ping"\nrequire = ["max < 1ms"]\n'
RUN = ("run", "--target", "simulated", "-m", "semaphore-ping", "--count", "200", "-r", "3")
FIT = ("fit", "--period", "1ms", "--deadline", "1ms", "--target", "simulated", "--count", "200")
WATCH = ("watch", "--target", "simulated", "--for", "1s")


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gate.toml").write_text(CHECK + BOUND, encoding="utf-8")


def _call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    out, err = capfd.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("words", [RUN, FIT, WATCH, ("check", "gate.toml", "--measure")], ids=lambda words: words[0])
def test_an_archive_that_cannot_be_had_is_told_before_anything_is_measured(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    Path("notes.txt").write_text("no archive\n" * 100, encoding="utf-8")
    code, out, err = _call(capfd, *words, "--archive", "notes.txt")
    assert (code, out) == (3, "")
    assert err.splitlines()[-1].endswith("notes.txt is not an rtstone archive")
    assert list(Path().glob("rtstone-unsaved-*")) == []


@pytest.mark.parametrize("words", [RUN, FIT, ("check", "gate.toml", "--measure")], ids=lambda words: words[0])
def test_what_is_interrupted_is_kept_and_not_judged(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    told: list[Progress] = []

    def once(_: Shown, progress: Progress) -> None:
        told.append(progress)
        if len(told) == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Shown, "__call__", once)
    before = signal.getsignal(signal.SIGINT)
    code, out, err = _call(capfd, *words)
    assert code == 130, err
    assert "rtstone: interrupted" in err
    assert "meets" not in out
    assert "pass" not in out
    assert open_archive().load("last").status == "interrupted"
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    "choice", [("--period", "1ms"), ("-m", "semaphore-ping"), ("--raw",), ("--cpu", "0"), ("--allow-missing-load",)]
)
def test_a_run_that_is_taken_up_again_takes_no_choice_of_what_to_measure(
    capfd: pytest.CaptureFixture[str], choice: tuple[str, ...]
) -> None:
    code, out, err = _call(capfd, "run", "--resume", "last", "-q", *choice)
    assert (code, out) == (2, "")
    assert "goes with no other choice of what to measure" in err
    assert "has no runs yet" in _call(capfd, "run", "--resume", "last", "-q", "--label", "again")[2]
