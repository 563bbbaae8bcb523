# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Python's garbage collector does not search the libraries of a short command, and works in a command that runs for long."""

from __future__ import annotations

import json
import subprocess
import sys

_SCRIPT = """
import atexit, gc, sys
def last():
    print([passes, "sqlalchemy" in sys.modules, gc.get_freeze_count() > 10_000, freed], file=sys.stderr)
atexit.register(last)
passes, freed = -1, 0
seen = []
def noted(phase, about):
    seen.append(about["collected"])
gc.callbacks.append(noted)
from rtstone.cli import main
gc.collect()
seen.clear()
try:
    main(["archive", "list", "--archive", "none.sqlite"])
except SystemExit:
    pass
passes = len(seen)
for _ in range(1_000_000):
    cycle = []
    cycle.append(cycle)
freed = sum(seen)
"""


def test_no_search_in_a_short_command_and_none_of_the_libraries_at_its_end() -> None:
    words = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    passes, loaded, frozen, freed = json.loads(done.stderr.splitlines()[-1].lower())
    assert (passes, loaded, frozen) == (0, True, True)
    assert freed > 500_000, "a command that runs for long must not keep its garbage"
