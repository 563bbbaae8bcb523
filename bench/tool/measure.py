# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the installed rtstone takes for --help, and for a quick run of the first studies with its report."""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.lib.engine import BenchError
from bench.lib.line import Line, failure, tell
from bench.lib.size import SMALL

RTSTONE = Path(sys.prefix) / "bin" / "rtstone"
REPETITIONS = 20
STUDIES = "rhealstone" if SMALL else "sscl,rhealstone,spring8"
NAMES = ("help_start", "quick_run")


def _run(arguments: list[str], folder: Path, timeout: float) -> tuple[float, float, int]:
    """Seconds by the wall clock, seconds of CPU time, exit code.

    What is installed runs, as a user has it; the user's own archive and settings are left alone.
    """
    homes = {
        name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "RTSTONE_"))}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [RTSTONE, *arguments],
            env={**inherited, **homes},
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=False,
            timeout=timeout,
        )
    except FileNotFoundError:
        raise BenchError("rtstone is not installed: make setup") from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"rtstone {arguments[0]} did not end within {timeout:.0f} s") from None
    spent = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.returncode


def help_start(repetitions: int) -> Line:
    """The median CPU time of fresh processes: the time on a free core. Their files are in the page cache."""
    with tempfile.TemporaryDirectory() as folder:
        rounds = [_run(["--help"], Path(folder), 60) for _ in range(repetitions + 1)][1:]
    if any(code != 0 for _, _, code in rounds):
        raise BenchError("rtstone --help fails")
    wall = statistics.median(seconds for seconds, _, _ in rounds)
    cpu = statistics.median(seconds for _, seconds, _ in rounds)
    return Line(
        name=NAMES[0], value=cpu, unit="s", limit=0.3, detail={"by the wall clock s": wall, "rounds": repetitions}
    )


def quick_run() -> Line:
    """From the command to its end: set-up, measuring, tables, archive and report."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["run", "--study", STUDIES, "--profile", "quick", "--report", "report.html"]
        wall, cpu, code = _run(arguments, Path(folder), 600)
        if code != 0:
            raise BenchError(f"rtstone {' '.join(arguments)} ended with exit code {code}")
    return Line(name=NAMES[1], value=wall, unit="s", limit=90, detail={"cpu time s": cpu})


def main() -> None:
    """Both figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args()
    try:
        tell(help_start(options.repetitions))
    except BenchError as error:
        tell(failure(NAMES[0], str(error)))
    try:
        tell(quick_run())
    except BenchError as error:
        tell(failure(NAMES[1], str(error)))


if __name__ == "__main__":
    main()
