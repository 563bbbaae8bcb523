# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a run and of a long build: lines in a pipe, bars of one line each on a terminal."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from rtstone.cli import _progress
from rtstone.cli._progress import Shown, Steps
from rtstone.measure import Progress

LONG = "board:arm64/linux-6.1-voluntary"


def _progress_of(done: int, repetition: int = 0) -> Progress:
    return Progress(
        items_done=done,
        items_total=10,
        measurement="interrupt-response",
        load="traffic",
        seconds_left=125.0,
        repetition=repetition,
        repetitions=5,
        target=LONG,
    )


def _terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal of 80 columns."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    written = Terminal()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", written)
    return written


def _drawn(written: io.StringIO) -> list[str]:
    """The lines of text that were drawn, without what moves the cursor and colours."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.getvalue()).replace("\r", "\n")
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_a_pipe_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_EVERY_S", 0.0)
    with Shown(targets=(LONG,)) as shown:
        shown(_progress_of(3, repetition=2))
    assert capsys.readouterr().err == (
        f"rtstone: {LONG}: 23 of 50 measured, at most 2 min left (interrupt-response, traffic)\n"
    )


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_EVERY_S", 0.0)
    with Shown(quiet=True, targets=(LONG,)) as shown:
        shown(_progress_of(3))
    assert capsys.readouterr().err == ""


def test_bars_fit_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line each, from the beginning to the end of all repetitions; the name and the count are whole."""
    terminal = _terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    with Shown(targets=(LONG, "board:arm64/bare")) as shown:
        shown.starting(LONG)
        assert shown._bar is not None
        shown._bar.refresh()
        shown(_progress_of(3, repetition=2))
        shown._bar.refresh()
        shown(_progress_of(10, repetition=4))
        shown._bar.refresh()
    lines = _drawn(terminal)
    assert all(len(line) <= 80 for line in lines), lines
    assert all(line.startswith("board:arm64/") for line in lines), lines
    assert any(line.startswith(LONG) and "23/50 at most 2 min inter" in line for line in lines), lines
    assert any(line.startswith(LONG) and "50/50" in line and line.endswith("done") for line in lines), lines
    assert any(line.startswith(LONG) and line.endswith("getting ready") for line in lines), lines
    assert any(line.startswith("board:arm64/bare") and line.endswith("waiting") for line in lines), lines
    assert "\x1b[3" not in terminal.getvalue()


def test_a_build_tells_how_far_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 31))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    with Steps(LONG, minutes=12) as steps:
        steps("unpacking", 0, 0)
        steps("a.o", 1, 11)
        steps("b.o", 2, 12)
    assert capsys.readouterr().err.splitlines() == [
        f"rtstone: {LONG}: to be built: about 12 min on one CPU",
        f"rtstone: {LONG}: unpacking",
        f"rtstone: {LONG}: 1 of about 11 steps, just begun",
        f"rtstone: {LONG}: 2 of about 12 steps, 3 min left",
    ]


def test_a_builds_bar_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    with Steps(LONG, minutes=12) as steps:
        steps("unpacking the source", 0, 0)
        steps("drivers/net/ethernet/intel/e1000/e1000_main_with_a_long_name.o", 700, 1330)
        assert steps._bar is not None
        steps._bar.refresh()
    lines = _drawn(terminal)
    assert all(len(line) <= 80 for line in lines), lines
    assert any("700/1330" in line for line in lines), lines


def test_the_pace_counts_where_it_is_slower_than_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy host does a board's second in several of its own."""
    clock = iter([0.0, 0.0, 600.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    shown = Shown()
    assert shown._ahead(_progress_of(0), 0, 50) == "at most 2 min"
    assert shown._ahead(_progress_of(0, repetition=1), 10, 50) == "about 40 min"
