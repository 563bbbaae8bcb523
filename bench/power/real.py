# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures this machine again and again without a change, and counts how often a check file finds one: same against same."""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rtstone.archive import open_archive
from rtstone.judge.check import Checks, Known, Selection, judge, parse
from rtstone.judge.check._select import select
from rtstone.model import Run
from rtstone.stats import figure_of, statistic

MEASURED = {
    "semaphore-ping": "semaphore-ping",
    "queue-fill": "queue-fill",
    "process-switch": "process-switch",
    "interrupt-response": "interrupt-task-response",
}
"""Quantity by measurement."""
STATISTICS = ("median", "p99")
PAIRS = ((1, 5), (1, 10), (3, 5))
REPETITIONS = 5
SPLITS = 100


def main() -> int:
    """Measure, then print how the figures vary and how often a file of eight rows failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="runs of this machine, a few seconds each")
    parser.add_argument("--count", type=int, default=2000, help="samples of each repetition")
    parser.add_argument("--archive", help="an archive with such runs in it: measure nothing, judge these")
    parser.add_argument("--keep", help="a new archive to keep the runs in, for bench.power.real_compared")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        where = asked.archive or asked.keep or str(Path(folder) / "archive.db")
        if not asked.archive:
            _measure(where, asked.runs, asked.count)
        kept = open_archive(where)
        runs = [kept.load(summary.id) for summary in reversed(kept.list())]
    for line in (*_variation(runs), "", *_alarms(runs)):
        print(line)
    return 0


def _measure(where: str, runs: int, count: int) -> None:
    for number in range(runs):
        command = [sys.executable, "-m", "rtstone", "run", "-q", "--json", "--archive", where, "--load", "none"]
        command += ["-m", ",".join(MEASURED), "-r", str(REPETITIONS), "--count", str(count), "--sets", "2"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        sys.stderr.write(f"run {number + 1} of {runs}: exit code {done.returncode}\n")
        if done.returncode not in (0, 4):  # 4: some result is doubtful; the judge will report it
            sys.exit(done.returncode)


def _variation(runs: Sequence[Run]) -> list[str]:
    lines = ["| quantity | statistic | from run to run | from repetition to repetition |", "|-|-|-:|-:|"]
    for measurement, quantity in MEASURED.items():
        wanted = Selection(measurement=measurement, quantity=quantity)
        for name in STATISTICS:
            levels = []
            for run in runs:
                figures = [figure_of(one.result, statistic(name)) for one in select([run], wanted, "none").repetitions]
                levels.append([math.log(f.value) for f in figures if f is not None])
            between = float(np.std([np.mean(level) for level in levels], ddof=1))
            within = float(np.mean([np.std(level, ddof=1) for level in levels]))
            lines.append(f"| {quantity} | {name} | {between:.1%} | {within:.1%} |")
    return lines


def _alarms(runs: Sequence[Run]) -> list[str]:
    """Files that failed, of all splits that were drawn: they share runs, so they are fewer independent tries than they seem."""
    checks = _file()
    draw = np.random.default_rng(1)
    lines = ["| runs: judged, baseline | next ones after them | any of them, drawn by lot |", "|-|-:|-:|"]
    for now, before in PAIRS:
        ordered = [
            (list(range(i, i + before)), list(range(i + before, i + before + now)))
            for i in range(len(runs) - before - now + 1)
        ]
        lots = [draw.permutation(len(runs))[: before + now].tolist() for _ in range(SPLITS)]
        drawn = [(lot[:before], lot[before:]) for lot in lots]
        cells = [f"{_failed(checks, runs, splits)} of {len(splits)}" for splits in (ordered, drawn)]
        lines.append(f"| {now}, {before} | {cells[0]} | {cells[1]} |")
    return lines


def _failed(checks: Checks, runs: Sequence[Run], splits: Sequence[tuple[list[int], list[int]]]) -> int:
    failures = 0
    for before, now in splits:
        baseline = tuple(runs[i] for i in before)
        report = judge(checks, [runs[i] for i in now], dict.fromkeys(range(len(checks.baselines)), baseline))
        failures += report.outcome in ("exceeded", "regressed")
    return failures


def _file() -> Checks:
    text = ['schema = "rtstone.check"', 'version = "1.0"']
    for measurement, quantity in MEASURED.items():
        text += [
            "[[baseline]]",
            f'measurement = "{measurement}"',
            f'quantity = "{quantity}"',
            'runs = ["any"]',
            "judged = 1",
        ]
        text += [f"statistics = [{', '.join(repr(name) for name in STATISTICS)}]"]
    known = Known(
        quantities={name: (quantity,) for name, quantity in MEASURED.items()}, passes={}, studies={}, loads=("none",)
    )
    return parse("\n".join(text), "same.toml", Path(), known)


if __name__ == "__main__":
    sys.exit(main())
