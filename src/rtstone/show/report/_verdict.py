# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The line at the top of a report: how reliable its runs are, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from rtstone.model import Run
from rtstone.model import verdict as judged
from rtstone.model.labels import unit_of_time
from rtstone.model.units import count, counted

_WORDS: dict[judged.Level, str] = {
    "complete": "Complete.",
    "doubtful": "Complete, but doubtful.",
    "incomplete": "Incomplete.",
}


class WorstVerdict(msgspec.Struct, frozen=True):
    """The worst verdict on any of the runs."""

    level: judged.Level
    word: str
    line: str
    reasons: tuple[str, ...]


def verdict(runs: Sequence[Run], labels: Sequence[str]) -> WorstVerdict:
    """Combine the verdicts on the runs. Bounds and comparisons are judged elsewhere."""
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
    level = max((judged.verdict(run).level for run in runs), key=judged.LEVELS.index)
    reasons: dict[str, None] = {}
    for run, label in zip(runs, labels, strict=True):
        before = f"{label}: " if len(runs) > 1 else ""
        if run.error:
            reasons[f"{before}the run failed: {run.error}"] = None
        if run.status != "complete":
            reasons[f"{before}the run is {run.status}"] = None
        for session in run.sessions:
            if not session.complete:
                problems = session.problems or ("the session ended early",)
                more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
                reasons[f"{before}{'; '.join(problems[:3])}{more}"] = None
        for lack in run.degraded:
            remedy = f" Remedy: {lack.remedy}" if lack.remedy else ""
            reasons[f"{before}{lack.text}{'' if lack.text.endswith('.') else '.'}{remedy}"] = None
        for warning in run.warnings:
            reasons[f"{before}{warning}"] = None
    for state, meaning in (("invalid", "measured, but doubtful"), ("failed", "broke in mid-run")):
        if states[state]:
            reasons[f"{counted(states[state], 'result')} {state}: {meaning}"] = None
    if states["incomplete"]:
        reasons[f"{counted(states['incomplete'], 'result')} cut short by a loss"] = None
    if lost:
        reasons[f"{counted(lost, 'sample')} dropped by the target"] = None
    rest = "." if lost else "; nothing lost on the way."
    if level == "incomplete":
        rest = ". Shown, but neither a pass nor a baseline."
    return WorstVerdict(level, _WORDS[level], line + rest, tuple(reasons))
