# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program that prints a record stream, with a watchdog. None of its processes outlives the run."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.stream import LineSplitter, framing
from rtstone.targets._memory import Kills

GRACE_S = 5.0
"""Time (s) that a program has to end by itself after it was asked to."""

_LAST_LINES = 5
_CHUNK = 1 << 16
_LARGEST_PIPE = Path("/proc/sys/fs/pipe-max-size")


class StreamProcess:
    """One program: writes the plan to its standard input and yields the lines of its output.

    `environment` is added to the environment that it inherits. Lines of its standard error are yielded as console text,
    marked ``[stderr]``. Start it from a thread that lives until the end: the kernel kills an engine when the thread
    that started it ends.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        silence_s: float,
        environment: Mapping[str, str] | None = None,
        answer: Callable[[bytes], bytes | None] | None = None,
        farewell: bytes = b"",
        beside: Callable[[], None] = lambda: None,
        starves: bool = False,
    ) -> None:
        """`answer` returns the reply to a line of output, or None if the line belongs to the record stream. With
        `answer`, standard input stays open, and `farewell` on it asks the program to end, instead of SIGINT. `beside`
        is called at least twice a second; it raises when something that the program needs has ended. `starves`: the
        time in which the program waits for a CPU does not count as silence, as for a simulation on a busy host.
        """
        self._name = name
        self._command = list(command)
        self._silence_s = silence_s
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._must_end_by: float | None = None
        self._answer = answer
        self._farewell = farewell
        self._beside = beside
        self._starves = starves
        self._kills: Kills
        self._reply = b""
        self.code: int | None = None
        """Its exit code, once it has ended."""
        self.errors: deque[bytes] = deque(maxlen=_LAST_LINES)
        """The last lines of its standard error."""

    def run(self, standard_input: bytes) -> Generator[bytes, None, None]:
        """Yields lines until the program closes its output. Raises InfrastructureError when it cannot start, dies or
        goes silent."""
        process = self._start()
        try:
            yield from self._read(process, standard_input)
            self._judge(process)
        finally:
            self._reap(process)

    def interrupt(self) -> None:
        """Asks the program to end (SIGINT); `run` still yields its output until then. Safe in a signal handler."""
        process = self._process
        if process is not None and process.returncode is None and self._must_end_by is None:
            self._must_end_by = time.monotonic() + GRACE_S
            if self._farewell:
                self._reply += self._farewell
                return
            # Not by Popen: it would reap a program that has just ended, and the number could then belong to another.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGINT)

    def _start(self) -> subprocess.Popen[bytes]:
        self._last.clear()
        self._must_end_by = None
        self._kills = Kills()
        try:
            # A group of its own: we pass on a Ctrl-C on the terminal, and kill the whole group at the end.
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,
                env={**os.environ, **self._environment},
            )
        except OSError as error:
            raise InfrastructureError(
                f"{self._name}: {self._command[0]} cannot be started: {error.strerror}{ungranted(error, self._command[0])}"
            ) from error
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        with contextlib.suppress(OSError, ValueError):
            # The largest pipe holds the output that arrives while we are busy: an engine that blocks on a full pipe
            # would distort its measurement.
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, int(_LARGEST_PIPE.read_text()))
        self._process = process
        return process

    def _read(self, process: subprocess.Popen[bytes], standard_input: bytes) -> Iterator[bytes]:
        assert process.stdin is not None  # noqa: S101 - all three are pipes
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        out, err = LineSplitter(), LineSplitter()
        heard = self._now(process.pid)
        with selectors.DefaultSelector() as selector:
            for stream in (process.stdin, process.stdout, process.stderr):
                os.set_blocking(stream.fileno(), False)
            selector.register(process.stdout, selectors.EVENT_READ, out)
            selector.register(process.stderr, selectors.EVENT_READ, err)
            selector.register(process.stdin, selectors.EVENT_WRITE)
            while process.stdout in {key.fileobj for key in selector.get_map().values()}:
                for key, _ in selector.select(self._patience(process.pid, heard)):
                    if key.fileobj is process.stdin:
                        standard_input = self._write(process, selector, standard_input, stays=self._answer is not None)
                        continue
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    heard = self._now(process.pid)
                    yield from self._lines(key.data, chunk, prefix=b"[stderr] " if key.data is err else b"")
                self._watch(process.pid, heard)
                self._beside()
                if self._reply and not process.stdin.closed:
                    if not standard_input:
                        selector.register(process.stdin, selectors.EVENT_WRITE)
                    standard_input, self._reply = standard_input + self._reply, b""
        # The last lines of standard error often name the cause, so read them to the end.
        while chunk := self._rest(process.stderr.fileno()):
            yield from self._lines(err, chunk, prefix=b"[stderr] ")
        yield from self._lines(err, b"", prefix=b"[stderr] ")

    def _lines(self, splitter: LineSplitter, chunk: bytes, *, prefix: bytes) -> Iterator[bytes]:
        for line in splitter.feed(chunk) if chunk else splitter.finish():
            if prefix:
                line = line.rstrip(b"\r")  # ssh ends its messages as on a terminal
                self.errors.append(line)
            elif self._answer is not None and (reply := self._answer(line)) is not None:
                self._reply += reply
                continue
            if prefix or not line.startswith(b"~"):
                self._last.append(line)
            yield prefix + line

    @staticmethod
    def _write(
        process: subprocess.Popen[bytes], selector: selectors.BaseSelector, rest: bytes, *, stays: bool
    ) -> bytes:
        assert process.stdin is not None  # noqa: S101
        try:
            rest = rest[os.write(process.stdin.fileno(), rest[:4096]) :] if rest else rest
        except BrokenPipeError:
            rest, stays = b"", False
        if not rest:
            selector.unregister(process.stdin)
            if not stays:
                process.stdin.close()
        return rest

    @staticmethod
    def _rest(fd: int) -> bytes:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            return b""

    def _now(self, pid: int) -> float:
        """Seconds (s) on the clock that measures silence."""
        return time.monotonic() - (_waited_s(pid) if self._starves else 0.0)

    def _patience(self, pid: int, heard: float) -> float:
        left = heard + self._silence_s - self._now(pid)
        if self._must_end_by is not None:
            left = min(left, self._must_end_by - time.monotonic())
        # At most 0.5 s, since a signal handler may shorten the deadline meanwhile.
        return max(0.0, min(0.5, left))

    def _watch(self, pid: int, heard: float) -> None:
        if self._must_end_by is not None and time.monotonic() >= self._must_end_by:
            raise InfrastructureError(f"{self._name}: did not end within {GRACE_S:g} s of being asked to")
        if self._now(pid) >= heard + self._silence_s:
            raise InfrastructureError(f"{self._name}: silent for {self._silence_s:.0f} s and ended{self._said()}")

    def _judge(self, process: subprocess.Popen[bytes]) -> None:
        """Raises InfrastructureError for a death by signal, or an exit code that reports an error. The stream already
        shows everything else."""
        if not ended(process.pid, GRACE_S):
            raise InfrastructureError(f"{self._name}: closed its output but did not end{self._said()}")
        end_group(process)
        code = self.code = process.wait()
        if code < 0 and self._must_end_by is None:
            why = self._kills.since() if -code == signal.SIGKILL else ""
            raise InfrastructureError(f"{self._name}: killed by {signal_name(-code)}{why}{self._said()}")
        if code not in (0, 130) and self._must_end_by is None:
            raise InfrastructureError(f"{self._name}: ended with exit code {code}{self._said()}")

    def _said(self) -> str:
        return framing.last_words(self._last)

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        end_group(process)
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        self._process = None


def _waited_s(pid: int) -> float:
    """Time (s) for which a program's first thread was runnable without a CPU; 0 if the kernel does not count it."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def ended(pid: int, patience_s: float) -> bool:
    """Waits up to `patience_s` (s) for the end of a child, without reaping it: its process number stays its own. False:
    it runs on."""
    until = time.monotonic() + patience_s
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.002)
    return True


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills all remaining processes of the group, even after its leader's death. Does nothing once the leader is
    reaped, since its number is then free."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ungranted(error: OSError, program: str) -> str:
    """A clause for an error, with the remedy, if the kernel refuses to start a program because of its file's
    capabilities; else empty."""
    if error.errno != errno.EPERM:  # EACCES: the file may not be executed at all
        return ""
    return (
        ", since its file has effective capabilities that cannot be granted here: start the container with "
        f"--cap-add SYS_NICE --cap-add IPC_LOCK, or sudo setcap cap_sys_nice,cap_ipc_lock+p {program}"
    )
