# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, full, or of a locale without our characters, and Ctrl-C before anything has begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from support.command import command, environment
from support.runs import make_result, make_run, make_session


def _shell(redirected: str, *words: str, **also: str) -> subprocess.CompletedProcess[str]:
    """The command by a shell, its streams redirected."""
    return subprocess.run(
        ["/bin/bash", "-c", f'"$@" {redirected}', "sh", *command(*words)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        # A stream that Python does not buffer has nothing left to fail with at the end.
        env={name: value for name, value in environment().items() if name != "PYTHONUNBUFFERED"} | also,
        check=False,
    )


def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    done = _shell("> /dev/full", "config")
    assert (done.returncode, done.stderr) == (3, "rtstone: the output cannot be written: No space left on device\n")
    assert _shell("2> /dev/full", "show", "nothing").returncode == 2


def test_a_closed_stream_changes_no_exit_code() -> None:
    for redirected in (">&-", "2>&-", "<&- >&- 2>&-"):
        assert _shell(redirected, "config").returncode == 0
        assert _shell(redirected, "show", "nothing").returncode == 2


def test_a_locale_without_our_characters_is_no_reason_to_end() -> None:
    done = _shell("", "reference", "--study", "slac", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_while_the_command_is_loaded_is_one_line() -> None:
    code = (
        "import signal, sys, importlib.abc\n"
        "class Late(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'typer':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Late())\n"
        "from rtstone.cli import main\n"
        "main(['config'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=environment(), check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "rtstone: interrupted\n")


def _archive(tmp_path: Path) -> str:
    """Three runs of three repetitions, enough for a gate to have an opinion."""
    where = tmp_path / "a.sqlite"
    sessions = tuple(make_session((make_result(count=500, seed=n),), repetition=n, seed=n) for n in range(1, 4))
    open_archive(str(where)).save(make_run("kept", sessions=sessions, degraded=()))
    return str(where)


@pytest.mark.parametrize(("limit", "code"), [("1s", 0), ("100ns", 1)])
def test_the_gates_code_is_the_gates_whatever_reads_its_words(tmp_path: Path, limit: str, code: int) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "semaphore-ping"\n'
        f'require = ["median < {limit}"]\n',
        encoding="utf-8",
    )
    words = ("check", str(file), "kept", "--archive", _archive(tmp_path))
    assert _shell("", *words).returncode == code
    for reader in ("true", "head -c 1", "sh -c 'exec <&-; sleep 1'"):
        piped = _shell(f"| {reader} > /dev/null; exit ${{PIPESTATUS[0]}}", *words)
        assert (piped.returncode, piped.stderr) == (code, ""), reader
    # A failed write is reported. A bound that is exceeded stays exceeded.
    assert _shell("> /dev/full", *words).returncode == (code or 3)


def test_a_reader_that_has_seen_enough_changes_no_exit_code(tmp_path: Path) -> None:
    where = ("--archive", _archive(tmp_path))
    for words in (("show", "kept"), ("show", "kept", "--json"), ("export", "kept"), ("archive", "list"), ("--help",)):
        there = () if words == ("--help",) else where
        piped = _shell("| true; exit ${PIPESTATUS[0]}", *words, *there)
        assert (piped.returncode, piped.stderr) == (0, ""), words


@pytest.mark.parametrize("word", ["", " ", "--measurement=", "--label="])
def test_an_empty_word_is_a_usage_error(word: str) -> None:
    words = ("run", "-m", word) if not word.strip() else ("run", word)
    done = _shell("", *words)
    assert done.returncode == 2
    assert "an empty word after" in done.stderr
