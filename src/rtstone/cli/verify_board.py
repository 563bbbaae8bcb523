# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards verify`:
runs one plan several times on a virtual board and compares the record streams byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsJson, Seed
from rtstone.errors import InfrastructureError, UsageError, this_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.stream.plan import Plan

STUDIES = ("sscl", "slac", "rhealstone")
COUNT = 200
SETS = 4
"""Enough of every measurement, idle and under load, to pass through all of a kernel's paths, and a second or two of the board's time."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("verify-board")(verify_board)


def verify_board(
    boards: Annotated[
        list[str],
        typer.Argument(
            help="BOARD/KERNEL, BOARD (all of its kernels), or a pattern of these. "
            "Your own boards: RTSTONE_BOARDS=DIR, like --boards of run.",
            metavar="BOARD[/KERNEL]...",
        ),
    ],
    runs: Annotated[int, typer.Option("--runs", help="Runs of each kernel to compare.")] = 2,
    seed: Seed = 1,
    repetition: Annotated[
        int,
        typer.Option(
            "--repetition",
            help="Number of the repetition to run, from 0. --seed and this number together decide all random choices.",
        ),
    ] = 0,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", help="Virtual boards to run in parallel. [default: one per CPU]", metavar="N"),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="Append a line to this file for each run, with the hash of its records."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show that a virtual board's runs are the same to the byte.

    On every kernel the command runs all measurements of the studies sscl, slac and rhealstone with few samples, idle and under load.

    Exit codes: 0 all runs of each kernel are the same to the byte; 1 they are not, and the first record that differs is shown; 2
    usage; 3 a board failed.
    """
    from rtstone.cli._files import require_folder
    from rtstone.cli._output import print_json, say
    from rtstone.cli._values import positive
    from rtstone.cli._verify import Verified, verify
    from rtstone.measure import cpus_at_once
    from rtstone.model.text import printable
    from rtstone.targets import matching, not_installed

    if runs < 2:
        raise UsageError(f"--runs: a comparison needs two runs, not {runs}")
    require_folder("--log", log)
    _append(log, ())
    pairs = [pair for pair in dict.fromkeys(p for pattern in boards for p in matching(pattern)) if _counts(pair)]
    if not pairs:
        raise UsageError(
            f"{', '.join(boards)}: never the same twice (see {this_program()} boards): there is nothing to verify"
        )
    for line in not_installed(boards):
        say(line)
    plan = plan_of(seed, repetition)

    def report(done: Verified) -> None:
        if not as_json:
            typer.echo(f"{printable(done.line)}")
        _append(log, done.log)

    found = verify(pairs, plan, runs, positive("--jobs", jobs) or cpus_at_once(), report)
    if as_json:
        print_json({"schema": "rtstone.verify-board", "version": "1.0", "seed": seed, "boards": found})
    for one in found:
        for line in one.difference if not as_json else ():
            typer.echo(printable(line))
    errors = [one.error for one in found if one.error]
    if errors:
        raise InfrastructureError(errors[0] if len(errors) == 1 else f"{errors[0]} (and {len(errors) - 1} more failed)")
    if any(not one.same for one in found):
        raise typer.Exit(1)


def _append(log: Path | None, lines: Sequence[str]) -> None:
    """Adds lines to a file. Without lines it checks before any run that the file can be written.
    Raises InfrastructureError."""
    if log is None:
        return
    try:
        with log.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise InfrastructureError(f"--log: {log}: {error.strerror}") from error


def _counts(pair: str) -> bool:
    """Whether the board's runs are declared to be the same at all."""
    from rtstone.targets.boards import load

    return load(pair.partition("/")[0]).deterministic


def plan_of(seed: int, repetition: int) -> Plan:
    """The plan for every kernel."""
    from rtstone.measure import BOARD_LOADS
    from rtstone.studies import Request, make_plan, study

    request = Request(
        studies=tuple(study(name) for name in STUDIES),
        profile="quick",
        loads=BOARD_LOADS,
        count=COUNT,
        sets=SETS,
        seed=seed,
        virtual=True,
    )
    return make_plan(request, repetition)
