# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A check's report: rows for people, workflow commands that show them at their lines, and JUnit XML for CI."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from rtstone.judge.check._model import Report, Row
from rtstone.model import Run, short_id
from rtstone.model.text import printable
from rtstone.model.units import VERDICT_DIGITS, duration
from rtstone.model.variant import load_words
from rtstone.show.document import DocumentTable, TextDocument
from rtstone.stats import LARGEST_DETECTABLE

HEADINGS = ("outcome", "quantity", "load", "requirement", "observed", "interval", "samples", "why")
RIGHT = frozenset({4, 6})


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a row of the table, as HEADINGS has them."""
    count = f"{row.samples}" if row.repetitions < 2 else f"{row.samples} in {row.repetitions}"
    return (
        row.outcome,
        row.quantity,
        "own" if row.attached else row.load,
        row.requirement,
        observed(row),
        interval(row),
        count,
        why(row),
    )


def why(row: Row) -> str:
    """The reason for a row's outcome, and its notes."""
    return "; ".join((row.reason, *row.notes))


def reasons(rows: Sequence[Row]) -> tuple[str, ...]:
    """A line for each row that did not pass, with its reason. Rows that passed for the same reason share a line."""
    return tuple(
        dict.fromkeys(
            f"{row.outcome}: {why(row)}"
            if row.outcome == "pass"
            else f"{row.outcome}: {name(row)}, {row.requirement}: {why(row)}"
            for row in rows
        )
    )


def judged_runs(runs: Sequence[Run]) -> str:
    """The judged runs in one line, by short id, label and date (UTC): `judged: 7f3a9c21 (gate) 2026-11-27`."""
    named = (f"{short_id(run.id)}{f' ({run.label})' if run.label else ''} {run.started[:10]}" for run in runs)
    return f"judged: {', '.join(named)}"


def document(report: Report, rows: Sequence[Row], runs: Sequence[Run]) -> TextDocument:
    """These rows of the report, the runs that were judged, and the summary."""
    table = DocumentTable(columns=HEADINGS, rows=tuple(map(cells, rows)), right=RIGHT)
    return TextDocument(
        title=f"rtstone check {report.file}", parts=(*((table,) if rows else ()), judged_runs(runs), report.summary)
    )


def observed(row: Row) -> str:
    """The observed figure with its unit; empty without a figure. A time has enough digits to differ from its bound."""
    if row.observed is None:
        return ""
    said = figure(row.observed, row.unit)
    if row.unit == "ns" and row.limit is not None and row.observed != row.limit:
        for digits in range(VERDICT_DIGITS, _MOST_DIGITS):
            said = duration(row.observed, digits=digits)
            if said != duration(row.limit, digits=digits):
                break
    return said


_MOST_DIGITS = 13


def interval(row: Row) -> str:
    """Both ends of the interval; `?` for an end that the data did not set, or a change that they set more than tenfold too large."""
    if row.low is None and row.high is None:
        return ""
    high = row.high
    if row.unit == "change" and high is not None and 1 + high > (1 + LARGEST_DETECTABLE) * (1 + (row.observed or 0)):
        high = None
    return " … ".join("?" if end is None else figure(end, row.unit) for end in (row.low, high))


def sentence(row: Row) -> str:
    """A row in one line: the requirement, the observed figure, the outcome and its reason."""
    seen = f": {observed(row)}" if row.observed is not None else ""
    between = f" ({interval(row)})" if interval(row) else ""
    return f"{name(row)}: {row.requirement}{seen}{between}: {row.outcome}, {row.reason}"


def name(row: Row) -> str:
    """The target, the quantity and the load of a row."""
    return f"{row.target} {row.quantity}, {_load(row)}"


def _load(row: Row) -> str:
    """The load of a row, as the other screens name it."""
    return "own load" if row.attached else load_words(row.load)


def figure(value: float, unit: str) -> str:
    """A figure in the unit that suits its size."""
    if unit == "change":
        return f"{value:+.1%}"
    if unit == "count":
        return f"{value:.0f}"
    if unit == "share":
        return f"{value:.3g}"
    return duration(value, digits=VERDICT_DIGITS)


def worst_first(report: Report) -> tuple[Row, ...]:
    """The rows, the worst outcome first."""
    order = ("exceeded", "regressed", "inconclusive", "pass")
    return tuple(sorted(report.rows, key=lambda row: order.index(row.outcome)))


_SUMMARY_MOST = 2_000
"""Most characters of the sentence: a pod's termination message has 4096 bytes."""


def one_sentence(report: Report, lacks: Sequence[str] = (), *, strict: bool = False) -> str:
    """The verdict in one line: the number of rows, the worst row, and the lacks of the runs.

    `strict`: with a lack, a pass becomes inconclusive.
    """
    undecided = strict and lacks and report.outcome == "pass"
    parts = [f"{'inconclusive' if undecided else report.outcome}: {report.summary}"]
    if report.outcome != "pass":
        parts.append(sentence(worst_first(report)[0]))
    parts += [f"{'--strict, and ' if undecided else ''}{lack}" for lack in lacks[:3]]
    text = " ".join("; ".join(parts).split())
    return text if len(text) <= _SUMMARY_MOST else f"{text[: _SUMMARY_MOST - 1]}…"


_COMMAND = {"exceeded": "error", "regressed": "error", "inconclusive": "warning"}


def workflow_commands(report: Report) -> Iterator[str]:
    """A line for each row that did not pass, and one with the summary."""
    for row in worst_first(report):
        if row.outcome in _COMMAND:
            title = _property(f"{row.quantity}: {row.requirement}")
            place = f"file={_property(report.file)},line={row.line},title={title}"
            yield f"::{_COMMAND[row.outcome]} {place}::{_message(sentence(row))}"
    yield f"::notice title=rtstone check::{_message(report.summary)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def junit(report: Report) -> bytes:
    """The document, UTF-8."""
    failures = sum(row.outcome in ("exceeded", "regressed") for row in report.rows)
    errors = sum(row.outcome == "inconclusive" for row in report.rows)
    counts = {"tests": str(len(report.rows)), "failures": str(failures), "errors": str(errors)}
    root = ET.Element("testsuites", {"name": "rtstone check", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": printable(report.file), "skipped": "0", **counts})
    properties = ET.SubElement(suite, "properties")
    for run in report.runs:
        ET.SubElement(properties, "property", {"name": "run", "value": printable(run)})
    for row in report.rows:
        load = row.load if row.load != "none" else _load(row)
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "classname": printable(f"{row.target}.{row.quantity}".replace(" ", "_")),
                "name": printable(f"{row.quantity} ({load}): {row.requirement}"),
                "file": printable(report.file),
                "line": str(row.line),
            },
        )
        said = printable(sentence(row))
        if row.outcome in ("exceeded", "regressed"):
            ET.SubElement(case, "failure", {"type": row.outcome, "message": said})
        elif row.outcome == "inconclusive":
            ET.SubElement(case, "error", {"type": row.outcome, "message": said})
        else:
            ET.SubElement(case, "system-out").text = said
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"
