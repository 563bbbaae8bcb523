# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures several targets together: live ones interleaved, virtual ones in parallel.
A failure of one does not affect the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from rtstone.errors import RtstoneError
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Measuring

Order = Callable[[Sequence[Measuring]], Iterator[Measuring]]
"""Order of the sessions of live targets: yields the target whose session is next."""


def interleaved(measurings: Sequence[Measuring]) -> Iterator[Measuring]:
    """One session of each target after another: A B, A B, A B."""
    while any(not one.over for one in measurings):
        yield from (one for one in measurings if not one.over)


def alternating(measurings: Sequence[Measuring]) -> Iterator[Measuring]:
    """Every second round goes backwards, A B, B A, A B.
    Drift and the effect of the previous target then affect all equally."""
    backwards = False
    while any(not one.over for one in measurings):
        yield from (one for one in (measurings[::-1] if backwards else measurings) if not one.over)
        backwards = not backwards


def cpus_at_once() -> int:
    """Number of virtual boards measured at a time: one on each CPU that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def measure_group(
    live: Sequence[Measuring],
    virtual: Sequence[Measuring],
    asked: Interruption,
    *,
    jobs: int = 0,
    order: Order = interleaved,
) -> None:
    """Measures all targets. An error of one target is in its outcome; of a single target the start-up error is raised.

    `live` targets are measured session by session in this `order`, and nothing runs in parallel to them;
    `virtual` ones follow, `jobs` at a time (0: one a CPU).
    """
    alone = len(live) + len(virtual) == 1
    with ExitStack() as stack:
        for measuring in live:
            try:
                stack.enter_context(measuring)
            except RtstoneError as error:
                if alone:
                    raise
                measuring.fail(error)
        for measuring in order(live):
            try:
                measuring.next()
            except RtstoneError as error:
                if alone:
                    raise
                measuring.fail(error)
    if len(virtual) == 1:
        _whole(virtual[0], asked, alone=alone)
    elif virtual:
        _side_by_side(virtual, asked, jobs or cpus_at_once())


def _whole(measuring: Measuring, asked: Interruption, *, alone: bool = False) -> None:
    if asked.requested:
        return
    try:
        with measuring:
            while measuring.next():
                pass
    except RtstoneError as error:
        if alone:
            raise
        measuring.fail(error)


def _side_by_side(virtual: Sequence[Measuring], asked: Interruption, jobs: int) -> None:
    """Measures each in a thread of its own.
    One thread starts, reads and ends an emulator, because the emulator ends with its thread."""
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="board") as pool:
        try:
            started: list[Future[None]] = [pool.submit(_whole, measuring, asked) for measuring in virtual]
            for future in started:
                future.result()
        except BaseException:
            # A second Ctrl-C, or an unexpected error: the others end too, and leaving the pool waits for them.
            asked.request()
            raise
