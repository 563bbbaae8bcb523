# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An IOC in a guest of the board pc-link, loaded by clients on this host: all they do is accounted for, and nothing is left of them."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rtstone import ioc
from rtstone.errors import InfrastructureError
from rtstone.measure import measure
from rtstone.model import LINK, Result, Run
from rtstone.stream.plan import Item, Plan
from rtstone.targets import open_target
from support.children import children, words
from support.images import lasting, lasting_cache

__all__ = ["lasting"]  # the fixture

pytestmark = pytest.mark.timeout(900)

TARGET = "board:pc-link/linux-6.1-rt"
COUNT = 1000
INTENSITY = 2
LOADS = ("none", "ioc", "ioc-above", "ioc")
NAMES = ("interrupt-stages", "interrupt-total")
TOTAL = "interrupt-task-response"
PLAN = Plan(
    seed=1,
    repetition=0,
    items=tuple(
        Item(item=number, measurement=name, count=COUNT, load=load, intensity=1 if load == "none" else INTENSITY)
        for number, (load, name) in enumerate((load, name) for load in LOADS for name in NAMES)
    ),
)
PATIENCE_S = 120


@pytest.fixture(scope="module")
def run(root: Path) -> Run:
    with lasting_cache(root):
        return measure(TARGET, lambda _: PLAN, 1).run


def _load(result: Result) -> dict[str, int]:
    return {figure.key: figure.value for figure in result.load}


def test_every_item_is_measured_and_is_said_to_be_no_twin(run: Run) -> None:
    assert (run.status, run.time, run.instructions_per_second) == ("complete", "instruction-time", 125_000_000)
    assert not run.deterministic
    assert run.host[LINK] == "clients on the host, over a private link: no two runs are the same"
    assert "board.identity" not in run.host
    assert [(r.status, r.count, r.variant.load) for r in run.results() if r.quantity == TOTAL] == [
        ("ok", COUNT, load) for load in LOADS for _ in NAMES
    ]


def test_clients_outside_load_it_and_are_accounted_for(run: Run) -> None:
    loaded = [result for result in run.results() if result.variant.load != "none"]
    assert {(r.measurement, r.variant.load) for r in loaded} == {
        (n, load) for n in NAMES for load in LOADS if load != "none"
    }
    for result in loaded:
        told = _load(result)
        assert (told["outside"], told["records"], told["pause_ms"]) == (1, 100 * INTENSITY, 100 * INTENSITY)
        assert told["puts"] == told["monitors"] == told["bursts"] * told["records"] > 0
        assert (told["monitors_lost"], told["monitors_merged"], told["puts_failed"]) == (0, 0, 0)
        assert told["near_interrupts"] > 0
        assert "far_interrupts" not in told


def test_samples_in_bursts_are_counted_apart(run: Run) -> None:
    for result in run.results():
        told = {figure.name.removeprefix(result.quantity): figure.value for figure in result.figures}
        if result.variant.load == "none":
            assert not any("bursts" in name for name in told)
        else:
            assert told["-in-bursts"] > 0
            assert told["-between-bursts"] > 0
            assert told["-in-bursts"] + told["-between-bursts"] == COUNT


def test_nothing_of_it_is_left(run: Run) -> None:
    assert run.status == "complete"
    assert _programs(os.getpid()) == {}


# ---- ends ------------------------------------------------------------------------------------------------------


def _programs(parent: int) -> dict[str, int]:
    """The programs that a process started, by name: emulator and clients."""
    found: dict[str, int] = {}
    for child in children(parent):
        name = Path(b"".join(words(child)[:1]).decode()).name
        if name.startswith(("qemu-", "rtstone-ca")):
            found[name] = child
    return found


def _struck(strike: Callable[[dict[str, int]], None]) -> str:
    """Start a long run and call `strike` once emulator and clients are there. Returns the error's text."""
    plan = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-total", count=100_000, load="ioc"),))
    seen: dict[str, int] = {}
    said = ""
    with open_target(TARGET) as board:

        def watch() -> None:
            until = time.monotonic() + PATIENCE_S
            while len(seen) < 3 and time.monotonic() < until:
                time.sleep(0.05)
                seen.update(_programs(os.getpid()))
            strike(seen) if len(seen) == 3 else board.stop()

        board.deploy()
        thread = threading.Thread(target=watch)
        thread.start()
        try:
            list(board.start(plan))
        except InfrastructureError as error:
            said = str(error)
        thread.join()
    assert seen.keys() == {"qemu-system-x86_64", "rtstone-caput", "rtstone-camonitor"}
    assert _programs(os.getpid()) == {}
    return said


@pytest.mark.parametrize("client", ["caput", "camonitor"])
def test_a_client_that_ends_ends_the_run(client: str) -> None:
    """Samples without the load that the record speaks of are worth nothing."""
    said = _struck(lambda seen: os.kill(seen[f"rtstone-{client}"], 9))
    assert f"the IOC's client {client} has ended" in said


def test_an_emulator_that_ends_takes_its_clients_along() -> None:
    said = _struck(lambda seen: os.kill(seen["qemu-system-x86_64"], 9))
    assert "the emulator was killed by SIGKILL" in said


# ---- a client of somebody's own --------------------------------------------------------------------------------


def test_caput_says_what_is_missing() -> None:
    program = str(ioc.build() / "rtstone-caput")
    done = subprocess.run([program, "1", "--remote"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (2, "rtstone-caput: --remote needs --account\n")
