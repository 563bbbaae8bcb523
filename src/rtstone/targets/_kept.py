# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Saves a machine's state in the cache once its guest is ready for its plan. Later sessions resume from that state
instead of reset.

A guest that supports this stops its machine by a write to the emulator's device for panics (boards/guest/kept.c). It
takes plan and seed from the emulator that resumes it. So its output is the same to the byte from reset and from a saved
state. A state is saved only after two sessions from reset reached the same memory and registers, byte by byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import shutil
import socket
import tempfile
import time
from collections import deque
from contextlib import ExitStack, suppress
from functools import cache
from io import BufferedRandom
from pathlib import Path
from typing import Any

from rtstone.cache import cache_root, cached, key_of, prune, remove
from rtstone.errors import InfrastructureError

KEPT = 16
"""How many states (about 70 MB each) stay in the cache: those used last."""
SEED = "1"
"""The emulator's own seed, the same in every repetition: the guest takes the repetition's seed after the stop."""
_ROOM = 8192
_KIND = "state"
_CLOCK = b"timer/icount"
"""Begins the part of the devices' state that repeats each time. The part before it has two clocks of the host, which a
board that counts instructions does not use."""
_POLL_S = 0.005
_PATIENCE_S = 120
_FIRMWARE = ("/usr/share/qemu", "/usr/share/seabios")
"""The folders from which Debian's emulators load a machine's firmware."""


def padded(plan: bytes) -> bytes:
    """A plan with empty lines added at its end. A PC's firmware keeps the length of each file that it is given; padded
    plans mostly have the same length."""
    return plan + b"\n" * (-len(plan) % _ROOM)


class Keeper:
    """Controls one emulator by its monitor (QMP): follows it until its guest stops, or resumes a saved state at
    once."""

    def __init__(self, identity: str, program: str, initrd: Path, console: int, *, keeps: bool) -> None:
        """`identity`, the emulator's `program` and the RAM disk identify the state. The state of a guest that wrote
        anything to its `console` is not saved.

        Without `keeps`, the machine starts from reset and does not stop, and no state is saved.
        """
        self._resources = ExitStack()
        disk = hashlib.sha256(initrd.read_bytes()).hexdigest()
        self._name = key_of([identity, _emulator(program), SEED, disk], Path(), [])
        self._console = console
        self._devices = os.memfd_create("devices")
        self._resources.callback(os.close, self._devices)
        self._near, self._far = socket.socketpair()
        for end in (self._near, self._far):
            self._resources.callback(end.close)
        self._near.settimeout(_PATIENCE_S)
        self._messages: deque[dict[str, Any]] = deque()
        self._rest = b""
        self._keeps = keeps
        self._begun, self._done = False, not keeps
        self._digest = ""
        self._draft: BufferedRandom | None = None
        self._state = -1
        if keeps:
            self._find()
        self.failed = self.restores
        """The saved state cannot be resumed, or this start must not be measured: start again, without `keeps`."""

    @property
    def restores(self) -> bool:
        """Whether the machine resumes a saved state."""
        return self._state >= 0

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that the emulator must inherit."""
        return (self._far.fileno(), self._devices, *((self._state,) if self.restores else ()))

    def arguments(self, plan: Path, seed: int) -> list[str]:
        """The arguments that a Keeper adds to the emulator's command line."""
        return [
            *("-chardev", f"socket,fd={self._far.fileno()},id=monitor", "-mon", "chardev=monitor,mode=control"),
            *("-action", f"panic={'pause' if self._keeps else 'none'}"),
            *("-fw_cfg", f"name=opt/rtstone/plan,file={plan}"),
            *("-fw_cfg", f"name=opt/rtstone/seed,string={seed:010d}"),
            # A resumed machine would announce itself five times on the guest's network, by the host's time.
            *("-global", "migration.announce-rounds=0"),
            *(("-incoming", f"fd:{self._state}") if self.restores else ()),
        ]

    def close(self) -> None:
        """Closes the monitor and all files."""
        self._resources.close()

    def discard(self) -> None:
        """Deletes a state that could not be resumed."""
        if self.restores:
            remove(self._place)

    def follow(self) -> None:
        """Handles the messages that have arrived from the monitor; call it repeatedly. An emulator's end is reported by
        the reader of its guest, not here.

        Raises InfrastructureError when the clock of a machine that was stopped went on: `failed` is true then.
        """
        if self._done:
            return
        self._far.close()  # the emulator has its own
        try:
            while self._messages or select.select([self._near], [], [], 0)[0]:
                self._take(self._next())
        except OSError:
            self._done = True

    def settle(self) -> None:
        """Saves the state at which this session stopped, if an earlier session stopped at the same. Call it when the
        session has reached its end."""
        place = self._place
        once = place.with_suffix(".once")
        with suppress(OSError, InfrastructureError):  # a cache that cannot be written costs no run
            if self._draft is not None:
                cached(_KIND, self._name, self._copy)
                remove(once)
                prune(place.parent, "[!.]*/", KEPT)
                prune(place.parent, "*.once", KEPT)
            elif self._digest:
                once.parent.mkdir(parents=True, exist_ok=True)
                if not once.is_file():
                    remove(once)
                once.write_text(self._digest, encoding="ascii")

    @property
    def _place(self) -> Path:
        return cache_root() / _KIND / self._name

    def _find(self) -> None:
        """Opens the saved state, if there is one. The name of its file is the hash of its content."""
        there = os.path.lexists(self._place)
        for path in filter(Path.is_file, self._place.glob("*")):
            with suppress(OSError):
                file = self._resources.enter_context(path.open("rb", buffering=0))
                if hashlib.file_digest(file, "sha256").hexdigest() == path.name:
                    file.seek(0)  # its place is shared with the emulator
                    self._state = file.fileno()
                    os.utime(self._place)  # fails in a read-only cache
                    return
        if there and not self.restores:
            remove(self._place)  # a damaged state too: `cached` replaces nothing

    def _copy(self, folder: Path) -> None:
        assert self._draft is not None  # noqa: S101 - settle() found it
        self._draft.seek(0)
        name = hashlib.file_digest(self._draft, "sha256").hexdigest()
        self._draft.seek(0)
        with (folder / name).open("wb") as kept:
            shutil.copyfileobj(self._draft, kept, 1 << 20)

    def _take(self, message: dict[str, Any]) -> None:
        if not self._begun:
            self._begun = True
            self._ask("qmp_capabilities")
            if self.restores:
                while self._ask("query-status")["status"] == "inmigrate":
                    time.sleep(_POLL_S)
                self._go_on()
                self.failed = False
        elif message.get("event") == "STOP" and not self._digest:
            if not os.fstat(self._console).st_size:
                with suppress(OSError):
                    self._compare()
            self._go_on()
        elif message.get("event") == "GUEST_CRASHLOADED":
            self.failed = True
            raise InfrastructureError("the machine's clock went on while it was stopped")

    def _go_on(self) -> None:
        self._ask("set-action", panic="none")
        self._ask("cont")

    def _compare(self) -> None:
        """Hashes memory, registers, and all devices with the clock. Saves the state if an earlier session had the same
        hash."""
        # The command is named after its first user and works for every machine. No other command shows the emulator's
        # clock.
        self._ask("xen-save-devices-state", filename=f"/proc/self/fd/{self._devices}", live=False)
        with tempfile.TemporaryFile() as memory:
            self._ask("getfd", memory.fileno(), fdname="memory")
            self._ask("dump-guest-memory", paging=False, protocol="fd:memory")
            memory.seek(0)  # its place is shared with the emulator
            digest = hashlib.file_digest(memory, "sha256")
        state = os.pread(self._devices, os.fstat(self._devices).st_size, 0)
        _, clock, devices = state.partition(_CLOCK)
        if not clock:
            raise OSError("the emulator's state has no clock")
        digest.update(devices)
        self._digest = digest.hexdigest()
        with suppress(FileNotFoundError):
            if self._place.with_suffix(".once").read_bytes() == self._digest.encode():
                self._save()

    def _save(self) -> None:
        draft = tempfile.TemporaryFile()  # noqa: SIM115 - it stays until the session is over
        self._resources.callback(draft.close)
        self._ask("getfd", draft.fileno(), fdname=_KIND)
        self._ask("migrate", uri=f"fd:{_KIND}")
        while (found := self._ask("query-migrate")["status"]) not in {"completed", "failed"}:
            time.sleep(_POLL_S)
        if found == "completed":
            self._draft = draft

    def _ask(self, command: str, descriptor: int | None = None, /, **arguments: Any) -> Any:
        text = json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n"
        socket.send_fds(self._near, [text], [] if descriptor is None else [descriptor])
        events = []
        while "return" not in (message := self._next()):
            if "error" in message:
                raise OSError(f"{command}: {message['error'].get('desc')}")
            events.append(message)
        self._messages.extendleft(reversed(events))
        return message["return"]

    def _next(self) -> dict[str, Any]:
        while not self._messages:
            chunk = self._near.recv(1 << 16)
            if not chunk:
                raise ConnectionError("the emulator has ended")
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._messages.extend(json.loads(line) for line in lines)
        return self._messages.popleft()


@cache
def is_faithful(program: str, *, with_ioc: bool) -> bool:
    """Whether the guests of this emulator resume a saved state as they continue from reset, to the byte.

    In Debian 13's emulator (QEMU 10.0) a guest with an IOC does not: its records differ from those of a start from
    reset, in one way after its state was saved and in another after it was resumed.
    """
    from rtstone.targets.boards.guest._tools import first_line

    return not with_ioc or " version 7." in first_line([program, "--version"])


@cache
def _emulator(program: str) -> str:
    """Hash that identifies an emulator: its program, and the name, size (bytes) and time (ns) of each firmware file
    that it gives a machine."""
    place = Path(shutil.which(program) or program)
    with place.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    for path in sorted(path for folder in (*_FIRMWARE, place.parent / "roms") for path in Path(folder).glob("*")):
        with suppress(OSError):
            found = path.stat()
            digest.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
