# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The queries of an archive's pages: machines with their newest run, the runs of a machine, the machines with a study.
It only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import case, func, select, text, tuple_

from rtstone.archive import _database
from rtstone.archive._location import WAIT_S
from rtstone.archive._queue import Standing
from rtstone.archive._records import GateVerdict, MainFigure, RunSummary
from rtstone.archive._references import find_run, nearest_run
from rtstone.archive._schema import RESULTS, RUNS, WORK
from rtstone.archive._store import RunStore, convert, summary
from rtstone.errors import InfrastructureError, UsageError, this_program
from rtstone.model import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection

    from rtstone.archive._location import Location


RECENT = 20
"""Number of runs that a machine's line on the home page draws."""


class Recent(msgspec.Struct, frozen=True, kw_only=True):
    """A run in its machine's line on the home page."""

    id: str
    started: str
    verdict: str
    target: str
    main: tuple[MainFigure, ...] = ()
    gate: GateVerdict | None = None


_MAIN = msgspec.json.Decoder(tuple[MainFigure, ...])
_GATE = msgspec.json.Decoder(GateVerdict)


class FleetMachine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine in a list."""

    machine: str
    """The machine's id; empty: all runs without a machine id."""
    runs: int
    first_started: str
    last: RunSummary
    """Its newest final run."""
    recent: tuple[Recent, ...] = ()
    """Its newest final runs, at most RECENT, in order from oldest to newest."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A quantity of a run, under one set of circumstances. The figures (ns) are those of its first repetition."""

    measurement: str
    quantity: str
    pass_: str = msgspec.field(name="pass")
    load: str
    variant: str
    status: str
    count: int
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    max_ns: float | None

    @property
    def circumstances(self) -> Variant:
        """The circumstances: `variant` names those that differ from the usual."""
        unusual = (part.partition("=") for part in self.variant.split(", ") if part)
        return msgspec.convert({key: value for key, _, value in unusual}, Variant, strict=False)


class Batch(Standing, frozen=True, kw_only=True):
    """The progress of a batch of `measure-all`, and its workers."""

    batch: str
    workers: tuple[tuple[str, str], ...]
    """The workers that measure for it now, each with its place; empty: the worker finds the place itself."""


class Fleet(RunStore):
    """An archive opened only for reading: an SQLite file, or a server with a role that may only read."""

    def __init__(self, location: Location, *, wait_s: float = WAIT_S) -> None:
        super().__init__(location, wait_s=wait_s, read_only=True)

    def require_reader(self) -> None:
        """Raises InfrastructureError when there is no archive to read, and when a server's role may do more than
        read."""
        if self._is_new():
            raise InfrastructureError(f"there is no archive {self.location}")
        try:
            with self.reading() as connection:
                if self.location.path is not None:
                    return
                may = [
                    right
                    for right in ("INSERT", "UPDATE", "DELETE", "TRUNCATE")
                    if connection.execute(text("SELECT has_table_privilege('runs', :right)"), {"right": right}).scalar()
                ]
                role = connection.execute(text("SELECT current_user")).scalar_one()
        except _database.EmptyError as error:
            raise InfrastructureError(
                f"archive {self.location} has no tables yet: the first save makes them"
            ) from error
        if may:
            raise InfrastructureError(
                f"the role {role} may write in {self.location}: a page wants one that may only read"
                f" ({this_program()} archive grant ROLE read)"
            )

    def newest(self) -> int:
        """The number of the newest save. It grows with each save; 0: the archive has no runs."""
        with self._opened() as connection:
            return int(connection.execute(select(func.coalesce(func.max(RUNS.c.turn), 0))).scalar_one())

    def turn(self, run_id: str) -> int:
        """The number of the save that made this run as it is now. Raises UsageError for an id that the archive does not
        have."""
        with self._opened() as connection:
            found = connection.execute(select(RUNS.c.turn).where(RUNS.c.id == run_id)).scalar_one_or_none()
            if found is None:
                raise UsageError(f"there is no run '{run_id[:100]}'.{nearest_run(connection, run_id)}")
        return int(found)

    def turns(self, run_ids: Sequence[str]) -> tuple[int, ...]:
        """The number of the save that made each of these runs as it is now; 0 for an id that the archive does not have."""
        with self._opened() as connection:
            rows = connection.execute(select(RUNS.c.id, RUNS.c.turn).where(RUNS.c.id.in_(run_ids)))
            found = {str(row.id): int(row.turn) for row in rows}
        return tuple(found.get(run_id, 0) for run_id in run_ids)

    def meant(self, reference: str) -> tuple[str, int]:
        """The id of the run that a reference names, and the number of its last save. `reference`: as in `find`. Raises
        UsageError.

        An error does not name the archive: a page shows it to everybody.
        """
        with self._opened() as connection:
            number, run_id = find_run(connection, reference, self.location, called="there is no run {}.")
            return run_id, int(connection.execute(select(RUNS.c.turn).where(RUNS.c.number == number)).scalar_one())

    def gate(self, run_id: str) -> GateVerdict | None:
        """The last verdict of `rtstone check` on this run; None for a run that is unknown or was not checked."""
        with self._opened() as connection:
            said = connection.execute(select(RUNS.c.gate).where(RUNS.c.id == run_id)).scalar_one_or_none()
        try:
            return _GATE.decode(said) if said else None
        except (msgspec.DecodeError, TypeError) as error:
            raise InfrastructureError(f"archive {self.location} is damaged: {error}") from error

    def batches(self, limit: int) -> tuple[Batch, ...]:
        """The batches of `measure-all`, the newest first."""
        states = ("waiting", "leased", "done", "failed")
        columns = (func.sum(case((WORK.c.state == state, 1), else_=0)).label(state) for state in states)
        grouped = (
            select(WORK.c.batch, *columns).group_by(WORK.c.batch).order_by(func.max(WORK.c.number).desc()).limit(limit)
        )
        leased = select(WORK.c.batch, WORK.c.worker, WORK.c.place).where(WORK.c.state == "leased")
        with self._opened() as connection:
            found = connection.execute(grouped).all()
            busy = connection.execute(leased.order_by(WORK.c.place, WORK.c.number)).all()
        return tuple(
            Batch(
                batch=one.batch,
                workers=tuple((each.worker, each.place) for each in busy if each.batch == one.batch),
                **{state: int(one._mapping[state]) for state in states},
            )
            for one in found
        )

    def machines(self, limit: int, *, recent: bool = True) -> tuple[FleetMachine, ...]:
        """The machines, in order of their newest save, the newest first. Runs under way are left out. `recent`: with
        their newest runs."""
        columns = (RUNS.c.machine, func.count().label("runs"), func.min(RUNS.c.started).label("first_started"))
        grouped = (
            select(*columns, func.max(RUNS.c.turn).label("last_turn"))
            .where(RUNS.c.owner == "")
            .group_by(RUNS.c.machine)
            .order_by(func.max(RUNS.c.turn).desc())
            .limit(limit)
        )
        with self._opened() as connection:
            groups = connection.execute(grouped).all()
            newest = select(RUNS).where(_of_both([(group.machine, group.last_turn) for group in groups]))
            last = {row.machine: summary(dict(row._mapping), self.location) for row in connection.execute(newest)}
            newest_of = self._recent(connection, [group.machine for group in groups]) if recent else {}
        return tuple(
            FleetMachine(
                machine=one.machine,
                runs=one.runs,
                first_started=one.first_started,
                last=last[one.machine],
                recent=tuple(reversed(newest_of.get(one.machine, ()))),
            )
            for one in groups
        )

    def _recent(self, connection: Connection, machines: Sequence[str]) -> dict[str, list[Recent]]:
        """The newest final runs of each machine, the newest first."""
        order = func.row_number().over(partition_by=RUNS.c.machine, order_by=RUNS.c.turn.desc()).label("position")
        ranked = select(RUNS.c.number, order).where(RUNS.c.owner == "", RUNS.c.machine.in_(machines)).subquery()
        columns = [RUNS.c[name] for name in ("machine", "id", "started", "verdict", "target", "main", "gate")]
        query = (
            select(*columns)
            .join(ranked, ranked.c.number == RUNS.c.number)
            .where(ranked.c.position <= RECENT)
            .order_by(RUNS.c.turn.desc())
        )
        found: dict[str, list[Recent]] = {}
        # There may be ten thousand rows, so only their JSON is decoded and checked.
        try:
            for machine, run_id, started, verdict, target, main, gate in connection.execute(query):
                made = Recent(
                    id=str(run_id),
                    started=str(started),
                    verdict=str(verdict),
                    target=str(target),
                    main=_MAIN.decode(main) if main else (),
                    gate=_GATE.decode(gate) if gate else None,
                )
                found.setdefault(machine, []).append(made)
        except (msgspec.DecodeError, TypeError) as error:
            raise InfrastructureError(f"archive {self.location} is damaged: {error}") from error
        return found

    def runs_of(self, machine: str, limit: int, before: str = "") -> tuple[RunSummary, ...]:
        """The runs of the machine with exactly this id, the last saved first. `before`: only those saved before that
        run."""
        query = select(RUNS).where(RUNS.c.machine == machine).order_by(RUNS.c.turn.desc()).limit(limit)
        if before:
            query = query.where(RUNS.c.turn < self.turn(before))
        with self._opened() as connection:
            return tuple(summary(dict(row._mapping), self.location) for row in connection.execute(query))

    def measured(self, run_id: str) -> tuple[Measured, ...]:
        """The quantities that a run measured, each once for each set of circumstances."""
        names = ("measurement", "quantity", "pass", "load", "variant", "status", "count", "mean_ns", "p50_ns", "p99_ns")
        columns = [RESULTS.c[name] for name in (*names, "max_ns")]
        query = select(*columns).join(RUNS, RUNS.c.number == RESULTS.c.run).where(RUNS.c.id == run_id)
        found: dict[tuple[Any, ...], Measured] = {}
        with self._opened() as connection:
            for row in connection.execute(query.order_by(RESULTS.c.number)):
                one = convert(row._mapping, Measured, self.location)
                found.setdefault((one.measurement, one.quantity, one.pass_, one.variant), one)
        return tuple(found.values())

    def with_study(self, study: str, limit: int, machines: Sequence[str] = ()) -> tuple[RunSummary, ...]:
        """The newest complete run with a study for each machine, the last saved first. `machines`: only for these, if
        given."""
        chosen = (RUNS.c.owner == "") & (RUNS.c.status == "complete")
        newest = (
            select(RUNS.c.machine, func.max(RUNS.c.turn))
            .where(chosen, RUNS.c.studies.contains(f",{study},", autoescape=True))
            .group_by(RUNS.c.machine)
            .order_by(func.max(RUNS.c.turn).desc())
            .limit(limit)
        )
        if machines:
            newest = newest.where(RUNS.c.machine.in_(machines))
        with self._opened() as connection:
            found = _of_both([(machine, turn) for machine, turn in connection.execute(newest)])
            rows = connection.execute(select(RUNS).where(found).order_by(RUNS.c.turn.desc())).all()
        return tuple(summary(dict(row._mapping), self.location) for row in rows)


def _of_both(found: Sequence[tuple[str, int]]) -> ColumnElement[bool]:
    """A condition for the runs with one of these pairs of machine and turn."""
    return tuple_(RUNS.c.machine, RUNS.c.turn).in_(found)
