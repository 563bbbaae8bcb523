# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the archive that grows: 20 machines, a run each night, 36,500 runs in five years.

The first 2,000 runs are of 100 machines, 20 runs each. Later only 20 of these measure. A whole run has 564 results:
4 repetitions of 141. Only the newest 200 runs of one machine are whole at each size that is measured. Each other run is
thinned to a single repetition of its first 20 results. Sessions are made once for each of a few kinds of run, and saved
under new ids.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import func, insert, select

from rtstone.archive import RunStore, _database, _documents, _figures
from rtstone.archive._schema import DOCUMENTS, RESULTS, RUNS, SESSIONS
from rtstone.model import Result, Run, Variant
from rtstone.studies import needs, studies
from support.runs import make_result, make_run, make_session

PER_NIGHT = 20
"""Machines that measure each night."""
MACHINES, EARLY = 100, 2_000
"""Machines of the first runs, and the number of these runs."""
WHOLE_MACHINE = MACHINES - 1
"""The machine whose newest runs are whole. The last run of each size is its run."""
WHOLE = 200
RESULTS_EACH, REPETITIONS, THINNED = 141, 4, 20
SAMPLES = 1_000
QUANTITY = "interrupt-service-response"
"""Among the first results, so all runs have it."""
STUDIES = ("rhealstone", "sscl", "infn")
_KINDS = 8
_BATCH = 1_000
_FIRST_NIGHT = datetime(2021, 12, 1, 22, tzinfo=UTC)


def machine_of(number: int) -> int:
    """The machine of a run."""
    return number % MACHINES if number < EARLY else MACHINES - PER_NIGHT + number % PER_NIGHT


def machine_id(machine: int) -> str:
    """The id of a machine."""
    return f"{machine:032x}"


def run_id(number: int) -> str:
    """The id of a run. Its random part is the same each time."""
    return f"{_started(number):%Y%m%dT%H%M%S}-{random.Random(number).getrandbits(80):020x}"


def _started(number: int) -> datetime:
    night, turn = divmod(number, PER_NIGHT)
    return _FIRST_NIGHT + timedelta(days=night, minutes=turn)


def is_whole(number: int, sizes: tuple[int, ...]) -> bool:
    """Whether the run has all results: it is among the newest of its machine at one of the sizes."""
    near = any(size - WHOLE * PER_NIGHT <= number < size for size in sizes)
    return near and machine_of(number) == WHOLE_MACHINE


@cache
def _results(kind: int, repetition: int, count: int) -> tuple[Result, ...]:
    """The first `count` results of the studies, idle and under load."""
    wanted = dict.fromkeys(need for study in studies() if study.id in STUDIES for need in needs(study))
    made = [(need, load) for need in wanted for load in ("none", "cpu")][:count]
    assert len(made) == count
    return tuple(
        make_result(
            need.quantity,
            item=item,
            measurement=need.measurement,
            variant=Variant(pass_=need.pass_, load=load, sched=need.sched or "rt", period_ns=need.period_ns),
            typical=700 * (item // 2 + 1) * (100 + kind) // 100,
            count=SAMPLES,
            seed=(kind * REPETITIONS + repetition) * RESULTS_EACH + item,
        )
        for item, (need, load) in enumerate(made)
    )


def _run(kind: int, machine: int, repetitions: int, count: int) -> Run:
    sessions = []
    for repetition in range(repetitions):
        one = make_session(_results(kind, repetition, count), repetition=repetition, seed=kind)
        env = one.env | {"machine.id": machine_id(machine), "machine.name": f"machine-{machine:02}"}
        sessions.append(msgspec.structs.replace(one, env=env))
    return make_run("kind", sessions=tuple(sessions), studies=STUDIES, label="nightly", degraded=())


class _Kind(msgspec.Struct, frozen=True):
    """A run, and the rows that all runs of its kind share."""

    run: Run
    row: dict[str, Any]
    sessions: list[dict[str, Any]]
    results: list[dict[str, Any]]


@cache
def _kind(kind: int, machine: int, *, whole: bool) -> _Kind:
    run = _run(kind, machine, REPETITIONS, RESULTS_EACH) if whole else _run(kind, machine, 1, THINNED)
    row = _figures.run_row(run, final=True)
    return _Kind(run, row, list(_figures.session_rows(run, 0)), list(_figures.result_rows(run, 0)))


def new_run(seed: int) -> Run:
    """A run of one repetition with 141 results that no archive has yet."""
    return msgspec.structs.replace(_run(seed % _KINDS, WHOLE_MACHINE, 1, RESULTS_EACH), id=run_id(10**6 + seed))


def grow(archive: RunStore, count: int, sizes: tuple[int, ...]) -> None:
    """Add runs until the archive has `count`. They are inserted as the archive's own rows, many in a transaction.

    Raises AssertionError for an archive that has more.
    """
    probe = new_run(0)
    archive.save(probe)  # makes the tables
    archive.delete(probe.id)
    with archive.transaction() as connection:
        there = int(connection.execute(select(func.count()).select_from(RUNS)).scalar_one())
    assert there <= count, f"{archive.location} has {there} runs already"
    for first in range(there, count, _BATCH):
        with _database.writing(archive._engine, archive.location, 60.0) as connection:
            for number in range(first, min(first + _BATCH, count)):
                kind = _kind(number % _KINDS, machine_of(number), whole=is_whole(number, sizes))
                started = f"{_started(number):%Y-%m-%dT%H:%M:%S}Z"
                known = {"id": run_id(number), "started": started, "ended": started}
                run = msgspec.structs.replace(kind.run, **known)
                row = kind.row | known | {"short": run.id[16:24], "owner": "", "turn": number + 1}
                key = connection.execute(insert(RUNS).values(row).returning(RUNS.c.number)).scalar_one()
                data = _documents.pack(_documents.encode_head(run))
                connection.execute(insert(DOCUMENTS).values(run=key, version=run.version, data=data))
                for table, rows in ((SESSIONS, kind.sessions), (RESULTS, kind.results)):
                    connection.execute(insert(table), [{"run": key, **one} for one in rows])
    assert archive.load("last").id == run_id(count - 1)
