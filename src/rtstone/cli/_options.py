# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

Where = Annotated[str | None, typer.Option("--archive", help="Use another archive.", metavar="PATH-or-URL")]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
AsForm = Annotated[
    str, typer.Option("--format", help="text, markdown, html, csv (the tables alone) or latex.", metavar="NAME")
]
FormatJson = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the result and errors.")]
Cpu = Annotated[int | None, typer.Option("--cpu", help="CPU to measure on; -1: the engine chooses.")]
Timer = Annotated[
    str,
    typer.Option(
        "--timer",
        help="Source of the measured interrupt (rtstone list timers). [default: the target's own]",
        metavar="SOURCE",
        show_default=False,
    ),
]
Label = Annotated[str, typer.Option("--label", help="Name of the run.", metavar="TEXT")]
NoArchive = Annotated[bool, typer.Option("--no-archive", help="Do not save the run.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random choices.")]
Theme = Annotated[str | None, typer.Option(help="Colours: auto, light or dark.", metavar="NAME")]
Lease = Annotated[
    str,
    typer.Option(
        help="If a worker is silent for this long, another worker takes over its measurement.", metavar="TIME"
    ),
]
MaxLost = Annotated[
    int,
    typer.Option(
        "--max-lost",
        help="A measurement fails after this many workers were killed, stopped or cut off during it.",
        metavar="N",
        min=1,
    ),
]
OfTarget = Annotated[str | None, typer.Option(help="Only runs of this target.", metavar="NAME")]
OfMachine = Annotated[
    str | None,
    typer.Option(help="Only runs of this machine: its name, or its id or the beginning of it.", metavar="NAME"),
]
OfStudy = Annotated[str | None, typer.Option(help="Only runs with this study.", metavar="ID")]
OfLabel = Annotated[str | None, typer.Option(help="Only runs with this label.", metavar="TEXT")]
Target = Annotated[
    str | None, typer.Option("--target", "-t", help="The machine or board. [default: local]", metavar="TARGET")
]
AllowMissingLoad = Annotated[
    bool,
    typer.Option("--allow-missing-load", help="Skip the measurements of a load that cannot be started."),
]
Prefix = Annotated[str, typer.Option("--prefix", metavar="TEXT", help="Prefix of the records' names.")]
Duration = Annotated[
    str | None, typer.Option("--duration", metavar="TIME", help="How long: 30s, 2h. [default: until Ctrl-C]")
]
JsonAtEnd = Annotated[bool, typer.Option("--json", help="Print one JSON document at the end.")]
OneRun = Annotated[
    str, typer.Argument(help="The run: an id or its beginning, last, last~N, a label, LABEL~N.", metavar="RUN")
]
Repetition = Annotated[
    int | None,
    typer.Option("--repetition", help="Repetition, from 0. [default: that of the largest sample]", metavar="N"),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Lets a command take its options as dataclasses. Each field is an option, in the group of --help that the first
    line of its class's documentation names."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in signature(command).parameters if is_dataclass(hints[name])}
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name in signature(command).parameters
        if name not in groups
    ]
    for group in groups.values():
        of = get_type_hints(group, include_extras=True)
        parameters += [
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=_under(of[one.name], group))
            for one in fields(group)
        ]

    @wraps(command)
    def flat(**given: Any) -> None:
        made = {
            name: group(**{one.name: given.pop(one.name) for one in fields(group)}) for name, group in groups.items()
        }
        command(**given, **made)

    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return flat


def _under(annotation: Any, group: type) -> Any:
    """The annotation of an option that --help lists in a group."""
    kind, option = get_args(annotation)
    option = copy(option)
    option.rich_help_panel = (getdoc(group) or "").splitlines()[0].rstrip(".")
    return Annotated[kind, option]
