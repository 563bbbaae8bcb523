# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A board of two machines by its name, and the marks of its figures in every output; nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from rtstone.cli._request import by_turns
from rtstone.errors import InfrastructureError, UsageError
from rtstone.judge.compare import compare
from rtstone.measure import ask, time_of
from rtstone.model import Figure, Result, Run
from rtstone.model.labels import unit_of_time
from rtstone.show.tables import study_view
from rtstone.studies import Request, make_plan, study
from rtstone.targets import boards, expand, open_target
from rtstone.targets._emulator import identity
from rtstone.targets._hub import places, wire
from support.measured import request_for, run_for, session_of

PAIR = "linux-6.1-rt+linux-6.1"
TARGET = f"board:pc-hub/{PAIR}"


def _transferred(result: Result) -> Result:
    """The result with the counts that every transfer has."""
    names = ("bytes_sent", "bytes_received", "elapsed_ns", "datagrams_sent", "datagrams_received", "datagrams_lost")
    cpu = [f"{end}_cpu{part}_ns" for end in ("sender", "receiver") for part in ("", "_busy", "_all", "_irq")]
    figures = tuple(Figure(name, "", 1000) for name in (*names, *cpu, "node_busy_ns", "node_irq_ns"))
    return replace(result, figures=figures) if result.measurement.startswith(("tcp", "udp")) else result


def _run(pair: str = PAIR) -> Run:
    host = {"board.id": "pc-hub", "board.platform": "p", "board.kernel": pair, "board.peer": pair.partition("+")[2]}
    request = replace(request_for("infn", loads=("none",)), given=("peer",))
    whole = run_for("infn", target=f"board:pc-hub/{pair}", host=host, run_id=pair)
    return replace(whole, time="emulated-time", sessions=(session_of(make_plan(request), _transferred),))


def test_a_hub_is_named_by_the_kernels_of_both_machines() -> None:
    board = boards.load("pc-hub")
    assert board.hub is not None
    assert [kernel.id for kernel in board.offered] == list(board.hub.pairs)
    assert expand(["board:pc-hub/*"]) == tuple(f"board:pc-hub/{pair}" for pair in board.hub.pairs)
    for near in board.kernel:
        for far in board.kernel:  # any two, the same one twice among them
            found = board.kernel_of(f"{near.id}+{far.id}")
            assert (found.package, found.peer) == (near.package, far)
    with pytest.raises(
        UsageError, match=r"is two machines, each with its kernel: pc-hub/linux-6.1-rt\+linux-6.1, for one$"
    ):
        board.kernel_of("linux-6.1")
    for name in ("linux-6.1+", "+linux-6.1", "linux-6.1+linux-6.1+linux-6.1", "bare"):
        with pytest.raises(UsageError, match="pc-hub"):
            board.kernel_of(name)


def test_other_boards_are_one_machine() -> None:
    with pytest.raises(UsageError, match=r"kernel .*'bare\+freertos'"):
        boards.load("arm64").kernel_of("bare+freertos")
    assert all(boards.load(name).counted for name in boards.names() if name != "pc-hub")


def test_a_peer_is_not_named_in_the_file(monkeypatch: pytest.MonkeyPatch, root: Path, tmp_path: Path) -> None:
    place = tmp_path / "boards" / "pc-hub" / "board.toml"
    place.parent.mkdir(parents=True)
    text = (root / "boards" / "pc-hub" / "board.toml").read_text(encoding="utf-8")
    place.write_text(f'{text}peer = {{ id = "x", title = "x", kind = "linux" }}\n', encoding="utf-8")
    monkeypatch.setattr("rtstone.resources.data_dir", lambda name: tmp_path)
    with pytest.raises(InfrastructureError, match="a kernel's peer is named by the target"):
        boards.load("pc-hub")


def test_its_time_is_nobodys_and_it_has_no_identity(tmp_path: Path) -> None:
    target = open_target(TARGET)
    assert time_of(target) == "emulated-time"
    assert time_of(open_target("board:arm64/bare")) == "instruction-time"
    assert time_of(open_target("local")) == "time"
    facts = target.describe()
    assert facts["board.time"] == "emulated in real time, not deterministic: no speed of hardware"
    assert facts["board.peer"] == "linux-6.1"
    assert "board.instructions_per_second" not in facts
    image = tmp_path / "image"
    image.write_bytes(b"1")
    board = boards.load("pc-hub")
    told = identity(board, board.kernel_of(PAIR), image, "", {}).facts
    assert "board.platform" in told
    assert not {"board.identity", "board.icount.shift"} & told.keys()


def test_it_takes_turns_and_is_asked_for_transfers_to_its_peer() -> None:
    asked = ask(
        open_target(TARGET),
        Request(studies=(study("infn"),), profile="quick", loads=(), repetitions=0, given=("live",)),
    )
    assert not asked.virtual
    assert len(asked.plans) == 1
    wanted = {item.measurement for item in asked.plans[0].items}
    assert {"tcp-to-peer", "tcp-from-peer", "udp-to-peer", "udp-from-peer", "tcp-local", "fork"} <= wanted
    assert {item.load for item in asked.plans[0].items} == {"none"}
    assert all(item.sets <= 10 for item in asked.plans[0].items)  # a board's counts
    # One program started may take it hundreds of milliseconds: there is a set within the budget all the same.
    assert {(item.count, item.warmup) for item in asked.plans[0].items if item.measurement == "posix-spawn"} == {
        (20, 2),
        (2000, 2),
    }
    assert asked.seconds == sum(item.budget_ms for item in asked.plans[0].items) / 1000 > 100
    one = ask(
        open_target("board:pc/linux-6.1-rt"),
        Request(studies=(study("infn"),), profile="quick", loads=(), repetitions=0),
    )
    assert not any("peer" in item.measurement for plan in one.plans for item in plan.items)
    assert [by_turns(name) for name in ("local", TARGET, "board:arm64/bare")] == [True, True, False]
    with pytest.raises(UsageError, match="unknown board 'none'"):
        by_turns("board:none/x")


def test_what_only_silicon_has_is_not_asked_of_it() -> None:
    request = Request(studies=(study("sscl"),), profile="quick", loads=("none",), given=("live",))
    here = {item.measurement for item in ask(open_target("local"), request).plans[0].items}
    there = {item.measurement for item in ask(open_target(TARGET), request).plans[0].items}
    assert "interrupt-split" in here - there


@pytest.mark.parametrize("number", ["4", "6"])
def test_columns_say_which_kernel_sends_and_that_no_hardware_was_fast(number: str) -> None:
    (view,) = (v for v in study_view([_run()], study("infn")).tables if v.number == number and v.kind == "paper")
    titles = [column.title for column in view.columns if column.kind == "ours"]
    assert any("linux-6.1-rt → linux-6.1)" in title for title in titles)
    assert any("linux-6.1 → linux-6.1-rt)" in title for title in titles)
    assert not any("peer" in title for title in titles)
    for column in (c for c in view.columns if c.kind == "ours"):
        assert any(
            view.notes[mark - 1] == "a virtual board, emulated in real time, not deterministic: no speed of hardware"
            for mark in column.marks
        )
    assert unit_of_time(_run()) == "emulated time"


@pytest.mark.parametrize(("pair", "said"), [(PAIR, "two kernels, linux-6.1-rt and"), ("a+a", "one kernel, a, at both")])
def test_the_sheet_says_what_stood_in_for_two_nodes(pair: str, said: str) -> None:
    sheet = study_view([_run(pair)], study("infn")).sheet
    assert sheet is not None
    (finding,) = (line.findings[0] for line in sheet.lines if line.findings[0].check == "across-a-link")
    assert finding.verdict == "substituted"
    assert finding.ours.startswith(said)
    assert "emulated, not deterministic" in finding.ours


def test_it_is_not_compared_with_a_machine_or_with_instructions() -> None:
    ours = _run()
    for other in (run_for("infn", run_id="live"), replace(_run(), id="counted", time="instruction-time")):
        found = compare([ours, other])
        assert any(one.what.startswith("unit of time: emulated-time | ") for one in found.unlike)


def test_a_wire_has_two_ends_that_lead_nowhere_else() -> None:
    with wire() as (near, far):
        assert places(near, far=False)["mac"] != places(far, far=True)["mac"]
        near.send(b"a frame")
        assert far.recv(100) == b"a frame"
        assert near.getsockname() == far.getsockname() == ""
