# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure ask for their archive beforehand, and neither judge nor lose what Ctrl-C cut short."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.cli._progress import Shown
from rtstone.measure import Progress, _measure
from rtstone.model import Run

pytestmark = pytest.mark.usefixtures("simulated_engine")

CHECK = 'schema = "rtstone.check"\nversion = "1.0"\n[measure]\ntarget = "simulated"\nrepetitions = 3\ncount = 200\n'
BOUND = '[[bound]]\nmeasurement = "semaphore-ping"\nrequire = ["max < 1ms"]\n'
RUN = ("run", "--target", "simulated", "-m", "semaphore-ping", "--count", "200", "-r", "3")
FIT = ("fit", "--period", "1ms", "--deadline", "1ms", "--target", "simulated", "--count", "200")
WATCH = ("watch", "--target", "simulated", "--duration", "1s")


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
    assert "is not allowed with it" in err
    assert "has no runs yet" in _call(capfd, "run", "--resume", "last", "-q", "--label", "again")[2]


def test_a_watched_run_has_no_profile_and_is_complete_at_its_end(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = _call(capfd, *WATCH)
    assert code == 0, err
    kept = open_archive().load("last")
    assert (kept.profile, kept.status, kept.planned) == ("", "complete", len(kept.sessions))


def test_the_first_ctrl_c_ends_a_watch_after_its_slice(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rtstone.cli._watching import Watching

    begun: list[Progress] = []

    def once(watching: Watching, progress: Progress) -> None:
        begun.append(progress)
        watching._begin()
        if len(begun) == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Watching, "progress", once)
    code, _, err = _call(capfd, "watch", "--target", "simulated", "--for", "60s")
    kept = open_archive().load("last")
    assert (code, kept.status, len(kept.sessions)) == (0, "complete", 1), err


@pytest.mark.parametrize("words", [RUN, FIT, WATCH, ("check", "gate.toml", "--measure")], ids=lambda words: words[0])
def test_a_save_that_fails_hides_no_error_of_the_measuring(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """The first error decides the exit code; the archive's is printed as well."""
    from rtstone.archive import RunStore
    from rtstone.errors import GuestError, InfrastructureError
    from rtstone.measure import Measuring

    def refused(*_: object, **__: object) -> str:
        raise InfrastructureError("the archive is full")

    judge = Measuring._judge

    def broken(measuring: Measuring, sessions: object) -> None:
        judge(measuring, sessions)  # type: ignore[arg-type]
        measuring.fail(GuestError("the target broke"))

    monkeypatch.setattr(RunStore, "save", refused)
    monkeypatch.setattr(Measuring, "_judge", broken)
    code, _, err = _call(capfd, *words)
    assert code == 3
    assert "the archive is full" in err
    assert err.splitlines()[-1].endswith("the target broke"), err


@pytest.mark.parametrize("words", [RUN, FIT, WATCH, ("check", "gate.toml", "--measure")], ids=lambda words: words[0])
def test_every_command_that_measures_prints_each_warning_of_the_run_once(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    from rtstone.measure import Measuring

    monkeypatch.setattr(Measuring, "_warnings", lambda *_, **__: ("the host was busy",))
    code, _, err = _call(capfd, *words, *(() if words is WATCH else ("-q",)))
    assert open_archive().load("last").warnings == ("the host was busy",), (code, err)
    assert err.count("rtstone: warning: the host was busy") == 1, err


MEASURED = [RUN, FIT, WATCH, ("check", "gate.toml", "--measure"), (*RUN, "-t", "simulated", "--against", "simulated")]


@pytest.fixture
def checkpoints(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The runs as they were saved while they went on; a test reads it once a command has ended."""
    from rtstone.archive import RunStore

    saved: list[Run] = []
    own = RunStore.checkpoint

    def noted(self: RunStore, run: Run, raw_logs: Sequence[bytes], *, owner: str) -> None:
        saved.append(run)
        own(self, run, raw_logs, owner=owner)
        assert self.load(run.id) == run
        assert self.raw_logs(run.id) == tuple(raw_logs)

    monkeypatch.setattr(RunStore, "checkpoint", noted)
    return saved


@pytest.mark.parametrize("words", MEASURED, ids=lambda words: " ".join(words[:1] + words[8:]))
def test_every_command_that_measures_saves_checkpoints(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], checkpoints: list[Run]
) -> None:
    """Each minute the complete items of the session that goes on, and each session of one target. Here a minute is no time."""
    monkeypatch.setattr(_measure, "CHECKPOINT_S", 0.0)
    monkeypatch.setattr(_measure, "_SAVING_SHARE", 0.0)
    code, _, err = _call(capfd, *words)
    assert code in (0, 4), err
    for summary in open_archive().list():
        final = open_archive().load(summary.id)
        assert final.status == "complete"
        own = [run for run in checkpoints if run.id == final.id]
        within = [run for run in own if not run.sessions[-1].complete]
        items = len({result.item for result in final.sessions[0].results})
        for number, session in enumerate(final.sessions):
            at = [run.sessions[-1] for run in within if len(run.sessions) == number + 1]
            counts = [sum(result.status == "ok" for result in cut.results) for cut in at]
            assert counts == sorted(counts)
            assert counts[-1] == sum(result.status == "ok" for result in session.results) > 0
            assert len(counts) == items
        assert all(run.status == "incomplete" for run in within)
        assert {len(run.sessions) for run in own if run not in within} >= set(range(1, final.planned))


def test_a_short_session_saves_nothing_until_its_end(capfd: pytest.CaptureFixture[str], checkpoints: list[Run]) -> None:
    """Saving disturbs a measurement, so a minute passes between two checkpoints, and between sessions of several live targets."""
    _call(capfd, *RUN)
    assert [len(run.sessions) for run in checkpoints] == [1, 2]
    checkpoints.clear()
    _call(capfd, *RUN, "--against", "simulated")
    assert checkpoints == []


def test_resume_of_the_last_run_means_none_before_one_that_was_not_to_be_saved(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Shown, "__call__", lambda *_: signal.raise_signal(signal.SIGINT))
        assert _call(capfd, *RUN)[0] == 130
    assert _call(capfd, *RUN, "--no-archive")[0] == 0
    code, out, err = _call(capfd, "run", "--resume", "last")
    assert (code, out) == (2, "")
    assert "was not to be saved (--no-archive)" in err
    again = open_archive().load("last").id
    assert _call(capfd, "run", "--resume", again)[0] == 0
    assert open_archive().load("last").resumes == again
