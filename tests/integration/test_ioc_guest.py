# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An IOC in a guest of the board pc: the engine measures in its process, clients load it through the board's network, twice the same."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rtstone.archive import open_archive
from rtstone.ioc import guest as _guest_ioc
from rtstone.model import Result, Session
from rtstone.stats import pool
from rtstone.stream.plan import Item, Plan
from rtstone.targets import board as board_target
from rtstone.targets.boards import Kernel
from rtstone.targets.boards.guest import Extra
from support.command import command, environment, rtstone
from support.firmware import session
from support.images import lasting_cache

# Debian's own emulator may let a busy host show in guests that halt (docs/decisions/0007): nothing runs beside these.
pytestmark = [pytest.mark.timeout(900), pytest.mark.alone]

KERNEL = "pc/linux-6.1-rt"
COUNT = 200
RECORDS = 100
NAMES = ("interrupt-stages", "interrupt-total")
LOADS = ("none", "ioc", "ioc-above", "network", "ioc")
PLAN = Plan(
    seed=1,
    repetition=0,
    items=tuple(
        Item(item=number, measurement=name, count=COUNT, load=load)
        for number, (load, name) in enumerate((load, name) for load in LOADS for name in NAMES)
    ),
)

# The IOC's own sampler on the module, which it gives back before the engine takes it.
SAMPLER = """
dbpf("rtstone:samples", "300")
dbpf("rtstone:startOnce", "1")
epicsThreadSleep(1.5)
dbgf("rtstone:count")
dbgf("rtstone:interruptLatency:min")
dbgf("rtstone:interruptLatency:median")
dbgf("rtstone:totalResponse:min")
dbgf("rtstone:totalResponse:median")
"""


@pytest.fixture(scope="module")
def guests(root: Path) -> Iterator[tuple[list[bytes], list[str], dict[str, str]]]:
    """Two runs: the record streams, what else the second said, the board's identity. Before the plan the IOC's sampler has a turn."""

    inside_ioc = _guest_ioc.inside_ioc

    def with_sampler(kernel: Kernel, plan: Plan) -> Extra | None:
        made = inside_ioc(kernel, plan)
        assert made is not None
        script = made.files["ioc/engine.cmd"].decode().replace("loadLibrary", f"{SAMPLER}loadLibrary")
        return msgspec.structs.replace(made, files=made.files | {"ioc/engine.cmd": script.encode()})

    with lasting_cache(root), pytest.MonkeyPatch.context() as patch:
        patch.setattr(_guest_ioc, "inside_ioc", with_sampler)
        streams: list[bytes] = []
        said: list[str] = []
        with board_target.open_board(KERNEL) as target:
            target.deploy()
            for _ in range(2):
                said = [line.decode("utf-8", "replace") for line in target.start(PLAN)]
                streams.append(target.record_bytes)
            yield streams, said, target.describe()


@pytest.fixture
def found(guests: tuple[list[bytes], list[str], dict[str, str]]) -> Session:
    return session(guests[0][0], PLAN)


def _result(found: Session, load: str, name: str) -> Result:
    return next(r for r in found.results if (r.variant.load, r.measurement) == (load, name))


def _load(result: Result) -> dict[str, int]:
    return {figure.key: figure.value for figure in result.load}


def test_two_runs_are_one_to_the_byte(guests: tuple[list[bytes], list[str], dict[str, str]]) -> None:
    first, second = guests[0]
    assert first == second


def test_the_engine_is_in_the_ioc(found: Session, guests: tuple[list[bytes], list[str], dict[str, str]]) -> None:
    assert found.env["ioc.base"].startswith("7.")
    assert int(found.env["ioc.records"]) > 2 * RECORDS
    assert re.fullmatch(r"[0-9a-f]{64}", guests[2]["board.ioc.sha256"])
    assert not [line for line in guests[1] if "rtstone-init:" in line or "engineRun:" in line]


def test_every_item_is_measured(found: Session) -> None:
    """Also the second time under the IOC's load, after another load has had the cable."""
    assert len({r.item for r in found.results}) == len(PLAN.items)
    for result in found.results:
        assert (result.status, result.count) == ("ok", COUNT), result


@pytest.mark.parametrize("load", ["ioc", "ioc-above"])
def test_clients_load_it_through_the_network(found: Session, load: str) -> None:
    for name in NAMES:
        told = _load(_result(found, load, name))
        assert told["records"] == RECORDS
        assert told["puts"] == told["monitors"] == told["bursts"] * RECORDS > 0
        assert (told["monitors_lost"], told["monitors_merged"], told["puts_failed"]) == (0, 0, 0)
        assert told["near_interrupts"] > 0
        assert told["burst_puts_per_s"] > 0


def test_samples_are_counted_apart(found: Session) -> None:
    result = _result(found, "ioc", "interrupt-total")
    told = {figure.name: figure.value for figure in result.figures}
    stem = result.quantity
    assert told[f"{stem}-in-bursts"] > 0
    assert told[f"{stem}-between-bursts"] > 0
    assert told[f"{stem}-in-bursts"] + told[f"{stem}-between-bursts"] == COUNT
    assert not any("bursts" in f.name for f in _result(found, "none", "interrupt-total").figures)


def test_a_killed_run_goes_on(root: Path, tmp_path: Path) -> None:
    """A short form of the profile of an hour: --resume measures the second part, and the first stays as saved."""
    archive = tmp_path / "archive.sqlite"
    words = (
        "-m",
        "interrupt-total",
        "--load",
        "ioc",
        "--intensity",
        "1",
        "--count",
        "50",
        "--profile",
        "private",
        "-r",
        "2",
    )
    with lasting_cache(root):
        running = subprocess.Popen(
            command("run", *words, "--target", f"board:{KERNEL}", "--archive", str(archive), "-q"),
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not _sessions(archive):
                assert running.poll() is None, "it ended before it kept a session"
                time.sleep(0.05)
        finally:
            os.kill(running.pid, signal.SIGKILL)
            running.wait(timeout=30)
        before = open_archive(str(archive)).load("last")
        assert (before.status, len(before.sessions)) == ("incomplete", 1)
        rtstone("run", "--resume", "last", "--archive", str(archive), timeout_s=600)
    after = open_archive(str(archive)).load("last")
    assert (after.status, after.resumes, len(after.sessions)) == ("complete", before.id, 2)
    assert after.sessions[0] == before.sessions[0]
    assert [(r.status, r.count, r.variant.load) for r in after.results()] == [("ok", 50, "ioc")] * 2


def _sessions(archive: Path) -> int:
    if not archive.exists() or not open_archive(str(archive)).list():
        return 0
    return len(open_archive(str(archive)).load("last").sessions)


def test_the_order_of_priorities_shows(found: Session) -> None:
    """With the network's interrupt threads above the task it waits for them; else it hardly does."""
    idle, below, above = (_result(found, load, "interrupt-total").max or 0 for load in ("none", "ioc", "ioc-above"))
    assert idle < above
    assert below < above
    assert _load(_result(found, "ioc-above", "interrupt-total"))["raised_interrupt_threads"] > 0


def test_the_iocs_own_sampler_agrees_with_the_engine(
    found: Session, guests: tuple[list[bytes], list[str], dict[str, str]]
) -> None:
    """The driver `probe` on the loaded module, in the same process on the same kernel, idle: medians within a fifth of the engine's.

    Not minima: the one interrupt that finds the CPU awake need not fall into both.
    """
    values = [float(m[1]) for line in guests[1] if (m := re.search(r"DBF_(?:INT64|DOUBLE):\s+([0-9.e+]+)", line))]
    count, top_min, top_median, total_min, total_median = values[-5:]  # a put is repeated too
    assert count == 300
    assert 0 < top_min <= top_median < total_min <= total_median
    hz = {clock.id: clock.hz for clock in found.clocks}
    for median, name in ((top_median, "interrupt-stages"), (total_median, "interrupt-total")):
        result = _result(found, "none", name)
        engines = (pool([result]).percentile(50) or 0.0) * 1e9 / hz[result.clock]
        assert median == pytest.approx(engines, rel=0.2), name
