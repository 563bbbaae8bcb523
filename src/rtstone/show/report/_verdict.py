# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The line at the top of a report: how far its runs can be relied on, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from rtstone.model import Run
from rtstone.model.labels import unit_of_time
from rtstone.model.units import counted
from rtstone.show.report._numbers import count


class Verdict(msgspec.Struct, frozen=True):
    """The worst that any run gives reason for."""

    level: Literal["complete", "degraded", "incomplete"]
    word: str
    line: str
    reasons: tuple[str, ...]


def verdict(runs: Sequence[Run], labels: Sequence[str]) -> Verdict:
    """Judge the runs by their own account; bounds and comparisons are not its business."""
    results = [result for run in runs for result in run.results()]
    states: Counter[str] = Counter(result.status for result in results)
    samples = sum(result.count for result in results)
    lost = sum(result.dropped for result in results)
    line = f"{count(states['ok'])} of {counted(len(results), 'result')} measured, {counted(samples, 'sample')}"
    if states["skipped"]:
        line += f"; {count(states['skipped'])} skipped because the target does not offer them"
    units = dict.fromkeys(filter(None, (unit_of_time(run) for run in runs)))
    if units:
        line += f"; in {' and '.join(units)}"
    reasons: dict[str, None] = {}
    incomplete = degraded = False
    for run, label in zip(runs, labels, strict=True):
        before = f"{label}: " if len(runs) > 1 else ""
        if run.error:
            incomplete = True
            reasons[f"{before}the run failed: {run.error}"] = None
        if run.status != "complete":
            incomplete = True
            reasons[f"{before}the run is {run.status}"] = None
        for session in run.sessions:
            if not session.complete:
                incomplete = True
                problems = session.problems or ("the session ended early",)
                more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
                reasons[f"{before}{'; '.join(problems[:3])}{more}"] = None
        for lack in run.degraded:
            degraded = True
            remedy = f" Remedy: {lack.remedy}" if lack.remedy else ""
            reasons[f"{before}{lack.text}{'' if lack.text.endswith('.') else '.'}{remedy}"] = None
        for warning in run.warnings:
            reasons[f"{before}{warning}"] = None
    for state, meaning in (("invalid", "measured, but not to be believed"), ("failed", "broke in mid-run")):
        if states[state]:
            incomplete = True
            reasons[f"{counted(states[state], 'result')} {state}: {meaning}"] = None
    if states["incomplete"]:
        incomplete = True
        reasons[f"{counted(states['incomplete'], 'result')} cut short by a loss"] = None
    if lost:
        degraded = True
        reasons[f"{counted(lost, 'sample')} dropped by the target"] = None
    if incomplete or not results:
        return Verdict(
            "incomplete", "Incomplete.", f"{line}. Shown, but neither a pass nor a baseline.", tuple(reasons)
        )
    if degraded:
        return Verdict("degraded", "Complete, but degraded.", f"{line}; nothing lost on the way.", tuple(reasons))
    return Verdict("complete", "Complete.", f"{line}; nothing lost on the way.", tuple(reasons))
