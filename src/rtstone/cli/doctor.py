# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone doctor`: this machine's disturbances of a measurement, and the commands that fix them."""

from __future__ import annotations

from typing import Annotated

import typer

from rtstone.cli._elsewhere import HELP, looked_at
from rtstone.cli._options import AsJson

SCHEMA = "rtstone.doctor"
SCHEMA_VERSION = "1.0"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


def doctor(
    target: Annotated[str, typer.Option("--target", "-t", help=HELP, metavar="TARGET")] = "local",
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 4 if a finding is a PROBLEM.")] = False,
) -> None:
    """Check a machine: the settings that disturb a measurement, and the command that fixes each.

    Nothing is changed. Levels: ok; note (worth knowing); WARNING (figures get worse or noisier); PROBLEM (a run
    is impossible, or degraded: the machine cannot provide something, such as a privilege).
    """
    from rtstone.machine.doctor import examine

    with looked_at(target) as system:
        findings = examine(system)
    if as_json:
        from rtstone.cli._output import print_json

        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "findings": findings})
    else:
        from rtstone.cli._findings import print_findings

        print_findings(findings)
    if strict and any(finding.level == "problem" for finding in findings):
        raise typer.Exit(4)
