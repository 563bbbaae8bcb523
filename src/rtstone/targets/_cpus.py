# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lends each emulator one CPU of the host, the least used first. A guest that halts is repeatable only on one CPU."""

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
    """Index (from 0) of the CPU that is lent first. It depends on the process, so that two processes mostly differ."""
    return os.getpid() % cpus


@contextmanager
def borrowed() -> Iterator[int]:
    """Lends the CPU that has the fewest emulators of this process; of several such CPUs, the next from `first` on."""
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
