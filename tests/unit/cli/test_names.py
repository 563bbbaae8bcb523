# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A name that one command prints is taken by every other that takes a name of its kind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rtstone.archive import open_archive
from rtstone.archive.importers import importers
from rtstone.cli import _choices as choose
from rtstone.cli import _session as session
from rtstone.cli import main, verify_board
from rtstone.show.exporters import exporters
from rtstone.targets import boards, expand, forms, kinds, matching
from support.measured import run_for

Printed = Callable[..., str]


@pytest.fixture
def printed(capfdbinary: pytest.CaptureFixture[bytes]) -> Printed:
    """Runs a command and returns its output. It must end with 0, or with a code in `may`."""

    def call(*words: str, may: tuple[int, ...] = (0,)) -> str:
        with pytest.raises(SystemExit) as ended:
            main(words)
        out, err = capfdbinary.readouterr()
        assert ended.value.code in may, f"{words}: {err.decode()}"
        return out.decode()

    return call


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests that `run` would have measured."""
    asked: list[Any] = []
    monkeypatch.setattr(session, "measure_and_show", lambda job, _: asked.append((job.request, tuple(job.targets))))
    return asked


def test_targets_that_boards_prints(printed: Printed, requests: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    named = [
        kernel["target"] for board in json.loads(printed("boards", "--json"))["boards"] for kernel in board["kernels"]
    ]
    assert "board:arm64/bare" in named
    for target in named:
        pair = target.removeprefix("board:")
        assert matching(target) == matching(pair) == [pair]
        assert expand([target]) == (target,)
        printed("run", "-t", target, "--study", "sscl")
        assert requests[-1][1] == (target,)
    assert matching("board:arm64/*") == matching("arm64/*") == matching("arm64") == matching("board:arm64")
    verified: list[Any] = []

    def verify(pairs: Any, *_: Any) -> tuple[()]:
        verified.extend(pairs)
        return ()

    monkeypatch.setattr("rtstone.cli._verify.verify", verify)
    same = [target for target in named if verify_board._counts(target.removeprefix("board:"))]
    printed("boards", "verify", *same)
    assert verified == [target.removeprefix("board:") for target in same]


def test_a_board_is_built_by_the_name_that_boards_prints(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[str, str]] = []
    monkeypatch.setattr(boards.firmware, "build", lambda board, kernel: built.append((board, kernel)))
    monkeypatch.setattr("rtstone.cli._boards.missing", lambda *_: [])
    assert printed("boards", "--build", "board:arm64/bare") == "board:arm64/bare: ready\n"
    assert built == [("arm64", "bare")]


@pytest.mark.usefixtures("engine")
def test_what_list_prints(printed: Printed, requests: list[Any]) -> None:
    listed = json.loads(printed("list", "--json"))
    for study in listed["studies"]:
        printed("run", "--study", study["study"])
        printed("archive", "list", "--study", study["study"])
        if study["study"] != "rhealstone":  # a method without figures: `reference` has nothing to print
            printed("reference", "--study", study["study"])
    for load in listed["loads"]:
        if load["load"] != "command":  # goes with --load-command
            printed("run", "--load", load["load"], "-m", "queue-fill")
    for one in listed["measurements"]:
        printed("run", "-m", one["measurement"])
        assert requests[-1][0].measurements[0].name == one["measurement"]
    for one in listed["quantities"]:
        printed("run", "-m", one["quantity"])
        made_by = {other["measurement"] for other in listed["quantities"] if other["quantity"] == one["quantity"]}
        assert requests[-1][0].measurements[0].name in made_by
    # Of several measurements with the quantity, the simplest; tables print the second name where a thread stands in.
    for quantity in ("interrupt-task-response", "thread-wake-up"):
        printed("run", "-m", quantity)
        assert requests[-1][0].measurements[0].name == "interrupt-response"
    for profile in listed["profiles"]:
        if profile["profile"] != "own":
            printed("run", "-p", profile["profile"], "--study", "sscl")
    for timer in listed["timers"]:
        printed("run", "--timer", timer["timer"], "--study", "sscl")
        assert requests[-1][0].timer == timer["timer"]
    for clock in listed["clocks"]:
        printed("run", "--clock", clock["clock"], "--study", "sscl")
        assert requests[-1][0].clock == clock["clock"]
    assert [one["target"] for one in listed["targets"]] == list(kinds())


def test_each_kind_of_target_says_how_it_is_written_and_each_window_has_an_example() -> None:
    for kind, form, summary in forms():
        assert re.split(r"\[?:", form)[0] == kind, (
            f"{kind}: its function's documentation begins with how a target is written"
        )
        assert summary
        assert not summary.startswith("cannot be loaded")
    for form, way in choose.WINDOWS.items():
        example = way.summary.rpartition(": ")[2] if ": " in way.summary else form
        assert way.pattern.fullmatch(example), example


def test_names_of_kept_runs(printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_archive().save(run_for("sscl"), [b"~0 a\n"])
    head, line = (line.split("\t") for line in printed("archive", "list").splitlines())
    of = dict(zip(head, line, strict=True))
    Path("gate.toml").write_text(
        'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "queue-fill"\nrequire = ["max < 1s"]\n'
    )
    for name in (of["run"], of["target"], "last"):
        printed("show", name)
        printed("show", name, "--results")
        printed("export", name, "--format", "csv")
        printed("export", name, "--format", "raw")
        printed("report", name, "-o", "page.html")
        printed("fit", "--tail", name, may=(0, 4))
        printed("check", "gate.toml", name, may=(0, 4))
        printed("fit", "--period", "1ms", "--deadline", "1ms", name, may=(0, 1, 4))
    for option in ("target", "kernel", "machine", "studies"):
        if of[option]:
            assert printed("archive", "list", "--study" if option == "studies" else f"--{option}", of[option])
    printed("archive", "list", "--status", of["status"].partition(",")[0])
    printed("archive", "delete", of["run"], "--yes")


def test_formats_and_tools_that_are_listed(printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_archive().save(run_for("sscl"), [b"~0 a\n"])
    rows = [line.split("\t")[0] for line in printed("export", "--list").splitlines()[1:]]
    assert rows == [*(one.name for one in exporters()), "raw"]
    for name in rows:
        printed("export", "last", "--format", name, "-o", f"out.{name}")
    assert Path("out.raw").read_bytes() == b"~0 a\n"
    tools = [line.split("\t")[0] for line in printed("import", "--list").splitlines()[1:]]
    assert tools == [one.name for one in importers()]


def test_what_export_and_run_wrote_import_takes(
    printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    archive = open_archive()
    for run_id in ("one", "two"):
        archive.save(run_for("sscl", run_id=run_id))
    printed("export", "one", "-o", "one.json")
    Path("both.json").write_text(printed("show", "one", "two", "--json"))
    assert printed("import", "one.json", "--archive", "b.sqlite") == "imported one\n"
    assert printed("import", "both.json", "--archive", "c.sqlite") == "imported one\nimported two\n"
    assert open_archive("c.sqlite").load("two") == archive.load("two")
    printed("import", "both.json", "--archive", "b.sqlite", may=(3,))
    assert [one.id for one in open_archive("b.sqlite").list()] == ["one"], (
        "nothing is kept of a file that holds a known run"
    )
    printed("import", "one.json", "--label", "x", "--archive", "d.sqlite", may=(2,))


@pytest.mark.parametrize(("word", "stored"), [("fifo", "rt"), ("other", "ts"), ("rt", "rt"), ("ts", "ts")])
def test_scheduling_classes_have_the_fields_names(
    word: str, stored: str, printed: Printed, requests: list[Any]
) -> None:
    printed("run", "--study", "sscl", "--sched", word)
    assert requests[-1][0].sched == stored


def test_a_class_that_is_none_is_refused(printed: Printed) -> None:
    printed("run", "--study", "sscl", "--sched", "rr", may=(2,))
