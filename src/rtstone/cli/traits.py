# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone traits`: the papers' qualitative comparison as a table, with a column for this machine."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._elsewhere import HELP, looked_at
from rtstone.cli._options import FormatJson
from rtstone.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.machine.traits import Platform, Seen, Trait

SCHEMA = "rtstone.traits"
SCHEMA_VERSION = "1.0"
HERE = "this machine"
FORMATS = ("table", "csv", "json")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("traits")(traits)


def traits(
    study: Annotated[
        list[str] | None,
        typer.Option(
            "--study", "-s", help="Only platforms of these papers; repeat it, or separate with commas.", metavar="ID"
        ),
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option("--platform", help="Only platforms whose name contains this; repeat it, or separate with commas."),
    ] = None,
    target: Annotated[str, typer.Option("--target", "-t", help=HELP, metavar="TARGET")] = "local",
    output: Annotated[str, typer.Option("--format", help=f"{', '.join(FORMATS)}.", metavar="NAME")] = "table",
    as_json: FormatJson = False,
    means: Annotated[bool, typer.Option("--means", help="Print how each trait of the machine was found.")] = False,
) -> None:
    """Compare properties of platforms that no clock can measure: licence, POSIX options, priorities, protection, tools.

    A paper's platforms are listed as the paper describes them; – means that the paper does not say. The machine's
    column is not stored: the command inspects the machine each time.
    """
    from rtstone.machine.traits import probe, published

    all_traits, all_platforms = published()
    chosen = _chosen(all_platforms, _words(study), _words(platform))
    with looked_at(target) as system:
        seen = probe(system=system)
    if as_json or output == "json":
        _print_json(all_traits, chosen, seen)
    elif output == "csv":
        _print_csv(all_traits, chosen, seen, HERE if target == "local" else target)
    elif output == "table":
        _print_tables(all_traits, chosen, seen, HERE if target == "local" else target, means=means)
    else:
        raise unknown("format", output, FORMATS)


def _words(given: Sequence[str] | None) -> list[str]:
    return [word for text in given or () for word in text.split(",") if word]


def _chosen(platforms: Sequence[Platform], studies: Sequence[str], names: Sequence[str]) -> list[Platform]:
    known = list(dict.fromkeys(platform.study for platform in platforms))
    for study in studies:
        if study not in known:
            raise unknown("study with platforms' traits", study, known)
    found = [p for p in platforms if not studies or p.study in studies]
    for name in names:
        if not any(name.lower() in p.name.lower() for p in found):
            raise unknown("platform", name, dict.fromkeys(p.name for p in found))
    return [p for p in found if not names or any(name.lower() in p.name.lower() for name in names)]


def _print_tables(
    traits: Sequence[Trait], platforms: Sequence[Platform], seen: dict[str, Seen], here: str, *, means: bool
) -> None:
    from rtstone.cli._output import print_table, terminal
    from rtstone.studies.reference import papers

    for paper in papers():
        columns = [platform for platform in platforms if platform.study == paper.study]
        if not columns:
            continue
        terminal().print(f"{paper.authors} {paper.year}, {paper.identifier}", style="bold", soft_wrap=True)
        rows = [[trait.title, *(p.traits.get(trait.id, "–") for p in columns)] for trait in traits]
        print_table(["", *(p.name for p in columns)], [row for row in rows if any(cell != "–" for cell in row[1:])])
        typer.echo("")
    terminal().print(f"{here[0].upper()}{here[1:]}, as found just now", style="bold", soft_wrap=True)
    rows = [
        [trait.title, seen[trait.id].value if trait.id in seen else "–"]
        + ([seen[trait.id].means if trait.id in seen else "cannot be seen"] if means else [])
        for trait in traits
    ]
    print_table(["", here, *(["seen by"] if means else [])], rows)


def _print_csv(traits: Sequence[Trait], platforms: Sequence[Platform], seen: dict[str, Seen], here: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["study", "platform", "trait", "value", "means"])
    for platform in platforms:
        for trait in traits:
            if trait.id in platform.traits:
                writer.writerow(
                    [platform.study, platform.name, trait.id, platform.traits[trait.id], "as the paper says"]
                )
    for trait in traits:
        if trait.id in seen:
            writer.writerow(["", here, trait.id, seen[trait.id].value, seen[trait.id].means])
    typer.echo(text.getvalue().encode("utf-8"), nl=False)


def _print_json(traits: Sequence[Trait], platforms: Sequence[Platform], seen: dict[str, Seen]) -> None:
    from rtstone.cli._output import print_json

    print_json(
        {"schema": SCHEMA, "version": SCHEMA_VERSION, "traits": traits, "platforms": platforms, "this_machine": seen}
    )
