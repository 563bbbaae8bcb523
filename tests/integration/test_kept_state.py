# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A Linux guest that goes on from a kept state says what one from reset says, to the byte."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream.plan import Item, Plan
from rtstone.targets import _kept
from rtstone.targets.board import BoardTarget, open_board
from rtstone.targets.boards.guest import _build
from support.images import lasting

__all__ = ["lasting"]  # the fixture

ITEMS = (
    Item(item=0, measurement="interrupt-response", count=200),
    Item(item=1, measurement="semaphore-ping", count=200, load="network"),
    Item(item=2, measurement="interrupt-split", count=200, load="fork"),
)
MOST_STARTS = 10
"""Two from reset and two from the state are enough where the emulator's clock never goes on by itself."""


@pytest.fixture
def states(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which all is made but a state: the folder of states."""
    cache = tmp_path / "rtstone"
    cache.mkdir()
    for kind in (root / "build" / "cache" / "rtstone").iterdir():
        if kind.name != "state":
            (cache / kind.name).symlink_to(kind)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return cache / "state"


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(300, func_only=True)
def test_a_guest_with_an_interrupt_at_its_stop_is_measured_from_reset(
    root: Path, states: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: each stop finds that it took too long, as where an interrupt comes then in each start of that guest."""
    for place in ("engine", "ports", "linux", "ioc", "boards/guest", "cmake", "probe"):
        shutil.copytree(root / place, tmp_path / "sources" / place)
    shutil.copy(root / "CMakeLists.txt", tmp_path / "sources")
    stop = tmp_path / "sources" / "boards" / "guest" / "kept.c"
    planted = stop.read_text().replace("if (!stop_clock_too(port)) {", "if (!stop_clock_too(port) || port != NULL) {")
    assert planted != stop.read_text()
    stop.write_text(planted)
    monkeypatch.setattr(_build, "sources_root", lambda: tmp_path / "sources")
    with open_board("arm64/linux-6.1-rt") as board:
        board.deploy()
        assert len({_stream(board, 0) for _ in range(2)}) == 1
        assert b'"t":"bye"' in board.record_bytes
        assert board.describe()["board.started_from"] == "reset, reset"
    assert list(states.glob("[!.]*/")) == []


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The events that an emulator's monitor reports of the machine."""
    events: list[str] = []
    take = _kept.Keeper._take

    def also_kept(keeper: _kept.Keeper, message: dict[str, Any]) -> None:
        events.append(message.get("event", ""))
        take(keeper, message)

    monkeypatch.setattr(_kept.Keeper, "_take", also_kept)
    return events


def _stream(board: BoardTarget, repetition: int) -> bytes:
    for _ in board.start(Plan(seed=5, repetition=repetition, items=ITEMS)):
        pass
    return board.record_bytes


# Debian's emulator promises the same bytes of guests that halt where the host has a CPU to spare (decision 7).
@pytest.mark.alone
@pytest.mark.timeout(300, func_only=True)
@pytest.mark.parametrize(
    "name",
    [
        "arm64/linux-6.1-rt",
        *(
            pytest.param(f"{board}/linux-6.1-rt", marks=pytest.mark.long)
            for board in ("pc", "arm64-bound", "arm64-split", "pc-split")
        ),
    ],
)
def test_from_reset_and_from_a_kept_state_alike(name: str, states: Path, told: list[str]) -> None:
    said: dict[int, set[bytes]] = {0: set(), 1: set()}
    stops: list[int] = []
    with open_board(name) as board:
        board.deploy()
        for start in range(MOST_STARTS):
            said[start % 2].add(_stream(board, start % 2))
            stops.append(told.count("STOP"))
            told.clear()
            begun = board.describe()["board.started_from"].split(", ")
            if begun[-2:] == ["kept state"] * 2:
                break
        assert begun[:2] == ["reset"] * 2
        assert begun[-2:] == ["kept state"] * 2
        assert [len(streams) for streams in said.values()] == [1, 1]
        assert said[0] != said[1]
        # Where a guest is ready for its plan it stops its machine: one from reset comes there, one from a state has been.
        assert (stops[:2], stops[-2:]) == ([1, 1], [0, 0])
        # One that the emulator refuses, although its hash is right, and then none at all.
        (state,) = states.glob("[!.]*/*")
        half = state.read_bytes()[: state.stat().st_size // 2]
        state.unlink()
        (state.parent / sha256(half).hexdigest()).write_bytes(half)
        assert {_stream(board, 0)} == said[0]
        assert board.describe()["board.started_from"].split(", ")[-1] == "reset"
        assert list(states.glob("[!.]*/")) == []
