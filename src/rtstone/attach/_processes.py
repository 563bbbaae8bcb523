# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which processes and threads there are to watch: those of a control group or a unit, and names that are near."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

from rtstone.errors import InfrastructureError, UsageError, nearest
from rtstone.machine.system import System

_CGROUPS = "/sys/fs/cgroup"
_NAMED = 12
"""Most other threads of a process that are named."""


def processes_of_cgroup(folder: str, root: Path = Path(_CGROUPS)) -> tuple[int, ...]:
    """The processes of a control group and those below it. UsageError where it is not there or empty.

    `folder`: its path in the file system, or in /proc/PID/cgroup.
    """
    inside = folder if folder.startswith(f"{root}/") else f"{root}/{folder.strip('/')}"
    found: set[int] = set()
    beside_v1 = (
        root / "unified" / folder.strip("/")
    )  # the path in /proc/PID/cgroup after `0::`, where version 1 exists too
    lists = sorted(Path(inside).rglob("cgroup.procs")) or sorted(beside_v1.rglob("cgroup.procs"))
    if ".." in Path(folder).parts or not lists:
        raise UsageError(f"there is no control group {folder} below {root}")
    for path in lists:
        try:
            found.update(int(word) for word in path.read_text().split())
        except OSError:
            continue  # it has ended since
    found.discard(0)
    if not found:
        raise UsageError(f"the control group {folder} has no process")
    return tuple(sorted(found))


def processes_of_unit(unit: str) -> tuple[int, ...]:
    """The processes of a unit of systemd. UsageError where it does not run, InfrastructureError where systemd does not answer."""
    if not re.fullmatch(r"[A-Za-z0-9:_.@\\-]{1,255}", unit) or unit.startswith("-"):
        raise UsageError(f"'{unit}' is no name of a unit")
    command = ["systemctl", "show", "--property=ControlGroup", "--value", "--", unit]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError("systemctl cannot be asked: name the processes with --pid or --cgroup") from error
    if said.returncode:
        why = (said.stderr.strip().splitlines() or ["it does not say why"])[0]
        raise InfrastructureError(f"systemctl does not answer: {why}")
    if not said.stdout.strip():
        raise UsageError(f"the unit {unit} does not run")
    return processes_of_cgroup(said.stdout.strip())


def other_threads(comm: str, system: System | None = None) -> str:
    """A clause that names the other threads of the first process that has the name `comm`. Empty if there are none.

    `comm`: the name of a process is that of its first thread, which often only waits for the others.
    """
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for path, name in (system or System()).texts("/proc/[0-9]*/task/[0-9]*/comm").items():
        pid, tid = path.split("/")[2::2][:2]
        names[pid][tid] = name
    for pid, threads in names.items():
        others = sorted({name for name in threads.values() if name != comm})
        if threads.get(pid) == comm and others:
            more = ", …" if len(others) > _NAMED else ""
            return f"process {pid} ({comm}) also has threads {', '.join(others[:_NAMED])}{more}: name one, or use --pid {pid}"
    return ""


def nearest_thread(comm: str) -> str:
    """The nearest name of a thread, as a sentence; empty where none is near."""
    return nearest(comm, sorted(set(System().texts("/proc/[0-9]*/task/[0-9]*/comm").values())))
