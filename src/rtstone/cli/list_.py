# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone list`: what there is to choose from; measurements and loads are asked of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

SCHEMA = "rtstone.list"
SCHEMA_VERSION = "1.0"

Rows = tuple[tuple[str, ...], list[tuple[str, ...]]]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("list")(list_)


def list_(
    what: Annotated[
        str,
        typer.Argument(help="studies, measurements, quantities, loads, targets, profiles; all of them if left out."),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List studies, measurements, quantities, loads, targets and profiles."""
    from rtstone.cli._output import print_json, print_table
    from rtstone.studies import unknown

    if what and what not in KINDS:
        raise unknown("kind of thing to list", what, KINDS)
    chosen = [what] if what else list(KINDS)
    found = {kind: KINDS[kind]() for kind in chosen}
    if as_json:
        document: dict[str, object] = {"schema": SCHEMA, "version": SCHEMA_VERSION}
        for kind, (headings, rows) in found.items():
            document[kind] = [dict(zip(headings, row, strict=True)) for row in rows]
        print_json(document)
        return
    for position, (kind, (headings, rows)) in enumerate(found.items()):
        if len(found) > 1:
            typer.echo(f"{'' if position == 0 else chr(10)}{kind}")
        print_table(headings, rows)


def _studies() -> Rows:
    from rtstone.studies import studies

    rows: list[tuple[str, ...]] = []
    for study in studies():
        tables = ", ".join(t.number if t.measured else f"({t.number})" for t in study.tables)
        rows.append((study.id, str(study.year), study.report, tables, study.title))
    return ("study", "year", "report", "tables (not yet measured)", "title"), rows


def _measurements() -> Rows:
    from rtstone.cli._choices import engine_list

    rows: list[tuple[str, ...]] = []
    for one in engine_list().measurements:
        remark = one.summary if one.supported else f"* {one.why_not or 'not to be had here'}"
        rows.append((one.name, ", ".join(one.passes), remark))
    return ("measurement", "passes", "what it is (* not to be had here)"), rows


def _quantities() -> Rows:
    from rtstone.cli._choices import engine_list
    from rtstone.studies import needs, studies

    shown: dict[tuple[str, str], list[str]] = {}
    for study in studies():
        for need in needs(study):
            of = shown.setdefault((need.measurement, need.quantity), [])
            if study.id not in of:
                of.append(study.id)
    rows: list[tuple[str, ...]] = []
    for one in engine_list().measurements:
        rows += [(quantity, one.name, ", ".join(shown.get((one.name, quantity), []))) for quantity in one.series]
    return ("quantity", "measurement", "studies"), rows


def _loads() -> Rows:
    from rtstone.cli._choices import engine_list

    rows: list[tuple[str, ...]] = [("none", "nothing but the measurement", "")]
    rows += [(load.name, load.summary, load.unit) for load in engine_list().loads if load.name != "none"]
    return ("load", "what it is", "intensity counts"), rows


def _targets() -> Rows:
    from rtstone.targets import kinds

    return ("target",), [(kind,) for kind in kinds()]


def _profiles() -> Rows:
    from rtstone.studies import profiles

    rows: list[tuple[str, ...]] = []
    for one in profiles().profiles:
        counts = f"{one.samples} samples, {one.sets} sets of {one.operations}" if one.samples else "the study's own"
        rows.append((one.name, one.summary, counts))
    return ("profile", "takes", "asks for at most"), rows


KINDS: dict[str, Callable[[], Rows]] = {
    "studies": _studies,
    "measurements": _measurements,
    "quantities": _quantities,
    "loads": _loads,
    "targets": _targets,
    "profiles": _profiles,
}
