# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures slice by slice for `rtstone watch`, and shows what is known after each."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
import typer

from rtstone.cli._streams import reader_gone
from rtstone.measure import Interruption, Measuring, Outcome, ask, restore, signals
from rtstone.show.watch import State, frame, one_line, slice_s
from rtstone.targets import open_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from rich.console import RenderableType
    from rich.live import Live

    from rtstone.stream.plan import Plan
    from rtstone.studies import Request
    from rtstone.targets import Target

_REFRESH_HZ = 1.0
"""The machine that draws may be the machine that is measured: no more than this."""
_LINE_EVERY_S = 5.0
_FREE_RUNNING = 200_000
"""Samples of a slice that no period paces, at most: its time ends it."""
_LEAST_SAMPLES = 10


class Watched(msgspec.Struct, frozen=True):
    """A run that was watched, and what was known at its end."""

    outcome: Outcome
    state: State


class Watching:
    """A target, measured in slices until an end is asked for."""

    def __init__(self, target: str, request: Request, seconds: float | None, *, label: str) -> None:
        """`seconds`: of measuring; None: until Ctrl-C."""
        self._target: Target = open_target(target)
        self._request = request
        self._seconds = seconds
        self._label = label
        self._state = State()
        self._interruption = Interruption()
        self._ending = False
        self._hung_up = False
        self._begun = 0.0
        self._said = 0.0
        self._slice_ends = 0.0

    def carry_out(self) -> Watched:
        """All of it. What goes wrong once it has begun is in the outcome."""
        plans = [self._plan(0, slice_s(0.0, self._seconds))]
        measured = 0.0
        with self._signals(), Measuring(self._target, plans, self._interruption) as measuring, self._display() as live:
            self._begun = self._said = time.monotonic()
            while True:
                goes_on = measuring.next()
                for session in measuring.sessions[self._state.slices :]:
                    self._state.add(session, measured)
                measured = time.monotonic() - self._begun
                self._tell(live)
                left = None if self._seconds is None else self._seconds - measured
                if not goes_on or measuring.failed or self._ending or reader_gone() or (left is not None and left <= 0):
                    break
                if not any(session.results for session in measuring.sessions[-1:]) or not self._state.series:
                    break  # nothing of this can be measured here: another slice would not help
                plans.append(self._plan(len(plans), slice_s(measured, left)))
            self._said = 0.0
            self._tell(live)
        return Watched(measuring.outcome(profile="", label=self._label), self._state)

    def _plan(self, number: int, seconds: float) -> Plan:
        """The plan of a slice: each item has its share of the time."""
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
        # Once is enough: to try the loads takes time that every later slice would lose.
        return msgspec.structs.replace(
            made, items=tuple(items), loads_required=made.loads_required and self._state.slices == 0
        )

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """The first Ctrl-C (or hangup) ends after the slice, the second cuts it short, the third leaves at once."""

        def on_signal(number: int, frame: FrameType | None) -> None:
            if number == signal.SIGHUP:
                self._hung_up = True
            elif self._interruption.requested:
                raise KeyboardInterrupt
            if self._ending:
                self._interruption.request()
            self._ending = True

        before = {number: signal.signal(number, on_signal) for number in signals()}
        try:
            yield
        finally:
            restore(before, hung_up=self._hung_up)

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

        from rtstone.cli._output import printable, terminal

        elapsed = time.monotonic() - self._begun if self._begun else 0.0
        text = Text(no_wrap=True)
        width, height = terminal().size
        for line in frame(
            self._state,
            self._heading(),
            elapsed,
            width=width,
            height=height,
            ending_s=self._slice_ends - time.monotonic() if self._ending else None,
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
            from rtstone.cli._output import printable

            typer.echo(printable(one_line(self._state, now - self._begun)).encode(), nl=True)
            sys.stdout.flush()
