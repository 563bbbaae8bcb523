# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone bound`: runs a board's session again and says how late a task can be switched to."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.errors import UsageError

if TYPE_CHECKING:
    from rtstone.explain.document import Estimate
    from rtstone.model import Run


class Form(StrEnum):
    """How a bound is written."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("bound")(bound)


def bound(
    reference: Annotated[
        str, typer.Argument(help="The run: an id or its beginning, last, last~N, a label.", metavar="RUN")
    ] = "last",
    repetition: Annotated[
        int | None, typer.Option("--repetition", help="From 0. [default: that of the largest sample]", metavar="N")
    ] = None,
    form: Annotated[Form, typer.Option("--format", "-f", help="text, json, or html: one page.")] = Form.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")] = None,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
) -> None:
    """Bound the time from a task's waking to its switch in, by what a Linux kernel was seen to do.

    The session of a run on the board arm64-bound is run again under a plugin of the emulator, which sees each section that holds the
    scheduler off and each interrupt. Its record must be the same to the byte. The bound is that of de Oliveira et al. (ECRTS 2020). It
    holds for PREEMPT_RT, and if the longest section of each kind was seen. For another kernel D_POID and the interrupts are told, and no
    bound.

    Exit codes: 0 told; 2 usage, or a run that cannot be watched; 3 archive, compiler or guest; 4 the second run is another one, or a
    sample is above the bound.
    """
    import msgspec

    from rtstone.cli._files import require_folder, write_json, write_lines, write_whole
    from rtstone.cli._select import one
    from rtstone.cli.archive import open_configured
    from rtstone.config import load as settings
    from rtstone.explain import scheduling_bound
    from rtstone.explain.text import bound_lines

    require_folder("--output", output)
    kept = open_configured(archive)
    run = one(reference, kept)
    if repetition is not None and repetition < 0:
        raise UsageError(f"--repetition: {repetition} is not a number from 0")

    def told(what: str) -> None:
        sys.stderr.write(f"rtstone: {run.target}: {what}\n")
        sys.stderr.flush()

    made = scheduling_bound(run, kept.raw_logs(run.id), repetition=repetition, on_step=told)
    made = msgspec.structs.replace(made, estimates=_estimates(run))
    if form is Form.HTML:
        from rtstone.show.site.bounded import bounded_page

        theme = settings({"archive": archive}).values.report_theme
        write_whole(bounded_page(made, theme=theme).encode(), output or Path("-"))
    elif form is Form.JSON or as_json:
        write_json(made, output)
    else:
        write_lines(bound_lines(made), output)


def _estimates(run: Run) -> tuple[Estimate, ...]:
    """What `rtstone tails` says of the same run: of each load the rarest estimate, or why there is none."""
    from rtstone.explain.document import Estimate
    from rtstone.judge.fit import tails

    rarest = {}
    for tail in tails([run], names=["context-switch-delay"]).tails:
        if tail.value_ns is not None or tail.load not in rarest:
            rarest[tail.load] = tail
    return tuple(
        Estimate(
            load=tail.load,
            once_in=tail.once_in,
            value_ns=tail.value_ns,
            high_ns=tail.high_ns,
            refused=tail.refused,
        )
        for tail in rarest.values()
    )
