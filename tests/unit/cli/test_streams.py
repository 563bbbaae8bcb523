# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, full, or of a locale without our characters, and Ctrl-C before anything has begun."""

from __future__ import annotations

import subprocess
import sys

from support.command import command, environment


def _shell(redirected: str, *words: str, **also: str) -> subprocess.CompletedProcess[str]:
    """The command by a shell, its streams redirected."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirected}', "sh", *command(*words)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={**environment(), **also},
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
