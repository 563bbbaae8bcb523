# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A report as workflow commands, which show each row that did not pass at its line of the check file."""

from __future__ import annotations

from collections.abc import Iterator

from rtstone.judge.check._model import Report
from rtstone.show.judged.rows import sentence, worst_first

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
