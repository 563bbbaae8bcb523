# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes made and signals intercepted on this machine: each really happened, and costs what its kind must."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from support.children import children

BIRTHS = ("fork", "vfork", "clone", "posix-spawn")


def _records(engine: Path, *words: str) -> list[dict[str, Any]]:
    done = subprocess.run([str(engine), "run", *words], capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(framing.decode(line.encode())[1]) for line in done.stdout.splitlines()]


def _of(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["t"] == kind]


@pytest.mark.parametrize("name", [*BIRTHS, "signal-intercept"])
@pytest.mark.parametrize("pass_", ["single", "batch"])
def test_each_operation_is_proved(engine: Path, name: str, pass_: str) -> None:
    records = _records(engine, "--measurement", name, "--pass", pass_, "--count", "40", "--sets", "3", "--warmup", "5")
    (end,) = _of(records, "end")
    assert (end["status"], end["stop"]) == ("ok", "count")
    done = 5 + (40 if pass_ == "single" else 3 * 40)
    proof = "intercepts" if name == "signal-intercept" else "children"
    (check,) = (c for c in _of(records, "check") if c["name"] == proof)
    assert (check["value"], check["low"], check["high"]) == (str(done),) * 3


def test_what_shares_less_costs_more(engine: Path) -> None:
    """A copy, and a new program, cost more than a child that shares its parent's memory; a signal costs less than any.

    Which of the two costs more is the C library's affair: a copy on Debian 13, a new program on Debian 12.
    """
    words = [word for name in (*BIRTHS, "signal-intercept") for word in ("--measurement", name)]
    records = _records(engine, *words, "--pass", "batch", "--count", "50", "--sets", "9")
    ticks = {record["item"]: min(record["v"]) for record in _of(records, "batch")}
    fork, vfork, clone, spawn, signal = (ticks[item] for item in range(5))
    assert signal < clone < min(fork, spawn)
    assert signal < vfork < min(fork, spawn)


def _own_kib(pid: int) -> int:
    """Private memory of a process beside stack and heap, which the C library makes. A fork copies it. 0: the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps").read_text().splitlines()
    except OSError:
        return 0
    found = 0
    name = ""
    for line in lines:
        words = line.split()
        if "-" in words[0]:
            name = words[-1]
        elif words[0] == "Anonymous:" and name not in {"[stack]", "[heap]"}:
            found += int(words[1])
    return found


def test_a_measured_fork_copies_little(engine: Path) -> None:
    """No more than a small program has: 35 pages each of 4 KiB here, and each costs a fork time. Buffers of the engine's are elsewhere."""
    with subprocess.Popen(
        [str(engine), "run", "--measurement", "fork", "--count", "100000"], stdout=subprocess.DEVNULL
    ) as run:
        try:
            until = time.monotonic() + 60
            seen: list[int] = []
            while len(seen) < 20:
                assert run.poll() is None
                assert time.monotonic() < until
                # The measured process is the engine's child; its own children end at once.
                seen += [kib for child in children(run.pid) if (kib := _own_kib(child))]
                time.sleep(0.05)
        finally:
            run.kill()
    assert 0 < seen[-1] <= 170, seen


def test_signals_come_at_the_timers_pace_and_never_before_they_are_due(engine: Path) -> None:
    records = _records(engine, "--measurement", "signal-latency", "--period-ns", "500000", "--count", "400")
    handler, process = _of(records, "end")
    assert (handler["status"], handler["count"], process["count"]) == ("ok", "400", "400")
    assert 0 < handler["min"] < process["min"]
    assert int(handler["sum"]) < int(process["sum"])
    assert int(handler["elapsed"]) >= 400 * 500_000
    (check,) = (c for c in _of(records, "check") if c["name"] == "periods")
    assert check["value"] == check["low"] == check["high"]


def test_a_period_that_cannot_be_kept_is_accounted_for(engine: Path) -> None:
    """At 2 us a signal stands for several periods: each is a sample, as late as it was."""
    records = _records(engine, "--measurement", "signal-latency", "--period-ns", "2000", "--count", "20000")
    (handler, _) = _of(records, "end")
    assert (handler["status"], handler["count"]) == ("ok", "20000")


def test_its_timer_has_no_other_clock(engine: Path) -> None:
    records = _records(engine, "--measurement", "signal-latency", "--count", "10")
    (begin,) = _of(records, "begin")
    names = {clock["id"]: clock["name"] for clock in _of(records, "clock")}
    assert names[begin["clock"]] == "monotonic"
