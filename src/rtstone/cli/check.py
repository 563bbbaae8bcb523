# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone check`: judges runs by the bounds and baselines of a file, for continuous integration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._select import HELP
from rtstone.cli.archive import Where, open_configured
from rtstone.errors import RtstoneError, UsageError, unknown

if TYPE_CHECKING:
    from rtstone.judge.check import Checks, Report
    from rtstone.model import Run

STYLES = ("auto", "github", "none")
UNTESTABLE = 125
"""What `git bisect run` takes for a commit that is to be passed over."""
_CODES = {"pass": 0, "exceeded": 1, "regressed": 1, "inconclusive": 4}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("check")(check)


def check(
    file: Annotated[Path, typer.Argument(help="The check file, TOML.", metavar="FILE.toml", show_default=False)],
    runs: Annotated[
        list[str] | None,
        typer.Argument(help=f"{HELP} [default: last]", metavar="RUN..."),
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option("--run", "-r", help="The same, one at a time; repeat it.", metavar="RUN")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", "-m", help="Measure first, as [measure] says, and keep the run.")
    ] = False,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="With --measure: in place of the file's.", metavar="TARGET")
    ] = None,
    allow_missing_load: Annotated[
        bool,
        typer.Option("--allow-missing-load", help="With --measure: measure the rest where a load cannot be started."),
    ] = False,
    firmware: Annotated[
        Path | None,
        typer.Option(
            "--firmware", help="With --measure: your own image, on the board of the target.", metavar="PATH.elf"
        ),
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option("--kernel", help="With --measure: your own Linux, on the board of the target.", metavar="PATH"),
    ] = None,
    bisect: Annotated[
        bool, typer.Option("--bisect", help="With --measure: end with what `git bisect run` takes.")
    ] = False,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML here as well.", metavar="FILE")] = None,
    annotations: Annotated[
        str,
        typer.Option(
            "--annotations", help="auto, github, none; auto: github where GITHUB_ACTIONS is set.", metavar="STYLE"
        ),
    ] = "auto",
    strict: Annotated[bool, typer.Option("--strict", help="A degraded run is inconclusive.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the summary and rows that did not pass.")] = False,
    where: Where = None,
) -> None:
    """Check runs against the bounds and baselines of a file.

    Exit codes: 0 every row passed; 1 a bound is exceeded or a figure regressed; 2 the file or the command is wrong, and nothing
    was measured; 3 the target or the archive failed; 4 inconclusive: incomplete, degraded with --strict, or too little data.

    With --bisect: 0 good; 1 bad; 125 not to be judged: the image is not there, does not boot, hangs, or the rows are inconclusive;
    128 or more: this machine, the file or the command is wrong, and the bisection must stop.
    """
    from rtstone.cli._check import baseline_runs, given_runs, known, measure_for, measured_image
    from rtstone.cli._files import require_folder, write_whole
    from rtstone.cli._imported import read_checks
    from rtstone.cli._session import say
    from rtstone.judge.check import judge, read, require_steady
    from rtstone.show.judged.check import junit as junit_document

    if annotations not in STYLES:
        raise unknown("style of annotations", annotations, STYLES)
    references = [*(runs or ()), *(run or ())]
    if measure and references:
        raise UsageError("--measure measures a run of its own: name no other")
    if target is not None and not measure:
        raise UsageError("--target says what --measure measures; a run that is kept has its own")
    if allow_missing_load and not measure:
        raise UsageError("--allow-missing-load says how --measure measures; a run that is kept was measured")
    for option, given in (("--bisect", bisect), ("--firmware", firmware), ("--kernel", kernel)):
        if given and not measure:
            raise UsageError(f"{option} goes with --measure")
    if kernel is not None and firmware is not None:
        raise UsageError("--kernel and --firmware exclude each other")
    require_folder("--junit", junit)
    if measure:
        checks = read(file, known())
        if bisect:
            require_steady(checks)
    else:
        checks = read_checks(file, known(), lambda: given_runs(references or ["last"], lambda: open_configured(where)))
    judged: list[Run]
    if measure:
        baselines = baseline_runs(checks, lambda: open_configured(where))
        try:
            target = measured_image(checks, target, firmware, kernel)
            judged = [measure_for(checks, target, where, loads_required=not allow_missing_load, quiet=quiet or as_json)]
        except RtstoneError as error:
            if not bisect or not error.of_the_measured:
                raise
            say(f"not to be judged: {error}")
            raise typer.Exit(UNTESTABLE) from None
        if any(row.entry.labels for row in checks.baselines):
            # Which machine it is, is known only now.
            baselines = baseline_runs(checks, lambda: open_configured(where), judged)
    else:
        judged = given_runs(references or ["last"], lambda: open_configured(where))
        baselines = baseline_runs(checks, lambda: open_configured(where), judged)
    report = judge(checks, judged, baselines)
    if junit is not None:
        write_whole(junit_document(report), junit.absolute())
    _print(report, checks, annotations, as_json=as_json, quiet=quiet)
    code = _CODES[report.outcome]
    code = 4 if code == 0 and strict and report.degraded else code
    raise typer.Exit(UNTESTABLE if bisect and code == 4 else code)


def _print(report: Report, checks: Checks, style: str, *, as_json: bool, quiet: bool) -> None:
    from rtstone.cli._output import print_json, print_table, printable
    from rtstone.cli._session import say
    from rtstone.show.judged.check import HEADINGS, RIGHT, cells, workflow_commands

    github = style == "github" or (style == "auto" and os.environ.get("GITHUB_ACTIONS") == "true")
    if as_json:
        print_json(report)
    else:
        rows = [row for row in report.rows if not quiet or row.outcome != "pass"]
        if rows:
            print_table(HEADINGS, [cells(row) for row in rows], right=RIGHT)
        typer.echo(printable(report.summary))
    for line in workflow_commands(report) if github else ():
        typer.echo(printable(line), err=as_json)
    for lack in report.degraded:
        say(f"warning: degraded: {lack}")
