# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures slice by slice for `rtstone watch`, and shows the results so far after each slice."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
import typer

from rtstone.cli._streams import reader_gone
from rtstone.measure import Interruption, Job, Listener, Measuring, Outcome, Progress, TargetPlans, ask
from rtstone.measure import carry_out as measured
from rtstone.show.watch import State, frame, one_line, slice_s
from rtstone.targets import open_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.live import Live

    from rtstone.model import Session
    from rtstone.stream.plan import Plan
    from rtstone.targets import Target

_REFRESH_HZ = 1.0
"""Highest redraw rate: the machine that draws may be the measured one."""
_LINE_EVERY_S = 5.0
_FREE_RUNNING = 200_000
"""Most samples of a slice without a period: the time ends the slice."""
_LEAST_SAMPLES = 10


class WatchedRun(msgspec.Struct, frozen=True):
    """A watched run, and the state of the screen at its end."""

    outcome: Outcome
    state: State


class Watching(Listener):
    """A target, measured in slices until the user requests an end."""

    def __init__(self, job: Job, seconds: float | None) -> None:
        """`seconds`: measuring time; None: until Ctrl-C."""
        self._job = job
        self._target: Target = open_target(job.targets[0])
        self._request = job.request
        self._seconds = seconds
        self._state = State()
        self._interruption = Interruption(after_session=True)
        self._measured = 0.0
        self._slices = 0
        self._live: Live | None = None
        self._begun = 0.0
        self._said = 0.0
        self._slice_ends = 0.0

    def carry_out(self) -> WatchedRun:
        """Measures all slices; each is a checkpoint of the run. An error after the start is in the outcome."""
        asked = TargetPlans(self._target, (self._plan(slice_s(0.0, self._seconds)),), more=self._more)
        with self._interruption, self._display() as live:
            self._live = live
            (outcome,) = measured(self._job, [asked], self, interruption=self._interruption)
            self._said = 0.0
            self._tell(live)
        return WatchedRun(outcome, self._state)

    def session(self, measuring: Measuring) -> None:
        """Adds a slice to the screen."""
        self._begin()
        for session in measuring.sessions[self._state.slices :]:
            self._state.add(session, self._measured)
        self._measured = time.monotonic() - self._begun
        self._tell(self._live)

    def progress(self, progress: Progress) -> None:
        """Records the start of the first slice: making the target ready does not count as measuring time."""
        self._begin()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = self._said = time.monotonic()

    def warning(self, text: str) -> None:
        """Prints a warning below the screen."""
        from rtstone.cli._output import say

        say(f"warning: {text}")

    def _more(self, sessions: tuple[Session, ...]) -> Plan | None:
        """The next slice; None when the time is over, without a reader, and where nothing can be measured."""
        left = None if self._seconds is None else self._seconds - self._measured
        if reader_gone() or (left is not None and left <= 0):
            return None
        if not any(session.results for session in sessions[-1:]) or not self._state.series:
            return None
        return self._plan(slice_s(self._measured, left))

    def _plan(self, seconds: float) -> Plan:
        """The plan of the next slice: each item has its share of the time."""
        number = self._slices
        self._slices += 1
        self._slice_ends = time.monotonic() + seconds
        made = ask(self._target, msgspec.structs.replace(self._request, repetitions=number + 1)).plans[number]
        share_s = seconds / len(made.items)
        items = []
        for item in made.items:
            paced = any(one.name == item.measurement and one.paced for one in self._request.measurements)
            count = round(share_s * 1e9 / item.period_ns) if paced else _FREE_RUNNING
            items.append(
                msgspec.structs.replace(
                    item,
                    count=max(_LEAST_SAMPLES, count),
                    budget_ms=0 if paced else max(1, round(share_s * 1000)),
                    raw=0,
                )
            )
        # Only the first slice tries the loads: trying takes time that every later slice would lose.
        return msgspec.structs.replace(
            made, items=tuple(items), loads_required=made.loads_required and self._state.slices == 0
        )

    @contextmanager
    def _display(self) -> Iterator[Live | None]:
        if not sys.stdout.isatty():
            yield None
            return
        from rich.live import Live

        from rtstone.cli._output import terminal

        with Live(get_renderable=self._screen, console=terminal(), refresh_per_second=_REFRESH_HZ) as live:
            yield live

    def _screen(self) -> RenderableType:
        from rich.text import Text

        from rtstone.cli._output import terminal
        from rtstone.model.text import printable

        elapsed = time.monotonic() - self._begun if self._begun else 0.0
        text = Text(no_wrap=True)
        width, height = terminal().size
        for line in frame(
            self._state,
            self._heading(),
            elapsed,
            width=width,
            height=height,
            ending_s=self._slice_ends - time.monotonic() if self._interruption.ending else None,
        ):
            for span in line:
                text.append(printable(span.text), style=span.style or None)
            text.append("\n")
        text.rstrip()
        return text

    def _heading(self) -> str:
        names = ", ".join(one.name for one in self._request.measurements)
        return f"{self._target.name}: {names}, load {', '.join(self._request.loads)}"

    def _tell(self, live: Live | None) -> None:
        """A new screen, or a line now and then."""
        now = time.monotonic()
        if live is not None:
            live.refresh()
        elif now - self._said >= _LINE_EVERY_S:
            self._said = now
            from rtstone.model.text import printable

            typer.echo(printable(one_line(self._state, now - self._begun)).encode(), nl=True)
            sys.stdout.flush()
