# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The one verdict on a run: how reliable its figures are, and why.
Terminal, report, archive and served pages all show this one."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

import msgspec

from rtstone.model.idle import OTHERS, OTHERS_MOST, STEAL, STEAL_MOST
from rtstone.model.quota import throttling
from rtstone.model.run import Run
from rtstone.model.units import counted

Level: TypeAlias = Literal["complete", "doubtful", "incomplete"]
LEVELS: tuple[Level, ...] = ("complete", "doubtful", "incomplete")
"""Levels from the best to the worst."""


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on one run."""

    level: Level
    """`doubtful`: every result is there, and the user can change what the doubts name. `incomplete`: a result is missing or wrong."""
    doubts: tuple[str, ...]
    """The doubts, the gravest first; empty only where the level is `complete`."""


def verdict(run: Run) -> Verdict:
    """Judge a run by its own record. Bounds and comparisons are judged elsewhere."""
    losses = tuple(dict.fromkeys(_losses(run)))
    doubts = tuple(dict.fromkeys((*losses, *_disturbances(run))))
    return Verdict("incomplete" if losses else "doubtful" if doubts else "complete", doubts)


def _losses(run: Run) -> list[str]:
    """Missing and wrong results."""
    found = []
    if run.error:
        found.append(f"the run failed: {run.error}")
    elif run.status != "complete":
        found.append(f"the run is {run.status}")
    elif broken := [session for session in run.sessions if not session.complete]:
        problem = next((text for session in broken for text in session.problems), "it ended early")
        found.append(f"{counted(len(broken), 'session')} incomplete: {problem}")
    states = Counter(result.status for result in run.results())
    found += [
        f"{counted(states[state], 'result')} {state}" for state in ("invalid", "failed", "incomplete") if states[state]
    ]
    if not states["ok"]:
        found.append("nothing measured")
    return found


def _disturbances(run: Run) -> list[str]:
    """Disturbances, and privileges or services that the run lacked."""
    lacks = ", ".join(dict.fromkeys(lack.reason for lack in run.degraded))
    found = [f"degraded, something was missing: {lacks}"] if lacks else []
    if dropped := sum(result.dropped for result in run.results()):
        found.append(f"{counted(dropped, 'sample')} dropped by the target")
    if (stopped := throttling(run.sessions)) is not None:
        found.append(stopped.text)
    if run.time == "time":
        steal, others = _percent(run, STEAL), _percent(run, OTHERS)
        if steal > STEAL_MOST:
            found.append(f"steal time {steal:g} %")
        idle = not run.attached and any(result.variant.load == "none" for result in run.results())
        if idle and others > OTHERS_MOST:
            found.append(f"not idle: {others:g} % used by others")
    return found


def _percent(run: Run, key: str) -> float:
    try:
        return float(run.host.get(key, "0"))
    except ValueError:
        return 0.0
