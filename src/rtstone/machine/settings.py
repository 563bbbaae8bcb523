# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of this machine that are changed for a while: files of /proc and /sys, threads' priorities and systemd's units, with a journal
that undoes them.

The journal is written and flushed to the disk before anything is changed. Whoever opens it next undoes what a killed process has left.
It is void after a reboot, since no such setting outlives one. A value that is not the one that was set here is somebody else's: it stays.
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
"""Names of settings -> the files that have them; a pattern is all files that fit."""

_IRQ = re.compile(r"irq:(\d+)", re.ASCII)
_THREAD = "thread:"
UNIT = "unit:"
"""What the place of a unit of systemd begins with; its value is ``active`` or ``inactive``."""
_PLACE = re.compile(r"thread:(\d+):(.*)", re.ASCII | re.DOTALL)
_CHOSEN = re.compile(r"\[([^\]]*)\]")
_POLICIES = {"other": 0, "fifo": 1, "rr": 2, "batch": 3, "idle": 5}
_FILE = "settings.journal"
_LONGEST = 1 << 16
"""Bytes of a value. What is longer is no setting, but memory, say."""


class _Begin(msgspec.Struct, frozen=True, tag="begin", tag_field="what"):
    boot: str
    pid: int


class _Change(msgspec.Struct, frozen=True, tag="change", tag_field="what"):
    place: str
    was: str
    to: str


_Line = _Begin | _Change


OF_ROOT = Path("/var/lib/rtstone") / _FILE
"""The journal of root, whose settings these are."""


def journal_path() -> Path:
    """Where changes are noted: root's for the whole machine, another user's below the user's own folders."""
    if os.geteuid() == 0 and not os.environ.get("XDG_STATE_HOME"):
        return OF_ROOT
    return base_folder("XDG_STATE_HOME", ".local/state") / "rtstone" / _FILE


def places(system: System, name: str) -> tuple[str, ...]:
    """What a setting's name stands for: a short cut, ``irq:N``, ``thread:NAME`` or a path or pattern of /proc or /sys.

    Raises UsageError for what is none, or is not there.
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
    """The value that holds. Raises OSError or UsageError where it cannot be told."""
    thread = _PLACE.fullmatch(place)
    if thread is not None:
        if system.text(f"/proc/{thread[1]}/comm") != thread[2]:
            raise ProcessLookupError(3, "the thread has ended")
        number = os.sched_getscheduler(int(thread[1])) & 0xFF
        policy = next((word for word, one in _POLICIES.items() if one == number), f"policy {number}")
        return f"{policy}:{os.sched_getparam(int(thread[1])).sched_priority}"
    if place.startswith(UNIT):
        return "active" if system.unit_active(place.removeprefix(UNIT)) else "inactive"
    # A file whose reading waits, or has no end, is no setting.
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
    """`journal`: its descriptor, whose lock a program that is still at work keeps when this one is killed."""
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
    # Never made: what is no setting's own file must not become one.
    descriptor = os.open(system.root / place.lstrip("/"), os.O_WRONLY | os.O_CLOEXEC)
    try:
        # A planted tree has plain files, which would keep the end of a longer value.
        most = os.fstat(descriptor).st_size if system.root != Path("/") else 0
        os.write(descriptor, f"{value}\n".ljust(most).encode())
    finally:
        os.close(descriptor)


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What a journal says of this boot."""

    pid: int
    changes: Mapping[str, tuple[str, tuple[str, ...]]]
    """Of each place its first value, and those that may be there by our hand."""


def left(system: System, data: bytes, where: object) -> Left | None:
    """What a process that changed settings has not undone, by its journal; None: nothing, or it was in another boot.

    Raises InfrastructureError for what is no journal.
    """
    begun: _Begin | None = None
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for line in data.split(b"\n")[:-1]:  # what has no end was never flushed: its change was not made
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
    """What tells this boot from any other."""
    return system.text("/proc/sys/kernel/random/boot_id") or ""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of changes that were undone."""

    undone: tuple[str, ...] = ()
    """Places that have their first value again."""
    others: tuple[str, ...] = ()
    """A sentence for each that somebody else had set meanwhile, and that was left so."""
    failed: tuple[str, ...] = ()
    """A sentence for each that could not be set back; the journal stays for these."""


class Settings:
    """The machine's settings, to be changed while this is entered. On leaving, and at the next entering after a kill, all is undone."""

    def __init__(self, system: System | None = None, path: Path | None = None) -> None:
        self._system = system or System()
        self._path = path or journal_path()
        self._descriptor = -1
        self._now: dict[str, str] = {}
        self.before = Changed()
        """What an earlier process had left, undone on entering."""
        self.after = Changed()
        """What became of it all on leaving."""

    def __enter__(self) -> Self:
        """Raises InfrastructureError where another process is at it, or what an earlier one left cannot be undone."""
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
        """Set each once and set it back: (setting, place, value). Raises UsageError for a value that the kernel refuses or changes, and,
        before it is changed, for a place whose own value could not be set back.
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
        """Give each place its value, the first in the order given. Raises UsageError for a value that the kernel refuses,
        InfrastructureError without the privilege, or where somebody else has set it since it was set here.
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
        """On the disk before it is done."""
        if not changes:
            return
        lines: list[_Line] = [*changes]
        if os.fstat(self._descriptor).st_size == 0:
            lines.insert(0, _Begin(boot_id(self._system), os.getpid()))
        try:
            data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
            if os.write(self._descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # the disk was full in its midst
            os.fsync(self._descriptor)
        except OSError as error:
            raise InfrastructureError(f"{self._path}: {error.strerror}; nothing was changed") from error

    def undo(self) -> Changed:
        """Set back what the journal has; it is empty afterwards, but for what could not be set back."""
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
