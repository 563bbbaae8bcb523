# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints findings about a machine: the finding, its meaning, and its remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.cli._output import terminal
from rtstone.model.text import printable
from rtstone.model.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.machine.doctor import Finding

_MARKS = {"ok": "ok", "note": "note", "warning": "WARNING", "problem": "PROBLEM"}
_STYLES = {"ok": "green", "note": "cyan", "warning": "yellow", "problem": "bold red"}


def print_findings(findings: Sequence[Finding]) -> None:
    """Print each finding, and at the end the number of findings of each level."""
    console = terminal()
    width = max((len(finding.check) for finding in findings), default=0)
    for finding in findings:
        console.print(f"{_MARKS[finding.level]:>7}", style=_STYLES[finding.level], end="  ")
        console.print(f"{finding.check:<{width}}  {printable(finding.found)}", soft_wrap=True)
        for text, style in ((finding.meaning, "default"), (finding.remedy and f"$ {finding.remedy}", "bold")):
            if text:
                console.print(f"{'':{width + 11}}{printable(text)}", style=style, soft_wrap=True)
    counts = {level: sum(finding.level == level for finding in findings) for level in _MARKS}
    console.print(
        "\n"
        + ", ".join(counted(counts[level], level) for level in ("problem", "warning", "note"))
        + f", {counts['ok']} ok"
    )
