# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Control groups that a test makes below its own process's group, and removes."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from rtstone.machine.groups import ControlGroup, groups
from rtstone.machine.system import System

from .children import alive

_PREFIX = "rtstone-test-"
_WAIT_S = 10
"""How long the kernel may take to let the last process of a group go."""


@contextmanager
def control_group(controller: str = "cpu", above: ControlGroup | None = None) -> Iterator[ControlGroup]:
    """A group for one controller below that of this process, or below another one. OSError where the kernel keeps it."""
    own = above or groups(System(), controller)[0]
    _remove_left_over(Path(own.folder))
    folder = Path(own.folder) / f"{_PREFIX}{os.getpid()}-{uuid4().hex[:9]}"
    folder.mkdir()
    try:
        yield ControlGroup(str(folder), own.version)
    finally:
        _remove(folder)


def set_quota(group: ControlGroup, runtime_us: int, period_us: int) -> None:
    """All of the group's processes together have a CPU for so long of each period."""
    folder = Path(group.folder)
    if group.version == 2:
        (folder / "cpu.max").write_text(f"{runtime_us} {period_us}")
    else:
        (folder / "cpu.cfs_period_us").write_text(str(period_us))
        (folder / "cpu.cfs_quota_us").write_text(str(runtime_us))


def set_realtime(group: ControlGroup, runtime_us: int, period_us: int) -> None:
    """The group's real-time threads together have a CPU for so long of each period. Only version 1 has this.

    OSError names the groups that have the rest of the budget.
    """
    folder = Path(group.folder)
    (folder / "cpu.rt_period_us").write_text(str(period_us))
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            (folder / "cpu.rt_runtime_us").write_text(str(runtime_us))
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            if time.monotonic() > until:  # the sum of all groups may not exceed that of the one above
                raise OSError(errno.EINVAL, f"no budget is left beside {_budgets(folder.parent)}") from error
        else:
            return
        time.sleep(0.1)


def set_memory(group: ControlGroup, limit: int) -> None:
    """All of its processes together have so many bytes."""
    name = "memory.max" if group.version == 2 else "memory.limit_in_bytes"
    Path(group.folder, name).write_text(str(limit))


def joined(group: ControlGroup, *words: str) -> list[str]:
    """The words of a command that joins the group, then becomes the one given."""
    return ["sh", "-c", f'echo $$ > {group.folder}/cgroup.procs && exec "$@"', "sh", *words]


def _budgets(above: Path) -> str:
    files = [above / "cpu.rt_runtime_us", *sorted(above.glob("*/cpu.rt_runtime_us"))]
    return ", ".join(f"{file.parent.name}: {file.read_text().strip()} us" for file in files)


def _remove(folder: Path) -> None:
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            if (budget := folder / "cpu.rt_runtime_us").exists():
                budget.write_text("0")  # a removed group keeps it for a while: until nothing refers to the group
            folder.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                raise
        else:
            return
        time.sleep(0.02)  # until the kernel has let the last process go


def _remove_left_over(above: Path) -> None:
    """Removes the groups of tests that were killed, with the processes that these left in them."""
    for folder in above.glob(f"{_PREFIX}*"):
        if alive(int(folder.name.removeprefix(_PREFIX).split("-")[0])):
            continue
        with suppress(FileNotFoundError):  # another test removes it at the same time
            for inner in (*folder.glob(f"{_PREFIX}*"), folder):
                for pid in (inner / "cgroup.procs").read_text().split():
                    with suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                _remove(inner)
