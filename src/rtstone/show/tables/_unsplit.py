# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Samples of `interrupt-split` without stages: their number, and why. No figure from kernel stamps contains them."""

from __future__ import annotations

from collections.abc import Iterable

from rtstone.model import Result
from rtstone.model import units as form
from rtstone.model.units import counted

WORDS = {
    "unsplit_late": "came while the task still ran",
    "unsplit_awake": "woke the task before it had given up the CPU",
    "unsplit_unmatched": "were not reported by the kernel",
    "unsplit_disorder": "had stamps out of order",
}
WHOLE = "interrupt-task-response"
"""The series of all samples, with stages or without."""


def summed_figures(results: Iterable[Result]) -> dict[str, int]:
    """The figures of these results, added up. Names have underscores."""
    figures: dict[str, int] = {}
    for result in results:
        for figure in result.figures:
            key = figure.name.replace("-", "_")
            figures[key] = figures.get(key, 0) + figure.value
    return figures


def left_out(results: Iterable[Result]) -> str:
    """A sentence for a figure of only the stamped samples; empty if all samples were stamped, or none."""
    figures = summed_figures(r for r in results if r.measurement == "interrupt-split" and r.quantity != WHOLE)
    parts = [f"{form.count(figures[key])} {words}" for key, words in WORDS.items() if figures.get(key)]
    if not parts or "samples_split" not in figures:
        return ""
    samples = figures["samples_split"] + sum(figures.get(key, 0) for key in WORDS)
    return (
        f"of {counted(figures['samples_split'], 'sample')}, the same in all rows; of {form.count(samples)} that were taken"
        f" {'; '.join(parts)}: these are in no row, but in the account of where the time goes"
    )
