# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Shows the progress of a run or a build on standard error:
on a terminal a bar with the time left, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rtstone.model.units import waiting

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from rtstone.measure import Progress

_EVERY_S = 10.0
_STEP_EVERY_S = 30.0
_PACE_ITEMS = 10
"""Number of items after which their pace predicts that of the others."""
_REFRESH_HZ = 1.0
"""Highest redraw rate: the machine that draws may be the measured one."""


class _Display:
    """The bars of a terminal, a line each. They are removed when the context ends."""

    def __init__(self) -> None:
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _begin(self) -> Bar:
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        from rtstone.cli._output import terminal

        self._bar = Progress(
            TextColumn("{task.fields[target]}", markup=False, table_column=Column(no_wrap=True)),
            BarColumn(bar_width=12),
            TextColumn("{task.fields[count]}", markup=False, table_column=Column(no_wrap=True, justify="right")),
            TextColumn("{task.fields[left]}", markup=False, table_column=Column(no_wrap=True)),
            # The column that shrinks where the terminal is narrow.
            TextColumn(
                "{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)
            ),
            console=terminal(stderr=True),
            expand=True,
            transient=True,
            refresh_per_second=_REFRESH_HZ,
        )
        self._bar.start()
        return self._bar


class Shown(_Display):
    """Give it to the runner as `on_progress`; enter it around the measuring. `targets` have a line from the beginning."""

    def __init__(self, *, quiet: bool = False, targets: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._quiet = quiet
        self._targets = targets
        self._tasks: dict[str, TaskID] = {}
        self._said = time.monotonic()
        self._begun: dict[str, tuple[float, int]] = {}

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            bar = self._begin()
            for target in self._targets:
                self._tasks[target] = bar.add_task("waiting", total=1, target=target, left="", count="")
        return self

    def starting(self, target: str) -> None:
        """Record that a target is being made ready: its missing parts are built or fetched."""
        if self._bar is not None and target in self._tasks:
            self._bar.update(self._tasks[target], description="getting ready")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hides the bar while something else is printed."""
        if self._bar is not None:
            self._bar.stop()
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.start()

    def __call__(self, progress: Progress) -> None:
        """Record the progress of a target."""
        if self._quiet:
            return
        from rtstone.model.text import printable

        done = progress.repetition * progress.items_total + progress.items_done
        total = progress.repetitions * progress.items_total
        what = printable(f"{progress.measurement}, {progress.load}" if progress.measurement else "")
        ahead = self._ahead(progress, done, total)
        if self._bar is not None:
            task = self._tasks.get(progress.target)
            if task is None:
                task = self._bar.add_task(what, total=1, target=progress.target, left="", count="")
                self._tasks[progress.target] = task
            ended = 0 < total <= done
            self._bar.update(
                task,
                description="done" if ended else what,
                completed=done,
                total=total or None,
                count=f"{done}/{total}" if total else "",
                left="" if ended else ahead,
            )
        elif time.monotonic() - self._said >= _EVERY_S:
            self._said = time.monotonic()
            more = "" if 0 < total <= done else f", {ahead} left{f' ({what})' if what else ''}"
            sys.stderr.write(f"rtstone: {progress.target}: {done} of {total} measured{more}\n")
            sys.stderr.flush()

    def _ahead(self, progress: Progress, done: int, total: int) -> str:
        """The time left: at most the plan's budgets. A board on a busy host takes longer, as its pace shows."""
        now = time.monotonic()
        since, before = self._begun.setdefault(progress.target, (now, done))
        paced = (now - since) / (done - before) * (total - done) if done - before >= _PACE_ITEMS else 0.0
        if paced > progress.seconds_left:
            return f"about {waiting(paced)}"
        if not progress.seconds_left:
            return "some time"  # not known yet
        return f"at most {waiting(progress.seconds_left)}"


class Steps(_Display):
    """Shows the progress of a long build.
    Call it with the current step, the number of finished steps, and their approximate total."""

    def __init__(self, target: str, *, minutes: int) -> None:
        super().__init__()
        self._target = target
        self._minutes = minutes
        self._task: TaskID | None = None
        self._first = 0.0
        self._said: float | None = None

    def __call__(self, what: str, done: int, expected: int) -> None:
        """Record a step. `expected` 0: the number of steps is not known."""
        from rtstone.model.text import printable

        now = time.monotonic()
        if self._said is None:
            sys.stderr.write(f"rtstone: {self._target}: to be built: about {self._minutes} min on one CPU\n")
        if done <= 1:
            self._first = now
        ahead = (now - self._first) / done * (expected - done) if done > 1 else 0.0
        time_left = f"{waiting(ahead)} left" if ahead else ""
        if sys.stderr.isatty():
            bar = self._bar or self._begin()
            if self._task is None:
                self._task = bar.add_task("", total=1, target=self._target, left="", count="")
            bar.update(
                self._task,
                description=printable(what),
                completed=done,
                total=expected or None,
                count=f"{done}/{expected}" if expected else "",
                left=time_left,
            )
            self._said = now
        elif self._said is None or not expected or now - self._said >= _STEP_EVERY_S:
            far = f"{done} of about {expected} steps, {time_left or 'just begun'}" if expected else printable(what)
            sys.stderr.write(f"rtstone: {self._target}: {far}\n")
            sys.stderr.flush()
            self._said = now
