# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Shows on standard error how far a run has come: a bar with the time left on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from rtstone.runner import Progress

_EVERY_S = 10.0
_REFRESH_HZ = 1.0
"""The machine that draws is the machine that is measured: no more than this."""


class Shown:
    """Give it to the runner as `on_progress`; enter it around the measuring."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar: Bar | None = None
        self._tasks: dict[str, TaskID] = {}
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.fields[target]}"),
                BarColumn(bar_width=None),
                MofNCompleteColumn(),
                TextColumn("at most {task.fields[left]} left"),
                TextColumn("{task.description}", table_column=None),
                console=Console(stderr=True, highlight=False, markup=False),
                transient=True,
                refresh_per_second=_REFRESH_HZ,
            )
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Makes room for something to be printed: the bar is gone meanwhile."""
        if self._bar is not None:
            self._bar.stop()
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.start()

    def __call__(self, progress: Progress) -> None:
        """Take note of how far a target has come."""
        if self._quiet:
            return
        from rtstone.cli._output import printable

        what = f"{progress.measurement}, {progress.load}" if progress.measurement else ""
        if progress.repetitions > 1:
            what = f"repetition {progress.repetition + 1} of {progress.repetitions} {what}"
        what = printable(what)
        if self._bar is not None:
            task = self._tasks.get(progress.target)
            if task is None:
                task = self._bar.add_task(what, total=None, target=progress.target, left="")
                self._tasks[progress.target] = task
            self._bar.update(
                task,
                description=what,
                completed=progress.items_done,
                total=progress.items_total or None,
                left=left(progress.seconds_left),
            )
        elif time.monotonic() - self._said >= _EVERY_S:
            self._said = time.monotonic()
            sys.stderr.write(
                f"rtstone: {progress.target}: {progress.items_done} of {progress.items_total} measured, "
                f"at most {left(progress.seconds_left)} left{f' ({what})' if what else ''}\n"
            )
            sys.stderr.flush()


def left(seconds: float) -> str:
    """A time to wait, in the units that a person waits in."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
