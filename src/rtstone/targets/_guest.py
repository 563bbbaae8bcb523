# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs an emulator with a guest in it on a CPU that it lends, reads the guest's output, and watches for hangs. No
emulator outlives its run."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from rtstone.errors import GuestError, InfrastructureError
from rtstone.stream import LineSplitter, framing
from rtstone.targets._process import end_group, ended, signal_name

POLL_S = 0.01
"""How often (s) the guest's output is read."""
GRACE_S = 3.0
"""CPU time (s) that a guest has to power its board off after its `bye`. CPU time, so that the guest's last output does
not depend on how busy the host is."""

_LAST_LINES = 8
_CHUNK = 1 << 20
_PANICS = (b"Kernel panic", b"rtstone: fatal", b"Unable to handle kernel", b"Internal error: Oops")
_NO_IMAGE = ("load kernel", "ROM regions")
"""Parts of the messages by which the emulator rejects an image."""
_WRAPPERS = ("setpriv", "taskset")
_UNLESS_ORPHANED = '[ "$PPID" = "$0" ] && exec "$@"'
"""Starts the emulator only if its parent still lives. The parent may be killed before setpriv asks for the signal: a
stopped machine would then stay for ever, since no monitor would resume it."""


PATIENCE = 6
"""A limit of CPU time also ends a guest after this many times as much wall-clock time: the host may be busy, or the
guest may sleep and never wake."""


class Limits(msgspec.Struct, frozen=True):
    """Seconds (s) of the emulator's CPU time after which a silent guest is ended. `PATIENCE` times as many seconds of
    wall-clock time end it too."""

    first_record_s: float
    silence_s: float


class SecondGuest(Protocol):
    """A second guest, which runs while the first one is read."""

    def check(self) -> None:
        """Raises InfrastructureError when the second guest has ended."""

    def said(self) -> str:
        """The second guest's last output, to be quoted in an error of the first."""


class _Moment(msgspec.Struct, frozen=True):
    """A moment in wall-clock time and in the emulator's CPU time (s)."""

    wall_s: float
    cpu_s: float

    def passed(self, since: _Moment, limit_s: float) -> bool:
        """Whether a limit of CPU time has passed. A busy host gives the emulator little CPU time, and the guest is not
        at fault."""
        return self.cpu_s >= since.cpu_s + limit_s or self.wall_s >= since.wall_s + PATIENCE * limit_s


class GuestProcess:
    """One emulator, from reset to power-off.

    The guest's ports are files in memory, which the emulator inherits as descriptors. Writing to them never blocks, so
    a slow reader cannot delay the guest. The emulator runs on one CPU of the host, in a process group of its own. The
    kernel kills it when the thread that started it ends (`setpriv --pdeathsig`), even by kill -9 of the tool.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        records: int,
        console: int | None,
        inherit: Sequence[int],
        limits: Limits,
        beside: SecondGuest | None = None,
        follow: Callable[[], None] | None = None,
    ) -> None:
        """`records`, `console`: descriptors of the files that the guest's ports write to; `inherit`: all descriptors
        that the emulator inherits.

        `beside`: a second guest that this one depends on; `follow` is called every `POLL_S`.
        """
        self._name = name
        self._command = list(command)
        self._records = records
        self._console = console
        self._inherit = tuple(inherit)
        self._limits = limits
        self._beside = beside
        self._follow = follow
        self._process: subprocess.Popen[bytes] | None = None
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._stopped = False
        self._words = -1
        self.first_record_s: float | None = None
        """Time (s) from the emulator's start to the guest's first record; None: no record yet."""
        self.cpu_s = 0.0
        """CPU time (s) that the emulator has used, as last read."""
        self.words: tuple[str, ...] = ()
        """The emulator's own output. It may depend on how busy the host is, so it is kept apart from the guest's
        output."""

    def run(self, cpu: int) -> Iterator[bytes]:
        """Yields the guest's lines until its board is off. If the console has a port of its own, its text comes last.

        Raises InfrastructureError when the emulator cannot start or dies, when the guest hangs, panics, resets or goes silent.
        """
        self._words = os.memfd_create("words")
        try:
            process = start_emulator(self._name, self._command, cpu, said=self._words, inherit=self._inherit)
            self._process = process
            try:
                yield from self._read(process)
                yield from self._aside()
            finally:
                end_group(process)
                process.wait()
                self._process = None
                self.words = tuple(self._emulator_said())
        finally:
            os.close(self._words)

    def stop(self) -> None:
        """Switches the board off, since a guest takes no request to end. Safe in a signal handler, and from another
        thread."""
        self._stopped = True
        process = self._process
        if process is not None:
            end_group(process)

    def _read(self, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
        splitter = LineSplitter()
        began = heard = _Moment(time.monotonic(), 0.0)
        said_bye: _Moment | None = None
        hellos = 0
        offset = console_offset = 0
        handle = os.pidfd_open(process.pid)
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(handle, selectors.EVENT_READ)
                over: bool = False
                while True:
                    # Check for the emulator's end before reading: the read then returns all output up to the end.
                    over = bool(selector.select(0 if over else POLL_S))
                    if self._stopped and not over:  # stop() may have been called before there was a process
                        end_group(process)
                    said = False
                    chunk = os.pread(self._records, _CHUNK, offset)
                    offset += len(chunk)
                    if self._follow is not None:
                        self._follow()  # after the read: it may refuse a guest before any record of it is passed on
                    if self._console is not None:
                        size = os.fstat(self._console).st_size
                        said, console_offset = size > console_offset, size
                    now = _Moment(time.monotonic(), self._cpu_time(process))
                    if chunk or said:
                        heard = now
                    lines = splitter.feed(chunk) if chunk else splitter.finish() if over else []
                    for line in lines:
                        if not line.startswith(b"~"):
                            self._last.append(line)
                        elif b'{"t":"hello"' in line[:24]:
                            hellos += 1
                        elif b'{"t":"bye"' in line[:24]:
                            said_bye = now
                        if self.first_record_s is None and line.startswith(b"~"):
                            self.first_record_s = now.wall_s - began.wall_s
                        yield line
                        if hellos > 1:
                            raise GuestError(f"{self._name}: the guest was reset in mid-run{self._said()}")
                    if over and not chunk:
                        break
                    if said_bye is not None and now.passed(said_bye, GRACE_S):
                        return  # The guest has sent all records; a board that stays on does no harm.
                    if said_bye is None and not over:
                        self._watch(now, began, heard)
                        if self._beside is not None and not self._stopped:
                            self._beside.check()
        finally:
            os.close(handle)
        if not self._stopped and said_bye is None:
            self._judge(process)

    def _cpu_time(self, process: subprocess.Popen[bytes]) -> float:
        """CPU time (s) of the emulator so far; the last known time once the emulator has ended."""
        self.cpu_s = max(self.cpu_s, cpu_time(process.pid) or 0.0)
        return self.cpu_s

    def _watch(self, now: _Moment, began: _Moment, heard: _Moment) -> None:
        limit_s = self._limits.first_record_s
        if self.first_record_s is None and now.passed(began, limit_s):
            what = f"no record within {now.wall_s - began.wall_s:.0f} s ({now.cpu_s:.0f} s of CPU time)"
        elif now.passed(heard, self._limits.silence_s):
            what = f"silent for {now.wall_s - heard.wall_s:.0f} s ({now.cpu_s - heard.cpu_s:.0f} s of CPU time)"
        else:
            return
        raise GuestError(f"{self._name}: {what}; {self._cause('the guest hangs')}{self._said()}")

    def _judge(self, process: subprocess.Popen[bytes]) -> None:
        """Raises an error with the best known reason why the emulator ended before the guest's `bye`."""
        ended(process.pid, GRACE_S)
        end_group(process)
        code = process.wait()
        own = self._emulator_said()
        if code < 0:
            # The emulator aborts by itself on some faults of a guest, such as a Cortex-M that locks up.
            kind = GuestError if code == -signal.SIGABRT else InfrastructureError
            why = next((f": {line}" for line in own if "fatal" in line), "")  # registers follow
            raise kind(f"{self._name}: the emulator was killed by {signal_name(-code)}{why}{self._said()}")
        if code > 0:
            # The emulator failed, or a guest ended it by semihosting.
            why = f": {own[-1]}" if own else " and said nothing of why (an image of another machine?)"
            by_guest = any(self._last) or not own or any(word in line for line in own for word in _NO_IMAGE)
            kind = GuestError if by_guest else InfrastructureError
            raise kind(f"{self._name}: the emulator ended with exit code {code}{why}{self._said()}")
        cause = self._cause("the guest reset itself or switched its board off")
        raise GuestError(f"{self._name}: the run ended before its end: {cause}{self._said()}")

    def _cause(self, otherwise: str) -> str:
        # A panic prints more lines than `_last` holds, so read the console too.
        said = [*self._last, *self._read_console()]
        panic = next((line for line in said if any(word in line for word in _PANICS)), None)
        return f"the guest panicked: {framing.console_text(panic, 200)}" if panic is not None else otherwise

    def _read_console(self) -> list[bytes]:
        """The last lines of the guest's own console port, if it has one. They become the guest's last output in an
        error."""
        if self._console is None:
            return []
        size = os.fstat(self._console).st_size
        tail = os.pread(self._console, 1 << 14, max(0, size - (1 << 14)))
        lines = [line for line in tail.splitlines() if line.strip()]
        self._last.extend(lines)
        return lines

    def _said(self) -> str:
        own = last_words(self._last)
        return own if self._beside is None else f"{own}; {self._beside.said()}"

    def _aside(self) -> Iterator[bytes]:
        """The console port's text, after all records: where it would come among them depends on the host."""
        if self._console is not None:
            for line in content(self._console).splitlines():
                yield b"[console] " + line

    def _emulator_said(self) -> list[str]:
        return [line for line in content(self._words).decode("utf-8", "replace").splitlines() if line.strip()]


_lent: Counter[int] = Counter()
_lending = threading.Lock()


def usable_cpus() -> list[int]:
    """The CPUs that this process may run on, ascending."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def first_cpu(cpus: int) -> int:
    """Index (from 0) of the CPU that is lent first. It depends on the process, so that two processes mostly differ."""
    return os.getpid() % cpus


@contextmanager
def borrowed_cpu() -> Iterator[int]:
    """Lends an emulator one CPU of the host: a guest that halts is repeatable only on one CPU.

    It is the CPU that has the fewest emulators of this process; of several such CPUs, the next from `first_cpu` on.
    """
    there = usable_cpus()
    start = first_cpu(len(there))
    with _lending:
        cpu = min((*there[start:], *there[:start]), key=_lent.__getitem__)
        _lent[cpu] += 1
    try:
        yield cpu
    finally:
        with _lending:
            _lent[cpu] -= 1


def last_words(lines: Iterable[bytes]) -> str:
    """The end of an error message: the guest's last lines, or that the guest printed nothing."""
    return framing.last_words(lines) or "; it printed nothing"


def start_emulator(
    name: str, command: Sequence[str], cpu: int, *, said: int, inherit: Sequence[int]
) -> subprocess.Popen[bytes]:
    """Starts an emulator on one CPU of the host, in a process group of its own. The kernel kills it when the calling
    thread ends.

    `said`: descriptor of the file for the emulator's own output. Raises InfrastructureError when it cannot be started.
    """
    missing = [program for program in _WRAPPERS if shutil.which(program) is None]
    if missing:
        raise InfrastructureError(f"{name}: {' and '.join(missing)} missing: apt-get install util-linux")
    wrapped = [
        *("setpriv", "--pdeathsig", "KILL"),
        *("sh", "-c", _UNLESS_ORPHANED, str(os.getpid())),
        *("taskset", "--cpu-list", str(cpu)),
        *command,
    ]
    try:
        return subprocess.Popen(
            wrapped,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            bufsize=0,
            pass_fds=tuple(inherit),
            process_group=0,
        )
    except OSError as error:
        raise InfrastructureError(f"{name}: {wrapped[0]} cannot be started: {error.strerror}") from error


def cpu_time(pid: int) -> float | None:
    """CPU time (s) of a process so far; None once the process has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def content(descriptor: int) -> bytes:
    """The whole content of a file, whatever the position at which it is read or written."""
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
