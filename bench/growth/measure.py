# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of an archive of 1,000, 10,000 and 36,500 runs; one JSON object a line.

A value is that of the largest archive; the others are in its detail. Times are CPU time (s) of fresh processes, with
the files in the page cache: a command with its start-up; a page from its request to its bytes in a process that has
loaded its libraries, as `rtstone serve` keeps them; a save from the call to its return. Wall time is shown next to it:
on a PostgreSQL server it includes the server's work, and CPU time does not. Peak memory is the kernel's VmHWM.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec
from bench.growth import archives, curves
from bench.lib import progress
from bench.lib.line import Limit, Line, tell
from bench.lib.size import SMALL, size

from rtstone.archive import open_archive
from support.postgresql import Server, running

ROUNDS = 3
SIZES = tuple(size(count) for count in (1_000, 10_000, 36_500))
COMMAND_LIMIT_S, PAGE_LIMIT_S, SAVE_LIMIT_S = 0.3, 0.5, 0.03
FLAT = 1.1
SAVES = 5
SQLITE = "SQLite"
UNCOUNTED = 0 if SMALL else 1
"""Rounds that fill caches before those that count."""

_SPENT = """
import os, re, sys, time
def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+)", file.read())[1]) / 1e3
def spent(work):
    wall, cpu = time.perf_counter(), time.process_time()
    made = work()
    return made, [time.process_time() - cpu, time.perf_counter() - wall, peak()]
"""
_COMMAND = (
    _SPENT
    + """
import atexit, runpy
def last():
    wall = time.monotonic() - float(os.environ["STARTED"])
    sys.stderr.write(f"\\n{[[time.process_time(), wall, peak()]]}\\n")
atexit.register(last)
sys.argv[0] = "rtstone"
runpy.run_module("rtstone", run_name="__main__", alter_sys=True)
"""
)
_PAGE = (
    _SPENT
    + """
import json
from rtstone.serve._model import Bounds
from rtstone.serve._answers import Answers, PageRequest, Setup
where, page, query = sys.argv[1:]
answers = Answers(Setup(where, Bounds(), "auto"))
answers.warm()
asked = PageRequest(page, "", json.loads(query))
first, drawing = spent(lambda: answers.answer(asked))
assert first.status == 200 and len(first.body) > 5_000, first.body[:2_000]
asked.known = first.key
again, checking = spent(lambda: answers.answer(asked))
assert again.status == 304 or page in {"machines", "machine", "study"}, again.status
sys.stderr.write(f"\\n{[drawing, checking]}\\n")
"""
)
_SAVE = (
    _SPENT
    + """
import statistics
from bench.growth.archives import new_run
from rtstone.archive import open_archive
archive = open_archive(sys.argv[1])
runs = [new_run(seed) for seed in range(int(sys.argv[2]) + 1)]
seen = [spent(lambda: archive.save(run))[1] for run in runs]
for run in runs:
    archive.delete(run.id)
middle = [statistics.median(figure) for figure in zip(*seen[1:])]
sys.stderr.write(f"\\n{[middle]}\\n")
"""
)


class Cost(msgspec.Struct, frozen=True):
    """The cost of one operation."""

    cpu_s: float
    wall_s: float
    peak_mb: float


class Operation(msgspec.Struct, frozen=True):
    """Something that a user does with an archive, and the lines that show its cost."""

    lines: tuple[str, ...]
    limit: Limit
    words: Callable[[str, int], list[str]]
    """The words for Python, from the archive's place and its number of runs."""


def _command(*words: str) -> Callable[[str, int], list[str]]:
    def made(where: str, count: int) -> list[str]:
        known = _runs(count) | {"machine": f"machine-{archives.machine_of(count - 1):02}"}
        return ["-c", _COMMAND, *(word.format(**known) for word in words), "--archive", where]

    return made


def _page(page: str, **query: str) -> Callable[[str, int], list[str]]:
    def made(where: str, count: int) -> list[str]:
        known = _runs(count) | {"machine": archives.machine_id(archives.machine_of(count - 1))}
        return ["-c", _PAGE, where, page, json.dumps({name: text.format(**known) for name, text in query.items()})]

    return made


def _runs(count: int) -> dict[str, str]:
    """The ids of the last run, and of the run that its machine measured before it."""
    step = archives.PER_NIGHT if count > archives.EARLY else archives.MACHINES
    return {"id": archives.run_id(count - 1), "before": archives.run_id(max(0, count - 1 - step))}


_OF_QUANTITY = {"quantity": archives.QUANTITY, "load": "none", "pass": "single"}
OPERATIONS = (
    Operation(("growth_list",), None, _command("archive", "list")),
    Operation(("growth_show",), COMMAND_LIMIT_S, _command("show", "{id}")),
    Operation(("growth_show_label",), COMMAND_LIMIT_S, _command("show", "nightly")),
    Operation(("growth_compare",), COMMAND_LIMIT_S, _command("compare", "{before}", "{id}")),
    Operation(("growth_history",), None, _command("history", archives.QUANTITY, "--machine", "{machine}")),
    Operation(("growth_save",), SAVE_LIMIT_S, lambda where, _: ["-c", _SAVE, where, str(SAVES)]),
    *(
        Operation((f"growth_page_{name}", f"growth_page_{name}_again"), PAGE_LIMIT_S, words)
        for name, words in {
            "home": _page("machines"),
            "machine": _page("machine", id="{machine}"),
            "history": _page("history", machine="{machine}", limit=str(archives.WHOLE), **_OF_QUANTITY),
            "comparison": _page("compare", a="{before}", b="{id}"),
            "run": _page("run", id="{id}"),
            "study": _page("study", id="sscl"),
        }.items()
    ),
)


def costs(operation: Operation, where: str, count: int, repetitions: int, cache: Path) -> dict[str, Cost]:
    """The cost of each of the operation's lines: the least times, and the most memory. Other load only makes a round
    slower."""
    seen: list[list[Cost]] = []
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed rtstone is compiled too
    for _ in range(UNCOUNTED + repetitions):
        done = subprocess.run(
            [sys.executable, *operation.words(where, count)],
            env=environment | {"STARTED": str(time.monotonic())},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        seen.append([Cost(*figures) for figures in json.loads(done.stderr.splitlines()[-1])])
    return {
        name: Cost(min(one.cpu_s for one in those), min(one.wall_s for one in those), max(one.peak_mb for one in those))
        for name, those in zip(operation.lines, zip(*seen[UNCOUNTED:], strict=True), strict=True)
    }


class _Sqlite:
    """Files in a folder. A larger archive begins as a copy of the smaller one."""

    name = SQLITE

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._smaller: Path | None = None

    def archive(self, count: int) -> str:
        """The place of an archive of so many runs: one that is there already, or a new one."""
        file = self._folder / f"{count}.sqlite"
        if not file.exists():
            part = self._folder / "part.sqlite"
            part.unlink(missing_ok=True)
            if self._smaller is not None:
                shutil.copy(self._smaller, part)
            archives.grow(open_archive(str(part)), count, SIZES)
            part.rename(file)
        self._smaller = file
        return str(file)

    def megabytes(self, where: str) -> float:
        """The size of an archive."""
        return Path(where).stat().st_size / 1e6


class _Postgresql:
    """One database that grows, on a server of its own."""

    name = "PostgreSQL"

    def __init__(self, server: Server) -> None:
        self._server = server
        self._database = server.database()

    def archive(self, count: int) -> str:
        """The place of the archive, once it has so many runs."""
        where = self._server.url(self._database)
        archives.grow(open_archive(where), count, SIZES)
        self._server.sql("VACUUM ANALYZE", self._database)
        return where

    def megabytes(self, where: str) -> float:
        """The size of the database."""
        return int(self._server.sql(f"SELECT pg_database_size('{where.split('/')[3].split('?')[0]}')")) / 1e6


class Growth(msgspec.Struct, frozen=True):
    """The costs of all operations at one place, by the number of runs."""

    place: str
    seen: dict[str, dict[int, Cost]]
    """By line."""
    megabytes: dict[int, float]


def measured(place: _Sqlite | _Postgresql, repetitions: int, cache: Path) -> Growth:
    """Make the archives of all sizes at one place, and measure each."""
    growth = Growth(place.name, {}, {})
    steps = progress.Steps(f"growth {place.name}", len(SIZES) * len(OPERATIONS))
    for count in SIZES:
        where = place.archive(count)
        growth.megabytes[count] = place.megabytes(where)
        for operation in OPERATIONS:
            for name, cost in costs(operation, where, count, repetitions, cache).items():
                growth.seen.setdefault(name, {})[count] = cost
            steps.step()
    return growth


def lines(growth: Growth) -> list[Line]:
    """The lines of the largest archive. Each has the figures of the smaller ones in its detail. Only SQLite has limits:
    the time of a server is not in the CPU time of its clients."""
    *smaller, last = SIZES
    limits = {operation.lines[0]: operation.limit for operation in OPERATIONS} if growth.place == SQLITE else {}
    made = [
        Line(
            name=_named(name, growth.place),
            value=round(of[last].cpu_s, 4),
            unit="s",
            limit=limits.get(name),
            detail={f"at {count} runs": round(of[count].cpu_s, 4) for count in smaller}
            | {"by the wall clock s": round(of[last].wall_s, 4), "memory MB": [round(of[n].peak_mb, 1) for n in SIZES]},
        )
        for name, of in growth.seen.items()
    ]
    ratios = {name: of[last].peak_mb / of[smaller[-1]].peak_mb for name, of in growth.seen.items()}
    most = max(ratios, key=ratios.__getitem__)
    flat = FLAT if growth.place == SQLITE else None
    detail: dict[str, object] = {"most in": most, "beside runs": smaller[-1]}
    name = _named("growth_memory", growth.place)
    made.append(Line(name=name, value=round(ratios[most], 3), unit="ratio", limit=flat, detail=detail))
    detail = {f"at {count} runs": round(growth.megabytes[count], 1) for count in smaller}
    name = _named("growth_size", growth.place)
    made.append(Line(name=name, value=round(growth.megabytes[last], 1), unit="MB", limit=None, detail=detail))
    return made


def _named(name: str, place: str) -> str:
    return name if place == SQLITE else name.replace("growth_", f"growth_{place.lower()}_", 1)


def rows(growth: Growth) -> list[curves.Row]:
    """The points of the curves. Pages are those at their first drawing."""
    made: list[curves.Row] = []
    for operation in OPERATIONS:
        name = operation.lines[0].removeprefix("growth_")
        kind = "page" if name.startswith("page_") else "command"
        what = name.removeprefix("page_").replace("_", " by ")
        for count, cost in growth.seen[operation.lines[0]].items():
            made.append({"kind": kind, "what": what, "runs": count, "s": cost.cpu_s, "MB": cost.peak_mb})
    for count, size_mb in growth.megabytes.items():
        made.append({"kind": "size", "what": growth.place, "runs": count, "MB": size_mb})
    return made


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path, help="keep the archives here, and use those that are here already")
    parser.add_argument("--postgresql", action="store_true", help="on a PostgreSQL server instead of SQLite")
    parser.add_argument("--pictures", type=Path, help="draw the curves into this folder")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        cache = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = _Postgresql(stack.enter_context(running())) if options.postgresql else _Sqlite(folder)
        growth = measured(place, options.repetitions, cache)
    for line in lines(growth):
        tell(line)
    if options.pictures:
        curves.pictures(rows(growth), options.pictures)


if __name__ == "__main__":
    main()
