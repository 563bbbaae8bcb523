# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Two programs that save the first run of one SQLite file at the same time, again and again.

Compares the outcome that each reported with the content of the file.

As a program: ``python -m support.first_writers FOLDER TRIALS``; it prints the counts as JSON. Each trial has a new file. The patience of
each writer is drawn, from none to longer than a save takes, so that in many trials one of the two gives up.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

import msgspec

from rtstone.archive import open_archive, read_file
from rtstone.errors import RtstoneError
from support.command import support_program
from support.runs import make_result, make_run

_START_S = 0.004
_SLOWER_S = 0.03


class Counted(msgspec.Struct):
    """The counts of all trials."""

    trials: int = 0
    saved: int = 0
    """Saves that were reported as done."""
    gave_up: int = 0
    """Saves that were reported as failed."""
    lost: list[str] = []
    """Runs that are neither in the archive nor in the file that the error named, or are in the archive of nobody."""
    refused: list[str] = []
    """Errors other than that of a locked archive."""


def count(folder: Path, trials: int, *, timeout_s: float) -> Counted:
    """Runs the program above."""
    said = support_program("first_writers", str(folder), str(trials), timeout_s=timeout_s)
    return msgspec.json.decode(said.encode(), type=Counted)


def _save(where: Path, run_id: str, wait_s: float, begin_at: float, report: int) -> None:
    archive = open_archive(str(where), wait_s=wait_s)
    run = make_run(run_id, results=(make_result(count=20),))
    time.sleep(max(0.0, begin_at - time.monotonic()))
    said = ""
    try:
        archive.save(run)
    except RtstoneError as error:
        said = str(error)
    os.write(report, json.dumps([run_id, said]).encode() + b"\n")


def _trial(folder: Path, number: int, draw: random.Random, counted: Counted) -> None:
    where = folder / f"{number:04}" / "archive.sqlite"
    read, report = os.pipe()
    begin_at = time.monotonic() + _START_S
    children = []
    for writer in range(2):
        wait_s = draw.choice((0.0, 0.005, 0.02, 10.0))
        start = begin_at + draw.choice((0.0, draw.uniform(0, _SLOWER_S)))
        child = os.fork()
        if not child:
            code = 1
            try:
                _save(where, f"20261124T120000-{number:08x}{writer:012x}", wait_s, start, report)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.close(report)
    with os.fdopen(read, "rb") as pipe:
        reported = [json.loads(line) for line in pipe]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0, 0], codes
    there = {one.id for one in open_archive(str(where)).list()}
    counted.trials += 1
    for run_id, said in reported:
        if not said:
            counted.saved += 1
            if run_id not in there:
                counted.lost.append(f"{run_id}: reported as saved")
            continue
        counted.gave_up += 1
        kept = Path(said.partition("kept in ")[2].partition(" (")[0])
        # The other writer's save may have brought it in, and the file is gone then.
        if run_id not in there and not (kept.is_file() and read_file(kept).id == run_id):
            counted.lost.append(f"{run_id}: {said}")
        if "is locked by another program" not in said:
            counted.refused.append(said)


def main(folder: str, trials: int) -> None:
    """All trials, one after the other."""
    open_archive(f"{folder}/warm.sqlite").save(make_run(results=(make_result(count=20),)))  # imports what a save needs
    counted, draw = Counted(), random.Random(1)
    for number in range(trials):
        _trial(Path(folder), number, draw, counted)
    print(msgspec.json.encode(counted).decode())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
