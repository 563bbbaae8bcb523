# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes settings of this machine for a while: files of /proc and /sys, threads' priorities and systemd's units. A
journal undoes the changes.

Each change is written to the journal and flushed to the disk before it is made. The next process that opens the journal
undoes the changes of a killed one. A reboot voids the journal, since no such setting outlives it. A value that was not
set here is another program's, so it stays.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from rtstone.config import base_folder
from rtstone.errors import InfrastructureError, RtstoneError, UsageError, unknown
from rtstone.machine.system import System

SHORT_CUTS = {
    "governor": "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor",
    "energy-preference": "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/energy_performance_preference",
    "idle-states": "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[1-9]*/disable",
    "rt-runtime": "/proc/sys/kernel/sched_rt_runtime_us",
    "timer-migration": "/proc/sys/kernel/timer_migration",
    "huge-pages": "/sys/kernel/mm/transparent_hugepage/enabled",
    "numa-balancing": "/proc/sys/kernel/numa_balancing",
    "watchdog": "/proc/sys/kernel/watchdog",
    "swappiness": "/proc/sys/vm/swappiness",
    "smt": "/sys/devices/system/cpu/smt/control",
}
"""Names of settings -> their files. A pattern stands for all files that match."""

_IRQ = re.compile(r"irq:(\d+)", re.ASCII)
_THREAD = "thread:"
UNIT = "unit:"
"""The prefix of the place of a unit of systemd. Its value is ``active`` or ``inactive``."""
_PLACE = re.compile(r"thread:(\d+):(.*)", re.ASCII | re.DOTALL)
_CHOSEN = re.compile(r"\[([^\]]*)\]")
_POLICIES = {"other": 0, "fifo": 1, "rr": 2, "batch": 3, "idle": 5}
_FILE = "settings.journal"
_LONGEST = 1 << 16
"""Most bytes of a setting's value. A longer file is not a setting, but for example memory."""


class _Begin(msgspec.Struct, frozen=True, tag="begin", tag_field="what"):
    boot: str
    pid: int


class _Change(msgspec.Struct, frozen=True, tag="change", tag_field="what"):
    place: str
    was: str
    to: str


_Line = _Begin | _Change


OF_ROOT = Path("/var/lib/rtstone") / _FILE
"""Root's journal. Only root can change most of these settings."""


def journal_path() -> Path:
    """The journal's path: for root one journal for the whole machine, for another user one below the user's own
    folders."""
    if os.geteuid() == 0 and not os.environ.get("XDG_STATE_HOME"):
        return OF_ROOT
    return base_folder("XDG_STATE_HOME", ".local/state") / "rtstone" / _FILE


def places(system: System, name: str) -> tuple[str, ...]:
    """The places of a setting's name, which is a short cut, ``irq:N``, ``thread:NAME``, or a path or pattern of /proc
    or /sys.

    Raises UsageError for an unknown name, or a setting that this machine does not have.
    """
    if name.startswith(_THREAD):
        return _threads(system, name.removeprefix(_THREAD))
    number = _IRQ.fullmatch(name)
    pattern = f"/proc/irq/{number[1]}/smp_affinity_list" if number else SHORT_CUTS.get(name, name)
    if not pattern.startswith(("/proc/", "/sys/")) or ".." in pattern.split("/"):
        if "/" in pattern:
            raise UsageError(f"setting '{name}': a path is one below /proc or /sys")
        raise unknown("setting", name, (*SHORT_CUTS, "irq:N", "thread:NAME", "/sys/…", "/proc/…"))
    found = tuple(f"/{path.relative_to(system.root)}" for path in system.glob(pattern))
    if not found:
        raise UsageError(f"setting '{name}': this machine has no {pattern}")
    return found


def _threads(system: System, name: str) -> tuple[str, ...]:
    found = tuple(
        f"{_THREAD}{path.split('/')[4]}:{name}"
        for path, text in system.texts("/proc/[0-9]*/task/[0-9]*/comm").items()
        if text == name
    )
    if not found:
        raise UsageError(f"setting '{_THREAD}{name}': there is no thread of this name")
    return found


def read(system: System, place: str) -> str:
    """The current value of a place. Raises OSError or ValueError if it cannot be read."""
    thread = _PLACE.fullmatch(place)
    if thread is not None:
        if system.text(f"/proc/{thread[1]}/comm") != thread[2]:
            raise ProcessLookupError(3, "the thread has ended")
        number = os.sched_getscheduler(int(thread[1])) & 0xFF
        policy = next((word for word, one in _POLICIES.items() if one == number), f"policy {number}")
        return f"{policy}:{os.sched_getparam(int(thread[1])).sched_priority}"
    if place.startswith(UNIT):
        return "active" if system.unit_active(place.removeprefix(UNIT)) else "inactive"
    # A setting's file never blocks and is short, so neither wait for data nor read without end.
    descriptor = os.open(system.root / place.lstrip("/"), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    data = b""
    try:
        while len(data) <= _LONGEST and (part := os.read(descriptor, _LONGEST)):
            data += part
    finally:
        os.close(descriptor)
    if len(data) > _LONGEST:
        raise ValueError("too long")
    text = data.decode("utf-8").strip()
    chosen = _CHOSEN.search(text)
    return chosen[1] if chosen else text


def _write(system: System, place: str, value: str, journal: int) -> None:
    """Sets a place to a value. `journal`: the journal's descriptor. A command started here inherits it, and so keeps
    the journal locked even if this process is killed."""
    thread = _PLACE.fullmatch(place)
    if thread is not None:
        policy, _, priority = value.partition(":")
        if policy not in _POLICIES or not priority.isdecimal():
            raise OSError(22, "a thread's value is fifo:50, rr:50 or other:0")
        kept = os.sched_getscheduler(int(thread[1])) & os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(int(thread[1]), _POLICIES[policy] | kept, os.sched_param(int(priority)))
        return
    if place.startswith(UNIT):
        words = ["systemctl", "--no-ask-password", "start" if value == "active" else "stop", place.removeprefix(UNIT)]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, pass_fds=(journal,))
        if done.returncode:
            raise OSError(5, " ".join(done.stderr.split()) or f"systemctl ended with {done.returncode}")
        return
    # Do not create the file: only an existing file is a setting.
    descriptor = os.open(system.root / place.lstrip("/"), os.O_WRONLY | os.O_CLOEXEC)
    try:
        # Plain files of a test's tree would keep the end of a longer value, so overwrite all of it.
        most = os.fstat(descriptor).st_size if system.root != Path("/") else 0
        os.write(descriptor, f"{value}\n".ljust(most).encode())
    finally:
        os.close(descriptor)


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of this boot in a journal."""

    pid: int
    changes: Mapping[str, tuple[str, tuple[str, ...]]]
    """For each place its first value, and the values that it may have because of our changes."""


def left(system: System, data: bytes, where: object) -> Left | None:
    """The changes in a journal that its process has not undone. None: there are no such changes, or they are from
    another boot.

    Raises InfrastructureError for data that is not a journal.
    """
    begun: _Begin | None = None
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for line in data.split(b"\n")[:-1]:  # a line without its end was never flushed, so its change was not made
        try:
            one = msgspec.json.decode(line, type=_Line)
        except msgspec.MsgspecError:
            raise InfrastructureError(f"{where} is no journal of settings: {line[:40]!r}") from None
        if isinstance(one, _Begin):
            begun = one
        else:
            found[one.place] = (found.get(one.place, (one.was,))[0], (one.to, one.was))
    if begun is None or begun.boot != boot_id(system) or not found:
        return None
    return Left(pid=begun.pid, changes=found)


def boot_id(system: System) -> str:
    """The kernel's random id of this boot."""
    return system.text("/proc/sys/kernel/random/boot_id") or ""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of undoing changes."""

    undone: tuple[str, ...] = ()
    """Places that have their first value again."""
    others: tuple[str, ...] = ()
    """A sentence for each place that another program had set meanwhile, and that was left unchanged."""
    failed: tuple[str, ...] = ()
    """A sentence for each place that could not be restored. The journal then stays."""


class MachineSettings:
    """Changes the machine's settings while the context is entered. Leaving it undoes all changes. After a kill, the
    next entering does."""

    def __init__(self, system: System | None = None, path: Path | None = None) -> None:
        self._system = system or System()
        self._path = path or journal_path()
        self._descriptor = -1
        self._now: dict[str, str] = {}
        self.before = Changed()
        """The outcome, on entering, of undoing an earlier process's changes."""
        self.after = Changed()
        """The outcome, on leaving, of undoing the own changes."""

    def __enter__(self) -> Self:
        """Raises InfrastructureError when another process is changing settings, or an earlier one's changes cannot be
        undone."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(self._path, flags, 0o644)
            if os.fstat(self._descriptor).st_uid != os.geteuid():
                raise InfrastructureError(f"{self._path} belongs to another user: it is ignored")
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise InfrastructureError("another rtstone is at work on this machine's settings") from None
        except OSError as error:
            self._close()
            raise InfrastructureError(f"{self._path}: {error.strerror}") from error
        except RtstoneError:
            self._close()
            raise
        try:
            self.before = self.undo()
        except BaseException:
            self._close()
            raise
        if self.before.failed:
            self._close()
            raise InfrastructureError(f"a change by an earlier rtstone cannot be undone: {self.before.failed[0]}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.after = self.undo()
        finally:
            self._close()

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def try_out(self, values: Iterable[tuple[str, str, str]]) -> None:
        """Set each (setting, place, value) once and restore it. Raises UsageError for a value that the kernel refuses
        or changes. Raises it also, before any change, for a place whose own value could not be restored.
        """
        tried = set()
        for name, place, value in values:
            before = self._read(place, name)
            if place not in tried:
                tried.add(place)
                try:
                    self._give(place, before, name)
                except UsageError as error:
                    raise UsageError(f"{error}; that is its value now, so no change could be undone") from None
            self.set({place: value}, names={place: name})
            if read(self._system, place) != value:
                seen = read(self._system, place)
                self._note([_Change(place, seen, before)])
                _write(self._system, place, before, self._descriptor)
                self._now[place] = before
                raise UsageError(f"setting '{name}': {place} reads '{seen}' after '{value}' was written; write it so")
            self.set({place: before}, names={place: name})

    def set(self, wanted: Mapping[str, str], names: Mapping[str, str] | None = None) -> None:
        """Set each place to its value, in the given order. Raises UsageError for a value that the kernel refuses,
        InfrastructureError without the privilege, or when another program has changed a place since it was set here.
        """
        changes = []
        for place, value in wanted.items():
            now = self._read(place, (names or {}).get(place, place))
            if now != self._now.get(place, now):
                raise InfrastructureError(
                    f"{place} was set to '{now}' by another program meanwhile; here it was '{self._now[place]}'"
                )
            if now != value:
                changes.append(_Change(place, now, value))
        self._note(changes)
        for one in changes:
            self._give(one.place, one.to, (names or {}).get(one.place, one.place))

    def _give(self, place: str, value: str, name: str) -> None:
        try:
            _write(self._system, place, value, self._descriptor)
        except OSError as error:
            if place.startswith(UNIT):
                raise InfrastructureError(f"{place} cannot be made {value}: {error.strerror}") from None
            if isinstance(error, PermissionError) and os.geteuid() != 0:
                raise InfrastructureError(f"setting '{name}': {place}: {error.strerror}; run it as root") from None
            raise UsageError(f"setting '{name}': the kernel refuses '{value}' for {place}: {error.strerror}") from None
        self._now[place] = value

    def _read(self, place: str, name: str) -> str:
        try:
            return read(self._system, place)
        except IsADirectoryError:
            raise UsageError(f"setting '{name}': {place} is a folder") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no text"
            raise InfrastructureError(f"setting '{name}': {place} cannot be read: {why}") from None

    def _note(self, changes: Sequence[_Change]) -> None:
        """Writes changes to the journal on the disk, before they are made."""
        if not changes:
            return
        lines: list[_Line] = [*changes]
        if os.fstat(self._descriptor).st_size == 0:
            lines.insert(0, _Begin(boot_id(self._system), os.getpid()))
        try:
            data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
            if os.write(self._descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # the disk filled up in mid-write
            os.fsync(self._descriptor)
        except OSError as error:
            raise InfrastructureError(f"{self._path}: {error.strerror}; nothing was changed") from error

    def undo(self) -> Changed:
        """Restore all places of the journal. The journal is empty afterwards, unless a place could not be restored."""
        data = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        found = left(self._system, data, self._path)
        undone, others, failed = [], [], []
        for place, (first, ours) in (found.changes if found is not None else {}).items():
            try:
                now = read(self._system, place)
                if now == first:
                    continue
                if now not in ours:
                    others.append(
                        f"{place} was set to '{now}' by another program meanwhile, and is left so; it was '{first}' before"
                    )
                    continue
                _write(self._system, place, first, self._descriptor)
                undone.append(place)
            except ProcessLookupError:
                continue
            except (OSError, ValueError) as error:
                failed.append(f"{place} cannot be set back to '{first}': {getattr(error, 'strerror', None) or error}")
        if not failed:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
                os.fsync(self._descriptor)
        self._now = {}
        return Changed(undone=tuple(undone), others=tuple(others), failed=tuple(failed))
