# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone doctor`: what this machine would do to a measurement, and the commands that mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._elsewhere import HELP, looked_at

if TYPE_CHECKING:
    from rtstone.machine.doctor import Finding

SCHEMA = "rtstone.doctor"
SCHEMA_VERSION = "1.0"

_MARKS = {"ok": "ok", "note": "note", "warning": "WARNING", "problem": "PROBLEM"}
_STYLES = {"ok": "green", "note": "cyan", "warning": "yellow", "problem": "bold red"}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


def doctor(
    target: Annotated[str, typer.Option("--target", "-t", help=HELP, metavar="TARGET")] = "local",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 4 if a run here would be degraded.")] = False,
) -> None:
    """Look a machine over: what was found, what it means for a measurement, and the command that mends it.

    Nothing is changed. Levels: ok; note (worth knowing); WARNING (figures get worse or noisier); PROBLEM (a run
    is degraded or impossible).
    """
    from rtstone.machine.doctor import examine

    with looked_at(target) as system:
        findings = examine(system)
    if as_json:
        from rtstone.cli._output import print_json

        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "findings": findings})
    else:
        _print(findings)
    if strict and any(finding.level == "problem" for finding in findings):
        raise typer.Exit(4)


def _print(findings: tuple[Finding, ...]) -> None:
    from rtstone.cli._output import printable, terminal

    console = terminal()
    width = max(len(finding.check) for finding in findings)
    for finding in findings:
        console.print(f"{_MARKS[finding.level]:>7}", style=_STYLES[finding.level], end="  ")
        console.print(f"{finding.check:<{width}}  {printable(finding.found)}", soft_wrap=True)
        for text, style in ((finding.meaning, "default"), (finding.remedy and f"$ {finding.remedy}", "bold")):
            if text:
                console.print(f"{'':{width + 11}}{printable(text)}", style=style, soft_wrap=True)
    counts = {level: sum(finding.level == level for finding in findings) for level in _MARKS}
    console.print(
        f"\n{counts['problem']} problems, {counts['warning']} warnings, {counts['note']} notes, {counts['ok']} ok"
    )
