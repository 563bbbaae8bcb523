# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An experiment's result for people, and the file of settings to apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rtstone.model.units import counted, duration
from rtstone.show.document import DocumentTable, TextDocument
from rtstone.tune.judge import Change, Report, Setting

HEADINGS = ("setting", "low", "high", "p50", "p99.9", "max", "keep")


def rows(report: Report) -> Iterator[tuple[str, ...]]:
    """The rows of the table, in the columns of HEADINGS. A shown change is marked with `*`."""
    for one in report.settings:
        kept = {"low": one.low or "(none)", "high": one.high or "(none)"}.get(one.keep, one.keep)
        yield (one.name, one.low or "(none)", one.high or "(none)", *map(change, one.changes), kept)


def document(report: Report) -> TextDocument:
    """Return the table and the sentences under it."""
    return TextDocument(
        title="rtstone tune", parts=(DocumentTable(columns=HEADINGS, rows=tuple(rows(report))), *sentences(report))
    )


def change(one: Change) -> str:
    """A change with its interval, in percent."""
    high = "no limit" if one.high is None else percent(one.high)
    text = f"{percent(one.change)} ({percent(one.low)} … {high})"
    return f"{text} *" if one.shown else text


def percent(share: float) -> str:
    """A change as a signed percentage."""
    value = 100 * share
    return f"{value:+.0f} %" if abs(value) >= 100 else f"{value:+.1f} %"


def sentences(report: Report) -> Iterator[str]:
    """The sentences under the table."""
    typical = ", ".join(f"{figure} {duration(ns)}" for figure, ns in report.typical_ns.items())
    yield (
        f"{report.quantity} of {report.target}, load {report.load}: {typical} (geometric means of {report.rounds * report.rows} sessions: "
        f"{report.rounds} rounds of {report.rows})"
    )
    if report.rounds_dropped:
        yield f"left out: {counted(report.rounds_dropped, 'round')}, of which a session is missing or doubtful"
    shown = [one.name for one in report.settings if one.keep != "no effect shown"]
    yield (
        f"* shown; the chance that even one of all {report.tests} tests is shown wrongly is at most {100 * report.alpha:.0f} %. "
        "Intervals are 95 %, of one change by itself."
    )
    chance = sum(
        not item.shown and item.high is not None and not item.low <= 0 <= item.high
        for one in report.settings
        for item in one.changes
    )
    if chance:
        yield (
            f"{counted(chance, 'interval')} without 0, and not shown: one in twenty intervals of no effect is so by chance. "
            f"With {report.tests} tests a change needs more evidence: more rounds."
        )
    if not shown:
        yield "No setting is shown to do anything."
    for one in report.interactions:
        pairs = [f"{a} with {b}" for a, b in one.pairs]
        which = next(item for item in one.changes if item.shown)
        said = f"interaction, {which.figure} {change(which)}: {pairs[0]}"
        if len(pairs) > 1:
            said = f"interaction, {which.figure} {change(which)}: one or more of {', '.join(pairs)}; this design cannot tell them apart"
            if one.likely:
                said += f". Likely: {', '.join(f'{a} with {b}' for a, b in one.likely)}, since both have effects of their own"
        yield said
    yield from report.notes


def keep_file(report: Report, places: Callable[[str], Sequence[str]]) -> str:
    """The settings to apply, as a file of tmpfiles.d(5), which systemd applies at each boot.

    `places`: returns the files of a setting.
    """
    if all(one.keep == "no effect shown" for one in report.settings):
        return f"# rtstone tune found no setting that changes {report.quantity} under load {report.load} on {report.target}.\n"
    made = [
        f"# Settings that rtstone tune shows to help {report.quantity} under load {report.load} on {report.target}.",
        "# Put it into /etc/tmpfiles.d/ with a name that ends in .conf, or apply it now: systemd-tmpfiles --create /PATH/TO/FILE",
    ]
    for one in report.settings:
        if one.keep == "no effect shown":
            continue
        said = ", ".join(f"{item.figure} {percent(item.change)}" for item in one.changes if item.shown)
        made += ["", f"# {one.name}: {one.low or '(none)'} -> {one.high or '(none)'}: {said}"]
        made += _kept(one, places)
    return "\n".join([*made, ""])


def _kept(one: Setting, places: Callable[[str], Sequence[str]]) -> Iterator[str]:
    if one.keep == "a trade":
        yield "# Some figures get better and others worse: left out. The choice is yours."
        return
    value = one.high if one.keep == "high" else one.low
    if one.kind == "words":
        yield f"# for the kernel's command line: {value or '(no words)'}"
    elif one.kind == "targets":
        yield f"# the kernel: {value}"
    else:
        for place in places(one.name):
            if place.startswith("/"):
                yield f"w {place} - - - - {value}"
            else:
                yield f"# {place} = {value}: not a file; see chrt(1)"
