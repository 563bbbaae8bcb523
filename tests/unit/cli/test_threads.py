# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The libraries of numpy and scipy start no threads in a command, and programs of the user keep their environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys

_SCRIPT = """
import json, os, re, subprocess, sys
from rtstone.cli import main
try:
    main(["--version"])
except SystemExit as end:
    assert end.code in (None, 0)
import numpy, scipy.linalg, scipy.special
with open("/proc/self/status") as file:
    threads = int(re.search(r"^Threads:\\s+(\\d+)", file.read(), re.MULTILINE)[1])
seen = [sys.executable, "-c", "import os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"]
ours, users = (
    subprocess.run(seen, env=env, capture_output=True, text=True, check=True).stdout.strip()
    for env in (None, {**os.environ})
)
sys.stderr.write(json.dumps([threads, ours, users]))
"""


def _started(**more: str) -> list[object]:
    """The threads of a command, and the variable in its own environment and in that of a program of the user."""
    clean = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    words = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(words, env=clean | more, capture_output=True, text=True, check=True, timeout=60)
    seen = json.loads(done.stderr)
    assert isinstance(seen, list)
    return seen


def test_a_command_has_one_thread_and_programs_of_the_user_do_not_have_its_setting() -> None:
    assert _started() == [1, "1", "None"]


def test_the_users_own_setting_stays() -> None:
    _, ours, users = _started(OPENBLAS_NUM_THREADS="7")
    assert (ours, users) == ("7", "7")
