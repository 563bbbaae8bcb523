# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone explain`: says what made a sample late, by a board's second run or by a live run's trails."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rtstone.errors import UsageError


class Form(StrEnum):
    """How an explanation is written."""

    TEXT = "text"
    JSON = "json"
    PERFETTO = "perfetto"
    HTML = "html"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("explain")(explain)


def explain(
    reference: Annotated[
        str, typer.Argument(help="The run: an id or its beginning, last, last~N, a label.", metavar="RUN")
    ] = "last",
    sample: Annotated[
        str, typer.Option("--sample", help="worst, a number from 0, or a percentile: p99.9.", metavar="SAMPLE")
    ] = "worst",
    quantity: Annotated[
        str, typer.Option("--quantity", "-q", help="The quantity whose sample is meant.", metavar="NAME")
    ] = "interrupt-task-response",
    load: Annotated[
        str, typer.Option("--load", help="The load. [default: that of the largest sample]", metavar="NAME")
    ] = "",
    repetition: Annotated[
        int | None, typer.Option("--repetition", help="From 0. [default: that of the largest sample]", metavar="N")
    ] = None,
    term: Annotated[
        str,
        typer.Option(
            "--term", help="In place of a sample: the longest section of this term of the bound.", metavar="TERM"
        ),
    ] = "",
    whole: Annotated[
        bool, typer.Option("--whole", help="Every call of the sample, not only those that matter.")
    ] = False,
    form: Annotated[
        Form, typer.Option("--format", "-f", help="text, json, perfetto for its viewer, or html: one page.")
    ] = Form.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")] = None,
    archive: Annotated[
        str | None, typer.Option("--archive", help="The archive, if not the usual one.", metavar="PATH-or-URL")
    ] = None,
) -> None:
    """Say why a sample of an interrupt response was late.

    A board's session is run again under a plugin of the emulator. Its record must be the same to the byte, and trace and record must agree
    to the tick. This works for the boards arm64, arm64-gicv3, pc, mps2-an385, mcf5208evb and riscv32, with each of their kernels, and for
    bare metal and FreeRTOS of zynq-a9. A live run of interrupt-split tells by the trails that --trace-over kept. Exit codes: 0 explained;
    2 usage, a run that cannot be run again or kept no trail; 3 archive, compiler or guest; 4 the second run is another one, or trail and
    record do not agree.
    """
    from rtstone.cli._files import require_folder, write_json, write_lines, write_whole
    from rtstone.cli._select import one
    from rtstone.cli.archive import open_configured
    from rtstone.explain import explain as explained
    from rtstone.explain import explain_term, text

    require_folder("--output", output)
    if as_json:
        form = Form.JSON
    kept = open_configured(archive)
    run = one(reference, kept)
    if repetition is not None and repetition < 0:
        raise UsageError(f"--repetition: {repetition} is not a number from 0")

    def told(what: str) -> None:
        sys.stderr.write(f"rtstone: {run.target}: {what}\n")
        sys.stderr.flush()

    every = whole or form in {Form.PERFETTO, Form.HTML}
    if term:
        if load or sample != "worst" or form is Form.HTML:
            raise UsageError(
                "--term goes without --sample and --load, and has no page: --format text, json or perfetto"
            )
        made = explain_term(run, kept.raw_logs(run.id), term, repetition=repetition, whole=every, on_step=told)
    else:
        made = explained(
            run,
            kept.raw_logs(run.id),
            sample=sample,
            quantity=quantity,
            load=load,
            repetition=repetition,
            whole=every,
            on_step=told,
        )
    if form is Form.HTML:
        from rtstone.config import load as settings
        from rtstone.show.site.explained import explained_page

        theme = settings({"archive": archive}).values.report_theme
        write_whole(explained_page(made, whole=whole, theme=theme).encode(), output or Path("-"))
    elif form is Form.TEXT:
        write_lines(text.lines(made, whole=whole), output)
    else:
        write_json(text.perfetto(made) if form is Form.PERFETTO else made, output)
