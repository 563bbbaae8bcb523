# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lends the host's CPUs to emulators, one each, the least used first: a guest that halts is repeatable only on one CPU."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_lent: Counter[int] = Counter()


def usable() -> list[int]:
    """The CPUs that this process may run on, ascending."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def first(cpus: int) -> int:
    """Which of so many CPUs is lent first, from 0: another process most likely begins with another one."""
    return os.getpid() % cpus


@contextmanager
def borrowed() -> Iterator[int]:
    """The CPU that has the fewest emulators of this process, the `first` one if several have."""
    there = usable()
    start = first(len(there))
    with _lock:
        cpu = min((*there[start:], *there[:start]), key=_lent.__getitem__)
        _lent[cpu] += 1
    try:
        yield cpu
    finally:
        with _lock:
            _lent[cpu] -= 1
