# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A simulation that waits for a CPU is not silent; one that works or sleeps without a word is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from rtstone.errors import InfrastructureError
from rtstone.targets._process import StreamProcess

# Works for 0.6 s of its own CPU time, on the first CPU alone, then speaks.
WORKS = "import os, time; os.sched_setaffinity(0, {CPU}); os.nice(19)\nwhile time.process_time() < 0.6: pass\nprint('~done')"
SPINS = "import os; os.sched_setaffinity(0, {CPU})\nwhile True: pass"
SILENCE_S = 3.0


@pytest.fixture
def crowded() -> Iterator[tuple[int, Callable[[], None]]]:
    """A CPU on which three programs work all the time, and the function that ends them."""
    cpu = min(os.sched_getaffinity(0))
    others = [subprocess.Popen([sys.executable, "-c", SPINS.replace("CPU", str(cpu))]) for _ in range(3)]

    def end() -> None:
        for other in others:
            other.kill()

    try:
        yield cpu, end
    finally:
        end()
        for other in others:
            other.wait()


def _lines(cpu: int, program: str, *, silence_s: float, starves: bool) -> list[bytes]:
    command = [sys.executable, "-c", program.replace("CPU", str(cpu))]
    return list(StreamProcess("it", command, silence_s=silence_s, starves=starves).run(b""))


def test_waiting_for_a_cpu_is_no_silence_of_a_simulation(crowded: tuple[int, Callable[[], None]]) -> None:
    cpu, end = crowded
    with pytest.raises(InfrastructureError, match="silent for"):
        _lines(cpu, WORKS, silence_s=SILENCE_S, starves=False)
    began = time.monotonic()
    relief = threading.Timer(2 * SILENCE_S, end)
    relief.start()
    try:
        assert _lines(cpu, WORKS, silence_s=SILENCE_S, starves=True) == [b"~done"]
    finally:
        relief.cancel()
    assert time.monotonic() - began > SILENCE_S


def test_a_simulation_that_sleeps_is_silent() -> None:
    began = time.monotonic()
    with pytest.raises(InfrastructureError, match="silent for"):
        _lines(min(os.sched_getaffinity(0)), "import time; time.sleep(30)", silence_s=0.5, starves=True)
    assert time.monotonic() - began < 20
