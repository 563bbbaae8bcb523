# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone archive`: lists and deletes saved runs, and brings the archive itself up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsJson, OfLabel, OfMachine, OfStudy, OfTarget, Where
from rtstone.errors import UsageError, quoted, unknown
from rtstone.model import short_id
from rtstone.model.units import counted, minute
from rtstone.stream.framing import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.archive import RunStore, RunSummary

SCHEMA = "rtstone.archive"
SCHEMA_VERSION = "1.1"

Reference = Annotated[
    str,
    typer.Argument(
        help="A run: its id or the beginning of it, last, last~N, a label, LABEL~N, or a target (its last run).",
        metavar="RUN",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    archive = typer.Typer(help="List and delete saved runs, and maintain the archive.", no_args_is_help=True)
    archive.command("list")(list_runs)
    archive.command("delete")(delete)
    archive.command("prune", short_help="Remove old runs, or only their unprocessed output.")(prune)
    archive.command("upgrade")(upgrade)
    archive.command("grant")(grant)
    archive.command("path")(path)
    for name, alias in (("show", show), ("export", export), ("import", import_)):
        archive.command(name, hidden=True)(alias)
    app.add_typer(archive, name="archive")


def open_configured(where: str | None) -> RunStore:
    """The archive that the flag names, else the configured one."""
    from rtstone.archive import open_archive
    from rtstone.config import load

    return open_archive(load({"archive": where}).values.archive)


def list_runs(
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many; 0: all.", min=0, max=10**9)] = 20,
    target: OfTarget = None,
    machine: OfMachine = None,
    label: OfLabel = None,
    study: OfStudy = None,
    kernel: Annotated[str | None, typer.Option(help="Only kernels whose name contains this.", metavar="TEXT")] = None,
    status: Annotated[
        str | None, typer.Option(help="Only complete, incomplete or interrupted runs.", metavar="STATUS")
    ] = None,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """List runs, the last saved first."""
    from rtstone.cli._output import print_json, print_table

    statuses = ("complete", "incomplete", "interrupted")
    if status is not None and status not in statuses:
        raise unknown("status", status, statuses)
    archive = open_configured(where)
    runs = archive.list(
        limit or None, target=target, machine=machine, label=label, study=study, kernel=kernel, status=status
    )
    if as_json:
        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "runs": runs})
    elif runs:
        headings = (
            "run",
            "started",
            "target",
            "machine",
            "kernel",
            "studies",
            "profile",
            "measured",
            "status",
            "label",
        )
        print_table(headings, [_line(run, _machine(run, runs)) for run in runs], right=frozenset({7}))
    else:
        chosen = " that match" if any((target, machine, label, study, kernel, status)) else ""
        typer.echo(f"no runs{chosen} in {clean(str(archive.location))}", err=True)


def _machine(run: RunSummary, runs: Sequence[RunSummary]) -> str:
    """The machine's name; with the beginning of its id where another machine of this list has the same name."""
    same_name = {other.machine for other in runs if other.machine_name == run.machine_name}
    return f"{run.machine_name} {run.machine[:6]}" if len(same_name) > 1 and run.machine_name else run.machine_name


def _line(run: RunSummary, machine: str) -> tuple[str, ...]:
    status = f"{run.status}, degraded" if run.degraded else run.status
    studies = ",".join(run.studies)
    started = minute(run.started)
    measured = f"{run.measured}/{run.results}"
    return short_id(run.id), started, run.target, machine, run.kernel, studies, run.profile, measured, status, run.label


def show(reference: Reference = "last", where: Where = None, as_json: AsJson = False) -> None:
    """Show what the archive holds of a run. The same as `rtstone show --results`; this name goes with the next release."""
    from rtstone.cli._held import print_held
    from rtstone.cli._output import print_json

    archive = open_configured(where)
    run = archive.load(reference)
    if as_json:
        print_json(run)
    else:
        print_held(run, archive.raw_logs(run.id))


def export(
    reference: Reference = "last",
    kind: Annotated[
        str, typer.Option("--format", help="json: the run; raw: the record streams.", metavar="NAME")
    ] = "json",
    output: Annotated[Path, typer.Option("--output", "-o", help="A file; else standard output.")] = Path("-"),
    where: Where = None,
) -> None:
    """Write a run for other programs, as `rtstone export` does. The next release removes this name."""
    from rtstone.cli._exported import write_runs

    write_runs([reference], kind, output, open_configured(where))


def delete(
    references: Annotated[
        list[str],
        typer.Argument(
            help="Runs: an id or its beginning, last, last~N, LABEL~N, or a label that only one run has.",
            metavar="RUN...",
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    where: Where = None,
) -> None:
    """Delete runs with all that belongs to them."""
    archive = open_configured(where)
    # Resolved before the first deletion: afterwards last~1 means another run.
    ids = list(dict.fromkeys(archive.find(reference, single=True) for reference in references))
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"this deletes {', '.join(ids)} permanently: add --yes")
        typer.confirm(f"Delete {', '.join(ids)} permanently?", abort=True)
    for run_id in ids:
        archive.delete(run_id)
        typer.echo(f"deleted {run_id}")


def prune(
    raw_older_than: Annotated[
        str | None,
        typer.Option(
            help="Remove the engine's unprocessed output of runs older than this, such as 30d. Figures and saved samples stay.",
            metavar="DAYS",
        ),
    ] = None,
    runs_older_than: Annotated[
        str | None, typer.Option(help="Remove runs older than this, such as 400d, completely.", metavar="DAYS")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Only runs with this label.", metavar="TEXT")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove them. Without this, only list them.")] = False,
    where: Where = None,
) -> None:
    """Remove old runs, or only the engine's unprocessed output (raw record streams) of old runs."""
    if raw_older_than is None and runs_older_than is None:
        raise UsageError("name an age: --raw-older-than 30d, --runs-older-than 400d, or both")
    archive = open_configured(where)
    found = archive.prune(
        raw_before=_ago("--raw-older-than", raw_older_than),
        runs_before=_ago("--runs-older-than", runs_older_than),
        label=label,
        act=yes,
    )
    logs = f"{found.raw_logs} raw record streams ({found.raw_bytes / 1e6:.1f} MB)"
    what = f"{logs} and {found.removed} of {counted(found.runs, 'run')}"
    typer.echo(
        f"removed {what}; left: {counted(found.runs - found.removed, 'run')}"
        if yes
        else f"would remove {what}: add --yes"
    )
    for ids, gone in ((found.removed_ids, "the whole run"), (found.raw_ids, "raw record streams")):
        for run_id in ids:
            typer.echo(f"  {run_id}  {gone}")
    if found.stay:
        typer.echo(f"under way or without a time, and so left: {counted(found.stay, 'run')}", err=True)


def _ago(option: str, text: str | None) -> str | None:
    """The time (UTC) a number of days ago, from `30d`. Raises UsageError."""
    import re
    from datetime import UTC, datetime, timedelta

    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,5})d", text, re.ASCII)
    if match is None:
        raise UsageError(f"{option} takes a number of days (30d), not '{quoted(text)}'")
    return (datetime.now(UTC) - timedelta(days=int(match[1]))).strftime("%Y-%m-%dT%H:%M:%SZ")


def grant(
    role: Annotated[str, typer.Argument(help="An existing role of the PostgreSQL server.", metavar="ROLE")],
    right: Annotated[
        str,
        typer.Argument(help="read: read everything; write: also save runs, and delete its own.", metavar="read|write"),
    ],
    where: Where = None,
) -> None:
    """Let a PostgreSQL role read the archive, or save runs in it.

    Only the owner of the tables can run this command.
    """
    if right not in {"read", "write"}:
        raise unknown("right", right, ("read", "write"))
    archive = open_configured(where)
    archive.grant(role, "read" if right == "read" else "write")
    typer.echo(f"{role} may {right} {archive.location}")


def import_(
    files: Annotated[
        list[Path], typer.Argument(help="rtstone-unsaved-<id>.json, or a file of export.", metavar="FILE...")
    ],
    where: Where = None,
) -> None:
    """Save runs from files of rtstone, as `rtstone import` does. The next release removes this name."""
    archive = open_configured(where)
    for file in files:
        typer.echo(f"imported {archive.bring_in(file)}")


def upgrade(where: Where = None) -> None:
    """Bring the archive of an older rtstone up to date. Until then, other commands refuse it if it has runs.

    In an empty database the command makes the tables.
    """
    archive = open_configured(where)
    typer.echo(f"{archive.location} {'is up to date now' if archive.upgrade() else 'was up to date'}")


def path(where: Where = None) -> None:
    """Print where the archive is."""
    typer.echo(str(open_configured(where).location))
