# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads that only Linux has: on this machine, and SLAC's in a guest that has the devices for it."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rtstone import framing
from rtstone.model import Result
from rtstone.plan import Item, Plan
from rtstone.targets.board import open_board
from support.firmware import session
from support.images import lasting_cache

PROGRAMS = {"fork": "forks", "memory": "pages_touched", "files": "bytes_written"}
GUEST = "arm64/linux-6.1-rt"
INTERRUPTS = ("near_interrupts", "far_interrupts", "line_interrupts")


def _records(engine: Path, load: str, *words: str) -> list[dict[str, Any]]:
    command = [str(engine), "run", "--measurement", "semaphore-get-release", "--load", load, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(framing.decode(line.encode())[1]) for line in done.stdout.splitlines()]


def _figures(records: list[dict[str, Any]]) -> dict[str, int]:
    return {record["key"]: int(record["value"]) for record in records if record["t"] == "load"}


@pytest.mark.parametrize("load", PROGRAMS)
def test_programs_do_their_work(engine: Path, load: str) -> None:
    """The interrupt comes every 10 ms and is soon answered: what is left of the CPU is the load's."""
    period = ("--measurement", "interrupt-response", "--period-ns", "10000000", "--count", "40", "--intensity", "2")
    records = [r for r in _records(engine, load, *period) if r.get("item", 1) == 1]
    figures = _figures(records)
    assert figures["programs"] == 2
    assert figures[PROGRAMS[load]] > 0
    assert figures["failures"] == 0
    assert figures["cpu_time_ns"] > 0
    assert figures["elapsed_ns"] >= 40 * 10_000_000


@pytest.mark.parametrize("load", PROGRAMS)
def test_too_many_programs_are_refused(engine: Path, load: str) -> None:
    (skip,) = [r for r in _records(engine, load, "--intensity", "17") if r["t"] == "skip"]
    assert skip["reason"] == "invalid"


@pytest.mark.parametrize("load", ["network", "chargen"])
def test_the_network_loads_need_devices_of_their_own(engine: Path, load: str) -> None:
    (skip,) = [r for r in _records(engine, load) if r["t"] == "skip"]
    assert skip["reason"] == "unsupported"
    assert "rtstone.network=" in skip["text"]


def _plan() -> Plan:
    """Again under each load: it finds the devices as the one before left them."""
    loads = ("none", "network", "chargen", "network", "chargen")
    items = (Item(item=n, measurement="interrupt-response", count=100, load=load) for n, load in enumerate(loads))
    return Plan(seed=1, repetition=0, items=tuple(items))


@cache
def _streams(root: Path) -> tuple[bytes, bytes]:
    def run() -> bytes:
        with lasting_cache(root), open_board(GUEST) as target:
            target.deploy()
            for _ in target.start(_plan()):
                pass
            return target.record_bytes

    return run(), run()


@pytest.mark.parametrize("item", [2, 4])
def test_the_characters_come_through_interrupts(root: Path, item: int) -> None:
    found = session(_streams(root)[0], _plan())
    (loaded,) = [r for r in found.results if r.item == item and r.quantity == "interrupt-task-response"]
    figures = {figure.key: figure.value for figure in loaded.load}
    assert loaded.status == "ok"
    assert loaded.count == 100
    assert figures["bytes_copied"] > 0
    assert all(figures[key] > 0 for key in INTERRUPTS), figures
    assert "pings_sent" not in figures


@pytest.mark.parametrize("item", [1, 3])
def test_the_network_interrupts(root: Path, item: int) -> None:
    found = session(_streams(root)[0], _plan())
    results = {(r.item, r.quantity): r for r in found.results}
    loaded: Result = results[item, "interrupt-task-response"]
    idle = results[0, "interrupt-task-response"]
    figures = {figure.key: figure.value for figure in loaded.load}
    assert loaded.status == "ok"
    assert loaded.count == 100
    assert 0 < figures["pings_answered"] <= figures["pings_sent"] + 1  # one may have been under way at the beginning
    assert figures["bytes_copied"] > 0
    assert all(figures[key] > 0 for key in INTERRUPTS), figures
    assert loaded.max is not None
    assert idle.max is not None
    assert loaded.max > idle.max


def test_the_network_is_the_same_to_the_byte(root: Path) -> None:
    first, second = _streams(root)
    assert first == second
