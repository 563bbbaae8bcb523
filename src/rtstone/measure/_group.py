# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures several targets in one go: what is live takes turns, what is virtual runs side by side; one failure spares the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from rtstone.errors import RtstoneError
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Measuring


def cpus_at_once() -> int:
    """How many virtual boards are measured at a time: one on each CPU that we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def measure_group(
    live: Sequence[Measuring],
    virtual: Sequence[Measuring],
    asked: Interruption,
    *,
    jobs: int = 0,
    alternate: bool = False,
) -> None:
    """Carries out all of these. What goes wrong with one is in its outcome; with one only, its start-up error is raised.

    `live` targets take turns, repetition by repetition, and run beside nothing; `virtual` ones follow, `jobs` at a time (0: one a CPU).
    With `alternate` every second round goes backwards (A B, B A, A B …): what drifts or follows upon another then meets all alike.
    """
    alone = len(live) + len(virtual) == 1
    with ExitStack() as stack:
        going = []
        for measuring in live:
            try:
                going.append(stack.enter_context(measuring))
            except RtstoneError as error:
                if alone:
                    raise
                measuring.fail(error)
        backwards = False
        while going:
            ended = [
                measuring for measuring in (going[::-1] if backwards else going) if not _next(measuring, alone=alone)
            ]
            going = [measuring for measuring in going if measuring not in ended]
            backwards = alternate and not backwards
    if len(virtual) == 1:
        _whole(virtual[0], asked, alone=alone)
    elif virtual:
        _side_by_side(virtual, asked, jobs or cpus_at_once())


def _next(measuring: Measuring, *, alone: bool) -> bool:
    try:
        return measuring.next()
    except RtstoneError as error:
        if alone:
            raise
        measuring.fail(error)
        return False


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
    """A thread each; every emulator is started, read and ended by one thread, whose end would be its end too."""
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="board") as pool:
        try:
            started: list[Future[None]] = [pool.submit(_whole, measuring, asked) for measuring in virtual]
            for future in started:
                future.result()
        except BaseException:
            # A second Ctrl-C, or what nobody reckoned with: the others end too, and leaving the pool waits for them.
            asked.request()
            raise
