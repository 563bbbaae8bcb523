# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone bound`: repeats a board's session and reports the longest delay until a task is switched to."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import FormatJson, OneRun, Output, Repetition, Where
from rtstone.errors import UsageError

if TYPE_CHECKING:
    from rtstone.explain.document import Estimate
    from rtstone.model import Run


class BoundForm(StrEnum):
    """Output formats of a bound."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("bound")(bound)


def bound(
    reference: OneRun = "last",
    repetition: Repetition = None,
    form: Annotated[BoundForm, typer.Option("--format", "-f", help="text, json, or html (one page).")] = BoundForm.TEXT,
    as_json: FormatJson = False,
    output: Output = None,
    archive: Where = None,
) -> None:
    """Compute an upper bound of a Linux kernel's scheduling latency, from the waking of a task to the switch to it.

    First measure with `rtstone run -t board:arm64-bound/linux-6.1-rt -m interrupt-response`. The command repeats a session of that
    run under a plugin of the emulator. The plugin records each interrupt, and each section of kernel code in which the scheduler
    cannot run. The session's output must equal the saved output, so use the same builds of rtstone, kernel and emulator.

    The bound is that of de Oliveira et al. (ECRTS 2020), for PREEMPT_RT. It holds if the kernel's longest section of each kind occurred
    in the run. For another kernel the command reports no bound, only the interrupts and the longest section outside the
    scheduler with interrupts off (D_POID).

    Exit codes: 0 reported; 2 usage, or a run that cannot be repeated; 3 archive, compiler or board failed; 4 the repeated session's
    output differs from the saved one, or a sample is above the bound, which is then doubtful.
    """
    import msgspec

    from rtstone.cli._files import require_folder, write_json, write_lines, write_whole
    from rtstone.cli._output import say
    from rtstone.cli.archive import open_configured
    from rtstone.config import load as settings
    from rtstone.explain import scheduling_bound
    from rtstone.explain.text import bound_lines

    require_folder("--output", output)
    kept = open_configured(archive)
    run = kept.load(reference)
    if repetition is not None and repetition < 0:
        raise UsageError(f"--repetition: {repetition} is not a number from 0")

    def print_step(what: str) -> None:
        say(f"{run.target}: {what}")

    made = scheduling_bound(run, kept.raw_logs(run.id), repetition=repetition, on_step=print_step)
    made = msgspec.structs.replace(made, estimates=_estimates(run))
    if form is BoundForm.HTML:
        from rtstone.explain.bounded_page import bounded_page

        theme = settings({"archive": archive}).values.report_theme
        write_whole(bounded_page(made, theme=theme).encode(), output or Path("-"))
    elif form is BoundForm.JSON or as_json:
        write_json(made, output)
    else:
        write_lines(bound_lines(made), output)


def _estimates(run: Run) -> tuple[Estimate, ...]:
    """Estimates of `rtstone fit --tail` for the same run: for each load the rarest one, or why there is none."""
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
