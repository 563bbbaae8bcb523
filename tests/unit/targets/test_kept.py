# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""When a machine's state is kept, and when it is not: against a monitor that answers as the emulator's does."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError
from rtstone.targets import _kept

Start = Callable[..., list[str]]


def _emulator(line: socket.socket, memory: bytes, devices: bytes, state: bytes | None, said: list[str]) -> None:
    with suppress(OSError):  # one that is not followed finds its line closed
        _answer(line, memory, devices, state, said)


def _answer(line: socket.socket, memory: bytes, devices: bytes, state: bytes | None, said: list[str]) -> None:
    """Boots, stops once, and does what it is asked; one that goes on is gone where its state is damaged."""
    lent: dict[str, int] = {}
    rest = b""
    line.sendall(b'{"QMP": {}}\r\n')
    while chunk := socket.recv_fds(line, 1 << 16, 1):
        text, descriptors, _, _ = chunk
        if not text:
            return
        *lines, rest = (rest + text).split(b"\n")
        for asked in map(json.loads, lines):
            command, arguments = asked["execute"], asked["arguments"]
            said.append(command)
            answer: object = {}
            if command == "getfd":
                lent[arguments["fdname"]] = descriptors.pop()
            elif command == "dump-guest-memory":
                os.write(lent["memory"], memory)
                os.close(lent["memory"])
            elif command == "xen-save-devices-state":
                Path(arguments["filename"]).write_bytes(struct.pack("q", time.monotonic_ns()) + devices)
            elif command == "migrate":
                os.write(lent["state"], b"state of " + memory)
                os.close(lent["state"])
            elif command == "query-migrate":
                answer = {"status": "completed"}
            elif command == "query-status":
                if state == b"damaged":
                    line.close()
                    return
                answer = {"status": "guest-panicked"}
            # An event may come in one piece with an answer, and before it.
            event = b'{"event": "STOP"}\r\n' if command == "qmp_capabilities" and state is None else b""
            line.sendall(b'{"event": "RESUME"}\r\n' + json.dumps({"return": answer}).encode() + b"\r\n" + event)
            if command == "cont":
                if memory == b"late":
                    line.sendall(b'{"event": "GUEST_CRASHLOADED"}\r\n')
                return


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Starts a machine with such a memory. Returns the commands that its monitor got.

    "failed" is at the end if the machine must start again.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_kept, "_FIRMWARE", (str(tmp_path / "firmware"),))
    _kept._emulator.cache_clear()
    disk = tmp_path / "initrd"
    disk.write_bytes(b"disk")
    (tmp_path / "emulator").write_bytes(b"emulator")

    def run(
        memory: bytes,
        *,
        devices: bytes = b"timer/icount 0000",
        console: bytes = b"",
        keeps: bool = True,
        identity: str = "board",
    ) -> list[str]:
        said: list[str] = []
        with tempfile.TemporaryFile() as file:
            file.write(console)
            file.flush()
            keeper = _kept.Keeper(identity, str(tmp_path / "emulator"), disk, file.fileno(), keeps=keeps)
            words = keeper.arguments(Path("plan"), 7)
            assert f"panic={'pause' if keeps else 'none'}" in words
            assert ("-incoming" in words) == keeper.restores == (len(keeper.descriptors) > 2)
            state = os.pread(keeper.descriptors[2], 100, 0) if keeper.restores else None
            with socket.socket(fileno=os.dup(keeper.descriptors[0])) as line:
                emulator = threading.Thread(target=_emulator, args=(line, memory, devices, state, said), daemon=True)
                emulator.start()
                with suppress(InfrastructureError):
                    while keeps and emulator.is_alive():
                        keeper.follow()
                    keeper.follow()
            if keeper.failed:
                keeper.discard()
                said.append("failed")
            else:
                keeper.settle()
            keeper.close()
        return said

    return run


def _states(tmp_path: Path) -> list[bytes]:
    return [path.read_bytes() for path in (tmp_path / "rtstone" / "state").glob("[!.]*/*")]


def test_a_state_is_kept_once_two_starts_came_to_it(start: Start, tmp_path: Path) -> None:
    assert "migrate" not in start(b"one")
    assert "migrate" not in start(b"another")
    assert _states(tmp_path) == []
    assert "migrate" in start(b"another")
    assert _states(tmp_path) == [b"state of another"]
    assert start(b"another") == ["qmp_capabilities", "query-status", "set-action", "cont"]


def test_a_state_whose_clock_differs_by_the_least_is_not_kept(start: Start) -> None:
    """Memory and registers are the same: a step of the clock that is shorter than an instruction is in neither."""
    for last in (b"0", b"1", b"2"):
        assert "migrate" not in start(b"one", devices=b"timer/icount 000" + last)
    assert "migrate" in start(b"one", devices=b"timer/icount 0002")


def test_an_emulator_that_does_not_tell_its_clock_is_not_kept(start: Start, tmp_path: Path) -> None:
    for _ in range(3):
        assert "migrate" not in start(b"one", devices=b"something else")
    assert not (tmp_path / "rtstone" / "state").exists()


@pytest.mark.parametrize("changed", ["board", "initrd", "emulator", "firmware/bios"])
def test_another_of_what_decides_a_state_knows_nothing_of_it(changed: str, start: Start, tmp_path: Path) -> None:
    (tmp_path / "firmware").mkdir()
    start(b"one")
    start(b"one")
    assert "dump-guest-memory" not in start(b"one")
    if changed != "board":
        (tmp_path / changed).write_bytes(b"other")
        _kept._emulator.cache_clear()
    identity = "other" if changed == "board" else "board"
    keeper = _kept.Keeper(identity, str(tmp_path / "emulator"), tmp_path / "initrd", 0, keeps=True)
    with closing(keeper):
        assert not keeper.restores


def test_a_guest_that_complained_is_not_kept(start: Start, tmp_path: Path) -> None:
    for _ in range(3):
        assert start(b"one", console=b"rtstone-init: cannot load") == ["qmp_capabilities", "set-action", "cont"]
    assert not (tmp_path / "rtstone" / "state").exists()


def test_a_start_whose_clock_went_on_by_itself_begins_anew_and_is_not_kept(start: Start, tmp_path: Path) -> None:
    for _ in range(3):
        assert start(b"late")[-1] == "failed"
    assert start(b"late", keeps=False) == []  # nothing stopped this one: what came in between was an interrupt
    assert not (tmp_path / "rtstone" / "state").exists()


@pytest.mark.parametrize("damage", [b"damaged", b"", b"state of two"])
def test_a_damaged_state_is_deleted(damage: bytes, start: Start, tmp_path: Path) -> None:
    """By its hash, or where the emulator refuses it although its hash is right."""
    start(b"one")
    start(b"one")
    (state,) = (tmp_path / "rtstone" / "state").glob("[!.]*/*")
    state.write_bytes(damage)
    assert "dump-guest-memory" in start(b"one")
    start(b"one")
    (state,) = (tmp_path / "rtstone" / "state").glob("[!.]*/*")
    state.unlink()
    (state.parent / sha256(b"damaged").hexdigest()).write_bytes(b"damaged")
    assert start(b"one") == ["qmp_capabilities", "query-status", "failed"]
    assert "dump-guest-memory" in start(b"one")


@pytest.mark.parametrize("form", ["empty", "file", "link", "folder in it", "pipe in it"])
def test_what_stands_in_a_states_place_is_cleared_away(form: str, start: Start, tmp_path: Path) -> None:
    """Else no state could be put there, and each session would start from reset for ever."""
    start(b"one")
    start(b"one")
    (state,) = (tmp_path / "rtstone" / "state").glob("[!.]*/*")
    place = state.parent
    state.unlink()
    if form == "folder in it":
        state.mkdir()
    elif form == "pipe in it":
        os.mkfifo(state)
    elif form != "empty":
        place.rmdir()
        if form == "file":
            place.write_bytes(b"state of one")
        else:
            place.symlink_to(tmp_path / "firmware", target_is_directory=True)
    start(b"one")
    start(b"one")
    assert _states(tmp_path) == [b"state of one"]


@pytest.mark.parametrize("damage", [b"\xff" * 64, b"", None])
def test_a_damaged_memory_of_the_first_session_costs_one_more(
    damage: bytes | None, start: Start, tmp_path: Path
) -> None:
    start(b"one")
    (once,) = (tmp_path / "rtstone" / "state").glob("*.once")
    if damage is None:
        once.unlink()
        (once / "folder").mkdir(parents=True)
    else:
        once.write_bytes(damage)
    assert "migrate" not in start(b"one")
    assert "migrate" in start(b"one")
    assert not list((tmp_path / "rtstone" / "state").glob("*.once"))


def test_a_cache_that_is_only_read_is_gone_on_from(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    start(b"one")
    start(b"one")
    monkeypatch.setattr(os, "utime", refuses)
    for _ in range(2):
        assert start(b"one") == ["qmp_capabilities", "query-status", "set-action", "cont"]


def test_a_cache_that_cannot_be_written_costs_nothing(start: Start, tmp_path: Path) -> None:
    (tmp_path / "rtstone").write_text("a file in its way")
    for _ in range(2):
        assert start(b"one")[-2:] == ["set-action", "cont"]


def test_a_disk_that_is_full_leaves_nothing(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    for _ in range(3):
        start(b"one")
    assert _states(tmp_path) == []
    assert list((tmp_path / "rtstone" / "state").glob("*/")) == []


def test_what_a_pcs_firmware_keeps_of_plan_and_seed_is_the_same_for_all(tmp_path: Path) -> None:
    """It lists what it is given with its length, in memory that is compared."""
    (tmp_path / "emulator").touch()
    (tmp_path / "initrd").touch()
    with closing(_kept.Keeper("board", str(tmp_path / "emulator"), tmp_path / "initrd", 0, keeps=False)) as keeper:
        first, second = ({len(word) for word in keeper.arguments(Path("plan"), seed)} for seed in (1, 2**32 - 1))
    assert first == second
    assert {len(_kept.padded(bytes(length))) for length in (1, 265, 8192)} == {8192}


def test_one_that_does_not_keep_asks_for_nothing(start: Start, tmp_path: Path) -> None:
    start(b"one")
    start(b"one")
    assert start(b"one", keeps=False) == []
    assert _states(tmp_path) == [b"state of one"]


def test_only_the_states_used_last_stay(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kept, "KEPT", 2)
    shelf = tmp_path / "rtstone" / "state"
    for at, name in enumerate(("a", "b", "c")):
        start(name.encode(), identity=name)
        start(name.encode(), identity=name)
        for made in shelf.glob("[!.]*/"):
            if (made / sha256(f"state of {name}".encode()).hexdigest()).is_file():
                os.utime(made, (at, at))
    assert sorted(_states(tmp_path)) == [b"state of b", b"state of c"]
