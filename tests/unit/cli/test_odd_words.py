# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Odd command lines: with any words, a command ends in a known exit code, with one line that has no traceback in it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from support import hostile
from support.runs import make_result, make_run

ODD = (
    "",
    " ",
    ",",
    "-",
    "--",
    "---",
    "-1",
    "0",
    "1e999",
    "nan",
    "9" * 400,
    "last~999999999999",
    "last@nowhere",
    "group-",
    "@",
    "..",
    "/",
    "/dev/null",
    "/proc/self/mem",
    "x" * 5000,
    "\x1b[2J",
    "a\u202eb",
    "ü" * 300,
    "\udcff",
    "%s%n",
    "'; DROP TABLE runs; --",
    "postgresql://[",
    "sqlite://",
    "board:",
    "board:*/",
    "replay:/dev/null?loss=9",
    "serial:/dev/null",
)
# The places of an odd word. No command here measures anything: no odd word names a measurement.
PLACES = (
    ("{}",),
    ("show", "{}"),
    ("show", "--study", "{}"),
    ("show", "--format", "{}"),
    ("report", "{}", "-o", "-"),
    ("report", "-o", "{}", "no-such-run"),
    ("compare", "kept", "{}"),
    ("fit", "--tail", "--once-in", "{}"),
    ("fit", "--tail", "--confidence", "{}"),
    ("check", "{}"),
    ("fit", "--period", "{}", "--deadline", "1ms"),
    ("fit", "--period", "1ms", "--deadline", "{}"),
    ("export", "--format", "{}"),
    ("export", "-o", "{}", "no-such-run"),
    ("import", "{}"),
    ("import", "--tool", "{}", "/dev/null"),
    ("import", "--tick", "{}", "/dev/null"),
    ("archive", "{}"),
    ("archive", "show", "{}"),
    ("archive", "delete", "{}"),
    ("archive", "import", "{}"),
    ("archive", "list", "--archive", "{}"),
    ("archive", "list", "--limit", "{}"),
    ("run", "-m", "{}"),
    ("run", "--study", "{}"),
    ("run", "--profile", "{}"),
    ("run", "-t", "{}", "--count", "x"),
    ("run", "-m", "semaphore-ping", "--load", "{}", "--count", "0"),
    ("run", "-m", "semaphore-ping", "--period", "{}", "--count", "0"),
    ("run", "--count", "{}", "-m", "no-such"),
    ("run", "--resume", "{}"),
    ("run", "--peer", "{}", "-m", "no-such"),
    ("watch", "-m", "{}", "--duration", "nothing"),
    ("watch", "--duration", "{}", "-m", "no-such"),
    ("list", "{}"),
    ("reference", "--study", "{}"),
    ("reference", "--table", "{}"),
    ("traits", "--platform", "{}"),
    ("config", "completion", "{}"),
    ("doctor", "clocks", "--seconds", "{}", "--no-such"),
    ("boards", "verify", "{}", "--runs", "0"),
    ("boards", "--no-such", "{}"),
    ("doctor", "{}"),
    ("config", "{}"),
)


def _ends_well(folder: Path, words: tuple[str, ...]) -> None:
    ended = hostile.run(*words)
    ended.well()
    assert not hostile.TROUBLE.search(ended.out.decode()), ended.arguments


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, simulated_engine: Path) -> Path:
    """Where a command finds an archive of one run, and no other engine than one that measures nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RTSTONE_ENGINE", str(simulated_engine))
    monkeypatch.setenv("RTSTONE_ARCHIVE", str(tmp_path / "a.sqlite"))
    open_archive(str(tmp_path / "a.sqlite")).save(make_run("kept", results=(make_result(count=300),)))
    return tmp_path


def _lines() -> list[tuple[str, ...]]:
    return [tuple(word.replace("{}", odd) for word in place) for place in PLACES for odd in ODD]


@pytest.mark.parametrize("words", random.Random(3).sample(_lines(), 16), ids=lambda words: repr(words)[:60])
def test_odd_words(folder: Path, words: tuple[str, ...]) -> None:
    _ends_well(folder, words)


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_every_odd_word_at_its_place(folder: Path, place: tuple[str, ...]) -> None:
    for odd in ODD:
        _ends_well(folder, tuple(word.replace("{}", odd) for word in place))


LONG = (
    *PLACES,
    ("run", "-m", "semaphore-ping", "--window", "{}", "--count", "0"),
    ("run", "-m", "semaphore-ping", "--timer", "net:{}", "--count", "0"),
    ("run", "-m", "interrupt-response", "--trace-over", "{}", "--count", "0"),
    ("run", "-m", "semaphore-ping", "--load", "cpu:{}", "--count", "0"),
    ("run", "-m", "semaphore-ping", "--load", "command+{}", "--count", "0"),
    ("run", "--sched", "{}"),
    ("run", "--clock", "{}"),
    (
        "run",
        "--cpu={}",
    ),
    ("watch", "-m", "semaphore-ping", "-t", "{}", "--duration", "nothing"),
    ("history", "{}"),
    ("history", "semaphore-ping", "--statistic", "{}"),
    ("fit", "--{}"),
    ("explain", "kept", "--sample", "{}"),
    ("explain", "kept", "--quantity", "{}"),
    ("bound", "kept", "--term", "{}"),
    ("archive", "prune", "--older-than", "{}"),
    ("serve", "--bind", "{}"),
    ("stimulus", "{}", "--period", "1us"),
    ("attach", "--pid", "1", "--duration", "{}"),
    ("attach", "--unit", "{}"),
    ("ioc", "run", "--period", "{}"),
    ("config", "manual", "--format", "{}"),
    ("check", "none.toml", "--annotations", "{}"),
)


@pytest.mark.parametrize("place", LONG, ids=" ".join)
def test_no_error_quotes_a_long_word_whole(folder: Path, place: tuple[str, ...]) -> None:
    for long in ("x" * 90_000, "x1 " * 30_000):
        ended = hostile.run(*(word.replace("{}", long) for word in place))
        ended.well()
        assert len(ended.said) < 6_000, ended.said[:400]
