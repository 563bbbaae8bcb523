# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Two guests with different kernels on a wire: packets arrive or are counted lost, and nothing outlives a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError
from rtstone.measure import measure
from rtstone.model import Result, Run
from rtstone.stream.plan import Item, Plan
from rtstone.targets import _hub, open_target
from support.children import children, words
from support.command import rtstone
from support.images import lasting, lasting_cache

__all__ = ["lasting"]  # the fixture

pytestmark = pytest.mark.alone

TARGET = "board:pc-hub/linux-6.1-rt+linux-6.1"
WAYS = ("tcp-to-peer", "tcp-from-peer", "udp-to-peer", "udp-from-peer")
TRANSFERS = 2
PATIENCE_S = 60


def _plan(count: int = TRANSFERS) -> Plan:
    items = tuple(
        Item(item=number, measurement=way, count=count, warmup=1, sched="ts", period_ns=200_000_000)
        for number, way in enumerate(WAYS)
    )
    return Plan(seed=1, repetition=0, items=items)


@pytest.fixture(scope="module")
def run(root: Path) -> Run:
    with lasting_cache(root):
        return measure(TARGET, lambda _: _plan(), 1).run


def _figures(result: Result) -> dict[str, int]:
    return {figure.name: figure.value for figure in result.figures}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", WAYS)
def test_all_of_a_transfer_is_accounted_for_at_both_ends(run: Run, way: str) -> None:
    (result,) = (one for one in run.results() if one.measurement == way)
    assert (result.status, result.count) == ("ok", TRANSFERS)
    assert all(check.holds for check in result.checks)
    found = _figures(result)
    assert found["transfers"] == TRANSFERS
    assert found["elapsed_ns"] >= TRANSFERS * 200_000_000
    for end in ("sender", "receiver"):
        assert 0 < found[f"{end}_cpu_ns"] < 2 * found["elapsed_ns"]
        assert 0 < found[f"{end}_cpu_busy_ns"] <= found[f"{end}_cpu_all_ns"]
    if way.startswith("tcp"):
        assert found["bytes_sent"] == found["bytes_received"] > 0
    else:
        assert found["datagrams_sent"] == found["datagrams_received"] + found["datagrams_lost"]
        assert found["datagrams_received"] * 4096 == found["bytes_received"] > 0


@pytest.mark.timeout(300)
def test_the_record_says_which_two_kernels_and_that_it_is_emulated(run: Run) -> None:
    assert (run.status, run.time, run.instructions_per_second) == ("complete", "emulated-time", 0)
    assert run.host["board.time"] == "emulated in real time, not deterministic: no speed of hardware"
    assert (run.host["board.kernel"], run.host["board.peer"]) == ("linux-6.1-rt+linux-6.1", "linux-6.1")
    assert "-rt-" in run.sessions[0].env["kernel.release"]
    own, other = run.host["board.kernel.package"], run.host["board.peer.kernel.package"]
    assert "-rt-" in own
    assert "-rt-" not in other
    assert run.host["board.peer.image.sha256"] != run.host["board.image.sha256"]
    assert "rtstone.serve=" in run.host["board.peer.append"]
    assert not {"board.identity", "board.icount.shift"} & run.host.keys()
    assert float(run.host["board.peer.emulator.cpu_s"]) > 0
    assert _emulators(os.getpid()) == {}


# ---- ends ------------------------------------------------------------------------------------------------------


def _emulators(parent: int) -> dict[str, int]:
    """The two machines of a process, each found by the word that only its command line has."""
    found: dict[str, int] = {}
    for child in children(parent):
        told = words(child)
        for name, word in (("far", b"rtstone.serve="), ("near", b"rtstone.peer=")):
            if any(word in one for one in told) and b"setpriv" not in told[0]:
                found[name] = child
    return found


def _both(parent: int) -> dict[str, int]:
    """The two machines of a process, once both run."""
    until = time.monotonic() + PATIENCE_S
    while len(found := _emulators(parent)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert found.keys() == {"far", "near"}
    return found


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _all_gone(pids: dict[str, int]) -> bool:
    until = time.monotonic() + PATIENCE_S
    while not all(_gone(pid) for pid in pids.values()) and time.monotonic() < until:
        time.sleep(0.02)
    return all(_gone(pid) for pid in pids.values())


def _struck(strike: Callable[[dict[str, int]], None]) -> tuple[dict[str, int], str]:
    """Start a long run and call `strike` with its two machines once both run.

    Returns the machines and the error's text.
    """
    seen: dict[str, int] = {}
    said = ""
    with open_target(TARGET) as board:

        def watch() -> None:
            try:
                seen.update(_both(os.getpid()))
                strike(seen)
            finally:
                if len(seen) < 2 or strike is _nothing:
                    board.stop()

        board.deploy()
        thread = threading.Thread(target=watch)
        thread.start()
        try:
            list(board.start(_plan(500)))
        except InfrastructureError as error:
            said = str(error)
        thread.join()
    return seen, said


def _nothing(seen: dict[str, int]) -> None:
    """Leaves them alone."""


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("victim", ["far", "near"])
def test_when_one_machine_dies_the_run_fails_and_the_other_goes_too(victim: str) -> None:
    seen, said = _struck(lambda machines: os.kill(machines[victim], signal.SIGKILL))
    why = {
        "far": "the second machine has ended: its emulator was killed by SIGKILL",
        "near": "the emulator was killed by",
    }
    assert said.startswith(f"{TARGET}: {why[victim]}")
    assert "\n" not in said
    assert _all_gone(seen)


@pytest.mark.usefixtures("run")
def test_a_far_machine_that_cannot_serve_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _hub.words
    monkeypatch.setattr(
        _hub, "words", lambda hub, far: right(hub, far=far).replace("serve=10.87.2.2", "serve=192.0.2.9")
    )
    with open_target(TARGET) as board, pytest.raises(InfrastructureError) as caught:
        list(board.start(_plan(500)))
    assert f"{TARGET}: the second machine has ended: it reset itself or switched its board off; it said last: " in str(
        caught.value
    )
    assert "192.0.2.9 is no address of this machine" in str(caught.value)
    assert _emulators(os.getpid()) == {}


@pytest.mark.usefixtures("run")
def test_stopping_ends_both() -> None:
    seen, said = _struck(_nothing)
    assert said == ""
    assert len(seen) == 2
    assert _all_gone(seen)


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_nothing_is_left_when_the_command_is_interrupted_or_killed(root: Path, number: int, code: int) -> None:
    words = [
        sys.executable,
        "-m",
        "rtstone",
        "run",
        "-t",
        TARGET,
        "-m",
        "tcp-to-peer",
        "--count",
        "500",
        "--no-archive",
    ]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as tool:
        seen = _both(tool.pid)
        tool.send_signal(number)
        tool.communicate(timeout=PATIENCE_S)
        assert tool.returncode == code
    assert _all_gone(seen)


def test_it_is_not_held_to_bytes() -> None:
    done = rtstone("boards", "verify", "pc-hub", expect=2)
    assert (
        done.stderr.strip() == "rtstone: pc-hub: never the same twice (see rtstone boards): there is nothing to verify"
    )
