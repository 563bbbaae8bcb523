# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone history`: a quantity from run to run, and where its level changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsJson, OfLabel, OfMachine, OfStudy, OfTarget, Where
from rtstone.errors import BoundExceeded, IncompleteError, UsageError, unknown

if TYPE_CHECKING:
    from rtstone.judge.history import History

_PASSES = ("single", "batch")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("history")(history)


def history(
    quantity: Annotated[
        str,
        typer.Argument(
            help="A figure that a measurement yields, such as semaphore-ping (rtstone list quantities).",
            metavar="QUANTITY",
        ),
    ],
    target: OfTarget = None,
    machine: OfMachine = None,
    study: OfStudy = None,
    label: OfLabel = None,
    load: Annotated[str | None, typer.Option(help="Only under this load (none: idle).", metavar="NAME")] = None,
    pass_: Annotated[
        str | None,
        typer.Option(
            "--pass",
            help="single: only operations timed one by one; batch: only sets of operations, each timed together.",
            metavar="single|batch",
        ),
    ] = None,
    statistic: Annotated[
        str,
        typer.Option(
            help="For operations timed one by one: the statistic to show (median, p99, max ...).", metavar="NAME"
        ),
    ] = "median",
    limit: Annotated[
        int, typer.Option("--limit", "-n", help="Use at most this many runs, the newest.", min=1, max=10_000)
    ] = 100,
    last: Annotated[
        int,
        typer.Option(
            help="With --fail-on-regression: count only steps in the newest N runs of a series.", min=1, max=10_000
        ),
    ] = 10,
    fail_on_regression: Annotated[
        bool,
        typer.Option(
            "--fail-on-regression",
            help="Use exit codes 1 (a series stepped up, see --last) and 4 too.",
        ),
    ] = False,
    drift: Annotated[
        str, typer.Option(help="Ignore a slow drift of at most this much per run.", metavar="SHARE")
    ] = "0.1%",
    least_change: Annotated[str, typer.Option(help="Ignore a smaller step.", metavar="SHARE")] = "1%",
    unlike: Annotated[
        bool, typer.Option("--unlike", help="Put all runs into one series, also runs that are not comparable.")
    ] = False,
    as_json: AsJson = False,
    where: Where = None,
) -> None:
    """Show a quantity from run to run: its steps up or down, and the facts (machine, kernel, settings) that changed there.

    The runs of a series are comparable: they have the same machine, the same definition of the measurement and, on a virtual board, the
    same instruction rate. A step is found only in a series of at least 12 runs, and only if at least 3 of them follow the step.
    Exception: in runs of a deterministic virtual board with the same seeds, every change is a step.

    Exit codes: 0 shown; 1 regressed (only with --fail-on-regression); 2 usage; 3 archive; 4 nothing could be judged (only with
    --fail-on-regression).
    """
    from rtstone.cli._output import print_json
    from rtstone.cli._tables import print_lines, width
    from rtstone.cli._values import percent
    from rtstone.cli.archive import open_configured
    from rtstone.judge.history import history as history_of
    from rtstone.show.judged.history import lines

    if pass_ is not None and pass_ not in _PASSES:
        raise unknown("pass", pass_, _PASSES)
    archive = open_configured(where)
    chosen = archive.list(limit, target=target, machine=machine, study=study, label=label, quantity=quantity)
    if not chosen:
        there = archive.quantities()
        if there and quantity not in there:
            raise unknown("quantity", quantity, there)
        raise UsageError(f"no run that matches has '{quantity}' in archive {archive.location}")
    made = history_of(
        archive.load_parts([run.id for run in chosen], {quantity}),
        quantity,
        statistic=statistic,
        load=load,
        pass_=pass_,
        unlike=unlike,
        drift=percent("--drift", drift),
        least_change=percent("--least-change", least_change),
    )
    if not made.series:
        raise UsageError(
            f"no complete run that matches has '{quantity}' with a figure '{statistic}' under these options"
        )
    if as_json:
        print_json(made)
    else:
        print_lines(lines(made, width()))
    if fail_on_regression:
        judge(made, last)


def judge(made: History, last: int) -> None:
    """Raises BoundExceeded where a series stepped up within its last runs,
    IncompleteError where the series does not show whether."""
    from rtstone.judge.history import new_regressions
    from rtstone.model import short_id

    found = new_regressions(made, last)
    sure = [(series, step) for series, step in found if not series.wanders]
    for series, step in sure or found:
        size = "" if step.change is None else f" by {100 * step.change:.1f} %"
        text = f"{series.title}, {series.statistic}{size} from run {short_id(step.after)} on"
        more = f" and {len(sure or found) - 1} more" if len(sure or found) > 1 else ""
        if sure:
            raise BoundExceeded(f"regressed: {text}{more}")
        raise IncompleteError(f"a step that may be the series' own wandering: {text}{more}")
    if not any(series.enough for series in made.series):
        raise IncompleteError("too few runs in any series to show a step")
