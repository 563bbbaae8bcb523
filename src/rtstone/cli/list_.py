# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone list`: the available names; measurements and loads are requested from the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import typer

from rtstone.cli._options import AsJson
from rtstone.errors import unknown

SCHEMA = "rtstone.list"
SCHEMA_VERSION = "1.2"


TIMERS = {
    "nanosleep-pair": "two threads sleep alternately: neither arms a timer that is due before the task has run",
    "nanosleep": "the thread sleeps until a time (clock_nanosleep, as cyclictest does)",
    "timerfd": "the thread reads a timer's file (timerfd)",
    "probe": "the kernel module's handler stamps the interrupt and wakes the thread",
    "tasklet": "as probe, and a tasklet does the rest of the interrupt's work",
    "workqueue": "as probe, and a work queue does the rest of the interrupt's work",
    "software": "the measuring thread raises the module's interrupt itself",
    "software-tasklet": "as software, with a tasklet for the rest",
    "software-workqueue": "as software, with a work queue for the rest",
}
"""Descriptions of the sources of the measured interrupt. The engine lists the existing ones."""


class Listed(NamedTuple):
    """Things of one kind, for people and for programs."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    entries: Sequence[Mapping[str, object]]
    """As JSON has them (spec/schema/list.schema.json)."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("list")(list_)


def list_(
    what: Annotated[
        str,
        typer.Argument(
            help="studies, measurements, quantities, loads, targets, profiles, timers, clocks, windows. [default: all]",
            metavar="WHAT",
        ),
    ] = "",
    target: Annotated[
        str,
        typer.Option(
            "--target",
            "-t",
            help="Machine whose measurements, quantities, loads, timers and clocks are listed: "
            "local, or ssh:[user@]host[:port][?sudo] (?sudo: as root).",
            metavar="TARGET",
        ),
    ] = "local",
    as_json: AsJson = False,
) -> None:
    """List the names that commands take: studies, measurements, quantities, loads, targets, profiles, timers, clocks, memory windows."""
    from rtstone.cli._elsewhere import remote_target
    from rtstone.cli._output import print_json, print_table

    if what and what not in KINDS:
        raise unknown("kind of thing to list", what, KINDS)
    chosen = [what] if what else list(KINDS)
    remote_target(target)
    found = {kind: KINDS[kind](target) for kind in chosen}
    if as_json:
        document: dict[str, object] = {"schema": SCHEMA, "version": SCHEMA_VERSION}
        print_json(document | {kind: listed.entries for kind, listed in found.items()})
        return
    for position, (kind, listed) in enumerate(found.items()):
        if len(found) > 1:
            typer.echo(f"{'' if position == 0 else chr(10)}{kind}")
        print_table(listed.headings, listed.rows)


def _studies(_: str) -> Listed:
    from rtstone.studies import studies

    entries, rows = [], []
    for study in studies():
        tables = [{"number": table.number, "measured": bool(table.measured)} for table in study.tables]
        shown = ", ".join(table.number if table.measured else f"({table.number})" for table in study.tables)
        rows.append((study.id, str(study.year), study.report, shown, study.title))
        entries.append(
            {"study": study.id, "year": study.year, "report": study.report, "tables": tables, "title": study.title}
        )
    return Listed(("study", "year", "report", "tables (not yet measured)", "title"), rows, entries)


def _measurements(target: str) -> Listed:
    from rtstone.cli._engine_lists import list_of

    entries, rows = [], []
    for one in list_of(target).measurements:
        why_not = "" if one.supported else one.why_not or "not available here"
        rows.append((one.name, ", ".join(one.passes), f"* {why_not}" if why_not else one.summary))
        entries.append(
            {
                "measurement": one.name,
                "passes": one.passes,
                "summary": one.summary,
                "supported": one.supported,
                "why_not": why_not,
                "traits": one.traits or (),
                "paced_by": one.pace,
                "whole": one.whole,
                "of": one.of or one.name,
                "choice": one.choice,
            }
        )
    return Listed(("measurement", "passes", "description (* not available here)"), rows, entries)


def _quantities(target: str) -> Listed:
    from rtstone.cli._engine_lists import list_of
    from rtstone.studies import needs, studies

    shown: dict[tuple[str, str], list[str]] = {}
    for study in studies():
        for need in needs(study):
            of = shown.setdefault((need.measurement, need.quantity), [])
            if study.id not in of:
                of.append(study.id)
    entries, rows = [], []
    for one in list_of(target).measurements:
        for quantity in one.series:
            of = shown.get((one.name, quantity), [])
            rows.append((quantity, one.name, ", ".join(of)))
            entries.append({"quantity": quantity, "measurement": one.name, "studies": of})
    return Listed(("quantity", "measurement", "studies"), rows, entries)


def _loads(target: str) -> Listed:
    from rtstone.cli._engine_lists import list_of

    rows = [("none", "nothing but the measurement", "")]
    rows += [(load.name, load.summary, load.unit) for load in list_of(target).loads if load.name != "none"]
    entries = [{"load": name, "summary": summary, "unit": unit} for name, summary, unit in rows]
    return Listed(("load", "description", "unit of intensity"), rows, entries)


def _targets(_: str) -> Listed:
    from rtstone.targets import forms

    rows = forms()
    entries = [{"target": kind, "written": form, "summary": summary} for kind, form, summary in rows]
    return Listed(("target", "form", "description"), rows, entries)


def _timers(target: str) -> Listed:
    from rtstone.cli._choices import NET
    from rtstone.cli._engine_lists import from_outside, list_of

    listed = list_of(target)
    rows = [
        ("default", "the port's default"),
        *((name, TIMERS.get(name, "")) for name in listed.timers),
    ]
    if from_outside(listed):
        rows += [
            (f"{NET}127.0.0.1", "datagrams of `rtstone stimulus` to this address of the machine"),
            (
                "gpio:/dev/gpiochip0/17+27",
                "rising edges of a line of a GPIO chip; the second line, if you name one, is the answer",
            ),
            (
                "uio:/dev/uio0+0/64:1",
                "interrupts of a UIO device; from the + on, if you name it: the register that acknowledges (region/offset:value)",
            ),
            ("pps:/dev/pps0", "a source of pulses (PPS), for example a modem signal of a serial line"),
        ]
    return Listed(("timer", "description"), rows, [{"timer": name, "summary": summary} for name, summary in rows])


def _clocks(target: str) -> Listed:
    from rtstone.cli._engine_lists import list_of

    rows = [(clock.name, clock.summary) for clock in list_of(target).clocks or ()]
    return Listed(("clock", "description"), rows, [{"clock": name, "summary": summary} for name, summary in rows])


def _windows(_: str) -> Listed:
    from rtstone.cli._choices import WINDOWS

    rows = [(form, way.summary) for form, way in WINDOWS.items()]
    return Listed(("window", "description"), rows, [{"window": form, "summary": summary} for form, summary in rows])


def _profiles(_: str) -> Listed:
    from rtstone.studies import profiles

    entries, rows = [], []
    for one in profiles().profiles:
        counts = f"{one.samples} samples, {one.sets} sets of {one.operations}" if one.samples else "the study's own"
        rows.append((one.name, one.summary, counts))
        entries.append(
            {
                "profile": one.name,
                "takes": one.summary,
                "samples": one.samples or None,
                "sets": one.sets or None,
                "operations": one.operations or None,
            }
        )
    return Listed(("profile", "takes", "measures at most"), rows, entries)


KINDS: dict[str, Callable[[str], Listed]] = {
    "studies": _studies,
    "measurements": _measurements,
    "quantities": _quantities,
    "loads": _loads,
    "targets": _targets,
    "profiles": _profiles,
    "timers": _timers,
    "clocks": _clocks,
    "windows": _windows,
}
