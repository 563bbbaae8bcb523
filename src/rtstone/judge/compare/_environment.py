# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What changed between the environments of runs: facts that differ, the ones that explain most first."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.judge.compare._model import Difference, Importance
from rtstone.model import Run

ORDER: tuple[Importance, ...] = ("instrument", "machine", "kernel", "settings", "circumstances")

# The beginning of a fact's name -> what it says something of; the longest that fits counts. Of a virtual board the facts named
# host.* are of the machine that emulates, which instruction-time does not see.
_GROUPS: dict[str, Importance] = {
    "tool": "instrument",
    "engine": "instrument",
    "port": "instrument",
    "compiler": "instrument",
    "libc": "instrument",
    "clock": "instrument",
    "timer": "instrument",
    "probe.source": "instrument",
    "unit": "instrument",
    "board.emulator": "instrument",
    "board.flags": "instrument",
    "board.platform": "instrument",
    "board.icount": "instrument",
    "board.instructions_per_second": "instrument",
    "board.ramdisk": "instrument",
    "probe": "instrument",
    "cpu": "machine",
    "board": "machine",
    "board.kernel": "kernel",
    "board.append": "kernel",
    "board.image": "kernel",
    "board.title": "kernel",
    "machine": "machine",
    "memory": "machine",
    "virtualisation": "machine",
    "kernel": "kernel",
    "mitigations": "kernel",
    "os": "kernel",
    "task": "kernel",
    "idle": "kernel",
    "sched": "settings",
    "tunable": "settings",
    "limit": "settings",
    "changed": "settings",
    "degraded": "settings",
    "memory.run_bytes": "instrument",
    "cpu.frequency": "settings",
    "cpu.chosen": "settings",
    "cpu.measured": "circumstances",
    "host": "circumstances",
    "before": "settings",
    "network": "settings",
}

# What is never the same, or follows from what is listed anyway.
_LEFT_OUT = (
    *(
        "board.first_record_ms",
        "board.started_from",
        "board.emulator.cpu_s",
        "board.emulator.said",
        "board.identity",
        "context_switches",
    ),
    *(
        "load.average",
        "interrupts_per_s",
        "engine.memory_bytes",
        "memory.run_bytes",
        "memory.total",
        "machine.memory",
        "python",
    ),
    *("cpu.frequency.khz", "host."),
)
_WORDS = frozenset({"kernel.cmdline", "board.append", "board.flags", "compiler.flags"})


def facts(runs: Sequence[Run]) -> dict[str, str]:
    """All that is known of where and how the runs of a side were made; a value that is not always the same is told in full."""
    told: dict[str, dict[str, None]] = {}
    for run in runs:
        for key, value in _facts(run).items():
            told.setdefault(key, {})[value] = None
    return {key: " / ".join(values) for key, values in told.items()}


def _facts(run: Run) -> dict[str, str]:
    said: dict[str, dict[str, None]] = {}
    for session in run.sessions:
        for key, value in session.env.items():
            said.setdefault(key, {})[value] = None
        said.setdefault("engine", {})[session.engine] = None
        said.setdefault("port", {})[session.port] = None
        for clock in session.clocks:
            said.setdefault(f"clock.{clock.name}", {})[f"{clock.hz:.4g} Hz"] = None  # calibrated anew each time
    for lack in run.degraded:
        said.setdefault("degraded", {})[lack.reason] = None
    found = {key: " / ".join(values) for key, values in said.items()}
    found["tool"] = f"rtstone {run.tool}"
    for key, value in run.host.items():
        if key.startswith("target."):
            found[key.removeprefix("target.")] = value
        else:
            found[key if key.startswith("board.") or run.tells_host else f"host.{key}"] = value
    return found


def differences(sides: Sequence[Sequence[Run]]) -> tuple[Difference, ...]:
    """Facts that are not the same on all sides, by importance and name. What is never the same is left out."""
    return differences_of([facts(runs) for runs in sides])


def differences_of(told: Sequence[dict[str, str]]) -> tuple[Difference, ...]:
    """The same of facts that were gathered already, as :func:`facts` tells them."""
    found = []
    for key in sorted({key for one in told for key in one}):
        values = tuple(one.get(key, "") for one in told)
        if len(set(values)) > 1 and not key.startswith(_LEFT_OUT):
            words = _own_words(values) if key in _WORDS else ()
            found.append(Difference(importance=importance(key), fact=key, values=values, words=words))
    return tuple(sorted(found, key=lambda d: ORDER.index(d.importance)))


def importance(key: str) -> Importance:
    """What a fact says something of, by the beginning of its name."""
    parts = key.split(".")
    for length in range(len(parts), 0, -1):
        group = _GROUPS.get(".".join(parts[:length]))
        if group is not None:
            return group
    return "circumstances"


def _own_words(values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The words of each value that not all values have, in their order."""
    lists = [value.split() for value in values]
    shared = set.intersection(*map(set, lists))
    return tuple(tuple(word for word in words if word not in shared) for words in lists)
