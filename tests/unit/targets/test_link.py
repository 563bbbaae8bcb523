# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The boards with a link to the host: the marks of their figures in every output, and their clients; nothing is run."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from msgspec.structs import replace

from rtstone import ioc
from rtstone.cli._boards import document
from rtstone.errors import UsageError
from rtstone.ioc.guest import clients_outside
from rtstone.judge.compare import compare
from rtstone.judge.fit._gather import gather
from rtstone.measure import time_of
from rtstone.model import LINK, Run
from rtstone.show.tables import study_view
from rtstone.stream.plan import Item, Plan
from rtstone.studies import study
from rtstone.targets import boards, open_target
from rtstone.targets._emulator import identity
from rtstone.targets.guest_ioc import free_port
from support.command import rtstone
from support.measured import run_for

TARGET = "board:pc-link/linux-6.1-rt"


def _plan(*intensities: int) -> Plan:
    loaded = (Item(item=n, measurement="interrupt-total", load="ioc", intensity=i) for n, i in enumerate(intensities))
    return Plan(seed=1, repetition=0, items=(*loaded, Item(item=len(intensities), measurement="interrupt-total")))


def _run(run_id: str, host: dict[str, str]) -> Run:
    return replace(run_for("aps", run_id=run_id, target=TARGET, host=host), time="instruction-time")


def test_it_counts_instructions_and_has_no_identity(tmp_path: Path) -> None:
    board = boards.load("pc-link")
    assert (board.counted, board.deterministic) == (True, False)
    assert [kernel.id for kernel in board.kernel] == [kernel.id for kernel in boards.load("pc").kernel]
    target = open_target(TARGET)
    assert time_of(target) == "instruction-time"
    assert target.describe()[LINK] == "clients on the host, over a private link: no two runs are the same"
    image = tmp_path / "image"
    image.write_bytes(b"1")
    told = identity(board, board.kernel_of("linux-6.1-rt"), image, "", {}).facts
    assert told["board.icount.shift"] == "3"
    assert "board.identity" not in told
    assert all(
        boards.load(name).deterministic for name in boards.names() if name not in {"pc-hub", "pc-link", "zynq-a9-link"}
    )
    assert {one.id: one.deterministic for one in document().boards}["pc-link"] is False


def test_nothing_is_to_be_verified_of_it() -> None:
    said = rtstone("boards", "verify", "pc-link", expect=2).stderr
    assert "never the same twice" in said


def test_one_port_of_the_loopback_interface_leads_in_and_nothing_out() -> None:
    """Both ends have one port: the server announces the guest's port to a client, which uses the host's."""
    words = " ".join(boards.load("pc-link").emulator.kinds["linux"])
    assert "restrict=on" in words
    assert re.findall(r"hostfwd=(\w+):([\d.]+):(\{\w+\})-([\d.]+):(\{\w+\})", words) == [
        ("tcp", "127.0.0.1", "{port}", "10.87.3.15", "{port}")
    ]
    assert "rtstone.outside=eth0,10.87.3.15,{port}" in words
    with socket.create_server(("127.0.0.1", free_port())) as mine:
        assert mine.getsockname()[0] == "127.0.0.1"


def test_rtems_gets_the_port_behind_the_plan_and_has_the_address_that_is_forwarded_to(root: Path) -> None:
    linked, plain = boards.load("zynq-a9-link"), boards.load("zynq-a9")
    assert (linked.counted, linked.deterministic) == (True, False)
    assert open_target("board:zynq-a9-link/rtems-ioc").describe()[LINK].startswith("clients on the host")
    assert (linked.plan, linked.clock.hz, linked.clock.instructions_per_second) == (
        plain.plan,
        plain.clock.hz,
        plain.clock.instructions_per_second,
    )
    words = " ".join(linked.emulator.arguments)
    assert "restrict=on" in words
    found = re.search(r"hostfwd=tcp:127.0.0.1:\{port\}-([\d.]+):\{port\} ", words)
    assert found is not None
    source = (root / "boards/zynq-a9-link/rtems-ioc/link.c").read_text(encoding="utf-8")
    assert f'#define ADDRESS "{found[1]}"' in source
    assert "#define PORT_ADDRESS (BOARD_PLAN_ADDRESS + BOARD_PLAN_ROOM)" in source
    assert f"loader,addr={linked.plan.address + linked.plan.room:#x},data={{port}},data-len=4" in words
    (ours,) = linked.kernel
    usual = plain.kernel_of(ours.id)
    assert (ours.port, ours.defines) == (usual.port, (*usual.defines, "RTS_RTEMS_IOC_LINK"))


def test_another_run_of_the_same_seed_is_another_sample() -> None:
    """Unlike on a board whose runs are the same to the byte."""
    plain, linked = {"board.platform": "p"}, {"board.platform": "p", LINK: "clients"}
    assert _run("a", plain).deterministic
    assert not _run("a", linked).deterministic
    once, twice = (
        sum(len(group.pieces) for group in gather([_run("a", host), _run("b", host)]).values())
        for host in (plain, linked)
    )
    assert twice == 2 * once > 0
    assert compare([_run("a", plain), _run("b", plain)]).least_change == 0
    assert compare([_run("a", linked), _run("b", linked)]).least_change > 0


def test_its_columns_say_that_no_two_runs_are_the_same() -> None:
    said = "clients on the host, over a private link: no two runs are the same"
    for host, marked in (({"board.platform": "p", LINK: said}, True), ({"board.platform": "p"}, False)):
        notes = [note for view in study_view([_run("a", host)], study("aps")).tables for note in view.notes]
        assert (said in notes) is marked


def test_clients_burst_in_one_way_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with clients_outside(_plan(), 1) as none:
        assert none is None
    with pytest.raises(UsageError, match=r"burst in one way a run: intensity 4 and 50 need a run each$"):
        clients_outside(_plan(50, 4, 50), 1)
    monkeypatch.setattr("rtstone.ioc._outside.build", lambda: Path("programs"))
    made = clients_outside(_plan(4, 4), 12345)
    assert isinstance(made, ioc.OutsideClients)
    assert made.environment["EPICS_CA_NAME_SERVERS"] == "127.0.0.1:12345"
    assert made.environment["EPICS_CA_ADDR_LIST"] == ""
