# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Ten thousand runs are listed, found and searched within half a second."""

from __future__ import annotations

import gc
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from rtstone.archive import open_archive
from support.runs import make_run

_RUNS = 10_000
_COPY = {
    "runs": 'n, id || (n + 100000), "group", started, ended, target, label, kernel, studies, profile, seed, status, degraded, results,'
    " measured, tool, short, n, owner, machine, machine_name, writer, verdict, doubts, main, gate",
    "documents": "n, version, data",
}


def test_ten_thousand_runs(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    archive = open_archive(str(path))
    archive.save(make_run("r", count=200))
    with sqlite3.connect(path) as file:
        numbers = f"WITH RECURSIVE c(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < {_RUNS})"  # noqa: S608
        for table, columns in _COPY.items():
            file.execute(f"INSERT INTO {table} {numbers} SELECT {columns} FROM c, {table}")  # noqa: S608
        names = [row[1] for row in file.execute("PRAGMA table_info(results)") if row[1] not in {"number", "run"}]
        listed = ", ".join(f'"{name}"' for name in names)
        file.execute(f"INSERT INTO results (run, {listed}) {numbers} SELECT n, {listed} FROM c, results")  # noqa: S608
    file.close()
    archive.list(1)
    asked: dict[str, Callable[[], bool]] = {
        "a page of the list": lambda: len(archive.list(20)) == 20,
        "the last run": lambda: archive.load("last").id == "r",
        "a run by the beginning of its id": lambda: archive.find("r107777") == "r107777",
        "a quantity": lambda: len(archive.results("semaphore-ping", target="local", limit=1_000)) == 1_000,
        "the newest runs with a quantity": lambda: len(archive.list(20, quantity="semaphore-ping")) == 20,
        "the last run of a label": lambda: archive.find("this machine") == "r110000",
        "the whole list": lambda: len(archive.list(target="local")) == _RUNS,
    }
    gc.freeze()  # a user's process has not the objects of all tests before this one
    try:
        _within_half_a_second(asked)
    finally:
        gc.unfreeze()


def _within_half_a_second(asked: dict[str, Callable[[], bool]]) -> None:
    for what, ask in asked.items():
        begin = time.process_time()
        assert ask(), what
        # CPU time: the time on one free core, however busy this machine is.
        assert time.process_time() - begin < 0.5, what
