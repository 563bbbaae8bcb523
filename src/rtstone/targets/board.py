# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An emulated board with a kernel on it: ``board:<board>/<kernel>``. If it counts instructions, two runs are the same
to the byte."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError, UsageError, this_program
from rtstone.model import LINK
from rtstone.stream.plan import Plan, encode, expected_seconds
from rtstone.targets import _hub, _kept, boards
from rtstone.targets._emulator import Identity, emulator_seed, identity, require_emulator
from rtstone.targets._guest import GuestProcess, Limits, borrowed_cpu
from rtstone.targets.boards import Board, Kernel
from rtstone.targets.guest_ioc import free_port, guest_ioc
from rtstone.targets.protocol import Capabilities, StopsAtExit

SLOWEST_INSTRUCTIONS_PER_SECOND = 10_000_000
"""The least speed of an emulator on a busy host; watchdogs derive their limits from it."""


SLOWNESS = 12
"""How many times longer than a real machine an emulator takes at most, for boards that count no instructions."""

NOT_DETERMINISTIC = "emulated in real time, not deterministic: no speed of hardware"
"""The fact `board.time` of a board that counts no instructions."""

OUTSIDE = "clients on the host, over a private link: no two runs are the same"
"""The value of the fact `LINK` of a board with a link."""


class _NotBegunError(Exception):
    """A guest ended before its first record because of how it was started. It must be started from reset."""


class Images(msgspec.Struct, frozen=True):
    """The images that the emulator boots. `facts` must not depend on the plan: they are part of the board's
    identity."""

    image: Path
    initrd: Path | None = None
    append: str = ""
    """A Linux kernel's command line."""
    facts: dict[str, str] = {}
    far: Images | None = None
    """The far machine's images, on a board with a hub."""
    stops: bool = False
    """The guest stops its machine once it is ready, so that its state can be saved."""


class BoardTarget(StopsAtExit):
    """A virtual board. If the kernel has a console, the records come on a separate port."""

    keeps = True
    """Whether the board may resume a saved state, and save one."""

    def __init__(self, board: Board, kernel: Kernel) -> None:
        self._board = board
        self._kernel = kernel
        self._images: Images | None = None
        self._identity: Identity | None = None
        self._running: GuestProcess | None = None
        self._stopped = False
        self._first_records_s: list[float] = []
        self._starts: list[str] = []
        self._cpu_s: list[float] = []
        self._far_cpu_s: list[float] = []
        self._words: dict[str, None] = {}
        self.record_bytes = b""
        """The last session's whole record stream, which verify-board compares."""

    @property
    def name(self) -> str:
        """``board:<board>/<kernel>``."""
        return f"board:{self._board.id}/{self._kernel.id}"

    @property
    def capabilities(self) -> Capabilities:
        """Capabilities as the board's and the kernel's files define them."""
        return Capabilities(
            emulated=True,
            virtual=self._board.counted,
            instructions_per_second=self._board.clock.instructions_per_second,
            gives=("peer",) if self._board.hub is not None else (),
            least_period_ns=self._board.interrupt.least_period_ns if self._board.interrupt is not None else 0,
            inside_ioc=guest_ioc().can_be_ioc(self._kernel),
            loads=boards.loads(self._kernel),
            loads_in_vain=boards.loads_in_vain(self._kernel),
        )

    def describe(self) -> dict[str, str]:
        """The board's identity, and how fast this host emulated it. Complete once a session has been run."""
        facts = {
            "board.id": self._board.id,
            "board.kernel": self._kernel.id,
            "board.title": f"{self._board.title}, {self._kernel.title}",
        }
        if self._board.counted:
            facts["board.instructions_per_second"] = str(self._board.clock.instructions_per_second)
        else:
            facts["board.time"] = NOT_DETERMINISTIC
        if self._board.link is not None:
            facts[LINK] = OUTSIDE
        if self._kernel.peer is not None:
            facts["board.peer"] = self._kernel.peer.id
        if self._identity is not None:
            facts |= self._identity.facts
        if self._first_records_s:
            facts["board.first_record_ms"] = ", ".join(f"{1000 * seconds:.0f}" for seconds in self._first_records_s)
        if self._starts:
            facts["board.started_from"] = ", ".join(self._starts)
        if self._cpu_s:
            facts["board.emulator.cpu_s"] = ", ".join(f"{seconds:.2f}" for seconds in self._cpu_s)
        if self._far_cpu_s:
            facts["board.peer.emulator.cpu_s"] = ", ".join(f"{seconds:.2f}" for seconds in self._far_cpu_s)
        if self._words:
            facts["board.emulator.said"] = " | ".join(self._words)
        return facts

    def deploy(self) -> None:
        """Builds the image if an input has changed. Raises InfrastructureError naming what is missing and the command that gets it."""
        require_emulator(self._board)
        if self._kernel.image and self._kernel.kind == "firmware":
            image = Path(self._kernel.image)
            boards.require_image(image, self._board.id, self._board.emulator.program)
            self._found(Images(image))
            return
        if self._kernel.kind == "firmware":
            from rtstone.targets.boards import firmware

            self._found(Images(firmware.build(self._board.id, self._kernel.id)))
            return
        from rtstone.targets.boards import guest

        for kernel in filter(None, (self._kernel, self._kernel.peer)):
            guest.require(kernel, board=self._board.id)
        if self._kernel.image:
            guest.build(self._kernel)  # report a faulty image before anything is measured

    def _prepared(self, plan: Plan, initrd: Path, far: Path) -> Images:
        """The images of one session. `initrd`, `far`: files for the RAM disks; `far` is for the far machine of a
        hub."""
        if self._kernel.kind == "firmware":
            if self._images is None or self._kernel.image:
                self.deploy()  # a user's own image may have changed since, which is then an error
            assert self._images is not None  # noqa: S101 - deploy() found it
            return self._images
        from rtstone.targets.boards import guest

        extra = guest_ioc().inside_ioc(self._kernel, plan)
        made = guest.prepare(self._kernel, encode(plan), initrd, extra, stop=self._board.stop)
        hub, peer = self._board.hub, self._kernel.peer
        if hub is None or peer is None:
            return self._found(Images(made.image, made.initrd, made.append, dict(made.facts), stops=made.stops))
        append = f"{made.append} {_hub.words(hub, far=False)}"
        other = guest.prepare(peer, b"", far)  # no plan: the peer only serves the near machine
        beyond = Images(other.image, other.initrd, f"{other.append} {_hub.words(hub, far=True)}", dict(other.facts))
        peer_facts = {f"peer.{name}": value for name, value in (beyond.facts | {"append": beyond.append}).items()}
        return self._found(Images(made.image, made.initrd, append, dict(made.facts) | peer_facts, beyond))

    def _found(self, images: Images) -> Images:
        found = identity(self._board, self._kernel, images.image, images.append, images.facts)
        if self._identity is not None and found.whole != self._identity.whole:
            raise InfrastructureError(
                f"{self.name}: its image changed in mid-run: {self._identity.whole} was measured, {found.whole} is there now"
            )
        self._images, self._identity = images, found
        return images

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Runs one session on one CPU of the host, from reset or from a saved state of the same guest, to power-off."""
        self._stopped = False
        try:
            yield from self._session(plan, keeps=self.keeps)
        except _NotBegunError:
            yield from self._session(plan, keeps=False)

    def _session(self, plan: Plan, *, keeps: bool) -> Iterator[bytes]:
        with ExitStack() as stack:
            # A session's files are in memory only: files in a folder would remain if this process were killed.
            disk, other = (_memory_file(stack, name) for name in ("initrd", "far"))
            images = self._prepared(plan, _path(disk), _path(other))
            cpu = stack.enter_context(borrowed_cpu())
            records, console, blob = (_memory_file(stack, name) for name in ("records", "console", "plan"))
            os.write(blob, _kept.padded(encode(plan)) if images.stops else encode(plan))
            values = self._values(plan, images, f"file,path={_path(records)}", console)
            inherit = [disk, records, console, blob]
            far: _hub.PeerGuest | None = None
            outside = None
            if self._board.link is not None:
                port = free_port()
                values["port"] = str(port)
                outside = stack.enter_context(guest_ioc().clients_outside(plan, port))
            if images.far is not None:
                ends = stack.enter_context(_hub.wire())
                values |= _hub.places(ends[0], far=False)
                inherit.append(ends[0].fileno())
                far = stack.enter_context(self._far(stack, plan, images.far, other, ends[1]))
            command = boards.command(
                self._board, self._kernel, values=values, plan=None if images.initrd is not None else _path(blob)
            )
            keeper = None
            if images.stops and images.initrd is not None and self._identity is not None:
                keeps = keeps and _kept.is_faithful(command[0], with_ioc="ioc.sha256" in images.facts)
                keeper = _kept.Keeper(self._identity.whole, command[0], images.initrd, console, keeps=keeps)
                stack.callback(keeper.close)
                command += keeper.arguments(_path(blob), emulator_seed(plan.seed, plan.repetition))
                inherit += keeper.descriptors
            process = GuestProcess(
                self.name,
                command,
                records=records,
                console=console,
                inherit=inherit,
                limits=self._limits(plan),
                beside=far or outside,
                follow=None if keeper is None else keeper.follow,
            )
            self._running = process
            try:
                if not self._stopped:
                    lines = process.run(cpu)
                    yield from lines if outside is None else outside.follow(lines)
                    if keeper is not None and not self._stopped:
                        keeper.settle()
            except InfrastructureError as error:
                if keeper is None or not keeper.failed or self._stopped:
                    raise
                keeper.discard()
                raise _NotBegunError from error
            finally:
                self._running = None
                self.record_bytes = os.pread(records, os.fstat(records).st_size, 0)
                if process.first_record_s is not None:
                    self._first_records_s.append(process.first_record_s)
                    if keeper is not None:
                        self._starts.append("kept state" if keeper.restores else "reset")
                self._cpu_s.append(process.cpu_s)
                if far is not None:
                    far.end()
                    self._far_cpu_s.append(far.cpu_s)
                self._words |= dict.fromkeys(process.words)

    def _far(self, stack: ExitStack, plan: Plan, images: Images, disk: int, end: socket.socket) -> _hub.PeerGuest:
        """The far machine, not yet started. It has a CPU of its own if the host has two."""
        console = _memory_file(stack, "console")
        values = self._values(plan, images, "null", console) | _hub.places(end, far=True)
        return _hub.PeerGuest(
            self.name,
            boards.command(self._board, self._kernel, values=values),
            console=console,
            inherit=(disk, console, end.fileno()),
            cpu=stack.enter_context(borrowed_cpu()),
        )

    def _values(self, plan: Plan, images: Images, records: str, console: int) -> dict[str, str]:
        """The values of board.toml's placeholders."""
        values = {
            "image": boards.option_value(images.image),
            "records": records,
            "console": f"file:{_path(console)}",
            "seed": _kept.SEED if images.stops else str(emulator_seed(plan.seed, plan.repetition)),
            "append": images.append,
        }
        if images.initrd is not None:
            values["initrd"] = boards.option_value(images.initrd)
        return values

    def _limits(self, plan: Plan) -> Limits:
        """The watchdog's limits. Silence may last for the longest item on the slowest emulator, and the board's margin,
        since an engine prints nothing while it measures."""
        longest_s = max((expected_seconds(item) for item in plan.items), default=0.0)
        slowness = max(1.0, self._board.clock.instructions_per_second / SLOWEST_INSTRUCTIONS_PER_SECOND)
        if not self._board.counted:
            slowness = SLOWNESS
        watchdog = self._board.watchdog
        return Limits(watchdog.first_record_s, watchdog.silence_s + longest_s * slowness)

    def stop(self) -> None:
        """Switches the board off; the output until then is still read."""
        self._stopped = True
        running = self._running
        if running is not None:
            running.stop()


def _memory_file(stack: ExitStack, name: str) -> int:
    """Opens a file that is in no folder. It vanishes with the last process that has it open."""
    descriptor = os.memfd_create(name)
    stack.callback(os.close, descriptor)
    return descriptor


def _path(descriptor: int) -> Path:
    """The path by which the emulator opens the file: it inherits the descriptor under the same number."""
    return Path(f"/proc/self/fd/{descriptor}")


def open_board(rest: str) -> BoardTarget:
    """``board:BOARD/KERNEL``: a kernel on a virtual board (`rtstone boards` lists them; ``board:arm64/*``: all of a board).

    Raises UsageError for a board or kernel that there is not."""
    name, _, kernel = rest.partition("/")
    if not name or not kernel:
        raise UsageError(
            f"the target 'board' is board:<board>/<kernel>, not 'board:{rest}' ({this_program()} boards lists them)"
        )
    if not hasattr(os, "memfd_create"):
        raise InfrastructureError("virtual boards need Linux on the host")
    board = boards.load(name)
    return BoardTarget(board, board.kernel_of(kernel))
