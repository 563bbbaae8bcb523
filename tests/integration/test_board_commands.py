# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual boards as a user has them: run many kernels, compare them, verify a board, list the boards."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rtstone.cli._verify import first_difference
from rtstone.errors import InfrastructureError
from rtstone.targets.board import BoardTarget
from rtstone.targets.boards import firmware
from support.board_command import Command, rtstone
from support.children import children
from support.images import Build, image, lasting_cache

__all__ = ["image", "rtstone"]  # the fixtures

PAIR = ("board:arm64/bare", "board:arm64/freertos")
FEW = ("--count", "60", "--sets", "3")


def test_two_kernels_in_one_table(rtstone: Command, tmp_path: Path) -> None:
    """Bare metal and FreeRTOS side by side for real: two guests at once, a column each, and the same once more."""
    report = tmp_path / "report.html"
    asked = ("run", "-t", ",".join(PAIR), "-s", "sscl,slac", *FEW, "-r", "2", "--load", "none", "-j", "2", "--json")
    first = rtstone(*asked, "--report", str(report))
    assert first.code == 0, first.err
    runs = first.json["runs"]
    assert [run["target"] for run in runs] == list(PAIR)
    assert len({run["group"] for run in runs}) == 1
    assert runs[0]["group"]
    for run in runs:
        assert run["status"] == "complete"
        assert (run["time"], run["instructions_per_second"]) == ("instruction-time", 62_500_000)
        assert [session["repetition"] for session in run["sessions"]] == [0, 1]
    assert runs[0]["host"]["board.platform"] == runs[1]["host"]["board.platform"]
    assert runs[0]["host"]["board.identity"] != runs[1]["host"]["board.identity"]
    tables = [table for study in first.json["studies"] for table in study["tables"]]
    paper = next(table for table in tables if table["study"] == "sscl" and table["number"] == "2")
    ours = [column for column in paper["columns"] if column["kind"] == "ours"]
    assert [column["title"] for column in ours] == [f"{name} (idle)" for name in PAIR]
    for column in ours:
        assert "instruction-time at 62.5 M instructions/s" in paper["notes"][column["marks"][0] - 1]
    spread = next(table for table in tables if table["study"] == "sscl" and table["kind"] == "spread")
    assert [line["cells"][3]["text"] for line in spread["lines"]] == ["2"] * 4
    page = report.read_text(encoding="utf-8")
    assert "of instruction-time at 62.5 M instructions/s" in page

    second = rtstone(*asked)
    assert [_measured(run) for run in second.json["runs"]] == [_measured(run) for run in runs]
    assert second.json["studies"] == first.json["studies"]


def _measured(run: dict[str, Any]) -> object:
    """The part of a run that must not differ between two runs: the boards' own records."""
    return run["sessions"]


def test_repetitions_differ_in_phase(rtstone: Command) -> None:
    """Identical reruns are one sample; repetitions are not identical reruns."""
    asked = (
        "run",
        "-t",
        PAIR[1],
        "-m",
        "interrupt-response",
        "--load",
        "traffic",
        "--count",
        "400",
        "-r",
        "3",
        "--json",
    )
    (run,) = rtstone(*asked).json["runs"]
    seen = {json.dumps([r["sum"] for r in session["results"]]) for session in run["sessions"]}
    assert len(seen) == 3


def test_one_that_fails_costs_no_other(rtstone: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    built = firmware.build

    def build(board: str, kernel: str) -> Path:
        if kernel == "bare":
            raise InfrastructureError("board:arm64/bare could not be built: for a reason")
        return built(board, kernel)

    monkeypatch.setattr(firmware, "build", build)
    monkeypatch.setenv("COLUMNS", "80")
    ended = rtstone("run", "-t", ",".join(PAIR), "-s", "sscl", *FEW, "-r", "1", "--load", "none", "--no-archive")
    assert ended.code == 3
    assert ended.err.splitlines()[-1] == "rtstone: board:arm64/bare could not be built: for a reason"
    assert "(failed)" in ended.out
    assert "the run failed: board:arm64/bare could not be built: for a reason" in " ".join(ended.out.split())
    assert "board:arm64/freertos idle " in ended.out


def test_unlike_boards_are_marked(rtstone: Command) -> None:
    """Boards are unlike even if only the interrupt controller differs. A kernel with a fix is marked too."""
    targets = "board:arm64/bare,board:arm64-gicv3/rt"
    ended = rtstone("run", "-t", targets, "-s", "slac", *FEW, "-r", "1", "--load", "none", "--json", "--no-archive")
    assert ended.code == 0, ended.err
    table = ended.json["studies"][0]["tables"][0]
    notes = [note for note in table["notes"] if "not comparable with other platforms' figures" in note]
    assert len(notes) == 2
    assert [note for note in table["notes"] if "its kernel has a fix: entry of pended calls" in note]


def test_verify_board(rtstone: Command, tmp_path: Path) -> None:
    """Three runs of each kernel, two guests at a time, are the same to the byte."""
    log = tmp_path / "hashes.log"
    ended = rtstone(
        "boards", "verify", "arm64/bare", "arm64/freertos", "--runs", "3", "-j", "2", "--log", str(log), "--json"
    )
    assert ended.code == 0, ended.err
    for one in ended.json["boards"]:
        assert one["same"]
        assert len(one["hashes"]) == 3
        assert len(set(one["hashes"])) == 1
        assert one["bytes"] > 10_000
    lines = [line.split() for line in log.read_text().splitlines()]
    assert [(target, number) for target, _, number, _ in lines] == [(t, str(n)) for t in PAIR for n in range(3)]
    assert {digest for _, _, _, digest in lines} == {h for one in ended.json["boards"] for h in one["hashes"]}


def test_verify_board_shows_the_first_record_that_differs(rtstone: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board whose second run has another seed."""
    start, count = BoardTarget.start, iter(range(100))

    def other(self: BoardTarget, plan: Any) -> Iterator[bytes]:
        return start(self, type(plan)(seed=plan.seed + next(count), repetition=0, items=plan.items[:1]))

    monkeypatch.setattr(BoardTarget, "start", other)
    ended = rtstone("boards", "verify", "arm64/bare", "-j", "1")
    assert ended.code == 1
    assert "2 runs are 2 different ones" in ended.out
    assert "line 1 is the first that differs" in ended.out
    assert '"t":"hello"' in ended.out


def test_first_difference_at_the_end() -> None:
    assert first_difference(b"a\nb\n", b"a\nb\nc\n", 3)[0] == "line 3 is the first that differs"
    assert first_difference(b"a\nb", b"a\nb\nc", 3)[1:] == ("  run 0: nothing more", "  run 3: c")


def test_boards_lists_what_is_missing(rtstone: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = rtstone("boards", "--json")
    assert ended.code == 0
    kernels = {kernel["target"]: kernel for board in ended.json["boards"] for kernel in board["kernels"]}
    assert set(PAIR) <= kernels.keys()
    assert kernels[PAIR[0]]["missing"] == []
    monkeypatch.setenv("PATH", "/nonexistent")
    bare = rtstone("boards")
    assert bare.code == 0
    line = next(line for line in bare.out.splitlines() if line.startswith("board:arm64/bare\t"))
    assert "apt-get install qemu-system-arm gcc-aarch64-linux-gnu" in line
    last = bare.out.splitlines()[-1]
    assert last.startswith("to run all of them: apt-get install ")
    assert {"qemu-system-arm", "qemu-system-misc", "gcc-arm-none-eabi"} <= set(last.split())


def test_images_are_built_once(image: Build, rtstone: Command) -> None:
    image("arm64", "bare")
    kernels = {k["target"]: k for board in rtstone("boards", "--json").json["boards"] for k in board["kernels"]}
    assert kernels[PAIR[0]]["cached"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("boards", "verify", "arm64", "--runs", "1"), "--runs"),
        (("boards", "verify", "none"), "none"),
        (("boards", "verify", "arm64/none"), "none"),
        (("boards", "verify", "arm64/bare", "--log", "/nonexistent/x"), "--log"),
        (("run", "-t", "board:none/*"), "none/*"),
        (("run", "-t", PAIR[0], "--jobs", "0"), "--jobs"),
    ],
)
def test_usage(rtstone: Command, arguments: tuple[str, ...], word: str) -> None:
    ended = rtstone(*arguments)
    assert ended.code == 2
    (line,) = ended.err.splitlines()
    assert word in line


def test_make_knows_the_commands(root: Path) -> None:
    done = subprocess.run(
        ["make", "-n", "boards", "verify-boards"], cwd=root, capture_output=True, text=True, check=True
    )
    assert "rtstone boards verify '*/*' --runs 24 --jobs 4 --log out/verify-boards.log" in done.stdout


def test_ctrl_c_switches_all_boards_off(root: Path, image: Build, tmp_path: Path) -> None:
    """Two guests that would run for an hour: complete results are shown, and no guest lives on."""
    for kernel in ("bare", "freertos"):
        image("arm64", kernel)
    with lasting_cache(root):
        tool = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "rtstone",
                "run",
                "-t",
                ",".join(PAIR),
                "-m",
                "interrupt-response",
                "--count",
                "4000000",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root / "src")},
        )
    try:
        until = time.monotonic() + 60
        while len(emulators := _emulators(tool.pid)) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        assert len(emulators) == 2
        tool.send_signal(signal.SIGINT)
        _, said = tool.communicate(timeout=30)
    finally:
        tool.kill()  # the emulators die with it, also where the test fails
        tool.wait()
    assert tool.returncode == 130, said
    assert re.fullmatch(r"rtstone: interrupted: 0 of \d results complete, shown and saved", said.splitlines()[-1])
    assert not [pid for pid in emulators if Path(f"/proc/{pid}").exists()]


def _emulators(pid: int) -> list[int]:
    """The tool's children that have become emulators."""
    found = []
    for child in children(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one that has just ended
            if Path(f"/proc/{child}/comm").read_text().startswith("qemu"):
                found.append(child)
    return found
