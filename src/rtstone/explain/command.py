# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone explain`: reports why a sample was late, from a board's second run or from a live run's event trails."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rtstone.cli._options import FormatJson, OneRun, Output, Repetition, Where
from rtstone.errors import UsageError


class ExplanationForm(StrEnum):
    """Output formats of an explanation."""

    TEXT = "text"
    JSON = "json"
    PERFETTO = "perfetto"
    HTML = "html"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("explain")(explain)


def explain(
    reference: OneRun = "last",
    sample: Annotated[
        str,
        typer.Option(
            "--sample",
            help="The sample: worst, a number in measuring order (the first is 0), or a percentile such as p99.9.",
            metavar="SAMPLE",
        ),
    ] = "worst",
    quantity: Annotated[
        str,
        typer.Option(
            "--quantity",
            help="Quantity of the sample. "
            "[default: interrupt-task-response; in a run of attach: that of the cycle furthest above its thread's median]",
            metavar="NAME",
            show_default=False,
        ),
    ] = "interrupt-task-response",
    load: Annotated[
        str, typer.Option("--load", help="The load. [default: that of the largest sample]", metavar="NAME")
    ] = "",
    repetition: Repetition = None,
    term: Annotated[
        str,
        typer.Option(
            "--term",
            help="Instead of a sample, explain the longest section of this kind, such as D_PSD, in which the scheduler could not run "
            "(`rtstone bound` lists the kinds).",
            metavar="TERM",
        ),
    ] = "",
    whole: Annotated[
        bool, typer.Option("--whole", help="Show every function call or event of the sample, also the short ones.")
    ] = False,
    form: Annotated[
        ExplanationForm,
        typer.Option("--format", "-f", help="text, json, perfetto (for ui.perfetto.dev), or html (one page)."),
    ] = ExplanationForm.TEXT,
    as_json: FormatJson = False,
    output: Output = None,
    archive: Where = None,
) -> None:
    """Find out why a sample of an interrupt response, or a cycle of your own thread, was late.

    For a run of a live machine (`run -m interrupt-split` or `attach`) the command reads the event trails: the kernel's events before each
    late sample. Measure with --trace-over to save them.

    For a run of a virtual board the command repeats the session under a plugin of the emulator. The session's output must
    equal the saved output, so use the same builds of rtstone, kernel and emulator. This works for the boards arm64, arm64-bound,
    arm64-gicv3, pc, mps2-an385, mcf5208evb, riscv32 and zynq-a9.

    Exit codes: 0 explained; 2 usage, or a run (such as a failed run) that cannot be repeated and has no event trail; 3 archive,
    compiler or board failed; 4 the repeated session's output differs from the saved one, or events and samples do not agree.
    """
    from rtstone.cli._files import require_folder, write_json, write_lines, write_whole
    from rtstone.cli._output import say
    from rtstone.cli.archive import open_configured
    from rtstone.explain import explain as explained
    from rtstone.explain import explain_term, text

    require_folder("--output", output)
    if as_json:
        form = ExplanationForm.JSON
    kept = open_configured(archive)
    run = kept.load(reference)
    if repetition is not None and repetition < 0:
        raise UsageError(f"--repetition: {repetition} is not a number from 0")

    def print_step(what: str) -> None:
        say(f"{run.target}: {what}")

    every = whole or form in {ExplanationForm.PERFETTO, ExplanationForm.HTML}
    if term:
        if load or sample != "worst" or form is ExplanationForm.HTML:
            raise UsageError(
                "--term excludes --sample and --load, and has no page: use --format text, json or perfetto"
            )
        made = explain_term(run, kept.raw_logs(run.id), term, repetition=repetition, whole=every, on_step=print_step)
    else:
        made = explained(
            run,
            kept.raw_logs(run.id),
            sample=sample,
            quantity=quantity,
            load=load,
            repetition=repetition,
            whole=every,
            on_step=print_step,
        )
    if form is ExplanationForm.HTML:
        from rtstone.config import load as settings
        from rtstone.explain.explained_page import explained_page

        theme = settings({"archive": archive}).values.report_theme
        write_whole(explained_page(made, whole=whole, theme=theme).encode(), output or Path("-"))
    elif form is ExplanationForm.TEXT:
        write_lines(text.lines(made, whole=whole), output)
    else:
        write_json(text.perfetto(made) if form is ExplanationForm.PERFETTO else made, output)
