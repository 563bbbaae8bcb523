# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone doctor clocks`: the quality of each clock of a target as a measuring clock."""

from __future__ import annotations

import sys
from itertools import product
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rtstone.cli._options import AsJson
from rtstone.errors import IncompleteError, InfrastructureError, UsageError

if TYPE_CHECKING:
    from rtstone.measure import Outcome
    from rtstone.stream.plan import Plan

SCHEMA = "rtstone.clocks"
SCHEMA_VERSION = "1.0"

READINGS = 10_000
"""Readings of a batch set; also the number of single readings."""
SETS = 10


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("clocks")(clocks)


def clocks(
    target: Annotated[
        str,
        typer.Option(
            "--target",
            "-t",
            help="The machine whose clocks are read: local, ssh:[user@]host[:port][?sudo] (?sudo: as root), or a Linux board.",
            metavar="TARGET",
        ),
    ] = "local",
    cpu: Annotated[int, typer.Option("--cpu", help="CPU to read them on; -1: the target's choice.")] = -1,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            help="Time this measurement by each clock too and compare the figures: semaphore-get-release, for example.",
            metavar="MEASUREMENT",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the table and errors.")] = False,
) -> None:
    """Characterise every clock: resolution, cost of a reading, whether it ever goes back, drift against the others.

    Each clock is read on one CPU, then alternately on that CPU and on each other CPU. It is also compared with CLOCK_MONOTONIC_RAW, which
    nothing adjusts. Each clock takes half a second. With --of, single operations of one measurement are timed by each clock that
    `rtstone run --clock` accepts.

    Exit codes: 0 measured; 2 usage; 3 the target failed; 4 a clock went back although nobody can set it, or records were lost.
    """
    from rtstone.cli import _choices as choose
    from rtstone.cli import _engine_lists
    from rtstone.cli._output import print_json, print_table, terminal
    from rtstone.cli._progress import Shown
    from rtstone.machine.clocks import HEADINGS, cells, figure, remarks, rows, with_figure
    from rtstone.measure import Interruption, measure
    from rtstone.stream.plan import Item, Plan

    operation = choose.measurements([of], [target])[0] if of is not None else None
    if operation is not None and (operation.paced or "single" not in operation.passes):
        raise UsageError(f"--of {of}: its operations are not timed one by one on the run's clock")
    if operation is not None:
        choose.clock("monotonic", [target])
    with Shown(quiet=quiet or as_json) as shown, Interruption() as interruption:

        def measured(plan: Plan) -> Outcome:
            return measure(target, lambda _: plan, 1, profile="clocks", on_progress=shown, interruption=interruption)

        listed = _engine_lists.list_of(target)
        clocks = {one.name: one.clock for one in listed.measurements if one.clock}
        outcome = measured(_plan(tuple(clocks), cpu))
        found = rows(outcome.run, clocks) if outcome.run.sessions else ()
        if operation is not None and outcome.error is None:
            item = Item(
                item=0,
                measurement=operation.name,
                count=operation.most or READINGS,
                sched=operation.sched or "rt",
                cpu=cpu,
            )
            found = tuple(
                with_figure(
                    row, operation.name, measured(Plan(seed=1, repetition=0, items=(item,), clock=row.name)).run
                )
                if row.name in (_engine_lists.clock_names(listed) or clocks.values()) and row.status == "ok"
                else row
                for row in found
            )
    if outcome.error is not None and not outcome.run.sessions:
        raise outcome.error
    if not found or all(row.status in {"absent", "failed"} for row in found):
        raise InfrastructureError(f"{target}: its engine reads no clock but the run's own; Linux targets have them")
    if as_json:
        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "target": target, "clocks": found})
    else:
        headings: tuple[str, ...] = HEADINGS
        lines = [cells(row) for row in found]
        if operation is not None:
            headings = (*HEADINGS[:-1], f"{operation.name} timed by it: least / mean / most", HEADINGS[-1])
            lines = [(*cells(row)[:-1], figure(row), cells(row)[-1]) for row in found]
        print_table(headings, lines, right=frozenset({1, 2, 3, 6}))
        for line in remarks(found) if sys.stdout.isatty() else ():
            terminal().print(line, style="dim", soft_wrap=True)
    if outcome.error is not None:
        raise outcome.error
    bad = [row.name for row in found if row.status not in {"ok", "absent"}]
    if bad:
        raise IncompleteError(f"{', '.join(bad)}: doubtful; the table has the reason")


def _plan(names: tuple[str, ...], cpu: int) -> Plan:
    """Each of these measurements of a clock twice:
    as batch for the cost of a reading, as single readings for the rest."""
    from rtstone.stream.plan import Item, Plan

    passes: tuple[Literal["batch", "single"], ...] = ("batch", "single")
    return Plan(
        seed=1,
        repetition=0,
        items=tuple(
            Item(item=number, measurement=name, pass_=pass_, count=READINGS, sets=SETS, cpu=cpu)
            for number, (name, pass_) in enumerate(product(names, passes))
        ),
    )
