# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes of late samples that tests plant, and how much of a sample each filled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rtstone.archive import RunStore
from rtstone.explain import _cpu
from rtstone.machine.groups import ControlGroup
from rtstone.stream import framing

Spans = list[tuple[int, int]]
"""Begins and ends in ns of CLOCK_MONOTONIC."""

_BURNER = """
import json, os, random, select, sys, time
cpu, priority, on, off = (float(word) for word in sys.argv[1:5])
os.sched_setaffinity(0, {int(cpu)})
if priority:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(int(priority)))
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[5])
until, had = time.monotonic() + 120, []
while time.monotonic() < until and not select.select([sys.stdin], [], [], 0)[0]:
    began = time.monotonic_ns()
    ends = began + 1e9 * on * random.uniform(0.5, 1.5)
    while time.monotonic_ns() < ends:
        pass
    had.append((began, time.monotonic_ns()))
    time.sleep(off * random.uniform(0.5, 1.5))
print(json.dumps(had))
"""


def cpu_of_ours() -> int:
    """The CPU on which causes are planted: the last one that this process may use."""
    return max(os.sched_getaffinity(0))


@contextmanager
def burner(
    cpu: int, priority: int, name: str, *, on: float = 0.01, off: float = 0, group: ControlGroup | None = None
) -> Iterator[Spans]:
    """A task that has the CPU for about so many seconds, then gives it up. Yields the times when it had it, complete at the end."""
    join = "" if group is None else f"open('{group.folder}/cgroup.procs', 'w').write('0')\n"
    words = [sys.executable, "-c", join + _BURNER, *(str(word) for word in (cpu, priority, on, off, name))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        spans: Spans = []
        try:
            yield spans
            spans += [(begin, end) for begin, end in json.loads(process.communicate(timeout=30)[0])]
        finally:
            process.kill()


def origin(archive: RunStore, run: str) -> int:
    """When the first item of a run that kept its record began: the trails of its samples count from there."""
    lines = (framing.strip(line) for line in archive.raw_logs(run)[0].splitlines() if line.startswith(b"~"))
    records = (json.loads(framing.decode(line)[1]) for line in lines)
    return next(int(r["at"]) for r in records if r["t"] == "begin" and "at" in r)


def share(trail: _cpu.Trail, spans: Sequence[tuple[int, int]], began: int) -> float:
    """The share of a late sample that a cause filled; `began`: its run's :func:`origin`."""
    had = sum(max(0, min(end - began, trail.user) - max(begin - began, trail.due)) for begin, end in spans)
    return had / trail.ticks
