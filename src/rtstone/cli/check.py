# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone check`: judges runs by the bounds and baselines of a file, for continuous integration."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsForm, AsJson, Where
from rtstone.cli._select import HELP
from rtstone.cli.archive import open_configured
from rtstone.errors import InfrastructureError, RtstoneError, UsageError, command, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rtstone.archive import RunStore
    from rtstone.judge.check import Report
    from rtstone.model import Run
    from rtstone.show.document import Form

STYLES = ("auto", "github", "none")
UNTESTABLE = 125
"""Exit code with which `git bisect run` skips a commit."""
_INTERRUPTED = 130
_CODES = {"pass": 0, "exceeded": 1, "regressed": 1, "inconclusive": 4}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("check")(check)


def check(
    file: Annotated[
        Path,
        typer.Argument(
            help="The bounds and baselines (docs/how-to/gate-in-ci.md).", metavar="FILE.toml", show_default=False
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(help=f"{HELP} [default: last]", metavar="RUN..."),
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option("--run", help="The same as the argument RUN; repeat it.", metavar="RUN")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure first, by the section [measure] of the file, and save the run.")
    ] = False,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", help="With --measure: the machine or board, instead of the file's.", metavar="TARGET"
        ),
    ] = None,
    allow_missing_load: Annotated[
        bool,
        typer.Option(
            "--allow-missing-load",
            help="With --measure: skip the measurements of a load that cannot be started.",
        ),
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
        bool, typer.Option("--bisect", help="With --measure: end with the exit codes of `git bisect run`.")
    ] = False,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML here as well.", metavar="FILE")] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            help="Write the verdict here as well, in one sentence. In a Kubernetes pod: /dev/termination-log.",
            metavar="FILE",
        ),
    ] = None,
    annotations: Annotated[
        str,
        typer.Option(
            "--annotations",
            help="Annotate rows that did not pass, in a CI job: github, none, or auto (github if GITHUB_ACTIONS is true).",
            metavar="STYLE",
        ),
    ] = "auto",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="A run is inconclusive if it is degraded (a privilege was missing, for example), "
            "or if a CPU quota (cgroup cpu.max) throttled it.",
        ),
    ] = False,
    form: AsForm = "text",
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the summary and rows that did not pass.")] = False,
    where: Where = None,
) -> None:
    """Check runs against the bounds and baselines of a file.

    Exit codes: 0 every row passed; 1 a bound is exceeded or a figure regressed; 2 the file or the command is wrong;
    3 the target or the archive failed; 4 inconclusive: incomplete, too little data, or with --strict degraded or
    throttled by a CPU quota.

    With --bisect the exit codes are: 0 good; 1 bad; 125 the image is missing, does not boot, hangs or is inconclusive; 128 or more:
    this machine, the file or the command is wrong, and git stops the bisection.
    """
    from rtstone.cli._check import baseline_runs, given_runs, known, measure_for, measured_image, read_checks
    from rtstone.cli._files import require_folder, write_whole
    from rtstone.cli._output import say
    from rtstone.cli._tables import known_form
    from rtstone.judge.check import judge, read, require_steady
    from rtstone.model.quota import throttling
    from rtstone.show.judged.check import junit as junit_document
    from rtstone.show.judged.check import one_sentence

    with _summarized(summary) as tell:
        wanted = known_form(form)
        if annotations not in STYLES:
            raise unknown("style of annotations", annotations, STYLES)
        references = [*(runs or ()), *(run or ())]
        if measure and references:
            raise UsageError("--measure measures a run of its own: name no other")
        if target is not None and not measure:
            raise UsageError("--target belongs to --measure; a saved run has its own target")
        if allow_missing_load and not measure:
            raise UsageError("--allow-missing-load belongs to --measure; a saved run is already measured")
        for option, given in (("--bisect", bisect), ("--firmware", firmware), ("--kernel", kernel)):
            if given and not measure:
                raise UsageError(f"{option} needs --measure")
        if kernel is not None and firmware is not None:
            raise UsageError("--kernel and --firmware exclude each other")
        require_folder("--junit", junit)
        if measure:
            checks = read(file, known())
            if bisect:
                require_steady(checks)
        else:
            checks = read_checks(file, lambda: given_runs(references or ["last"], lambda: open_configured(where)))
        judged: list[Run]
        if measure:
            baselines = baseline_runs(checks, lambda: open_configured(where))
            try:
                target = measured_image(checks, target, firmware, kernel)
                judged = [
                    measure_for(checks, target, where, loads_required=not allow_missing_load, quiet=quiet or as_json)
                ]
            except RtstoneError as error:
                if not bisect or not error.of_the_measured:
                    raise
                say(f"cannot be judged: {error}")
                tell(f"cannot be judged: {error}")
                raise typer.Exit(UNTESTABLE) from None
            if any(row.entry.labels for row in checks.baselines):
                # The machine is known only now.
                baselines = baseline_runs(checks, lambda: open_configured(where), judged)
        else:
            judged = given_runs(references or ["last"], lambda: open_configured(where))
            intended = checks.file.measure.target if checks.file.measure is not None else ""
            if not references and intended not in {"", judged[0].target}:
                say(
                    f"warning: the last run is of {judged[0].target}, and {file} measures {intended}:"
                    f" `{command(f'check {shlex.quote(str(file))} {shlex.quote(intended)}')}` judges that target's last run"
                )
            baselines = baseline_runs(checks, lambda: open_configured(where), judged)
        report = judge(checks, judged, *baselines)
        _print(report, judged, annotations, wanted, as_json=as_json, quiet=quiet)
        stopped = dict.fromkeys(found.text for one in judged if (found := throttling(one.sessions)) is not None)
        for text in stopped:
            say(f"warning: {text}")
        code = _CODES[report.outcome]
        lacks = [*(f"degraded: {lack}" for lack in report.degraded), *stopped]
        if code == 0 and strict and lacks:
            code = 4
            say(f"inconclusive: --strict, and {'; '.join(lacks)}")
        if measure or any(not Path(one).is_file() for one in references or ["last"]):
            undecided = lacks if code == 4 and report.outcome == "pass" else ()
            _record(report, undecided, lambda: open_configured(where))
        if junit is not None:
            try:
                write_whole(junit_document(report), junit.absolute())
            except InfrastructureError as error:
                if not code:
                    raise
                say(str(error))  # an unwritable file does not change the verdict
        code = UNTESTABLE if bisect and code == 4 else code
        tell(one_sentence(report, lacks, strict=strict), final=bool(code))
        raise typer.Exit(code)


class _Summary:
    """Writes the sentence of `--summary` into the existing file:
    in a pod the file is a mount, which cannot be replaced."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._failed = False

    def __call__(self, text: str, *, final: bool = True) -> None:
        """Write the sentence. Where that fails, print a warning if the exit code is `final`, else raise InfrastructureError."""
        from rtstone.cli._output import say

        if self._file is None or self._failed:
            return
        try:
            self._file.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            self._failed = True
            failed = InfrastructureError(f"{self._file} cannot be written: {error.strerror}")
            if not final:
                raise failed from None
            say(str(failed))  # an unwritable file does not change the verdict


@contextmanager
def _summarized(file: Path | None) -> Iterator[_Summary]:
    """Provides the writer of the sentence.
    It also writes a failure or an interruption that ends the command, whose exit code stays."""
    tell = _Summary(file)
    try:
        yield tell
    except RtstoneError as error:
        tell(f"failed: {error}")
        raise
    except KeyboardInterrupt:
        tell("interrupted")
        raise
    except typer.Exit as ended:
        if ended.exit_code == _INTERRUPTED:
            tell("interrupted: the measurement was not completed, and is not judged")
        raise


_ROWS_MOST = 20
"""Most rows that the archive has of a check: the home page of `serve` reads those of many runs."""


def _record(report: Report, lacks: Sequence[str], archive: Callable[[], RunStore]) -> None:
    """Record the verdict with the runs in the archive, where `rtstone serve` shows it, with the rows that did not pass.
    An unwritable archive gets no verdict. `lacks`: with --strict, why the runs that passed are inconclusive."""
    from datetime import UTC, datetime

    from rtstone.archive import GateRow, GateVerdict
    from rtstone.cli._output import say
    from rtstone.show.judged.check import HEADINGS, cells, worst_first

    rows = [row for row in worst_first(report) if row.outcome != "pass"]
    verdict = GateVerdict(
        outcome="inconclusive" if lacks else report.outcome,
        file=Path(report.file).name,
        at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        summary="; ".join(
            (report.summary.removeprefix(f"{report.file}: "), *(f"--strict, and {lack}" for lack in lacks))
        ),
        rows=tuple(GateRow(**dict(zip(HEADINGS, cells(row), strict=True))) for row in rows[:_ROWS_MOST]),
        unshown=max(0, len(rows) - _ROWS_MOST),
    )
    try:
        archive().record_gate(report.runs, verdict)
    except RtstoneError as error:
        say(f"the verdict is not recorded: {error}")


def _print(report: Report, runs: Sequence[Run], style: str, form: Form, *, as_json: bool, quiet: bool) -> None:
    from rtstone.cli._output import print_folded, print_json, print_table, say
    from rtstone.cli._tables import print_rendered
    from rtstone.model.text import printable
    from rtstone.show.judged.check import HEADINGS, RIGHT, cells, document, judged_runs, reasons, workflow_commands

    github = style == "github" or (style == "auto" and os.environ.get("GITHUB_ACTIONS") == "true")
    if as_json:
        print_json(report)
    else:
        rows = [row for row in report.rows if not quiet or row.outcome != "pass"]

        def drawn() -> None:
            if rows:
                # A terminal is too narrow for a column of reasons.
                print_table(HEADINGS[:-1], [cells(row)[:-1] for row in rows], right=RIGHT)
                for line in reasons(rows):
                    print_folded(line)
            print_folded(judged_runs(runs))
            typer.echo(printable(report.summary))

        print_rendered(document(report, rows, runs), form, drawn)
    for line in workflow_commands(report) if github else ():
        typer.echo(printable(line), err=as_json)
    for lack in report.degraded:
        say(f"warning: degraded: {lack}")
