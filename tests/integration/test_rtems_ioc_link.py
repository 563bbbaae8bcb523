# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""RTEMS inside an EPICS IOC on the board zynq-a9-link, with the installations of `make test-rtems-ioc`: clients on this host load it, both
ends count the same, and base's own tools reach it while it measures."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rtstone.measure import measure
from rtstone.model import LINK, Result, Run
from rtstone.stream.plan import Item, Plan
from rtstone.targets import board as board_room
from rtstone.targets import boards
from support.board_command import Command, rtstone
from support.children import children, words
from support.images import Build, image, lasting_cache

__all__ = ["image", "rtstone"]  # the fixtures

pytestmark = [pytest.mark.rtems_ioc, pytest.mark.timeout(900)]

BOARD, KERNEL = "zynq-a9-link", "rtems-ioc"
TARGET = f"board:{BOARD}/{KERNEL}"
INTENSITY = 5
RECORDS = 100 * INTENSITY
COUNTS = {"none": 1000, "ioc": 30_000, "ioc-above": 2000}
PLAN = Plan(
    seed=1,
    repetition=0,
    items=tuple(
        Item(
            item=n, measurement="interrupt-stages", count=count, load=load, intensity=1 if load == "none" else INTENSITY
        )
        for n, (load, count) in enumerate(COUNTS.items())
    ),
)
TOTAL = "interrupt-task-response"
ASKED, BURST, FREE = (f"rtstone:load:{name}" for name in ("asked", "put0", "put4999"))
"""The number of bursts that are due, a record of the load, and one beyond it."""
PATIENCE_S = 300


class Seen(NamedTuple):
    """A run, and the output of base's tools while its second item was measured."""

    run: Run
    read: str
    written: str
    read_again: str
    updates: list[int]
    bursts_after: int


def _port() -> int | None:
    """The port that the emulator of this process forwards."""
    said = b" ".join(word for child in children(os.getpid()) for word in words(child))
    found = re.search(rb"hostfwd=tcp:127\.0\.0\.1:(\d+)-", said)
    return int(found[1]) if found else None


def _until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


class Tools:
    """base's command-line tools, as a user of this host starts them."""

    def __init__(self, port: int) -> None:
        (caget,) = Path(os.environ["EPICS_BASE"]).glob("bin/*/caget")
        self._folder = caget.parent
        # The load's clients stand in for the repeater at that port, so that none of base's is started and left.
        self._environment = os.environ | {
            "EPICS_CA_NAME_SERVERS": f"127.0.0.1:{port}",
            "EPICS_CA_ADDR_LIST": "127.0.0.1",
            "EPICS_CA_AUTO_ADDR_LIST": "NO",
            "EPICS_CA_REPEATER_PORT": str(port),
        }

    def get(self, name: str) -> str:
        """The value of a record; empty if it is not found."""
        return self.say("caget", "-t", name)

    def say(self, tool: str, *arguments: str) -> str:
        command = [str(self._folder / tool), "-w", "5", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout.strip()

    def follow(self, name: str, count: int) -> list[int]:
        """The first values that camonitor prints."""
        command = ["stdbuf", "-oL", str(self._folder / "camonitor"), name]
        with subprocess.Popen(command, env=self._environment, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            values = [int(program.stdout.readline().split()[-1]) for _ in range(count)]
            program.terminate()
        return values


@pytest.fixture(scope="module")
def seen(root: Path) -> Seen:
    runs: list[Run] = []
    with lasting_cache(root):
        thread = threading.Thread(target=lambda: runs.append(measure(TARGET, lambda _: PLAN, 1).run))
        thread.start()
        _until(lambda: _port() is not None or not thread.is_alive())
        port = _port()
        assert port is not None
        tools = Tools(port)
        _until(lambda: tools.get(ASKED) not in {"", "0"})
        read = tools.say("caget", BURST, FREE)
        written = tools.say("caput", FREE, "42")
        again = tools.get(FREE)
        updates = tools.follow(BURST, 5)
        bursts = int(tools.get(ASKED))
        thread.join()
    (run,) = runs
    return Seen(run, read, written, again, updates, bursts)


def _loads(run: Run) -> dict[str, Result]:
    return {result.variant.load: result for result in run.results() if result.quantity == TOTAL}


def test_every_item_is_measured_and_is_said_to_be_no_twin(seen: Seen) -> None:
    assert (seen.run.status, seen.run.time, seen.run.instructions_per_second) == (
        "complete",
        "instruction-time",
        62_500_000,
    )
    assert not seen.run.deterministic
    assert seen.run.host[LINK] == "clients on the host, over a private link: no two runs are the same"
    assert {load: (result.status, result.count) for load, result in _loads(seen.run).items()} == {
        load: ("ok", count) for load, count in COUNTS.items()
    }


def test_both_ends_count_the_same(seen: Seen) -> None:
    for load in ("ioc", "ioc-above"):
        shown = {figure.key: figure.value for figure in _loads(seen.run)[load].load}
        assert (shown["outside"], shown["records"], shown["pause_ms"]) == (1, RECORDS, 100 * INTENSITY)
        assert shown["puts"] == shown["monitors"] == RECORDS * shown["bursts"] > 0
        assert shown["puts_in_records"] == shown["puts"]  # the IOC's count
        assert (shown["monitors_lost"], shown["monitors_merged"], shown["puts_failed"]) == (0, 0, 0)
        assert shown["near_interrupts"] > shown["bursts"]


def test_tools_of_the_host_read_write_and_follow_records_meanwhile(seen: Seen) -> None:
    assert re.fullmatch(rf"{BURST} +[1-9]\d*\n{FREE} +0", seen.read)
    assert re.fullmatch(rf"Old : {FREE} +0\nNew : {FREE} +42", seen.written)
    assert seen.read_again == "42"
    first = seen.updates[0]
    assert seen.updates == list(range(first, first + 5))  # the value that it had, and each burst's
    shown = {figure.key: figure.value for figure in _loads(seen.run)["ioc"].load}
    assert 0 < seen.bursts_after < shown["bursts"]  # the item was still measured


def test_nothing_is_to_be_verified_of_it(rtstone: Command) -> None:
    ended = rtstone("boards", "verify", BOARD)
    assert ended.code == 2
    assert "never the same twice" in ended.err


# ---- bad input -------------------------------------------------------------------------------------------------

RUN = ("run", "-m", "interrupt-stages", "--load", "none", "--count", "100", "-r", "1", "-t")


def test_a_port_that_another_program_has_taken(rtstone: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(board_room, "free_port", lambda: port)
        ended = rtstone(*RUN, TARGET)
    assert ended.code == 3
    assert f"Could not set up host forwarding rule 'tcp:127.0.0.1:{port}-" in ended.err.splitlines()[-1]


def test_a_guest_without_a_port(
    rtstone: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: Path, image: Build
) -> None:
    text = (root / "boards" / BOARD / "board.toml").read_text(encoding="utf-8")
    for old, new in (
        (f'id = "{BOARD}"', 'id = "no-port"'),
        ('  "-device", "loader,addr=0x18100000,data={port},data-len=4",\n', ""),
        (f'port = "{KERNEL}"\ndefines = ["RTS_RTEMS_IOC_LINK"]', f'image = "{image(BOARD, KERNEL)}"'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "no-port").mkdir()
    (tmp_path / "no-port" / "board.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv(boards.FOLDER_VARIABLE, str(tmp_path))
    ended = rtstone(*RUN, f"board:no-port/{KERNEL}")
    assert ended.code == 3
    assert "the IOC did not start: the emulator gave it no port of the host" in ended.err.splitlines()[-1]
